"""Pages become records: an odd record keeps its neighbours, and an odd body is an error that says
what it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch import errors
from metasearch.adapters.parse.parse import (
    DRIFT_RECORDS,
    LONG_BODY,
    STEP,
    PageContent,
    PageReading,
    parse,
)
from metasearch.adapters.request import Page, Request, Secret
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.specfile import build
from tests.cases import each
from tests.examples import examples

BASE: dict[str, Any] = {
    "name": "made",
    "request": {"url": "https://api.example.org/", "params": {"q": "{any}", "start": "{start}"}},
    "paging": {"kind": "offset", "size": 10},
    "auth": {"key": {"env": "MADE_KEY"}},
}
JSON = build(
    {
        **BASE,
        "parse": {
            "body": "json",
            "records": "items || @[?title]",
            "total": "total",
            "error": "error",
            "warning": "hint",
        },
        "fields": {
            "title": "title",
            "year": "year",
            "date": "date",
            "authors": "authors",
            "doi": "doi",
            "abstract": "abstract",
        },
        "ids": {"own": "id"},
    },
    "made.toml",
)
XML = build(
    {
        **BASE,
        "parse": {
            "body": "xml",
            "bare": True,
            "records": "//item",
            "total": "//total",
            "error": "//error",
        },
        "fields": {
            "title": "title",
            "authors": {"each": "author", "name": "."},
            "doi": "doi",
            "venue": "concat(j, '')",
        },
    },
    "made.toml",
)


def read(body: bytes | str | Any, spec: AdapterSpec = JSON, **page: Any) -> PageContent:
    raw = (
        body
        if isinstance(body, bytes)
        else body.encode()
        if isinstance(body, str)
        else json.dumps(body).encode()
    )
    request = Request(
        source="made",
        url="https://api.example.org/",
        size=10,
        wanted=page.pop("wanted", 10),
        start=page.pop("start", 0),
    )
    return parse(Page(request=request, body=raw, **page), spec)


def titles(parsed: PageContent) -> list[str]:
    return [record.title for record in parsed.records]


# --------------------------------------------------------------------------- records


def test_positions_go_on_over_pages() -> None:
    """A record knows its rank over all pages, also where a neighbour could not be read."""
    parsed = read({"total": 30, "items": [{"title": "A"}, {}, {"title": "B"}]}, start=10)

    assert [11, 13] == [record.position for record in parsed.records]
    assert [(12, "neither a title nor an identifier")] == [
        (u.position, u.reason) for u in parsed.unread
    ]
    assert 30 == parsed.total


@each(
    "odd",
    [None, 7, "text", [], [1], {}, {"title": []}, {"title": {"x": 1}}, {"title": "", "id": ""}],
)
def test_an_odd_record_keeps_its_neighbours(odd: Any) -> None:
    """Whatever stands where a record should be, the others are read, and it is counted."""
    parsed = read({"items": [{"title": "A"}, odd, {"title": "B"}]})

    assert ["A", "B"] == titles(parsed)
    assert 1 == len(parsed.unread)


def test_a_rule_that_raises_costs_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a mistake of our own in one record is reported there, and not thrown."""
    from metasearch.adapters.parse import parse as module

    real = module.record_of

    def explode(shape: Any, node: Any, position: int, spec: Any, cuts: Any) -> Any:
        if position == 2:
            raise RuntimeError("unforeseen")
        return real(shape, node, position, spec, cuts)

    monkeypatch.setattr(module, "record_of", explode)

    parsed = read({"items": [{"title": "A"}, {"title": "B"}, {"title": "C"}]})

    assert ["A", "C"] == titles(parsed)
    assert "RuntimeError: unforeseen" == parsed.unread[0].reason


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(["title", "year", "date", "authors", "doi", "abstract", "id"]), JSON_VALUES
    )
)
@examples(0.6)
def test_no_value_breaks_a_page(item: dict[str, Any]) -> None:
    """Any JSON in any field leaves a page that can be read."""
    parsed = read({"items": [item, {"title": "last"}]})

    assert "last" == parsed.records[-1].title
    assert 2 == len(parsed.records) + len(parsed.unread)


def test_year_from_the_date() -> None:
    """A record that gives only a date has its year too, and its own year where it gives one."""
    parsed = read(
        {
            "items": [
                {"title": "A", "date": "2020-03"},
                {"title": "B", "date": "2020-03", "year": 2019},
            ]
        }
    )

    assert [(2020, "2020-03"), (2019, "2020-03")] == [(r.year, r.date) for r in parsed.records]


def test_one_record_without_a_list() -> None:
    """ "One or many" sources write a single hit without a list."""
    assert ["A"] == titles(read({"items": {"title": "A"}}))


# --------------------------------------------------------------------- bodies that are nearly right


def test_byte_order_mark_and_white_space() -> None:
    """A byte order mark and blank lines before the body do not matter."""
    assert ["A"] == titles(read(b'\xef\xbb\xbf\r\n {"items": [{"title": "A"}]}'))


@each(
    ("body", "title"),
    [
        (b'{"items": [{"title": "A", "year": NaN}]}', "A"),
        (b'{"items": [{"title": "A", "year": Infinity}]}', "A"),
        (b'{"items": [{"title": "a\tb"}]}', "a b"),
        (b'{"items": [{"title": "A \\ud800"}]}', "A ?"),
    ],
)
def test_lenient_json(body: bytes, title: str) -> None:
    """NaN, control characters and lone surrogates are read, and told."""
    parsed = read(body)

    assert [title] == titles(parsed)
    assert "leniently" in parsed.notes[0]
    title.encode()


def test_json_lines() -> None:
    """One object a line is a list."""
    assert ["A", "B"] == titles(read('{"title": "A"}\n\n{"title": "B"}\n'))


def test_illegal_xml_characters() -> None:
    """A control character costs neither the page nor its other records."""
    parsed = read(b"<r><item><title>A\x0b</title></item><item><title>B</title></item></r>", XML)

    assert ["A", "B"] == titles(parsed)
    assert "not legal" in parsed.notes[0]


@each(
    ("written", "title"),
    [
        ("AT&T & Bell", "AT&T & Bell"),
        ("R&D; S&amp;T", "R&D; S&T"),
        ("p < 0.05, q <= 1", "p < 0.05, q <= 1"),
        ("a&nosuch;b", "a&nosuch;b"),
        ("A&#11;B&#0;C&#xD800;D&#65;", "ABCDA"),
        ("x&y <![CDATA[R&D &amp;]]>", "x&y R&D &"),
        ("x&y <![CDATA[a]]> &z", "x&y a &z"),
    ],
)
def test_signs_that_begin_nothing_in_xml(written: str, title: str) -> None:
    """A bare "&" or "<" costs neither the page nor its other records, and is told."""
    page = f"<r><item><title>{written}</title></item><item><title>B</title></item></r>"
    parsed = read(page.encode(), XML)

    assert titles(parsed) == [title, "B"]
    assert "not legal" in parsed.notes[0]


@each(
    ("charset", "title"),
    [("latin-1", "Café au lait"), ("gbk", "中文题名：信息检索"), ("utf-8", "Café au lait")],
)
@each("kind", ["json", "xml"])
def test_mistaken_charset(kind: str, charset: str, title: str) -> None:
    """A body that is not in the encoding it declares keeps its records, readable where a guess can
    make them so."""
    xml = f'<?xml version="1.0" encoding="UTF-8"?><r><item><title>{title}</title></item></r>'
    text, shape = (f'{{"items": [{{"title": "{title}"}}]}}', JSON) if kind == "json" else (xml, XML)
    parsed = read(text.encode(charset), shape)

    assert [title] == titles(parsed)
    assert any("guess" in note for note in parsed.notes) == (charset != "utf-8")


def test_a_body_that_says_nothing_is_not_empty() -> None:
    """Neither records nor a count nor the list that would hold them: that is no answer without
    hits."""
    spec = build(
        {
            **BASE,
            "parse": {"body": "json", "records": "data.items || [@][?title]", "total": "total"},
            "fields": {"title": "title"},
        },
        "made.toml",
    )

    for body in ({"foo": 1}, {}, [1, 2], {"items": []}):
        with pytest.raises(errors.NotParsable):
            read(body, spec)
    assert read({"total": 0}, spec).total == 0
    assert read([], spec).records == ()


def test_no_error_repeats_the_key() -> None:
    """A body may quote what it was sent; neither its message nor its beginning is shown with the
    key."""
    request = Request(
        source="made", url="https://api.example.org/", headers=(("X-Key", Secret("abcdef")),)
    )
    for body in (
        b'{"error": "no such key: abcdef"}',
        b"key abcdef is wrong",
        b"<html><title>abcdef?</title></html>",
    ):
        with pytest.raises(errors.SourceError) as caught:
            parse(Page(request=request, body=body), JSON)

        assert "abcdef" not in str(caught.value)


@each("body", ["Rate exceeded.", "Too Many Requests"])
def test_a_short_text_about_limits_is_a_refusal(body: str) -> None:
    """Gateways say so in plain text, and not always with a status."""
    with pytest.raises(errors.RateLimited):
        read(body)


def test_a_web_page_is_named_by_its_title() -> None:
    """What stands in the title says more than the first tags of the page."""
    page = (
        '<?xml version="1.0"?><!DOCTYPE html><html><head><title>503 Backend fetch '
        "failed</title></head></html>"
    )

    with pytest.raises(errors.NotParsable, match="503 Backend fetch failed"):
        read(page, XML)
    with pytest.raises(errors.SourceSaysError, match="503 Backend fetch failed"):
        read(page, XML, status=503)


def test_body_cut_short() -> None:
    """A body that ends too early is told as such, and not as a changed interface."""
    for body, shape in ((b'{"items": [{"ti', JSON), (b"<r><item><ti", XML), (b"<r><item>", XML)):
        with pytest.raises(errors.NotParsable, match="breaks off") as caught:
            read(body, shape)

        assert "Try again" in caught.value.advice


@each("doctype", [b"", b'<!DOCTYPE r SYSTEM "r.dtd">'])
def test_named_characters(doctype: bytes) -> None:
    """HTML's named characters are read though no DTD defines them, and XML's own stay what they
    are."""
    body = (
        doctype + b"<r><item><title>B&ouml;hlen &amp; Co "
        b"&lt;x</title><author>&Eacute;mile</author></item></r>"
    )

    (record,) = read(body, XML).records

    assert ("Böhlen & Co <x", "Émile") == (record.title, record.authors[0].name)


def test_entities_are_never_expanded() -> None:
    """Neither a file nor a bomb comes out of an entity that the body declares."""
    xxe = (
        b"<!DOCTYPE r [<!ENTITY x SYSTEM "
        b'"file:///etc/hostname">]><r><item><title>A&x;B</title></item></r>'
    )
    bomb = b'<!DOCTYPE r [<!ENTITY a "' + b"ha" * 500 + b'"><!ENTITY b "' + b"&a;" * 500 + b'">]>'
    bomb += b"<r><item><title>" + b"&b;" * 500 + b"</title></item></r>"

    assert ["AB"] == titles(read(xxe, XML))
    with pytest.raises(errors.NotParsable, match="expand to too much text"):
        read(bomb, XML)


def test_namespaces_taken_off() -> None:
    """A `bare` shape reads a format whatever its namespace is called this year."""
    body = (
        "<r xmlns='urn:one' "
        "xmlns:j='urn:two'><j:item><j:title>A</j:title><doi>10.5555/a</doi></j:item></r>"
    )

    (record,) = read(body, XML).records

    assert ("A", "10.5555/a") == (record.title, record.doi)


# --------------------------------------------------------------------------- bodies that are wrong


@each(
    ("body", "told"),
    [
        (b"", "empty"),
        (b"   ", "empty"),
        (b"plain text", "expected JSON"),
        (b'{"items": [', "not JSON"),
        (b'{"items": [{"title": "A"}', "not JSON"),
        (b'{"other": 1}', "neither records nor a count"),
        (b"<r/>", "expected JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "not JSON|nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "not JSON|nested too deeply"),
    ],
)
def test_not_parsable(body: bytes, told: str) -> None:
    """A body that is cut off, nested without end or something else altogether is told with how it
    begins."""
    with pytest.raises(errors.NotParsable, match=told) as raised:
        read(body)

    assert body.strip()[:20].decode() in raised.value.body_start + "   " or not body.strip()


@each(
    "body",
    [b"<r><item><title>A</title></item>", b"<r><item></r>", b"<a>" * 100_000 + b"</a>" * 100_000],
)
def test_broken_xml(body: bytes) -> None:
    """XML is not repaired, because a repaired body silently loses records."""
    with pytest.raises(errors.NotParsable):
        read(body, XML)


CHALLENGE = (
    b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking "
    b"your browser</body></html>"
)


@each("spec", [JSON, XML])
def test_challenge(spec: AdapterSpec) -> None:
    """A human check instead of an answer is no empty result."""
    with pytest.raises(errors.Blocked):
        read(CHALLENGE, spec, content_type="text/html")


def test_other_html() -> None:
    """Any other page is not readable, and with a status of 400 it is the source's refusal."""
    page = b"<html><body><h1>Bad request</h1></body></html>"

    with pytest.raises(errors.NotParsable):
        read(page)
    with pytest.raises(errors.SourceSaysError, match="HTTP 400: Bad request"):
        read(page, status=400)


@each(
    ("message", "status", "error"),
    [
        ("the query is wrong", 200, errors.SourceSaysError),
        ("Rate limit exceeded; use an API key", 200, errors.RateLimited),
        ("budget spent", 429, errors.RateLimited),
        ("Invalid API key", 200, errors.AccessDenied),
        ("no", 403, errors.AccessDenied),
    ],
)
def test_error_in_the_body(message: str, status: int, error: type[errors.SourceError]) -> None:
    """What a body says is wrong decides what is done about it."""
    with pytest.raises(error) as raised:
        read({"error": message}, status=status)

    assert "made" == raised.value.source


def test_key_that_is_missing_is_named() -> None:
    """A refusal for want of a key says which variable would hold it."""
    with pytest.raises(errors.AccessDenied) as raised:
        read({"error": "unauthorized"}, status=401)

    assert "MADE_KEY" in raised.value.advice


def test_records_beside_a_message() -> None:
    """Records are read though the body complains; a hint becomes a note."""
    parsed = read({"items": [{"title": "A"}], "error": "1 shard failed", "hint": "try harder"})

    assert ["A"] == titles(parsed)
    assert ("try harder",) == parsed.notes


def test_empty_answers() -> None:
    """No hits are an empty answer; hits that were not sent are told."""
    assert ((), 0, ()) == (lambda p: (p.records, p.total, p.notes))(read({"total": 0, "items": []}))
    assert "sent none" in read({"total": 7, "items": []}).notes[0]
    assert () == read("<r><total>0</total></r>", XML).records


def test_404_can_mean_no_hits() -> None:
    """Some databases answer 404 where others answer an empty list; a spec says so."""
    table = {
        **BASE,
        "parse": {"body": "json", "records": "items", "not_found": "empty"},
        "fields": {"title": "title"},
    }

    assert 0 == read({"error": "nothing"}, build(table, "made.toml"), status=404).total


# --------------------------------------------------------------------------- drift and paging


def test_drift() -> None:
    """Most records without their title mean that the site has changed; a few records say
    nothing."""
    without = [{"id": str(n)} for n in range(DRIFT_RECORDS)]

    assert ("title", 1.0) == read({"items": without}).drifted
    assert read({"items": without[:-1]}).drifted is None
    assert read({"items": [*without, *({"title": "A"} for _ in without)]}).drifted is None


def test_next_page() -> None:
    """A page leads to the one that follows while more is wanted and more is there."""
    items = [{"title": str(n)} for n in range(10)]

    following = read({"total": 100, "items": items}, wanted=15).next

    assert following is not None
    assert (10, 10) == (following.start, following.size)
    assert read({"total": 10, "items": items}, wanted=15).next is None
    assert read({"total": 100, "items": items}, wanted=10).next is None


@each("count", [1, STEP, STEP + 1, 3 * STEP, 3 * STEP + 1])
def test_a_page_is_read_in_steps(count: int) -> None:
    """Whoever reads step by step gets what `parse` gives, and his turn after each step."""
    page = Page(
        request=Request(source="made", url="https://api.example.org/", start=7, wanted=1000),
        body=json.dumps({"items": [{"title": str(n)} for n in range(count)]}).encode(),
    )
    reading = PageReading(page, JSON)

    steps = list(reading)

    assert {len(step) for step in steps} <= {STEP}
    assert parse(page, JSON) == reading.parsed
    assert count == len(reading.parsed.records)
    before = [record for step in steps for record in step]
    assert tuple(before) == reading.parsed.records[: len(before)], (
        "each step gives what was read in it"
    )
    assert 1 <= count - len(before) <= STEP, "the last one is not given by itself"


def test_to_load_a_long_body_is_a_stretch() -> None:
    """It takes long by itself, so there is a turn before its records are read."""
    page = Page(
        request=Request(source="made", url="https://api.example.org/"),
        body=json.dumps({"items": [{"title": "x" * LONG_BODY}]}).encode(),
    )

    assert list(PageReading(page, JSON)) == [()]


def test_a_step_raises_what_parse_raises() -> None:
    """A body that cannot be read is an error in the loop that reads it."""
    page = Page(request=Request(source="made", url="https://api.example.org/"), body=b'{"items": [')

    with pytest.raises(errors.NotParsable):
        list(PageReading(page, JSON))
