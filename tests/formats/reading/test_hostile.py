"""Whatever a file of tags holds, reading it raises nothing, loses nothing silently, and takes
linear time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from metasearch.bib.field_limits import LIMITS
from metasearch.errors import FileFormatError
from metasearch.formats.reading import READABLE, FileReading, read_bytes
from metasearch.formats.reading.encodings import decode
from metasearch.formats.reading.tagged import LONGEST
from tests.cases import each
from tests.formats.reading.samples import SAMPLES, read
from tests.growth import MOST, growth

TAGGED = sorted(SAMPLES)
GZIP = b"\x1f\x8b\x08"


def found(reading: FileReading) -> int:
    """How many records a reading accounts for."""
    return len(reading.entries) + reading.lost


@each("name", TAGGED)
def test_samples_are_read_whole(name: str) -> None:
    """Format, number of records and nothing to complain about."""
    reading = read(SAMPLES[name].text)

    assert (reading.format, reading.problems) == (name, [])
    assert (
        len(reading.entries)
        == SAMPLES[name].records
        == len(SAMPLES[name].begin.findall(reading_text(name)))
    )
    assert all(
        entry.record.title and entry.record.authors and entry.record.year
        for entry in reading.entries
    )
    assert [entry.record.position for entry in reading.entries] == [1, 2]
    assert {entry.record.source for entry in reading.entries} == {"a.txt"}


def reading_text(name: str) -> str:
    return SAMPLES[name].text.removeprefix("\ufeff")


@pytest.mark.parametrize("name", TAGGED)
@given(data=st.data())
def test_cut_and_corrupted_files_lose_nothing_silently(name: str, data: st.DataObject) -> None:
    """Every beginning of a record that is left in the bytes becomes an entry or is told as lost."""
    raw = bytearray((SAMPLES[name].text * 2).encode())
    for _ in range(data.draw(st.integers(0, 8), "corruptions")):
        at = data.draw(st.integers(0, len(raw) - 1), "at")
        length = data.draw(st.integers(0, 40), "length")
        raw[at : at + length] = data.draw(st.binary(max_size=12), "new")
    cut = bytes(
        raw[data.draw(st.integers(0, 60), "from") : data.draw(st.integers(60, len(raw)), "to")]
    )

    assume(not cut.startswith(GZIP))
    reading = read_bytes(cut, "a.txt", format=name)

    text = decode(cut, "a.txt").text.replace("\r\n", "\n").replace("\r", "\n")
    begun = [
        hit for hit in SAMPLES[name].begin.finditer(text) if _not_inside(text, hit.start(), name)
    ]
    assert found(reading) >= len(begun)
    assert cut == b"" or reading.entries or reading.problems


def _not_inside(text: str, at: int, name: str) -> bool:
    """Outside of the header of the Web of Science's table, which is a format of its own."""
    return name != "wos" or not text.startswith("PT\t")


@pytest.mark.parametrize("name", TAGGED)
@given(values=st.lists(st.text(max_size=40), min_size=1, max_size=12))
def test_values_of_any_kind_cost_no_record(name: str, values: list[str]) -> None:
    """Text without line breaks may stand in any field: there are as many records as beginnings."""
    lines = reading_text(name).split("\n")
    for number, value in enumerate(values):
        at = (number * 7 + 3) % len(lines)
        clean = "".join(char for char in value if char.isprintable())
        if (
            lines[at]
            and not SAMPLES[name].begin.match(lines[at])
            and lines[at][:2] not in ("ER", "EF", "PT")
        ):
            lines[at] += f" {clean}"
    text = "\n".join(lines)

    reading = read(text.encode(errors="replace"), name)

    assert found(reading) == len(SAMPLES[name].begin.findall(text)) == SAMPLES[name].records
    assert reading.lost == 0


@given(data=st.binary(max_size=300), form=st.sampled_from([None, *TAGGED]))
def test_any_bytes_are_read_or_refused(data: bytes, form: str | None) -> None:
    """Nothing but the documented error is raised, and something is told where nothing is found."""
    try:
        reading = read_bytes(data, "any", format=form)
    except FileFormatError:  # nobody knows the format, or it cannot be unpacked
        assert form is None or data.startswith(GZIP)
        return
    assert reading.entries or reading.problems
    assert form is None or reading.format in (form, "")


PIECES = ("TY  - JOUR", "TI  - a", "ER  - ", "AU  - A, B", "T2 - x", "1. ", "", "text", "\tKW  - k",
"ty -jour", "\x0c",
          "DO  - 10.1/", "PMID- 1", "%0 Book", "%T t", "RT Book", "T1 x", "{Title}: t",
          "Title-题名: t", "PT J", "ER",
          "EF", "\ufeffTY  - BOOK", "SP  - 1-", "PY  - 20", "AN  - a:b", "UR  - http://[",
          "PMC - PMC1")  # fmt: skip


@given(lines=st.lists(st.sampled_from(PIECES), max_size=30), form=st.sampled_from(TAGGED))
@example(lines=["PMID- 1", "PMID- 1"], form="nbib")
def test_lines_in_any_order(lines: list[str], form: str) -> None:
    """No order of lines makes a reader raise, and every beginning is accounted for."""
    text = "\n".join(lines)
    reading = read(text, form)

    assert found(reading) >= len(SAMPLES[form].begin.findall(text))


HOSTILE = {
    "one long line": lambda n: "TY  - JOUR\nTI  - " + "a" * n,
    "one long line of digits": lambda n: (
        "TY  - JOUR\nDO  - " + "10.1234." * (n // 8) + "\nTI  - " + "1" * n
    ),
    "tags that never close": lambda n: "TY  - JOUR\nTI  - " + "<!--<b>&amp;" * (n // 12),
    "open brackets": lambda n: (
        "TY  - JOUR\nAB  - " + "<a " * (n // 3) + "\nAU  - " + "a, " * (n // 3)
    ),
    "blanks": lambda n: "TY  - JOUR\nTI  - a" + " " * n + "b\n" + " " * n + "\n" + "\n" * n,
    "fields": lambda n: "TY  - JOUR\n" + "AU  - A, B\n" * (n // 20) + "KW  - a\n" * (n // 20),
    "continuation lines": lambda n: "TY  - JOUR\nTI  - a\n" + "a\n" * (n // 2),
    "records without end": lambda n: "TY  - JOUR\n" * (n // 50),
    "stray lines": lambda n: "ER  - \nfoo\n" * (n // 10) + "TY  - JOUR\nTI  - a\nER  - ",
    "one line of titles": lambda n: "TY  - JOUR\n" + "TI  - a\n" * (n // 20),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_time_is_linear(kind: str) -> None:
    """Four times the text takes some four times as long, and not sixteen."""

    def reading(size: int) -> Callable[[], object]:
        text = HOSTILE[kind](size)

        def run() -> None:
            reading = read(text, "ris")
            assert reading.entries or reading.problems

        return run

    assert growth(reading, 10_000) <= MOST


def test_a_line_of_twenty_megabytes() -> None:
    """It is cut to what a field may hold, which is told; the next record is read."""
    text = (
        "TY  - JOUR\nTI  - a\nAB  - "
        + "word " * 4_000_000
        + "\nER  - \nTY  - JOUR\nTI  - b\nER  - \n"
    )

    reading = read(text, "ris")

    assert [record.title for record in reading.records] == ["a", "b"]
    assert len(reading.records[0].abstract or "") == LIMITS["abstract"].text - 1
    assert sorted(problem.message for problem in reading.problems) == [
        "1 abstract was cut at 50,000 characters",
        f"AB holds more than {LONGEST:,} characters; the rest of it was left out",
    ]


def test_every_format_has_a_sample_or_a_test_of_its_own() -> None:
    """The formats of tagged lines are those of this file."""
    tagged = {
        name
        for name, one in READABLE.items()
        if one.reader.replace("_", "-") in SAMPLES or name in SAMPLES
    }

    assert tagged == set(SAMPLES)
