"""Four times the text takes some four times as long, and not sixteen: whatever reads, normalises or
compares a value.

Everything is found by itself: a new converter, or a new function of these modules that takes text,
is swept too.
"""

from __future__ import annotations

import inspect
import io
import json
import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, get_type_hints

import pytest
from lxml import etree

from metasearch.bib import converters
from metasearch.bib import texts as markup
from metasearch.dedup import DEFAULT, fingerprint
from metasearch.dedup.hits import merge
from metasearch.errors import MetasearchError
from metasearch.formats.reading import READABLE, read_bytes
from metasearch.record import Author, Record
from tests.formats.parquet.tables import parquet_of
from tests.formats.reading import samples as tagged
from tests.formats.reading import structured
from tests.growth import MOST, growth
from tests.pathological import samples, text, too_slow

#: Modules and packages whose public functions take what databases, files and people wrote.
SWEPT = (
    "bib",
    "dedup.titles",  "dedup.people", "dedup.imprint",
    "bulk.published.words", "bulk.published.simhash", "bulk.published.sets",
    "bulk.published.paragraphs", "dedup.fingerprints", "formats.reading.values", "formats.bibtex",
    "formats.ovid", "formats.csv_cells",
    "formats.reading.worktypes",  "formats.reading.tagged",  "formats.reading.tag_tables",
    "formats.bibtex_entry", "formats.bibtex_heads", "formats.bibtex_names", "formats.latex",
    "query.values",
)  # fmt: skip
#: How a parameter of each type is made of a text; functions with other parameters are not swept
#: here.
MADE: dict[Any, Callable[[str], Any]] = {
    str: lambda text: text,
    str | None: lambda text: text,
    Any: lambda text: text,
    Iterable[str]: lambda text: [text, text],
    Sequence[str]: lambda text: [text, text],
    list[str]: lambda text: [text, text],
    tuple[str, ...]: lambda text: tuple(text.split(" ")),
    frozenset[str]: lambda text: frozenset(text.split(" ")),
}


def modules(name: str) -> list[ModuleType]:
    module = import_module(f"metasearch.{name}")
    below = pkgutil.iter_modules(module.__path__) if hasattr(module, "__path__") else ()
    return [module, *(import_module(f"metasearch.{name}.{it.name}") for it in below)]


def swept() -> dict[str, Callable[[str], object]]:
    """Name -> a call with a text, for every public function that takes nothing but text."""
    found: dict[str, Callable[[str], object]] = {}
    for module in (module for name in SWEPT for module in modules(name)):
        for name, function in vars(module).items():
            if (
                name.startswith("_")
                or getattr(function, "__module__", "") != module.__name__
                or inspect.isclass(function)
            ):
                continue
            if callable(function) and (call := of_text(function)):
                found[f"{module.__name__.removeprefix('metasearch.')}.{name}"] = call
    return found


def of_text(function: Callable[..., object]) -> Callable[[str], object] | None:
    try:
        parameters = inspect.signature(function).parameters.values()
        hints = get_type_hints(inspect.unwrap(function))
    except (NameError, TypeError, ValueError):
        return None
    needed = [it for it in parameters if it.default is it.empty]
    if not needed or any(
        it.kind is not it.POSITIONAL_OR_KEYWORD or hints.get(it.name) not in MADE for it in needed
    ):
        return None
    made = [MADE[hints[it.name]] for it in needed]
    if len(needed) == 1 and hints[needed[0].name] in (str, str | None, Any):
        return function  # itself: a converter of that name is swept once
    return lambda text: function(*(make(text) for make in made))


def unique(found: dict[str, Callable[[str], object]]) -> dict[str, Callable[[str], object]]:
    """Each function once, by its first name."""
    return dict(
        reversed({id(call): (name, call) for name, call in reversed(found.items())}.values())
    )


#: What reads tables of ours, which no text of others reaches, or takes elements and is swept by
#: itself.
OTHERS = ("table_lines", "words.read_frequencies", "texts.labelled", "texts.mesh_headings")
#: Converters, readers of names, normalisers: whatever takes text and nothing else.
FUNCTIONS = {
    name: call
    for name, call in unique(
        {
            **{
                f"as {name}": call
                for name, call in converters.CONVERTERS.items()
                if name not in converters.NODE_CONVERTERS
            },
            **{f"as {name}": call for name, call in converters.NAME_CONVERTERS.items()},
            **swept(),
        }
    ).items()
    if not name.endswith(OTHERS)
}
SAMPLES = samples()


def slow(
    call: Callable[[str], object], makers: Iterable[Callable[[int], str]] = SAMPLES, **more: Any
) -> list[str]:
    """What takes more than linear time, with the text that does it; a refusal of ours is an
    answer."""

    def answered(text: str) -> None:
        with suppress(MetasearchError, ValueError, KeyError):
            call(text)

    return [f"{make!r}: {found}" for make in makers if (found := too_slow(answered, make, **more))]


@pytest.mark.slow
@pytest.mark.timeout(600)  # where a machine is busy
@pytest.mark.parametrize("name", FUNCTIONS)
def test_text_is_read_in_linear_time(name: str) -> None:
    """Eight times the text takes some eight times as long, and not sixty-four, whatever it consists
    of."""
    assert slow(FUNCTIONS[name]) == []


def test_everything_is_swept() -> None:
    """The sweep finds the converters and the modules that it is for."""
    nodes = {f"as {name}" for name in converters.NODE_CONVERTERS}
    assert {f"as {name}" for name in converters.CONVERTERS} <= FUNCTIONS.keys() | nodes
    assert {
        "bib.normalise.fold",
        "bib.identifiers.doi",
        "bib.bylines.people_in",
        "bib.chinese_titles.split_titles",
    } <= FUNCTIONS.keys()
    assert len(FUNCTIONS) > 200


@pytest.mark.slow
def test_what_is_not_linear_is_found() -> None:
    """The measure itself: a pattern that goes back over what it has read, and again over that,
    fails; one that does not passes. The first takes 64 times as long, so that no disturbance of the
    machine hides it."""
    cubic, linear = re.compile(r"(?:a|b)+(?:a|b)+c").search, re.compile(r"a+b").match
    assert slow(cubic, [partial(text, "a")], short=60)
    assert not slow(linear, [partial(text, "a")])
    assert growth(lambda size: partial(cubic, "a" * size), 60) > MOST
    assert growth(lambda size: partial(linear, "a" * size), 100_000) <= MOST


@pytest.mark.slow
@pytest.mark.parametrize(
    "maker",
    [lambda text: [text] * 3, lambda text: text.split(" "), list, lambda text: {"text": text}],
)
def test_lists_are_converted_in_linear_time(maker: Callable[[str], Any]) -> None:
    """Many texts, also very short ones, and tables, which converters are given where a selector
    finds such."""
    units = [
        partial(text, unit)
        for unit in ("a ", ", ", "1 ", "10.1000/) ", "中 ", "(", "x; y ", "\u0301\u0316 ")
    ]
    for name, call in converters.CONVERTERS.items():
        if name not in converters.NODE_CONVERTERS:
            assert slow(lambda value, call=call: call(maker(value)), units) == [], name


@pytest.mark.slow
def test_elements_are_read_in_linear_time() -> None:
    """The converters that take elements."""

    def read(value: str) -> object:
        one = etree.Element("AbstractText", Label=legal(value[:100]))
        one.text = legal(value)
        return markup.labelled([one, one]), markup.mesh_headings([[one, one]])

    assert slow(read) == []


# --------------------------------------------------------------------------- files


def legal(value: str) -> str:
    """Without what neither XML nor a line of a file can hold."""
    return re.sub("[\x00-\x1f\x85\u2028\u2029\ud800-\udfff\ufffe\uffff]", " ", value)


#: Elements that say of what kind a record is.
_KEPT = ("leader", "itemType")


def xlsx_of(heading: list[str], value: str) -> bytes:
    """A workbook with one work, in each of whose cells a value stands."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(heading)
    book.active.append([f"x{value[:32_000]}"] * len(heading))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def filled(form: str, value: str) -> bytes:
    """A file with one record, in each of whose fields a value stands."""
    value = legal(value)
    match form:
        case "csl-json":
            return json.dumps([in_json(json.loads(structured.CSL_JSON)[0], value)]).encode()
        case "ndjson":
            return json.dumps(in_json(json.loads(structured.OWN.splitlines()[0]), value)).encode()
        case "csv":
            head = structured.CSV.splitlines()[0]
            cell = '"' + value.replace('"', '""') + '"'
            return f"{head}\n{','.join([cell] * (head.count(',') + 1))}\n".encode()
        case "bibtex":
            fields = (
                "author title journal year month volume number pages doi isbn url abstract "
                "keywords note eprint type"
            )
            inner = value.replace("{", "(").replace("}", ")")
            return (
                "@article{a,\n"
                + "".join(f"  {it} = {{{inner}}},\n" for it in fields.split())
                + "}\n"
            ).encode()
        case "marcxml" | "endnote-xml" | "mods" | "pubmed-xml" | "zotero-rdf":
            root = etree.fromstring(structured.raw(form))
            for element in root.iter():
                if element.text and element.text.strip() and not element.tag.endswith(_KEPT):
                    element.text = value
            return etree.tostring(root, encoding="utf-8")
        case "xlsx":
            return xlsx_of(structured.CSV.splitlines()[0].split(","), value)
        case "parquet":
            names = structured.CSV.splitlines()[0].split(",")
            return parquet_of({name: [value] for name in names})
        case "marc":
            return structured.marc("1", value[:2000], value[:2000], "2019")
    frame = (
        "TY",
        "ER",
        "EF",
        "PT",
        "FN",
        "VR",
        "RT",
        "%0",
        "DataType",
        "VN",
        "<",
    )  # what begins and ends records
    lines = tagged.SAMPLES[form].text.split("\n")
    lines = [
        f"{line} {value}" if line.strip() and not line.startswith(frame) else line for line in lines
    ]
    return "\n".join(lines).encode()


def in_json(found: Any, value: str) -> Any:
    """The same, with each text replaced, but for those that say what it is."""
    if isinstance(found, dict):
        return {
            key: it if key in ("source", "type", "event") else in_json(it, value)
            for key, it in found.items()
        }
    if isinstance(found, list):
        return [in_json(it, value) for it in found]
    return value if isinstance(found, str) else found


@pytest.mark.slow
@pytest.mark.parametrize("form", READABLE)
def test_files_are_read_in_linear_time(form: str) -> None:
    """With such a text in every field of a record at once."""
    assert (
        slow(
            lambda value: read_bytes(filled(form, value), "a.txt", format=form),
            SAMPLES[::10],
            floor=0.03,
        )
        == []
    )


# --------------------------------------------------------------------------- records, compared


def described(value: str, number: int) -> Record:
    """A record that says the same in every field."""
    other = f"{value[:-7]} other {number}"
    person = Author(other, value, value, affiliation=value)
    return Record(
        source=f"s{number}", source_id="1", position=1, title=other, subtitle=value, titles=(value,
        other),
        authors=(person, Author(value), Author(f"{value} x")), year=2000, venue=other,
        publisher=other, edition=value,
        volume=value, issue=value, pages=f"{number}{value}", abstract=other, keywords=(value,),
        doi=f"10.1000/{value}",
        ids={"pmid": value}, isbn=(value,), url=f"https://a.org/{value}", type="article",
    )  # fmt: skip


def compared(value: str) -> None:
    prints = [fingerprint(described(value, number)) for number in (1, 2)]
    DEFAULT.keys(prints[0])
    DEFAULT.explain(*prints)
    merge([(it.record_key, it.record, it) for it in prints])


@pytest.mark.slow
def test_records_are_compared_in_linear_time() -> None:
    """Titles of any length, of a library that makes records by itself: only the beginnings are
    compared."""
    assert slow(compared, SAMPLES[::12], short=4_000, floor=0.15) == []
