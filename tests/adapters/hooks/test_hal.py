"""hooks/hal.py: the citations in which HAL answers where no fields were asked for."""

from __future__ import annotations

import json

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.record import Record
from metasearch.settings import Settings
from tests.cases import each

SPEC = Registry(Settings()).spec("hal")


def read(label: str, uri: str = "https://hal.science/hal-01234567") -> Record:
    docs = [{"docid": "1", "label_s": label, "uri_s": uri}]
    body = json.dumps({"response": {"numFound": 1, "start": 0, "docs": docs}})
    (record,) = parse(
        Page(request=Request(source="hal", url=SPEC.request.url), body=body.encode()), SPEC
    ).records
    return record


@each(
    ("label", "authors", "title", "venue", "year", "doi"),
    [
        (
            (
                "Ada Byron, K. Tanaka. On soil. Journal of Soil, 2017, 12 (3), pp.4-9. "
                "⟨10.5555/soil.1⟩. ⟨hal-01234567⟩"
            ),
            ["Ada Byron", "K. Tanaka"],
            "On soil",
            "Journal of Soil",
            2017,
            "10.5555/soil.1",
        ),
        (
            (
                "Ada Byron. On soil. And frost. Soil Days, Session 2, Jun 2019, Paris, France. "
                "⟨hal-01234567⟩"
            ),
            ["Ada Byron"],
            "On soil. And frost",
            "Soil Days, Session 2",
            2019,
            None,
        ),
        (
            "Ada Byron. On soil. 2018. &#x27E8;hal-01234567&#x27E9;",
            ["Ada Byron"],
            "On soil",
            None,
            2018,
            None,
        ),
        (
            "Ada Byron, et al.. What is soil?. Annals, 2011. ⟨hal-1⟩",
            ["Ada Byron"],
            "What is soil?",
            "Annals",
            2011,
            None,
        ),
        (
            "Ada Byron. On soil. Jane Doe; Sam Roe. A Book of Soil, Press, 2012. ⟨hal-1⟩",
            ["Ada Byron"],
            "On soil",
            "A Book of Soil, Press",
            2012,
            None,
        ),
        (
            "A history of the soil of the whole world. 1999",
            [],
            "A history of the soil of the whole world",
            None,
            1999,
            None,
        ),
        ("On soil", [], "On soil", None, None, None),
    ],
)
def test_citations(
    label: str, authors: list[str], title: str, venue: str | None, year: int | None, doi: str | None
) -> None:
    """Authors stand before the title, and where it appeared before the year; initials end no
    sentence."""
    record = read(label)

    assert [author.name for author in record.authors] == authors
    assert (record.title, record.venue, record.year, record.doi) == (title, venue, year, doi)
    assert record.titles == ()


def test_theses_name_their_institution() -> None:
    """The discipline before it is none; the address tells that it is a thesis."""
    record = read(
        "Ada Byron. Du sol. Sciences du sol. Université inventée, 2012. Français. ⟨NNT : ⟩. "
        "⟨tel-01234567⟩",
        "https://theses.hal.science/tel-01234567",
    )

    assert (record.title, record.institution, record.venue) == (
        "Du sol",
        "Université inventée",
        None,
    )
    assert (record.type, record.year, record.source_id) == ("thesis", 2012, "tel-01234567")
