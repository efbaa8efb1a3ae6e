"""Document frequencies: the shipped table, and what rarity makes of it."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.normalise import has_han
from metasearch.bulk.published import words as frequencies
from metasearch.bulk.published import words as segment
from metasearch.bulk.published.words import idf, nidf, table_id
from metasearch.bulk.published.words import read_frequencies as read

TEXT = "# a comment\n= zh 10\n10 的\n4 方法 研究\n= en 3\n3 the\n2 method\n"
FILE = Path(frequencies.__file__).with_name("frequencies.txt")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> frequencies.FrequencyTable:
    table = read(TEXT)
    monkeypatch.setattr(frequencies, "_table", lambda: table)
    return table


def test_idf_by_hand(small: frequencies.FrequencyTable) -> None:
    """log(1 + (D + 1) / (df + 1)), of the section that a word's script names; a word of no
    section's has df 0."""
    assert idf("方法") == math.log(1 + 11 / 5)
    assert idf("的") == math.log(2)
    assert idf("图象") == math.log(12)
    assert idf("method") == math.log(1 + 4 / 3)
    assert idf("zebra") == idf("слово") == idf("デー") == math.log(5)
    assert idf("a方") == math.log(12)


def test_nidf_by_hand(small: frequencies.FrequencyTable) -> None:
    """0 in every document, 1 in none, in proportion between."""
    assert nidf("的") == nidf("the") == 0
    assert nidf("图象") == nidf("zebra") == 1
    assert nidf("方法") == pytest.approx(
        (math.log(1 + 11 / 5) - math.log(2)) / (math.log(12) - math.log(2))
    )


@given(st.text(max_size=8))
def test_any_word_weighs_something(word: str) -> None:
    """A weight of 0 would drop a word from a signature, and one below would turn its bits round."""
    assert idf(word) >= math.log(2)
    assert 0 <= nidf(word) <= 1


def test_rarer_words_weigh_more() -> None:
    for common, frequent, known, unknown in (
        ("的", "研究", "算法", "饕餮"),
        ("the", "results", "algorithm", "xylophone"),
    ):
        assert idf(common) < idf(frequent) < idf(known) < idf(unknown)
        assert nidf(common) < 0.05 < nidf(frequent) < nidf(known) < nidf(unknown) == 1


def test_the_id_names_the_content() -> None:
    """Any other count gives another id; comments and the line ends of a checkout do not."""
    name = read(TEXT).id

    assert name.startswith("df-1:zh10,en3:")
    assert (
        name == read(TEXT.replace("a comment", "another")).id == read(TEXT.replace("\n", "\r\n")).id
    )
    changes = [("4 方法", "5 方法"), ("方法", "办法"), ("zh 10", "zh 11"), ("2 method\n", "")]
    assert len({name, *(read(TEXT.replace(*change)).id for change in changes)}) == 5


def test_the_shipped_table() -> None:
    """It is small, each word stands once and in the form in which words are asked for, and it says
    its sources."""
    text = FILE.read_text(encoding="utf-8")
    table = read(text)

    assert table_id() == table.id
    assert FILE.stat().st_size <= 150_000
    for source in ("CSL", "Apache License 2.0", "arXiv", "PubMed"):
        assert source in text.partition("\n=")[0]
    listed = [
        word for line in text.splitlines() if line[:1] not in "#=" for word in line.split()[1:]
    ]
    assert len(listed) == len(set(listed)) == len(table.zh.counts) + len(table.en.counts)
    for section, han in ((table.zh, True), (table.en, False)):
        assert len(section.counts) > 3000
        assert all(2 <= count <= section.documents for count in section.counts.values())
        assert all(
            has_han(word) == han and not any(map(str.isdigit, word)) for word in section.counts
        )
    assert all(segment.words(word) == [word] for word in table.en.counts)


@pytest.mark.shared
def test_the_counts_are_those_of_the_source(shared: Path) -> None:
    """Counted again, word by word, in the half of the sample that the table says it is of."""
    if not segment.segmenter().startswith("rjieba 0.2."):
        pytest.skip("the table was counted with rjieba 0.2")
    with gzip.open(shared / "data" / "neardup" / "base_zh.jsonl.gz") as lines:
        rows = [row for row in map(orjson.loads, lines) if row["half"] == "dev"]
    documents = [set(segment.words(f"{row['title']}\n{row['abstract']}")) for row in rows]
    table = read(FILE.read_text(encoding="utf-8")).zh

    assert len(documents) == table.documents
    for word in ["的", "研究", "算法", "随著", "计画", *sorted(table.counts)[::500]]:
        assert sum(word in document for document in documents) == table.counts[word]
    once = next(
        word for word in sorted(set().union(*documents)) if sum(word in d for d in documents) == 1
    )
    assert once not in table.counts
