"""Pairs of records met in the wild: tests/pairs/*.json say what a careful librarian would, and
dedup says the same."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from metasearch.bib import identifiers, normalise, texts
from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.record import TYPES, Record
from tests.cases import each
from tests.dedup.records import record

FILES = sorted((Path(__file__).parent / "pairs").glob("*.json"))
VERDICTS = ("same", "different", "version")
FEWEST = 60
#: What a pair may not say: the test names the records.
NOT_GIVEN = {"source_id", "position"}
FIELDS = {f.name for f in fields(Record)} - NOT_GIVEN
LISTS = ("authors", "titles", "isbn", "issn", "keywords")

Pair = dict[str, Any]


@lru_cache
def _pairs(file: Path) -> tuple[Pair, ...]:
    return tuple(json.loads(file.read_text("utf-8")))


ALL = [pytest.param(pair, id=pair["id"]) for file in FILES for pair in _pairs(file)]


def read(said: dict[str, Any], source: str) -> Record:
    """The record, tidied as every reader tidies: identifiers bare, texts without markup."""
    values = {"source": source, **said}
    for name in ("title", "subtitle", "venue", "publisher"):
        if values.get(name):
            values[name] = texts.without_markup(values[name])
    for name in LISTS[1:]:
        if name in values:
            values[name] = tuple(values[name])
    if "doi" in values:
        values["doi"] = identifiers.doi(values["doi"])
    if "isbn" in values:
        values["isbn"] = tuple(identifiers.isbn(number) or number for number in values["isbn"])
    return record(**values)


def verdict(first: dict[str, Any], second: dict[str, Any]) -> str:
    """What the default chain makes of two records that arrive in this order."""
    dedup = OnlineDedup(DEFAULT)
    for source, said in (("a", first), ("b", second)):
        dedup.insert(read(said, source))
    hits = dedup.hits()
    if len(hits) == 2:
        return "different"
    return "version" if hits[0].versions else "same"


@each("pair", ALL)
def test_pair(pair: Pair) -> None:
    """Whichever record comes first and whichever source is named first, the verdict is the
    librarian's."""
    said = (verdict(pair["a"], pair["b"]), verdict(pair["b"], pair["a"]))

    assert said == (pair["verdict"],) * 2, pair["reason"]


def test_enough_pairs() -> None:
    assert len(ALL) >= FEWEST


def test_every_pair_has_a_name_of_its_own() -> None:
    counts = Counter(pair["id"] for file in FILES for pair in _pairs(file))

    assert [name for name, count in counts.items() if count > 1] == []


@each("file", FILES, ids=[file.stem for file in FILES])
def test_pairs_are_well_formed(file: Path) -> None:
    """Id, verdict, reason and two records of known fields; a pair that says one record twice proves
    nothing."""
    for pair in _pairs(file):
        name = pair["id"]
        assert list(pair) == ["id", "verdict", "reason", "a", "b"], name
        assert normalise.words(name) == name.split("-"), name
        assert pair["verdict"] in VERDICTS, name
        assert len(pair["reason"].split()) > 4, name
        assert pair["reason"].endswith("."), name
        assert pair["a"] != pair["b"], name
        for side in (pair["a"], pair["b"]):
            assert set(side) <= FIELDS, name
            assert side.get("type") in (*TYPES, None), name
            assert all(isinstance(side[key], list) for key in LISTS if key in side), name
