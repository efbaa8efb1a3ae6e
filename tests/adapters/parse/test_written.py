"""The function that is written of a shape's fields reads what the attempts read, record by record,
for the shapes of all specs; and no spec can put code into it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.parse import compiler as module
from metasearch.adapters.parse.compiler import ReadFunction, compile_reader
from metasearch.adapters.parse.parse import parse, record_of
from metasearch.adapters.request import Page, Request
from metasearch.adapters.select.json import compile_json
from metasearch.adapters.spec import (
    WORTH,
    AdapterSpec,
    FieldRule,
    LateShape,
    RecordReader,
    Selector,
    Shape,
    whole,
)
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import build
from metasearch.bib import converters, identifiers, numbering, texts
from metasearch.bib.converters import Constant, Lookup, of_one_text
from metasearch.bib.field_limits import LARGEST_NUMBER, Cuts
from metasearch.bib.texts import strings
from metasearch.settings import Settings
from tests.cases import each, sample
from tests.examples import examples

CASSETTES = Path(__file__).resolve().parents[3] / "cassettes"
REGISTRY = Registry(Settings())
#: A larger body holds nothing that these do not.
LARGEST = 300_000
SPEC = REGISTRY.spec("crossref")


def by_attempts(shape: Shape) -> Shape:
    """The same shape, of which no function is written yet."""
    return replace(shape, reader=RecordReader())


@cache
def compiled(late: LateShape) -> Shape:
    return by_attempts(late.shape())


@cache
def cassette_records(name: str) -> list[tuple[Shape, dict[str, Any]]]:
    """Records of a source's cassettes, each with the shape that finds it."""
    found = []
    lates = [late for late in REGISTRY.spec(name).shapes if late.body == "json"]
    shapes = [by_attempts(late.shape()) for late in lates]
    for path in sorted((CASSETTES / name).rglob("body.json")):
        if path.stat().st_size > LARGEST:
            continue
        try:
            body = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError:
            continue
        for shape in shapes:
            nodes = shape.records.find(body)
            some = nodes[:3] if isinstance(nodes, list) else []
            found += [(shape, node) for node in some if isinstance(node, dict)]
    return found


SHAPES = [
    pytest.param(late, id=f"{name}-{number}")
    for name in REGISTRY.names()
    for number, late in enumerate(REGISTRY.spec(name).shapes)
    if late.body == "json"
]
SOURCES = [name for name in REGISTRY.names() if any((CASSETTES / name).rglob("body.json"))]


def outcome(read: Callable[[Cuts], Any]) -> tuple[Any, tuple[str, ...]]:
    """The record, or why there is none, or what was raised; and what was cut."""
    cuts = Cuts()
    try:
        found = read(cuts)
    except Exception as exc:
        found = f"{type(exc).__name__}: {exc}"
    return (type(found), repr(found)), cuts.notes()


#: Functions of the shapes that several examples are read by.
FUNCTIONS: dict[int, tuple[Shape, ReadFunction]] = {}


def function_of(shape: Shape, *, kept: bool) -> ReadFunction:
    if id(shape) in FUNCTIONS:
        return FUNCTIONS[id(shape)][1]
    read = compile_reader(shape)
    assert read is not None
    if kept:
        FUNCTIONS[id(shape)] = shape, read
    return read


def assert_reads_the_same(shape: Shape, node: dict[str, Any], *, kept: bool = False) -> None:
    read = function_of(shape, kept=kept)
    before = copy.deepcopy(node)

    expected = outcome(lambda cuts: record_of(shape, node, 7, SPEC, cuts))
    found = outcome(lambda cuts: read(node, 7, SPEC.name, cuts))

    assert expected == found
    assert before == node


TEXTS = st.sampled_from([
    "", " ", "\n", "\x1f", "x", "a  b", "a b", "<p>A</p>", "&amp;lt;b&gt;", "10.1000/AB(C)",
    "https://doi.org/10.1000/x.", "2020-03-05T10", "20200305", "12-34", "1234-567X, 1234-5679",
    "9780306406157; 0306406152", "Byron, Ada", "Ada Byron 0001", "王征", "Müller", "eng",
    "A|B", "A| B", "|", " A",
    "http://a.b/c d", "retraction", "journal-article", "dissertation", "false", "0",
    "\ud800", "a;b|c", "x" * 101,
    "y " * 2_500, "z" * 4_001, "10.1000/" + "d" * 2_050, "w" * 10_001, "v " * 25_100,
    "u" * 400_001,
])  # fmt: skip
NUMBERS = st.sampled_from([0, 1, -1, 2020, 12, 0.0, 12.0, 1.5, LARGEST_NUMBER, -LARGEST_NUMBER])
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
LONG = st.sampled_from([
    ["k"] * 2_001, ["12345678"] * 201, [[2020, 3]] * 300, [{"family": "A", "given": "B"}] * 3,
    [{"family": "F" * 1_001, "given": "G"}], [f"t{number}" for number in range(10_001)],
])  # fmt: skip


def values(names: list[str]) -> st.SearchStrategy[Any]:
    """Values as hostile as JSON can hold, in tables with these names."""
    return st.recursive(
        LEAVES | LONG,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(names), inner, max_size=4)
        ),
        max_leaves=8,
    )


def names_in(tree: Any) -> set[str]:
    """All names of members in a tree."""
    own = {tree["value"]} if tree["type"] == "field" else set()
    return own.union(*(names_in(it) for it in tree["children"] if isinstance(it, dict)))


def names_of(shape: Shape) -> list[str]:
    """All names that a shape's selectors ask for."""
    selects = [select for rule in shape.rules for select in rule.selectors]
    for rule in shape.rules:
        if rule.people is not None:
            selects += [rule.people.each, *rule.people.parts.values()]
    trees = [select.tree for select in selects if select.tree is not None]
    return sorted(set().union(*map(names_in, trees)))


@pytest.mark.parametrize("late", sample(SHAPES, 20))
@given(data=st.data())
@examples(0.25)
def test_reads_what_the_attempts_read(late: LateShape, data: st.DataObject) -> None:
    """Whatever stands where a spec looks."""
    shape = compiled(late)
    names = names_of(shape)
    node = data.draw(st.dictionaries(st.sampled_from(names), values(names), max_size=12))

    assert_reads_the_same(shape, node, kept=True)


@st.composite
def changed(draw: st.DrawFn, node: Any) -> Any:
    """A record with one value in it put into a list, taken out or replaced, a few times."""
    node = copy.deepcopy(node)
    for _ in range(draw(st.integers(1, 4))):
        at, inside = node, True
        while inside and at:
            keys = sorted(at) if isinstance(at, dict) else range(len(at))
            key: Any = draw(st.sampled_from(list(keys)))
            inside = isinstance(at[key], (dict, list)) and bool(at[key]) and draw(st.booleans())
            if inside:
                at = at[key]
                continue
            match draw(st.sampled_from(("list", "out", "other"))):
                case "list":
                    at[key] = [at[key]]
                case "out":
                    del at[key]
                case _:
                    # A copy: the next change may be inside of it, and these values are shared.
                    at[key] = copy.deepcopy(draw(LEAVES | LONG))
    return node


@pytest.mark.parametrize("source", sample(SOURCES, 16))
@given(data=st.data())
@examples(0.25)
def test_reads_real_records_as_the_attempts_do(source: str, data: st.DataObject) -> None:
    """As they are, and changed in a few places."""
    if not (records := cassette_records(source)):
        pytest.skip("its cassettes hold no records that are objects")
    shape, node = data.draw(st.sampled_from(records))

    assert_reads_the_same(shape, node, kept=True)
    assert_reads_the_same(shape, data.draw(changed(node)), kept=True)


def odd(*selectors: Selector, convert: Any, field: str) -> FieldRule:
    return FieldRule(field, selectors, convert)


def shape_of(*rules: FieldRule) -> Shape:
    """A shape with these rules; its attempts are made as those of specs are."""
    from metasearch.adapters.specs.spec_tables import _attempts

    of_fields, of_ids = _attempts([*rules], "json")
    some = by_attempts(REGISTRY.spec("crossref").shapes[0].shape())
    return replace(some, rules=rules, attempts=of_fields, id_attempts=of_ids)


@given(given=st.dictionaries(st.sampled_from("abcd"), LEAVES | LONG, max_size=4), data=st.data())
@examples(2)
def test_takes_what_any_converter_gives(given: dict[str, Any], data: st.DataObject) -> None:
    """A number for a title, a list for a year, a text for authors, an identifier that is none: a
    spec may ask for such."""
    a, b, c, d = (compile_json(name) for name in "abcd")
    gives = st.sampled_from([
        lambda it: it, len, str, numbering.integer, texts.text, texts.true_or_none,
        texts.text_list, identifiers.identifier, lambda it: (it,), lambda _: False,
    ])  # fmt: skip
    nodes = st.sampled_from([lambda it, _: sorted(it), lambda it, _: it.get("b"), lambda *_: 0])
    fields = st.sampled_from([*sorted(converters.DEFAULTS), "ids.pmid", "ids.other"])
    shape = shape_of(
        odd(compile_json("a.b"), a, convert=data.draw(gives), field=data.draw(fields)),
        odd(b, d, convert=data.draw(gives), field=data.draw(fields)),
        odd(Selector(whole, needs=("c",)), convert=data.draw(nodes), field=data.draw(fields)),
        odd(Selector(whole), convert=data.draw(nodes), field=data.draw(fields)),
        odd(c, compile_json("d[1:2]"), convert=data.draw(gives), field=data.draw(fields)),
        odd(compile_json("length(d)"), convert=data.draw(gives), field=data.draw(fields)),
    )

    assert_reads_the_same(shape, given)


@pytest.mark.parametrize(
    "convert",
    sample(
        [
            *sorted(converters.OF_ONE_TEXT, key=lambda it: it.__name__),
            Lookup({"A": "article", "2020": "book", "*": "other"}),
            Lookup({"a": "article"}),
            Constant("thesis"),
        ],
        2,
    ),
    ids=lambda it: getattr(it, "__name__", type(it).__name__),
)
def test_one_text_in_a_list_is_as_good_as_the_text(convert: Any) -> None:
    """For the converters that are said to take it so; they find nothing in `false`."""

    @given(text=TEXTS | st.text(max_size=20))
    @examples(1)
    def holds(text: str) -> None:
        assert convert(text) == convert([text])

    holds()
    assert of_one_text(convert)
    assert not convert(False)
    assert not convert("")


@given(found=st.recursive(TEXTS | st.text(alphabet="aA; *", max_size=6), st.lists, max_leaves=4))
def test_a_word_is_looked_up_as_all_words_are(found: Any) -> None:
    """One text, as nearly all are, has a shorter way than texts with semicolons and lists."""
    table = {"A": "article", "a a": "book", " a": "map", "*": "other"}
    words = {key.casefold(): value for key, value in table.items()}
    one = found[0] if isinstance(found, list) and len(found) == 1 else found
    parts = [part.strip().casefold() for text in strings(found) for part in text.split(";")]
    known = [words[part] for part in parts if part in words]
    expected = words[one] if isinstance(one, str) and one in words else [*known, "other"][0]

    assert Lookup(table)(found) == (expected if parts else None)


# ----------------------------------------------------------------------------------- a user's spec


ENDINGS = ["'", '"', "\\", "\n", "')", "'''", "{title}", "#", "\x00", "\ud800", "\u2028", "\\'"]
CODE = "raise SystemExit('broken out')"


def own_spec(**tables: Any) -> AdapterSpec:
    table = {
        "name": "own",
        "request": {"url": "https://own.example.org/"},
        "parse": {"body": "json", "records": "items"},
        **tables,
    }
    return build(table, "own.toml", REGISTRY.spec)  # type: ignore[arg-type]


@each("ending", ENDINGS)
def test_no_spec_can_put_code_into_it(ending: str) -> None:
    """Names, texts, maps and constants with whatever ends a text in Python, and code behind."""
    name = f"{ending}\n{CODE}\n{ending}"
    quoted = json.dumps(name)
    spec = own_spec(
        fields={
            "title": [quoted, f"a.{quoted}", f"a[?{quoted}=={'`' + quoted + '`'}].b"],
            "venue": {"value": name},
            "publisher": {"at": "a", "value": name},
            "type": {"at": quoted, "map": {name: "article"}},
            "url": {"at": quoted, "template": "https://a.example/{x}"},
            "language": f"length({quoted})",
            "authors": {
                "each": f"{quoted} || a",
                "family": quoted,
                "given": quoted,
                "name": quoted,
            },
        },
        ids={"own": quoted},
    )
    shape = spec.shapes[0].shape()

    for node in ({name: "T", "a": 1}, {"a": {name: "T"}}, {"a": [{name: name, "b": "T"}]}):
        assert_reads_the_same(by_attempts(shape), node)


@each("field", ["no_field", "title_ = 1\nx", "ids.a b", "ids.'", "ids.\n"])
def test_names_of_fields_and_schemes_are_our_own(field: str) -> None:
    """Those that a spec invents are refused before; and would be no code either."""
    rules = [
        odd(compile_json("a"), convert=str, field="title"),
        odd(compile_json("a"), convert=str, field=field),
    ]
    if field.startswith("ids."):
        assert_reads_the_same(shape_of(*rules), {"a": "T"})
    else:
        with pytest.raises(AssertionError):
            compile_reader(shape_of(*rules))


def test_a_shape_that_python_cannot_compile_is_read_by_its_attempts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is lost, and nothing is tried twice."""
    tried: list[str] = []

    def refusing(source: str, *_: Any) -> Any:
        tried.append(source)
        raise MemoryError

    monkeypatch.setattr(module, "compile", refusing, raising=False)
    spec = own_spec(fields={"title": "not_compiled"})
    first, second = (parse(page(WORTH, "not_compiled"), spec) for _ in range(2))

    assert len(tried) == 1
    assert spec.shapes[0].shape().reader.read is None
    assert WORTH == len(first.records)
    assert first.records == second.records


def test_a_shape_of_very_many_selectors_is_read_by_its_attempts() -> None:
    """To compile a function of them would keep everything else waiting."""
    many = [f"a{number}" for number in range(2_000)]
    shape = own_spec(fields={"title": [*many, "t"]}).shapes[0].shape()

    assert compile_reader(shape) is None
    assert "T" == record_of(shape, {"t": "T"}, 1, SPEC, Cuts()).title  # type: ignore[union-attr]


# ------------------------------------------------------------------------------- when it is written


def test_it_is_written_after_some_hundred_records() -> None:
    """Behind the page with which they are reached; nobody's first hit waits for it."""
    spec = own_spec(fields={"title": "t"})
    reader = spec.shapes[0].shape().reader
    half = page(WORTH // 2, "t")

    first = parse(half, spec)
    assert reader.read is None
    second = parse(half, spec)
    assert reader.read is not None
    third = parse(half, spec)

    assert first.records == second.records == third.records
    assert WORTH // 2 == len(third.records)


def page(records: int, name: str) -> Page:
    items = [{name: f"Title {number}"} for number in range(records)]
    request = Request(source="own", url="https://own.example.org/", size=1000, wanted=1000)
    return Page(request=request, body=json.dumps({"items": items}).encode())


def test_what_is_no_object_is_still_told() -> None:
    """Also when records are read by the function."""
    spec = own_spec(fields={"title": "t"})
    shape = spec.shapes[0].shape()
    shape.reader.read = compile_reader(shape)
    request = Request(source="own", url="https://own.example.org/", size=10, wanted=10)
    body = b'{"items": [1, {"t": "T"}, {"u": 1}, null]}'

    parsed = parse(Page(request=request, body=body), spec)

    assert ["T"] == [record.title for record in parsed.records]
    assert [(1, "not an object but int"), (3, "neither a title nor an identifier")] == [
        (it.position, it.reason) for it in parsed.unread[:2]
    ]
