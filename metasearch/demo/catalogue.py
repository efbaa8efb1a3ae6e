"""The works behind the demo, one line each in catalogue.jsonl. They are real, and what says what
they are about is ours; only the works on lakes are invented, for the example of a novelty search.
Their journals and publishers are called 示例 or "Example", and their DOIs begin with 10.5555, the
prefix that Crossref keeps for examples.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import orjson


class Work(NamedTuple):
    """What is known of a work.

    Attributes:
        id: "w001".
        subject: A key of `SUBJECTS`.
        type: One of `metasearch.record.TYPES`.
        authors: (family, given) each; given is "" where a body or a single name is meant.
        year: Of the published form; for a preprint alone, of its posting.
        date: ISO 8601 with the precision that is known, "" where only the year is.
        posted: The day on which the arXiv preprint was posted.
        abbrev: Abbreviated title of the journal.
        isbn: ISBN-13s without hyphens.
        keywords: Subject headings of a library.
        language: ISO 639-1.
        abstract: One to three sentences of our own, not the publisher's; "" for works that have
            none here.
    """

    id: str
    subject: str
    type: str
    title: str
    authors: tuple[tuple[str, str], ...]
    year: int
    language: str
    subtitle: str = ""
    date: str = ""
    posted: str = ""
    venue: str = ""
    abbrev: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    place: str = ""
    doi: str = ""
    issn: tuple[str, ...] = ()
    isbn: tuple[str, ...] = ()
    arxiv: str = ""
    category: str = ""
    pmid: str = ""
    keywords: tuple[str, ...] = ()
    abstract: str = ""

    @property
    def full_title(self) -> str:
        """Title and subtitle in one string."""
        return f"{self.title}: {self.subtitle}" if self.subtitle else self.title


#: Subject -> the words that databases index its works under, besides those of the title.
SUBJECTS: Mapping[str, str] = {
    "gambling": "gambling harms betting",
    "psychedelics": "psychedelics hallucinogens magic mushrooms",
    "breast-cancer": "breast cancer",
    "forests": "forest conservation forestry deforestation",
    "information-systems": "information systems",
    "machine-learning": "machine learning artificial intelligence",
    "language-processing": "natural language processing text mining",
    "software": "software engineering programming",
    "jazz": "jazz music",
    "french-history": "French history, histoire de France, histoire française",
    "chinese": "中文 Chinese",
    "lakes": "freshwater ecology, lakes, 湖泊生态学",
}

#: The subjects in words.
COVERAGE = (
    "gambling harms, psychedelics, breast cancer, forest conservation, information systems, "
    "machine learning, "
    "language processing, software engineering, jazz, French history, freshwater ecology, and "
    "works in Chinese on many things"
)
#: For the start page of a server that runs the demo.
NOTICE = (
    "This is a demonstration: the databases are simulated on this machine, one is slow and one "
    "fails, and nothing is "
    f"sent elsewhere. They hold some five hundred works about {COVERAGE}; all are real but for "
    "those on freshwater ecology."
)

#: Queries that find works in at least two of the databases, for help texts and the start page.
EXAMPLE_QUERIES = (
    "gambling harms",
    "psilocybin depression",
    "magic mushrooms",
    "breast cancer",
    "乳腺癌",
    "community forest management",
    "information security",
    "outsourcing",
    "machine learning",
    "reinforcement learning",
    "sentiment analysis",
    "software testing",
    "open source software",
    "jazz improvisation",
    "Miles Davis",
    "Napoléon",
    '"treatment-resistant depression" AND psilocybin',
    "author:Browne gambling",
    "title:jazz year:1980-1995",
    "中国农村",
    "沉水植物 水质",
)


@cache
def works() -> tuple[Work, ...]:
    """All works, in the order of the file."""
    lines = Path(__file__).with_name("catalogue.jsonl").read_bytes().splitlines()
    return tuple(_work(orjson.loads(line)) for line in lines)


def _work(facts: dict[str, object]) -> Work:
    """Lists become tuples, so that a work can be a key."""
    return Work(**{key: _frozen(value) for key, value in facts.items()})  # type: ignore[arg-type]


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
