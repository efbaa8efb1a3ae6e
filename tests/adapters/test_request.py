"""What names a request: two that differ never have one name."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.request import JSON, Request, Secret, public
from tests.cases import each

#: Characters that have stood, or could stand, between the parts of a key.
_TEXT = st.text(alphabet="a=\n\0:1,\ud800", max_size=4)
_PAIRS = st.lists(st.tuples(_TEXT, _TEXT), max_size=3).map(tuple)
_REQUESTS = st.builds(
    Request, source=_TEXT, url=_TEXT, method=st.sampled_from(["GET", "POST"]), params=_PAIRS,
    headers=_PAIRS,
    body=_PAIRS, content=_TEXT, content_type=_TEXT,
)  # fmt: skip


def _said(request: Request) -> tuple[object, ...]:
    pairs = (tuple(public(it)) for it in (request.params, request.headers, request.body))
    return (
        request.source,
        request.url,
        request.method,
        request.content,
        request.content_type,
        *pairs,
    )


@given(_REQUESTS, _REQUESTS)
def test_requests_that_differ_have_keys_that_differ(one: Request, other: Request) -> None:
    assert (page_key(one) == page_key(other)) is (_said(one) == _said(other))


@given(_REQUESTS, st.lists(st.tuples(_TEXT, _TEXT), min_size=2, max_size=4), st.data())
def test_what_moves_from_one_part_to_another_changes_the_key(
    base: Request, pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Whatever a value holds, it is not taken for the parts that follow, in any writing that has a
    separator."""
    at = data.draw(st.integers(0, len(pairs) - 2))
    between, within = (data.draw(st.sampled_from(["\n", "\0", "&", ":", ""])) for _ in range(2))
    (name, value), (following, last) = pairs[at : at + 2]
    for inner in ("=", within):
        joined = [
            *pairs[:at],
            (name, f"{value}{between}{following}{inner}{last}"),
            *pairs[at + 2 :],
        ]
        one, other = replace(base, params=tuple(pairs)), replace(base, params=tuple(joined))

        assert page_key(one) != page_key(other)


@each(
    ("one", "other"),
    [
        ({"params": (("a", "b"), ("c", "d"))}, {"params": (("a", "b\nc=d"),)}),
        ({"params": (("a=b", "c"),)}, {"params": (("a", "b=c"),)}),
        ({"params": (("a", "b"),)}, {"headers": (("a", "b"),)}),
        ({"body": (("a", "b"),)}, {"body": (("a", "b"),), "content_type": JSON}),
        ({"content": "x", "content_type": "a\nb"}, {"content": "b\nx", "content_type": "a"}),
    ],
    ids=["a line end", "an equals sign", "another list", "a form and JSON", "a type of content"],
)
def test_requests_that_were_mistaken_for_one_another(
    one: dict[str, object], other: dict[str, object]
) -> None:
    """A page of the one would have been given for the other."""
    base = Request(source="db", url="https://x.example/", method="POST")

    assert page_key(replace(base, **one)) != page_key(replace(base, **other))


def test_secrets_and_bookkeeping_change_no_key() -> None:
    """A page is kept once, whoever has asked for it, and for which place of the list."""
    base = Request(source="db", url="https://x.example/", params=(("q", "tidal"),))
    kin = replace(
        base,
        params=(("q", "tidal"), ("key", Secret("s3cr3tk3y"))),
        start=20,
        wanted=100,
        step="second",
    )

    assert page_key(kin) == page_key(base)
