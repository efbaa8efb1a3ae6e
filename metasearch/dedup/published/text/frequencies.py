"""In how many documents a word occurs, from a small table that is shipped: rare words say more than
common ones.

The table is counted from open records by tools/df_table.py; what of, and why not from what is being
searched: docs/decisions/0010-segmentation-and-frequencies.md.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from metasearch.bib.chinese.characters import has_han


@dataclass(frozen=True, slots=True)
class Section:
    """Counts of one script: documents, and in how many of them each word occurs."""

    documents: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Table:
    """Both sections, under a name that changes whenever a count does."""

    id: str
    zh: Section
    en: Section


def idf(word: str) -> float:
    """Inverse document frequency of a folded word, log(1 + (D + 1) / (df + 1)), at least log 2;
    unseen words have df 0.

    D and df are those of the table of its script: Chinese, or everything else.
    """
    section = _section(word)
    return _idf(section.documents, section.counts.get(word, 0))


def nidf(word: str) -> float:
    """The same from 0 (in all documents) to 1 (in none), as in I-Match (Chowdhury et al. 2002)."""
    section = _section(word)
    least, most = _idf(section.documents, section.documents), _idf(section.documents, 0)
    return (_idf(section.documents, section.counts.get(word, 0)) - least) / (most - least)


def table_id() -> str:
    """Names the counts; signatures that used different tables do not compare."""
    return _table().id


def load() -> None:
    """Read the table now, which otherwise happens at the first word; from any thread."""
    _table()


def read(text: str) -> Table:
    """A table from its text: comments, then "= NAME DOCUMENTS" and "COUNT WORD WORD ..."."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    documents: dict[str, int] = {}
    counts: dict[str, dict[str, int]] = {}
    for line in lines:
        first, *rest = line.split(" ")
        if first == "=":
            name, number = rest
            documents[name], counts[name] = int(number), {}
        else:
            counts[name].update(dict.fromkeys(rest, int(first)))
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
    sizes = ",".join(f"{name}{number}" for name, number in documents.items())
    zh, en = (Section(documents[name], counts[name]) for name in ("zh", "en"))
    return Table(f"df-1:{sizes}:{digest}", zh, en)


def _idf(documents: int, count: int) -> float:
    return math.log(1 + (documents + 1) / (count + 1))


def _section(word: str) -> Section:
    return _table().zh if has_han(word) else _table().en


@lru_cache(maxsize=1)
def _table() -> Table:
    return read(Path(__file__).with_name("frequencies.txt").read_text(encoding="utf-8"))
