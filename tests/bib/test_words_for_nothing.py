"""texts.py: words for nothing in a field are nothing, and never evidence."""

from __future__ import annotations

from typing import Any

from metasearch.adapters.parse.parse import attempts, read_fields
from metasearch.adapters.select.json import compile_json, find_json_people
from metasearch.adapters.spec import FieldRule
from metasearch.bib import texts
from metasearch.bib.authors import people
from metasearch.bib.field_limits import Cuts
from metasearch.bib.names import person
from metasearch.bib.texts import says_nothing
from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.record import Author, Record
from tests import cases
from tests.formats.reading.samples import read


@cases.each(
    ("field", "text"),
    [
        ("abstract", "[No abstract available]"),
        ("abstract", "No abstract available."),
        ("abstract", "ABSTRACT NOT AVAILABLE"),
        ("abstract", "An abstract is not available for this content"),
        ("abstract", "There is no abstract for this article."),
        ("abstract", "This editorial has no abstract."),
        ("abstract", "No summary available from publisher"),
        ("abstract", "[Abstract]"),
        ("abstract", "N/A"),
        ("abstract", "-"),
        ("abstract", "Kein Abstract verfügbar"),
        ("abstract", "Zusammenfassung nicht vorhanden"),
        ("abstract", "Pas de résumé disponible."),
        ("abstract", "Resumen no disponible"),
        ("abstract", "Аннотация отсутствует"),
        ("abstract", "无摘要"),
        ("abstract", "暂无摘要。"),
        ("abstract", "抄録なし"),
        ("abstract", "초록 없음"),
        ("publisher", "s.n."),
        ("publisher", "[S. n.]"),
        ("publisher", "[publisher not identified]"),
        ("publisher", "[Verlag nicht ermittelbar]"),
        ("publisher", "[publisher not indicated]"),
        ("publisher", "[förlag inte identifierat]"),
        ("publisher", "[издатель неизвестен]"),
        ("publisher", "[המוציא לאור לא ידוע]"),
        ("publisher", "[发行者不明]"),
        ("publisher", "[éditeur non identifié]"),
        ("publisher", "[б. и.]"),
        ("publisher", "[出版者不详]"),
        ("publisher", "[出版者不明]"),
        ("publisher", "(:unav)"),
        ("publisher", "[S.l. : s.n., n.d.]"),
        ("place", "[S.l.] ; [s.n.]"),
        ("place", "[S.l.]"),
        ("place", "[Place of publication not identified]"),
        ("place", "[Erscheinungsort nicht ermittelbar]"),
        ("place", "[místo vydání nezjištěno]"),
        ("place", "出版地不详"),
        ("authors", "[Anonymous]"),
        ("venue", "nan"),
        ("authors", "No authorship indicated"),
        ("authors", "No authors listed."),
        ("authors", "佚名"),
        ("year", "n.d."),
        ("year", "[date of publication not identified]"),
        ("year", "0000"),
        ("title", "[Not Available]."),
        ("title", "Title not available"),
    ],
)
def test_words_for_nothing(field: str, text: str) -> None:
    """In any case, with any marks around them, in the languages of databases and catalogues."""
    assert says_nothing(field, text)


@cases.each(
    ("field", "text"),
    [
        ("abstract", "No abstract theory of knots is available for beginners."),
        ("abstract", "Abstract not available in print: we list the 40 tides of Hull."),
        ("abstract", "N/A is a code for missing values, whose history this note tells."),
        ("publisher", "S.N. Harbour Press"),
        ("publisher", "[S.l.] : Harbour Press"),
        ("place", "Lund"),
        ("authors", "Anonymous Society of Sailors"),
        ("authors", "Na Li"),
        ("title", "Untitled"),
        ("title", "Nothing"),
        ("title", "Unknown"),
        ("title", "NA"),
    ],
)
def test_what_says_something_stays(field: str, text: str) -> None:
    """The whole field is compared; works are called "Untitled" and "Unknown"."""
    assert not says_nothing(field, text)


@cases.each("name", ["Anonymous", "No authorship, indicated", "[Anonymous]"])
def test_nobody_is_no_author(name: str) -> None:
    """Also where a program has taken the words apart as a name."""
    assert person(name) is None


def test_the_next_selector_is_tried() -> None:
    """What a database holds in the first field says nothing, and the second one has the text."""
    selectors = (compile_json("short"), compile_json("long"))
    rule = FieldRule("abstract", selectors, texts.abstract)
    node = {"short": "Not available", "long": "Tides of Hull."}

    found = read_fields(attempts([rule], "json"), node, node, Cuts())
    assert found == {"abstract": "Tides of Hull."}
    del node["long"]
    assert read_fields(attempts([rule], "json"), node, node, Cuts()) == {}


def test_of_a_file() -> None:
    """Every field of a record, and the year; what is beside them stays."""
    reading = read(
        "TY  - BOOK\nTI  - Ropes\nAU  - Anonymous\nPB  - [s.n.]\nPY  - 9999\n"
        "AB  - No abstract available\nN2  - A book on ropes.\nER  - \n"
    )
    (found,) = reading.records

    assert (found.title, found.authors, found.publisher, found.year, found.abstract) == (
        "Ropes", (), None, None, "A book on ropes.",
    )  # fmt: skip
    assert not reading.problems


def test_bodies_that_are_nobody() -> None:
    """Where a format or a database says that a name is a body's."""
    item = '[{"id": "1", "type": "book", "title": "T", "author": [{"literal": "Anonymous"}]}]'
    assert read(item, "csl-json").records[0].authors == ()
    text = "@book{a,\n title={T},\n author={{Anonymous}}\n}\n"
    assert read(text, "bibtex").records[0].authors == ()
    each, name = compile_json("who"), compile_json("name").find
    parts = {"corporate": name, "family": compile_json("family").find}
    made = people(find_json_people(each.find, parts, 100), parts)
    assert made({"who": [{"name": "[Anonymous]"}, {"name": "Knots"}]}) == (
        Author("Knots", collective=True),
    )


@cases.each(
    "fields",
    [
        {"abstract": "[No abstract available]", "venue": "Knots", "year": 2019},
        {"abstract": "Abstract not available for this article.", "venue": "Knots"},
        {"abstract": "无摘要"},
        {"publisher": "[publisher not identified]", "type": "book", "year": 9999},
    ],
)
def test_no_two_works_are_one_because_neither_says_anything(fields: dict[str, Any]) -> None:
    """Of records that a collection has kept since the words were not known, too."""
    dedup = OnlineDedup(DEFAULT)
    for number, title in enumerate(("Ropes and boats", "Ropes and goats")):
        dedup.add(Record(source="db", source_id=str(number), title=title, **fields))

    assert len(dedup.hits()) == 2


def test_a_long_text_is_not_looked_at() -> None:
    """It is a text, whatever it begins with."""
    assert not says_nothing("abstract", "no abstract " * 1_000_000)
