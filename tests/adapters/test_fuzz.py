"""Bodies of every source, broken in every way: a page or an error of ours comes back, in bounded
time, and no record is lost without a word.

The bodies are those of the cassettes. What a database sends may be cut, flipped, spliced with
something else, in another encoding than it says, or nested to death; the parser may refuse all of
it, but only in its own words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.errors import NotParsable, SourceError
from metasearch.settings import Settings
from tests.cases import each, sample
from tests.examples import examples

pytestmark = pytest.mark.timeout(60)

CASSETTES = Path(__file__).resolve().parents[2] / "cassettes"
REGISTRY = Registry(
    Settings(sources={"library": {"extends": "sru", "url": "http://127.0.0.1/sru"}})
)

#: Bytes of a body that is broken again and again; larger ones say nothing that these do not.
LARGEST = 60_000
#: Every source with every kind of body that its cassettes hold: (source, kind, the bodies that hold
#: records).
BODIES: dict[tuple[str, str], list[bytes]] = {}
for folder in sorted(path.parent for path in CASSETTES.rglob("records.json")):
    (body,) = folder.glob("body.*")
    if (
        json.loads((folder / "records.json").read_text(encoding="utf-8"))
        and body.stat().st_size <= LARGEST
    ):
        source = folder.relative_to(CASSETTES).parts[0]
        BODIES.setdefault((source, body.suffix[1:]), []).append(body.read_bytes())
BODIES["library", "xml"] = BODIES["loc", "xml"] + BODIES["dnb", "xml"]
ALL = [
    pytest.param(source, bodies, id=f"{source}-{kind}")
    for (source, kind), bodies in sorted(BODIES.items())
]
JSON = [
    pytest.param(source, bodies, id=source)
    for (source, kind), bodies in sorted(BODIES.items())
    if kind == "json"
]
XML = [
    pytest.param(source, bodies, id=source)
    for (source, kind), bodies in sorted(BODIES.items())
    if kind == "xml"
]
EVERY = [body for bodies in BODIES.values() for body in bodies]


def read(
    body: bytes, source: str, content_type: str = "", status: int = 200
) -> PageContent | SourceError:
    """What the parser makes of a body: its records, or its own error; anything else that it raises
    fails the test."""
    spec: AdapterSpec = REGISTRY.spec(source)
    request = Request(source=source, url="https://example.org/api", size=100, wanted=100)
    page = Page(request=request, body=body, content_type=content_type, status=status)
    try:
        parsed = parse(page, spec)
    except SourceError as exc:
        error = exc
    else:
        error = None
    if error is not None:
        assert str(error)
        assert error.advice
        return error
    assert all(record.source == source for record in parsed.records)
    assert all(unread.reason for unread in parsed.unread)
    positions = [it.position for it in (*parsed.records, *parsed.unread)]
    assert len(set(positions)) == len(positions) or source == "pubmed"
    for record in parsed.records:  # what is shown, stored and sent on
        json.dumps(
            [record.title, record.abstract, [a.name for a in record.authors]], ensure_ascii=False
        ).encode()
    return parsed


def counted(found: PageContent | SourceError) -> int:
    """How many records a page accounts for, readable or not."""
    assert isinstance(found, PageContent), found
    return len(found.records) + len(found.unread)


@st.composite
def broken(draw: st.DrawFn, bodies: list[bytes]) -> bytes:
    """A body that was cut, flipped, spliced, repeated or strewn with foreign bytes, once or several
    times."""
    body = draw(st.sampled_from(bodies))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(body)))
        match draw(
            st.sampled_from(("cut", "behead", "flip", "splice", "strew", "double", "leave out"))
        ):
            case "cut":
                body = body[:at]
            case "behead":
                body = body[at:]
            case "flip":
                flipped = bytearray(body)
                for spot in draw(st.lists(st.integers(0, max(0, len(body) - 1)), max_size=20)):
                    if spot < len(flipped):
                        flipped[spot] ^= 1 << draw(st.integers(0, 7))
                body = bytes(flipped)
            case "splice":
                other = draw(st.sampled_from(EVERY))
                body = body[:at] + other[draw(st.integers(0, len(other))) :]
            case "strew":
                body = body[:at] + draw(st.sampled_from(FOREIGN)) + body[at:]
            case "double":
                body = body[:at] + body[at // 2 :]
            case _:
                body = body[:at] + body[at + draw(st.integers(1, 400)) :]
        body = body[: 2 * LARGEST]
    return body


#: What stands where it should not: control characters, broken and overlong UTF-8, surrogates,
#: numbers without end, entities, brackets.
FOREIGN = (
    b"\x00", b"\x0b\x1f", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\\ud800",
    b"NaN", b"-Infinity",
    b"1e999", b"9" * 5000, b"null", b"[[[[", b"{}", b"]}", b'","', b"&nbsp;", b"&e;", b"&#0;",
    b"&#xD800;", b"%s",
    b"<![CDATA[", b"<!--", b"<x>", b"</record>", b"<!DOCTYPE x [<!ENTITY e 'f'>]>", b"\xe2\x80\xae",
    b"\r\n\r\n",
)  # fmt: skip


@pytest.mark.parametrize(("source", "bodies"), sample(ALL, 10))
@examples(0.25)
@given(
    data=st.data(),
    kind=st.sampled_from(("", "application/json", "text/xml; charset=gbk", "text/html; charset=x")),
)
def test_broken_bodies_are_read_or_refused(
    source: str, bodies: list[bytes], data: st.DataObject, kind: str
) -> None:
    """Whatever is done to a body, records come back or an error of ours with an advice, and nothing
    else is raised."""
    read(
        data.draw(broken(bodies)),
        source,
        kind,
        data.draw(st.sampled_from((200, 200, 200, 400, 404, 500))),
    )


@pytest.mark.parametrize(("source", "bodies"), sample(ALL, 10))
@examples(0.25)
@given(data=st.data())
def test_a_cut_body_is_never_taken_for_a_whole_one(
    source: str, bodies: list[bytes], data: st.DataObject
) -> None:
    """A body that ends early is refused: what is left would look like an answer with fewer hits."""
    body = data.draw(st.sampled_from(bodies)).strip()
    body = body[: data.draw(st.integers(0, len(body) - 1))]

    found = read(body, source)
    assert (
        isinstance(found, SourceError) or _is_whole(body) or found.notes
    )  # of a piece of a page, it is told


def _is_whole(body: bytes) -> bool:
    """Whether strict readers take it, for instance where only a final comment was cut off."""
    try:
        json.loads(body) if body[:1] in (b"{", b"[") else etree.fromstring(body)
    except (ValueError, etree.XMLSyntaxError):
        return False
    return True


WRAPPED: dict[str, Callable[[str], bytes]] = {
    "utf-8 with BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "two BOMs": lambda text: b"\xef\xbb\xbf" * 2 + text.encode(),
    "utf-16 with BOM": lambda text: text.encode("utf-16"),
    "utf-16 big endian": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-32 with BOM": lambda text: text.encode("utf-32"),
    "white space": lambda text: f" \r\n\t {text} \n".encode(),
}


@pytest.mark.parametrize(("source", "bodies"), sample(ALL, 10))
def test_a_byte_order_mark_costs_nothing(source: str, bodies: list[bytes]) -> None:
    """The records are the same with a mark before them, or in the encoding that the mark says."""
    for body in bodies:
        titles = _titles(read(body, source))
        for name, wrap in WRAPPED.items():
            assert _titles(read(wrap(body.decode()), source)) == titles, name


def _titles(found: PageContent | SourceError) -> list[str]:
    assert isinstance(found, PageContent), found
    return [record.title for record in found.records]


CHARSETS = ("gb18030", "gbk", "cp1252", "latin-1", "utf-16-le", "shift_jis")


@pytest.mark.parametrize(("source", "bodies"), sample(ALL, 10))
def test_another_encoding_loses_no_record(source: str, bodies: list[bytes]) -> None:
    """In an encoding that is declared, or that only a guess can tell, the records are as many; else
    it is an error."""
    for body in bodies:
        whole = counted(read(body, source))
        for charset in CHARSETS:
            encoded = body.decode().encode(charset, "replace")
            for declared in (charset, "utf-8"):
                found = read(encoded, source, f"text/plain; charset={declared}")
                assert isinstance(found, SourceError) or counted(found) == whole, (
                    charset,
                    declared,
                )


@pytest.mark.parametrize("source", sample(sorted({source for source, _ in BODIES}), 10))
def test_nesting_is_refused_or_read(source: str) -> None:
    """A body that is nested to death is an answer or an error, whatever it is nested of and
    wherever that stands."""
    for depth in (900, 10_000):
        for body in nested(source, depth):
            read(body, source)


def nested(source: str, depth: int) -> list[bytes]:
    """Bodies that are nested so deeply: by themselves, and in the middle of a source's own."""
    bodies = [
        b"[" * depth + b"]" * depth,
        b'{"message":' * depth + b"1" + b"}" * depth,
        b"<x>" * depth + b"</x>" * depth,
        b"<html><body>" + b"<div>" * depth,
        b"[" * depth,
    ]
    for body in (body for (name, _), bodies in BODIES.items() if name == source for body in bodies):
        middle = len(body) // 2
        bodies += [
            body.replace(b":", b":" + b"[" * depth + b"]" * depth + b",", 1),
            body[:middle] + b"[" * depth + b"]" * depth + body[middle:],
            body[:middle] + b"<i>" * depth + b"</i>" * depth + body[middle:],
        ]
    return bodies


# --------------------------------------------------------------------------- neighbours

#: What a member of a JSON record may hold instead of what it should.
ODD: list[Any] = [
    None, True, False, -1, 0, 1e308, 10**18, "", " ", "\x00\x1b[31m", "\ud800", "x" * 10_000,
    "9" * 5_000, [], {},
    [None], [[]], [{}], [[["a"]]], {"a": {}}, {"text": 3}, ["9" * 5_000], [[2020, "9" * 5_000, 1]],
    [["٣" * 4_400]],
    [{"x": None}, 3, "y"],
    "<b>", "&#x110000;", "https://[", "javascript:alert(1)", "10.1000/" + "(" * 200, "²³",
]  # fmt: skip


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place below a node."""
    items = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for name, child in items:
        yield (*path, name)
        yield from _places(child, (*path, name))


def _lists(root: Any) -> list[list[Any]]:
    """The lists of objects of a body whose objects are the records of it: those that say how many
    there are."""
    found = [root] if isinstance(root, list) else []
    for path in _places(root):
        node = root
        for name in path:
            node = node[name]
        if isinstance(node, list):
            found.append(node)
    return found


def _records_of(root: Any, source: str) -> list[Any] | None:
    """The list of a body that holds its records: without one of its members one record less is
    counted."""
    whole = counted(read(json.dumps(root).encode(), source))
    for candidate in _lists(root):
        if len(candidate) == whole and all(isinstance(item, dict) for item in candidate):
            last = candidate.pop()
            found = read(json.dumps(root).encode(), source)
            candidate.append(last)
            if whole > 1 and isinstance(found, PageContent) and counted(found) == whole - 1:
                return candidate
    return None


@pytest.mark.parametrize(("source", "bodies"), sample(JSON, 8))
@examples(0.25)
@given(data=st.data())
def test_an_odd_member_costs_at_most_its_record(
    source: str, bodies: list[bytes], data: st.DataObject
) -> None:
    """Whatever stands in one place of one record of a list, the others are read as before and it is
    read or counted."""
    root = json.loads(data.draw(st.sampled_from(bodies)))
    records = _records_of(root, source)
    if records is None:  # a page of one record
        return
    before = read(json.dumps(root).encode(), source)
    assert isinstance(before, PageContent)
    which = data.draw(st.integers(0, len(records) - 1))
    places = [path for path in _places(records[which]) if len(path) < 5]
    *outer, last = data.draw(st.sampled_from(places))
    node = records[which]
    for name in outer:
        node = node[name]
    odd = data.draw(st.sampled_from(ODD))
    node[last] = odd

    found = read(json.dumps(root).encode(), source)

    if isinstance(found, PageContent):
        others = {r.position: r for r in before.records if r.position != which + 1}
        assert others == {r.position: r for r in found.records if r.position != which + 1}, (
            outer,
            last,
            odd,
        )
        assert counted(found) == counted(before), (outer, last, odd)
    else:
        assert isinstance(found, NotParsable), (outer, last, odd, found)


IMPOSSIBLE = (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999", b"9" * 5000, b'"\\ud800"')


@pytest.mark.parametrize(("source", "bodies"), sample(JSON, 8))
def test_an_impossible_number_costs_only_itself(source: str, bodies: list[bytes]) -> None:
    """What JSON cannot hold, in a member that nobody asked for, leaves every record as it was."""
    for body in bodies:
        before, start = read(body, source), body.find(b"{")
        assert isinstance(before, PageContent)
        for number in IMPOSSIBLE:
            after = read(body[: start + 1] + b'"odd":' + number + b"," + body[start + 1 :], source)
            assert isinstance(after, PageContent), (number[:9], after)
            assert before.records == after.records, number[:9]


@pytest.mark.parametrize(("source", "bodies"), sample(XML, 8))
@examples(0.25)
@given(data=st.data())
def test_an_odd_element_costs_at_most_its_record(
    source: str, bodies: list[bytes], data: st.DataObject
) -> None:
    """An element that is emptied or filled with something odd, in text and attributes, costs at
    most its record."""
    # Entities of a DTD that is never loaded are no part of this.
    root = etree.fromstring(
        data.draw(st.sampled_from(bodies)), etree.XMLParser(recover=True, resolve_entities=False)
    )
    before = read(etree.tostring(root, encoding="utf-8"), source)
    assert isinstance(before, PageContent)
    leaves = [it for it in root.iter("{*}*") if not len(it) and len(list(it.iterancestors())) > 3]
    if not leaves:
        return
    element = data.draw(st.sampled_from(leaves))
    element.text = data.draw(
        st.sampled_from(["", "9" * 5_000, "x" * 10_000, "٣" * 4_400, "&lt;", "https://[", "²"])
    )
    for name in list(element.attrib):
        if data.draw(st.booleans()):
            element.attrib[name] = data.draw(st.sampled_from(["", "z", "9" * 5_000]))

    found = read(etree.tostring(root, encoding="utf-8"), source)

    if isinstance(found, PageContent):
        assert abs(counted(found) - counted(before)) <= 1
        changed = [record.position for record in before.records if record not in found.records]
        assert len(changed) <= 1, (element.tag, changed)
    else:
        assert isinstance(found, NotParsable), found


def test_a_record_without_its_contents_is_counted() -> None:
    """Where the record lies one step below its item, an item without it is told and not passed
    over."""
    for source, member in (("semanticscholar", "citingPaper"), ("datacite", "attributes")):
        work = {"title": "A", "titles": [{"title": "A"}], "doi": "10.1000/1", "paperId": "1"}
        items = [{"type": "dois", member: work}, {"type": "dois"}, {"type": "dois", member: None}]

        found = read(json.dumps({"data": items}).encode(), source)

        assert isinstance(found, PageContent)
        assert (len(found.records), [it.position for it in found.unread]) == (1, [2, 3])


def test_an_endless_date_costs_only_itself() -> None:
    """Digits that are more than Python turns into a number are no month and no day; the record
    keeps the rest."""
    items = [
        {
            "DOI": "10.1000/1",
            "title": ["A"],
            "issued": {"date-parts": [["2020", "9" * 5_000, "9" * 5_000]]},
        }
    ]

    found = read(json.dumps({"status": "ok", "message": {"items": items}}).encode(), "crossref")

    assert isinstance(found, PageContent)
    assert [(record.title, record.year, record.date) for record in found.records] == [
        ("A", 2020, "2020")
    ]


@each("depth", [900, 1_000])
def test_a_nested_total_costs_only_itself(depth: int) -> None:
    """A count that is nested to death is no count; the records beside it are read."""
    body = (
        b'{"meta":{"count":'
        + b"[" * depth
        + b"7"
        + b"]" * depth
        + b'},"results":[{"id":"W1","title":"A"}]}'
    )

    found = read(body, "openalex")

    assert isinstance(found, PageContent)
    assert [record.title for record in found.records] == ["A"]
