"""Specs from TOML: what is right is compiled, what is wrong is told all at once."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import MAX_BYTES, build, merge, read_table, shipped_table
from metasearch.errors import SpecError
from metasearch.settings import Settings
from tests.cases import each

GOOD = """
name = "one"
[request]
url    = "https://api.example.org/{query}"
params = { q = "{any}", filter = ["doi:{doi}", "{years}"], n = "{size}" }
[parse]
body    = "json"
records = "items"
[fields]
title   = ["title", "name"]
authors = { each = "people", name = "name", corporate = "body" }
type    = [{ at = "kind", map = { paper = "article" } }, { value = "other" }]
[ids]
own = { at = "id", template = "X{x}" }
"""


def spec_of(toml: str, **base: Any) -> AdapterSpec:
    return build(tomllib.loads(toml), "test.toml", base.__getitem__ if base else None)


def problems_of(toml: str, **base: Any) -> str:
    with pytest.raises(SpecError) as raised:
        spec_of(toml, **base)

    assert "test.toml" == raised.value.file
    return "\n".join(raised.value.problems)


def test_smallest_spec() -> None:
    """A request, a body and a title are enough; the rest has defaults."""
    spec = spec_of(GOOD)

    assert ("one", "one", False, True, 1.0) == (
        spec.name,
        spec.label,
        spec.default,
        spec.enabled,
        spec.weight,
    )
    assert ("doi:{doi}", "{years}") == spec.request.params["filter"]
    assert ["title", "authors", "type", "type", "ids.own"] == [
        rule.field for rule in spec.shapes[0].shape().rules
    ]


def test_selectors_of_one_text_are_compiled_once() -> None:
    """Two sources share them; the same text is another selector in another kind of body."""
    one, same = (spec_of(GOOD).shapes[0].shape() for _ in range(2))
    other = spec_of(GOOD.replace('"json"', '"html"')).shapes[0].shape()

    assert one.records is same.records
    assert one.records is not other.records


def test_every_problem_at_once() -> None:
    """A spec with many mistakes is read to its end, and each is named with its place and what is
    allowed."""
    told = problems_of("""
name   = "Not A Name"
colour = "red"
weight = -1
hook   = "nobody"
[request]
url    = "ftp://example.org"
method = "PUT"
params = { q = "{nothing}", n = "{size!r}", m = "{", l = [true] }
[query]
style  = "expression"
fields = { any = "{y}", taste = "{x}" }
years  = { both = "{from}" }
[paging]
kind = "cursor"
size = 0
[auth.key]
env = "the-secret-itself"
in  = "body"
[limits]
requests    = 0
timeout     = "long"
concurrency = true
[parse]
body     = "json"
records  = "items["
promises = ["beauty"]
[fields]
title    = "a..b"
taste    = "sweet"
year     = { at = "year", as = "dragon" }
type     = { at = "type", map = { x = "sculpture" } }
pages    = { each = "pages", name = "name" }
authors  = { each = "authors" }
venue    = { at = "venue", smell = "rose" }
doi      = { at = "doi", template = "{y}" }
[ids]
"Bad Scheme" = "id"
[[also]]
body    = "yaml"
records = "x"
""")

    for expected in (
        "colour: unknown key; allowed are",
        "name: must be lower-case letters",
        "weight: must not be negative",
        "hook: there is no metasearch/adapters/hooks/nobody.py",
        "request.url: must begin with https://",
        "request.method: 'PUT' is not allowed; write one of GET, POST",
        "request.params.q: unknown placeholder {nothing}; allowed are",
        "request.params.n: unknown placeholder {size}",
        "request.params.m: not a template",
        "request.params.l: must be a string",
        "query.fields.any: unknown placeholder {y}; allowed are x",
        "query.fields.taste: unknown field; allowed are any, title",
        "query.years.both: unknown placeholder {from}; allowed are first, last",
        "paging.size: must be positive",
        "paging.next: a cursor needs the selector of the next one",
        "auth.key.env: must be the name of an environment variable, never the secret itself",
        "auth.key.in: must be one of params, headers",
        "limits.requests: must be positive",
        "limits.timeout: must be a number, is a string",
        "limits.concurrency: must be a whole number, is a boolean",
        "parse.records: 'items['",
        "also[1].body: must be one of json, xml, html, marcxml",
    ):
        assert expected in told


def test_every_problem_of_the_fields() -> None:
    """Mistakes in fields and identifiers are told together too."""
    told = problems_of(
        GOOD.partition("[fields]")[0]
        + """
promises = ["beauty"]
[fields]
title    = "a..b"
taste    = "sweet"
year     = { at = "year", as = "dragon" }
type     = { at = "type", map = { x = "sculpture" } }
pages    = { each = "pages", name = "name" }
authors  = [{ each = "authors" }, { each = "authors", name = "name", as = "dragon" }]
venue    = { at = "venue", smell = "rose" }
source_id = { at = "id", as = "words" }
keywords  = { at = "words", as = "text" }
doi      = { at = "doi", template = "{y}" }
issue    = 7
[ids]
"Bad Scheme" = "id"
"""
    )

    for expected in (
        "fields.source_id.as: 'words' returns several values, and the field has one",
        "fields.keywords.as: 'text' returns one value, and the field has several",
        "parse.promises: must be a list of record fields",
        "fields.title: 'a..b'",
        "fields.taste: no such field of a record; allowed are abstract",
        "fields.year.as: unknown converter 'dragon'; allowed are abstract",
        "fields.type.map: 'sculpture' is no type; allowed are article",
        "fields.pages: `each` is for authors, editors and translators only",
        "fields.authors: needs `each` and at least one of name",
        "fields.authors.as: unknown converter 'dragon'; beside `each`, allowed are names-homonym",
        "fields.venue.smell: unknown key; allowed are affiliation, as, at",
        "fields.doi.template: unknown placeholder {y}; allowed are x",
        "fields.issue: must be a selector (a string)",
        "ids.Bad Scheme: an identifier scheme is lower-case letters",
    ):
        assert expected in told


@each(
    ("body", "selector", "told"),
    [
        ("xml", "//[", "not XPath 1.0"),
        ("xml", "//nobody:title", "not usable"),
        ("xml", "re:test(., 'x')", "regular expressions"),
        ("html", "a[", "not CSS"),
        ("html", "//a[", "not XPath"),
        ("marcxml", "245%a", "not a MARC selector"),
        ("json", "a[?", "fields.title"),
    ],
)
def test_selectors_are_compiled(body: str, selector: str, told: str) -> None:
    """A wrong selector is told when the spec is read, in the language of its body."""
    records = "items" if body == "json" else "//item"

    assert told in problems_of(
        f'name = "x"\nrequest.url = "https://a.org"\n[parse]\nbody = "{body}"\nrecords = '
        f'"{records}"\n'
        f'[fields]\ntitle = "{selector}"\n'
    )


def test_missing_parts() -> None:
    """Without records, without a title, without a body nothing can be read."""
    head = 'name = "x"\nrequest.url = "https://a.org"\n'

    assert "parse.body: must be one of" in problems_of(head)
    assert "parse.records: is missing" in problems_of(f'{head}[parse]\nbody = "json"\n')
    assert "fields: title is missing" in problems_of(
        f'{head}[parse]\nbody = "json"\nrecords = "x"\n'
    )


def test_enrichment() -> None:
    """A source that can be asked for single works has a request for that; others have none."""
    spec = spec_of(
        GOOD + '[enrich.request]\nurl = "https://api.example.org/w/{doi}"\nparams = { v = 2 }'
    )

    assert spec_of(GOOD).enrich is None
    assert spec.enrich is not None
    assert (spec.enrich.by, spec.enrich.request.url) == ("doi", "https://api.example.org/w/{doi}")
    assert spec.enrich.request.params == {"v": "2"}


@each(
    ("toml", "told"),
    [
        ('enrich = "doi"', "enrich: must be a table"),
        ("[enrich]", "enrich.request.url: must begin with https:// or http://"),
        ('[enrich]\nby = "isbn"', "enrich.by: 'isbn' is not allowed; write one of doi"),
        (
            '[enrich.request]\nurl = "collection:mine"',
            "enrich.request.url: must begin with https:// or http://",
        ),
        (
            '[enrich.request]\nurl = "https://a.example/"',
            "enrich.request: asks for no work: url or params must contain",
        ),
        (
            '[enrich.request]\nurl = "https://a.example/{query}"',
            "enrich.request.url: unknown placeholder {query}",
        ),
        (
            '[enrich.request]\nurl = "https://a.example/{doi}"\nparams = { n = "{size}" }',
            "enrich.request.params.n: unknown placeholder {size}; allowed are doi",
        ),
        (
            '[enrich.request]\nurl = "https://a.example/{doi}"\nmethod = "POST"',
            "enrich.request.method: unknown key; allowed are headers, params, url",
        ),
    ],
)
def test_problems_of_an_enrichment(toml: str, told: str) -> None:
    """Each with its place and what is allowed."""
    where = toml + "\n" if toml.startswith("enrich =") else ""
    assert told in problems_of(where + GOOD + ("" if where else toml))


def test_a_request_for_lists_of_works() -> None:
    """Its address begins where that of the search does, also in a spec that extends this one."""
    spec = spec_of(
        GOOD + '[lookup]\ns2 = 500\n[lookup.request]\nurl = "batch"\nmethod = "POST"\n'
        'json = { ids = ["{s2}"] }'
    )

    assert spec_of(GOOD).lookup_request is None
    assert spec.lookup == {"s2": 500}
    assert spec.lookup_request is not None
    assert spec.lookup_request.url == urljoin(spec.request.url, "batch")
    assert spec.lookup_request.content_type == "application/json"


@each(
    ("toml", "told"),
    [
        ("[lookup.request]", "lookup.request: names no works"),
        ('[lookup.request]\nurl = "{query}"', "lookup.request.url: unknown placeholder {query}"),
        ('[lookup.request]\nurl = "{doi}"\nmethod = "POST"', 'json and method = "POST" go'),
        ('[lookup.request]\nurl = "{doi}"\nbody = { a = "b" }', "lookup.request.body: unknown key"),
        ('[lookup.request]\nurl = "ftp://a.example/{doi}"', "lookup.request.url: must begin with"),
        ('[lookup]\ns2 = 9\n[lookup.request]\nurl = "{s2}"', "lookup.s2: needs query.either.s2"),
        ("[lookup]\nmag = 9", "lookup.mag: is none of doi, pmid"),
        ("[lookup]\nrequest = 9", "lookup.request: must be a table"),
        ("[lookup]\nnothing = 9", "lookup.nothing: must be a string"),
    ],
)
def test_problems_of_a_request_for_lists_of_works(toml: str, told: str) -> None:
    """Each with its place and what is allowed."""
    assert told in problems_of(GOOD + toml)


POSTED = GOOD.replace(
    'params = { q = "{any}", filter = ["doi:{doi}", "{years}"], n = "{size}" }',
    'method = "POST"\njson = { q = "{any}", order = { by = "score", ties = "id" }, n = "{size}" }',
)


def test_the_request_for_the_newest_records() -> None:
    """It is the usual request with other parameters, or other members of its JSON."""
    spec = spec_of(GOOD + '[request.newest]\nparams = { sort = "date", n = 7, q = "" }')
    posted = spec_of(POSTED + '[request.newest.json]\norder = { by = "date" }\nold = false')

    assert spec_of(GOOD).newest is None
    assert spec.newest is not None
    assert spec.newest == replace(
        spec.request,
        params={"q": "", "filter": ("doi:{doi}", "{years}"), "n": "7", "sort": "date"},
    )
    assert posted.newest is not None
    assert posted.newest.json == {
        "q": "{any}",
        "order": {"by": "date", "ties": "id"},
        "n": "{size}",
        "old": False,
    }
    assert posted.request.json["order"] == {"by": "score", "ties": "id"}


def test_the_request_for_the_newest_records_is_inherited() -> None:
    """With the child's own parameters; a child that empties it cannot sort by date."""
    base = tomllib.loads(GOOD + '[request.newest]\nparams = { sort = "date" }')
    head = 'name = "two"\nextends = "one"\n'
    child = spec_of(head + 'request.params.v = "2"', one=base)

    assert child.newest is not None
    assert (child.newest.params["sort"], child.newest.params["v"]) == ("date", "2")
    assert spec_of(head + 'request.newest.params.sort = ""', one=base).newest is None


@each(
    ("toml", "told"),
    [
        ('newest = "date"', "request.newest: must be a table"),
        (
            "newest.headers = { A = 1 }",
            "request.newest.headers: unknown key; allowed are body, json, params, text",
        ),
        (
            'newest.params = { sort = "{date}" }',
            "request.newest.params.sort: unknown placeholder {date}",
        ),
        (
            "newest.params = { sort = true }",
            "request.newest.params.sort: must be a string, or an array of strings",
        ),
        ("newest.params = 1", "request.newest.params: must be a table"),
        (
            'newest.body = { sort = "date" }',
            "request.newest.body: replaces request.body, which this request lacks",
        ),
        (
            'newest.text = "{date}"',
            "request.newest.text: unknown placeholder {date}",
        ),
        (
            'newest.json = { sort = "date" }',
            "request.newest.json: replaces members of request.json, which is no table",
        ),
        (
            'newest.json = { sort = "{date}" }',
            "request.newest.json.sort: unknown placeholder {date}",
        ),
    ],
)
def test_problems_of_the_request_for_the_newest_records(toml: str, told: str) -> None:
    """Each with its place and what is allowed."""
    assert told in problems_of(GOOD.replace("[request]", f"[request]\n{toml}"))


def test_extends_names_only_differences() -> None:
    """A spec laid over another has its tables merged key by key, and its field rules replaced
    whole."""
    base = tomllib.loads(GOOD)

    spec = spec_of(
        'extends = "one"\nname = "two"\nurl = "https://b.org"\nlimits.requests = 2\n'
        '[fields]\nauthors = { at = "names" }\nyear = "y"\n',
        one=base,
    )

    assert ("two", "https://b.org", 2) == (spec.name, spec.request.url, spec.limits.requests)
    assert "{size}" == spec.request.params["n"]
    assert {"title", "authors", "type", "year", "ids.own"} == {
        rule.field for rule in spec.shapes[0].shape().rules
    }


def test_extends_nobody_or_itself() -> None:
    """A spec that extends what is not there, or itself in a ring, is told so."""
    ring = {"name": "a", "extends": "a"}

    assert "extends: there is no spec called 'nobody'" in problems_of(
        'extends = "nobody"\nname = "x"\n', a=ring
    )
    assert "extends itself" in problems_of('extends = "a"\nname = "x"\n', a=ring)


def test_merge_leaves_its_arguments_alone() -> None:
    """Shipped tables are shared, so laying something over them must not change them."""
    base = {"a": {"b": 1, "c": {"d": 2}}}

    assert {"a": {"b": 9, "c": {"d": 2}}} == merge(base, {"a": {"b": 9}})
    assert {"a": {"b": 1, "c": {"d": 2}}} == base


def test_read_table(tmp_path: Path) -> None:
    """A file that is too large or is not TOML is a SpecError with its name."""
    (tmp_path / "big.toml").write_bytes(b"#" * (MAX_BYTES + 1))
    (tmp_path / "bad.toml").write_text("name = ")

    for name, told in (("big.toml", "larger than"), ("bad.toml", "not TOML")):
        with pytest.raises(SpecError, match=told) as raised:
            read_table(tmp_path / name)
        assert name == raised.value.file


@each("name", Registry(Settings()).names())
def test_shipped_specs_say_their_limits(name: str) -> None:
    """Every shipped source is asked considerately: a finite pace, few requests at once, a time
    limit."""
    limits = Registry(Settings()).spec(name).limits

    assert limits.requests / limits.per <= 10
    assert 1 <= limits.concurrency <= 4
    assert 0 < limits.timeout <= 30


LIKE = """
name = "mine"
[request]
url = "https://x.example"
[query]
style = "params"
[parse]
body    = "json"
records = "items"
[fields]
title = "title"
[[also]]
like    = "{like}"
when    = "//record"
records = "//record"
[also.fields]
source_id = "003"
"""


def test_a_shape_like_that_of_another_spec() -> None:
    """Its kind of body and its rules, under those of its own."""
    (_, marc) = build(
        tomllib.loads(LIKE.format(like="sru.marc21")), "mine.toml", shipped_table
    ).shapes
    rules = {rule.field for rule in marc.shape().rules}

    assert marc.body == "marcxml"
    assert {"title", "authors", "ids.lccn", "source_id"} <= rules


@each("like", ["sru.nonsense", "nonsense.marc21", "sru", "../sru.marc21"])
def test_a_shape_like_none_that_there_is(like: str) -> None:
    """The error names the place, and how it is written."""
    with pytest.raises(SpecError) as raised:
        build(tomllib.loads(LIKE.format(like=like)), "mine.toml", shipped_table)
    assert f"also[1].like: there is no shape '{like}'; write SPEC.SHAPE" in raised.value.problems


# Limits that depend on what is set

CONTACT = {"METASEARCH_CONTACT": "me@example.org"}


def paced(env: dict[str, str], **sources: dict[str, Any]) -> Registry:
    return Registry(Settings(env=env, sources=sources))


@each(
    ("source", "env", "pace"),
    [
        ("crossref", {}, (1, 1.0, 1)),
        ("crossref", CONTACT, (3, 1.0, 3)),
        ("pubmed", CONTACT, (3, 1.0, 2)),
        ("pubmed", CONTACT | {"METASEARCH_NCBI_KEY": "k"}, (10, 1.0, 2)),
        ("openaire", {"METASEARCH_OPENAIRE_KEY": "k"}, (7200, 3600.0, 1)),
    ],
)
def test_a_contact_or_a_key_changes_the_limits(
    source: str, env: dict[str, str], pace: tuple[float, float, int]
) -> None:
    """What a database allows those whom it knows is said beside what it allows everybody."""
    limits = paced(env).spec(source).limits

    assert (limits.requests, limits.per, limits.concurrency) == pace


def test_a_limit_that_the_user_sets_holds_with_a_contact_too() -> None:
    """The others that depend on the contact stay as the spec says."""
    limits = paced(CONTACT, crossref={"limits": {"requests": 2}}).spec("crossref").limits

    assert (limits.requests, limits.concurrency) == (2, 3)


def test_what_depends_on_a_key_is_checked_as_the_limits_are() -> None:
    """A wrong number and an unknown key are reported with their place."""
    limits = {"with_key": {"requests": 0, "stated": "x"}, "with_contact": {"per": "1"}}
    with pytest.raises(SpecError) as caught:
        paced({}, crossref={"limits": limits}).spec("crossref")

    assert [problem.partition(";")[0] for problem in caught.value.problems] == [
        "limits.with_contact.per: must be a number, is a string",
        "limits.with_key.stated: unknown key",
        "limits.with_key.requests: must be positive",
    ]
