"""Standards: the numbers that catalogues write, and what is none."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import pytest

from metasearch.dedup import DEFAULT, fingerprints
from metasearch.dedup.fingerprints import fingerprint, same_standard, standard
from tests.cases import each
from tests.dedup.records import record
from tests.growth import MOST, growth


@each(
    ("title", "number", "year"),
    [
        ("GB/T 7714-2015 信息与文献", "GB 7714", "2015"),
        ("GB／T 7714—2015", "GB 7714", "2015"),
        ("GB 7714-87", "GB 7714", "1987"),
        ("GB/T 20984.1-2007", "GB 20984.1", "2007"),
        ("ISO/IEC 27001:2022", "ISO 27001", "2022"),
        ("ISO 8601-1:2019", "ISO 8601-1", "2019"),
        ("ISO 8601-1:2019/Amd 1:2022", "ISO 8601-1 amd1", "2019"),
        ("ISO 690-2021", "ISO 690", "2021"),
        ("DIN EN ISO 690:2013-10", "DIN EN ISO 690", "2013"),
        ("ANSI/NISO Z39.29-2005", "NISO Z39.29", "2005"),
        ("IEEE Std 802.11-2016", "IEEE 802.11", "2016"),
        ("Guidelines for references (ISO 690:2021)", "ISO 690", "2021"),
    ],
)
def test_numbers_are_read_as_catalogues_write_them(title: str, number: str, year: str) -> None:
    """One form for marks, width and the words that change no number."""
    found = standard(fingerprint(record("a", title=title, type="standard")))

    assert found is not None
    assert (found.number, found.year) == (number, year)


@each(
    ("title", "values"),
    [
        ("En 1914-1918, la guerre", {"authors": []}),
        ("ISO 9001:2015: a pocket guide", {"authors": ["Brandt, Ulla"], "type": "book"}),
        ("ISO 9001:2015 in hospitals", {"type": "article"}),
        ("Treatment of wounds", {}),
    ],
)
def test_what_is_about_a_standard_is_none(title: str, values: dict[str, object]) -> None:
    """An author or another type says that the record is about the standard; words in other letters
    name no body."""
    assert standard(fingerprint(record("a", title=title, **values))) is None


def test_every_verdict_has_a_key() -> None:
    """Two records of which the matcher says "same" share one of its keys, in whatever order they
    are asked."""
    matcher = next(it for it in DEFAULT.matchers if it.name == "standard")
    titles = (
        "ISO 690:2021",
        "ISO 690",
        "ISO 690-2021 Guidelines for references",
        "Guidelines for references",
        "ISO 12",
    )
    prints = [
        fingerprint(record(f"{i}{kind}{year}", title=title, type=kind, year=year))
        for i, title in enumerate(titles)
        for kind in ("standard", None)
        for year in (2021, 2020, None)
    ]
    same = 0
    for a in prints:
        for b in prints:
            match = matcher.compare(a, b)
            assert same_standard(a, b) is same_standard(b, a)
            if match is not None:
                same += 1
                assert set(matcher.keys(a)) & set(matcher.keys(b))
    assert same > len(prints)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["ISO ", "GB/T/", "ISO 1-1", "1.1", "ISO/IEC 1:20", "ISO1.1.1.1-1-1"]
)
def test_numbers_are_looked_for_in_linear_time(piece: str) -> None:
    """A text of four times the length takes about four times as long, also where nothing in it is
    a standard's number."""

    def search(length: int) -> Callable[[], object]:
        text = "x" + piece * (length // len(piece))
        return lambda: deque(fingerprints._NUMBER.finditer(text), maxlen=0)

    assert growth(search, 10_000) <= MOST
