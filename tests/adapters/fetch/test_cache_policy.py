"""What a kept page is worth, by its age."""

from __future__ import annotations

from dataclasses import replace

from metasearch.adapters.fetch.page_cache import (
    CachedPage,
    Worth,
    keepable,
    lifetime,
    pack,
    unpack,
    with_age_note,
    with_spare_note,
)
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import Limits
from tests.cases import each

NOW = 1_000_000.0
REQUEST = Request(source="db", url="https://x.example/works")
LIMITS = Limits(ttl=100, grace=50)
DAY = 86_400.0


def page(age: float = 0.0, **facts: object) -> Page:
    return Page(
        **({"request": REQUEST, "body": b"{}", "fetched_at": NOW - age, "cached": True} | facts)
    )  # type: ignore[arg-type]


@each(
    ("age", "worth"),
    [
        (-1, Worth.NOTHING),
        (0, Worth.FRESH),
        (99, Worth.FRESH),
        (100, Worth.AGEING),
        (149, Worth.AGEING),
        (150, Worth.SPARE),
        (99 + DAY, Worth.SPARE),
        (100 + DAY, Worth.NOTHING),
        (float("nan"), Worth.NOTHING),
    ],
)
def test_worth_goes_down_with_age(age: float, worth: Worth) -> None:
    """Fresh for ttl, ageing for grace, spare until a day after ttl, then nothing; the future is
    worth nothing."""
    assert CachedPage(page(age)).worth(LIMITS, NOW) is worth


def test_grace_is_as_long_as_ttl_if_nobody_says() -> None:
    """Twice the ttl is the age at which the source is asked first."""
    limits = Limits(ttl=100)

    assert CachedPage(page(199)).worth(limits, NOW) is Worth.AGEING
    assert CachedPage(page(200)).worth(limits, NOW) is Worth.SPARE


def test_without_grace_the_source_is_asked() -> None:
    """A page is fresh, then spare."""
    assert CachedPage(page(100)).worth(replace(LIMITS, grace=0), NOW) is Worth.SPARE


def test_a_long_grace_outlasts_the_day() -> None:
    """The page lives as long as it may be answered."""
    limits = replace(LIMITS, grace=3 * DAY)

    assert CachedPage(page(2 * DAY)).worth(limits, NOW) is Worth.AGEING
    assert lifetime(limits) == 100 + 3 * DAY


@each(("ttl", "until"), [(100, 60), (10, 10)])
def test_an_answer_without_hits_is_worth_a_minute(ttl: float, until: float) -> None:
    """Or less, if ttl is less; then nothing, not even in need."""
    limits = Limits(ttl=ttl)

    assert CachedPage(page(until - 1), negative=True).worth(limits, NOW) is Worth.FRESH
    assert CachedPage(page(until), negative=True).worth(limits, NOW) is Worth.NOTHING
    assert lifetime(limits, negative=True) == until


@each(("status", "negative"), [(200, False), (200, True), (404, True)])
def test_what_is_packed_is_unpacked(status: int, negative: bool) -> None:
    """Status, type, body, time, and whether there are hits; a 404 has none."""
    value = pack(
        page(status=status, content_type="a/b", body=b"\n{}\n"), NOW - 5, negative=negative
    )

    assert unpack(value, REQUEST) == CachedPage(
        page(5, status=status, content_type="a/b", body=b"\n{}\n"), negative
    )


@each(
    "value",
    [
        b"",
        b"{}",
        b"[]\n",
        b"null\n{}",
        b"\xff\n\n",
        b'{"status":"200","type":"","at":1}\n',
        b"[" * 5000 + b"\n",
        b'{"status":200,"type":"","at":true}\n',
        b'{"status":200,"type":null,"at":1}\n',
    ],
)
def test_what_is_no_page_is_a_miss(value: bytes) -> None:
    """Whatever lies there, nothing raises."""
    assert unpack(value, REQUEST) is None


@each("at", [b"1e300", b"-1e300", b"99999999999999999999"])
def test_a_time_that_cannot_be_is_worth_what_its_age_is(at: bytes) -> None:
    """Far in the future or the past: nothing."""
    kept = unpack(b'{"status":200,"type":"","at":' + at + b"}\n{}", REQUEST)

    assert kept is not None
    assert kept.worth(LIMITS, NOW) is Worth.NOTHING


@each(
    ("age", "words"),
    [
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (4500, "75 min"),
        (3 * 3600, "3 h"),
        (25 * 3600, "25 h"),
        (3 * DAY, "3 days"),
    ],
)
def test_notes_tell_the_age(age: float, words: str) -> None:
    """In a unit that people use; and what is done about it, or why it is so."""
    assert with_age_note(page(age), NOW, renewed=False).note == f"from the cache, {words} old"
    assert (
        with_age_note(page(age), NOW, renewed=True).note
        == f"from the cache, {words} old; a newer answer is being fetched"
    )
    assert (
        with_spare_note(page(age), NOW, "it rains").note
        == f"from the cache, {words} old, because it rains"
    )


@each(
    ("facts", "kept"),
    [
        ({}, True),
        ({"status": 404}, True),
        ({"status": 400}, False),
        ({"status": 302}, False),
        ({"body": b""}, False),
    ],
)
def test_only_answers_are_kept(facts: dict[str, object], kept: bool) -> None:
    """2xx and 404, with a body."""
    assert keepable(page(**facts)) is kept  # type: ignore[arg-type]
