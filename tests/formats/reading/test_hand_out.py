"""The entries of a file are handed out as they are read: the same ones, and none is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from metasearch.errors import FileFormatError
from metasearch.formats import own
from metasearch.formats.origins import Origin
from metasearch.formats.reading import Entry, HandOutError, read_file, result
from metasearch.formats.reading.result import MOST_PROBLEMS, FileReading, check_sum
from metasearch.record import Record

RIS = "TY  - JOUR\nID  - {n}\nTI  - Title {n}\nN1  - note\nC1  - mine\nER  - \n"
NDJSON = '{{"source": "a", "source_id": "{n}", "position": {n}, "title": "Title {n}"}}\n'
XML = "<xml><records>{records}</records></xml>"
RECORD = (
    '<record><ref-type name="Journal Article">17</ref-type>'
    "<titles><title>Title {n}</title></titles></record>"
)
#: Entries at once, here.
FEW = 20
NUMBERS = range(2 * FEW + 5)
FILES = {
    "a.ris": "".join(RIS.format(n=n) for n in NUMBERS),
    "a.ndjson": "".join(NDJSON.format(n=n) for n in NUMBERS),
    "a.csv": "Title,Year,Own\n" + "".join(f"Title {n},2001,mine\n" for n in NUMBERS),
    "a.xml": XML.format(records="".join(RECORD.format(n=n) for n in NUMBERS)),
}


@pytest.mark.parametrize("name", FILES)
def test_the_same_entries_some_at_a_time(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their order, so many at once; counts, sum and tags are those of a file that is kept."""
    monkeypatch.setattr(result, "AT_ONCE", FEW)
    path = tmp_path / name
    path.write_text(FILES[name])
    taken: list[Entry] = []
    sizes: list[int] = []

    def take(some: Sequence[Entry]) -> None:
        taken.extend(some)
        sizes.append(len(some))

    handed, kept = read_file(path, hand_out=take), read_file(path)

    assert sizes == [FEW, FEW, 5]
    assert taken == kept.entries
    assert handed.entries == []
    assert (handed.count, handed.check_sum) == (kept.count, kept.check_sum)
    assert list(handed.tags().items()) == list(kept.tags().items())
    assert (handed.problems, handed.lost) == (kept.problems, kept.lost)


def test_a_file_without_records_hands_nothing_out(tmp_path: Path) -> None:
    path = tmp_path / "a.ris"
    path.write_text("\n")
    taken: list[Sequence[Entry]] = []

    reading = read_file(path, hand_out=taken.append)

    assert (taken, reading.count) == ([], 0)
    assert reading.problems


def test_an_error_of_the_taker_is_none_of_the_file(tmp_path: Path) -> None:
    """A disk that is full does not make a file unreadable."""
    path = tmp_path / "a.ris"
    path.write_text(FILES["a.ris"])

    def full(_: Sequence[Entry]) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(HandOutError, match="cannot be kept: no space is left") as caught:
        read_file(path, hand_out=full)

    assert not isinstance(caught.value, FileFormatError)


def test_records_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of which nothing is kept may hold more of them, but not any number."""
    monkeypatch.setattr(result, "MOST_RECORDS", 10)
    monkeypatch.setattr(result, "MOST_HANDED_OUT", 20)
    for count, hand_out, refused in (
        (10, None, False),
        (11, None, True),
        (20, len, False),
        (21, len, True),
    ):
        path = tmp_path / "a.ris"
        path.write_text("".join(RIS.format(n=n) for n in range(count)))
        if refused:
            with pytest.raises(FileFormatError, match="more than"):
                read_file(path, hand_out=hand_out)
        else:
            assert read_file(path, hand_out=hand_out).count == count


def test_problems_are_bounded() -> None:
    """Those beyond are counted, with what is lost by them."""
    reading = FileReading("a", "ris", "utf-8", hand_out=len)
    for line in range(MOST_PROBLEMS + 3):
        reading.add_problem(line, "broken", 2)
    reading.finish()

    assert len(reading.problems) == MOST_PROBLEMS + 1
    assert reading.lost == 2 * (MOST_PROBLEMS + 3)


def test_hits_of_a_stream_of_events_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later event may change any of them, so they wait for its end."""
    monkeypatch.setattr(own, "MOST_OPEN", 3)
    path = tmp_path / "a.ndjson"
    path.write_text("".join(f'{{"event": "hit", "id": "h{n}", "title": "T"}}\n' for n in range(4)))

    with pytest.raises(FileFormatError, match="more than 3 hits") as caught:
        read_file(path, hand_out=len)

    assert "parquet" in caught.value.advice


def test_the_sum_tells_entries_apart_and_not_their_order() -> None:
    """One that is lost and another that is there twice change it."""
    made = [
        Entry(Record(source="a", source_id=str(n), title=f"T{n}"), n, None, (Origin("a"),))
        for n in range(3)
    ]

    assert check_sum(made) == check_sum(made[::-1])
    assert check_sum([made[0], made[0], made[2]]) != check_sum(made)
    assert check_sum([]) == 0
