"""Pins: what a file of them may say, whom a name means, and that they win over every rule."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup import DEFAULT, OnlineDedup, fingerprint
from metasearch.dedup.pins import MAX_BYTES, MAX_PROBLEMS, Pins
from metasearch.errors import PinsError, UsageError
from metasearch.record import VERSIONS_MODES, Match, Record, VersionsMode
from tests.cases import each
from tests.dedup.records import ARTICLE, record, records
from tests.growth import MOST, growth


def pins(*lines: str) -> Pins:
    return Pins.read("\n".join(lines), "folder/pins.txt")


def problems(*lines: str) -> tuple[str, ...]:
    """What is wrong with a file of these lines."""
    with pytest.raises(PinsError) as raised:
        pins(*lines)
    assert raised.value.file == "folder/pins.txt"
    return raised.value.problems


def said(known: Pins, a: Record, b: Record) -> Match | None:
    """The verdict, which is the same from both sides."""
    one, other = (
        known.compare(fingerprint(a), fingerprint(b)),
        known.compare(fingerprint(b), fingerprint(a)),
    )
    assert one == other
    return one


def word(known: Pins, a: Record, b: Record) -> str | None:
    match = said(known, a, b)
    return match.verdict if match else None


# --------------------------------------------------------------------------- whom a name means


@each(
    ("name", "bearer"),
    [
        ("10.1000/ABC", record("x", 1, doi="10.1000/abc")),
        ("pubmed:77", record("pubmed", 77)),
        ("pmid:77", record("x", 1, ids={"pmid": "77"})),
        ("openalex:W77", record("x", 1, ids={"openalex": "W77"})),
        ("isbn:0-306-40615-2", record("x", 1, isbn=("9780306406157",))),
        ("'my export.ris:@3'", Record(source="my export.ris", position=3)),
    ],
)
def test_whom_a_name_means(name: str, bearer: Record) -> None:
    """A record bears its DOI, its key, and all its other identifiers."""
    known = pins(f"same {name} z:9")

    assert word(known, bearer, record("z", 9)) == "same"
    assert word(known, record("x", 2), record("z", 9)) is None
    assert (
        set(known.keys(fingerprint(bearer)))
        == set(known.keys(fingerprint(record("z", 9))))
        != set()
    )
    assert not list(known.keys(fingerprint(record("x", 2))))


def test_a_key_is_a_name_to_the_letter() -> None:
    """Some databases have ids that differ in case alone."""
    known = pins("same books:aB z:9")

    assert word(known, Record(source="books", source_id="aB"), record("z", 9)) == "same"
    assert word(known, Record(source="books", source_id="Ab"), record("z", 9)) is None


# --------------------------------------------------------------------------- what is said


def test_same() -> None:
    """The verdict is sure, and tells line and reason."""
    match = said(pins("# mine", "", "same a:1 b:1  # read both"), record("a", 1), record("b", 1))

    assert match == Match(
        "pin", "same", 1.0, "pinned as the same (pins.txt line 3: read both)", "a:1", "b:1"
    )


def test_different() -> None:
    """So it is for the other verdict; without a reason there is only the line."""
    match = said(pins("different a:1 b:1"), record("b", 1), record("a", 1))

    assert match == Match(
        "pin", "different", 1.0, "pinned as different (pins.txt line 1)", "a:1", "b:1"
    )


def test_same_is_transitive() -> None:
    """Lines that share a name speak of one work, also where no record bears the name between."""
    known = pins("same a:1 b:1 c:1", "same x:1 c:1 # why", "same y:1 z:1")

    match = said(known, record("a", 1), record("x", 1))
    assert match is not None
    assert match.because == "pinned as the same (pins.txt lines 1, 2: why)"
    assert word(known, record("b", 1), record("c", 1)) == "same"
    assert word(known, record("a", 1), record("y", 1)) is None
    assert (
        len({*known.keys(fingerprint(record("a", 1))), *known.keys(fingerprint(record("x", 1)))})
        == 1
    )


def test_different_parts_groups() -> None:
    """What holds for a name holds for all that it is the same as."""
    known = pins("same a:1 a:2", "same b:1 b:2", "different a:1 b:1")

    assert word(known, record("a", 2), record("b", 2)) == "different"
    assert word(known, record("a", 1), record("a", 2)) == "same"


def test_different_is_said_of_each_with_each_and_is_not_transitive() -> None:
    """Three names of a line differ mutually; two works that differ from a third may be one."""
    known = pins("different a:1 b:1 c:1", "different c:1 d:1")

    assert (
        word(known, record("a", 1), record("c", 1))
        == word(known, record("b", 1), record("c", 1))
        == "different"
    )
    assert word(known, record("a", 1), record("d", 1)) is None


def test_a_name_stands_for_all_its_records() -> None:
    """Two records of a pinned DOI are one work, as both are what the other name is."""
    known = pins("same 10.1000/abc pmid:5")

    assert (
        word(known, record("a", 1, doi="10.1000/abc"), record("b", 1, doi="10.1000/abc")) == "same"
    )


def test_records_that_share_a_name_can_be_parted() -> None:
    """Two records of one DOI are told apart by their keys."""
    known = pins("different a:1 b:1", "same 10.1000/abc pmid:5")

    assert (
        word(known, record("a", 1, doi="10.1000/abc"), record("b", 1, doi="10.1000/abc"))
        == "different"
    )


def test_a_record_that_bears_both_names_is_told_apart_from_neither() -> None:
    """It is itself what the line tells apart, so the line says nothing of it and its twins."""
    known = pins("different 10.1000/abc pmid:5")
    both = record("a", 1, doi="10.1000/abc", ids={"pmid": "5"})

    assert word(known, both, record("b", 1, doi="10.1000/abc")) is None
    assert (
        word(known, record("b", 1, doi="10.1000/abc"), record("c", 1, ids={"pmid": "5"}))
        == "different"
    )


def test_nothing_is_pinned() -> None:
    """Empty pins are false and silent."""
    assert not Pins()
    assert not pins("# nothing", "  ", "\r")
    assert word(Pins(), record("a", 1), record("b", 1)) is None
    assert list(Pins().keys(fingerprint(record("a", 1)))) == []


def test_joined() -> None:
    """Two files hold together, and each is cited by its name."""
    known = pins("same a:1 b:1") | Pins.read("same b:1 c:1\nsame c:1 d:1", "/x/team.txt")

    match = said(known, record("a", 1), record("d", 1))
    assert match is not None
    assert match.because == "pinned as the same (pins.txt line 1 and team.txt line 2)"
    assert (Pins() | known) == known == (known | Pins())


def test_files_that_contradict_one_another() -> None:
    """What two files say together is checked, too."""
    with pytest.raises(PinsError, match=r"^pins\.txt and other: 1 problem\n  other line 1: "):
        pins("same a:1 b:1 c:1") | Pins.read("different b:1 c:1", "other")


# --------------------------------------------------------------------------- the file


def test_all_problems_are_told_at_once() -> None:
    """Each with its line; right lines are no excuse for wrong ones."""
    told = problems(
        "smae a:1 b:1",
        "same a:1",
        "same a:1 b:1",
        "same a:1 nobody",
        "# fine",
        'same "a:1 b:1',
        "same doi:10.1000/X 10.1000/x",
        "different a:1 b:1",
    )

    assert [problem.partition(":")[0].removeprefix("pins.txt ") for problem in told] == [
        f"line {number}" for number in (1, 2, 4, 6, 7, 8)
    ]
    assert "'smae'" in told[0]
    assert "two names or more" in told[1]
    assert "'nobody'" in told[2]
    assert "never closed" in told[3]
    assert "names 10.1000/x twice" in told[4]


def test_same_and_different_name_all_lines() -> None:
    """A contradiction is told with every line that it consists of, however long the way between."""
    told = problems(
        "same a:1 b:1", "same x:1 y:1", "same c:1 b:1", "same c:1 d:1", "different d:1 e:1 a:1"
    )

    assert told == (
        "pins.txt line 5: d:1 and a:1 are different here, but the same by pins.txt lines 1, 3, 4",
    )


def test_errors_are_usage_errors() -> None:
    """They exit 2 and are told as a list under the file's name."""
    with pytest.raises(UsageError) as raised:
        pins("x", "y")
    assert str(raised.value).startswith("folder/pins.txt: 2 problems\n  line 1: ")


def test_what_is_no_file_of_pins_is_not_read_to_its_end() -> None:
    """After a hundred problems it is enough."""
    told = problems(*["nonsense"] * 5000)

    assert len(told) == MAX_PROBLEMS + 1
    assert told[-1] == f"line {MAX_PROBLEMS + 1}: not read any further"


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_load(tmp_path: Path, start: bytes, end: bytes) -> None:
    """UTF-8 with or without a byte order mark, with the line ends of any system."""
    file = tmp_path / "mine.txt"
    file.write_bytes(
        start + end.join(["same 知网:1 b:1 # 同一篇".encode(), b"different b:1 c:1", b""])
    )

    match = said(Pins.load(file), record("知网", 1), record("b", 1))

    assert match is not None
    assert match.because == "pinned as the same (mine.txt line 1: 同一篇)"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"same a:1 b:1\nsame \xff\xfe c:1", "line 2: not UTF-8 text"),
        ("same a:1 b:1".encode("utf-16"), "line 1: not UTF-8 text"),
        (b"#" * (MAX_BYTES + 1), "is larger than 10,000,000 bytes"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, content: bytes | None, problem: str) -> None:
    """Encoding, size and absence are problems of the file."""
    file = tmp_path / "pins.txt"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(PinsError) as raised:
        Pins.load(file)
    assert (raised.value.file, raised.value.problems) == (str(file), (problem,))


@given(st.text(st.sampled_from("same difrnt\t\n\"'#:/.10ab\\\x00\u2028"), max_size=80) | st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but PinsError is ever raised."""
    with suppress(PinsError):
        assert all(len(set(pin.names)) >= 2 for pin in Pins.read(text, "any").pins)


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        lambda size: [f"same crossref:10.1000/{n} 10.2000/{n} # twin {n}" for n in range(size)],
        lambda size: [f"same a:{n} a:{n + 1}" for n in range(size)],
        lambda size: [f"same hub:1 a:{n}" for n in range(size)],
        lambda size: [f'different "a b:{n}" "a b:{n + 1}"' for n in range(size)],
        lambda size: ["different " + " ".join(f"a:{n}" for n in range(2 * size))],
        lambda size: ["same " + '"' * 20 * size],
        lambda size: ["same a:1 b:1 " + "'x" * 2 * size],
    ],
    ids=["pairs", "chain", "hub", "quoted", "one-line", "quotes", "apostrophes"],
)
def test_large_files_are_read_in_linear_time(lines: Callable[[int], list[str]]) -> None:
    """Four times as many lines, or characters of one line, take about four times as long."""

    def reading(size: int) -> Callable[[], object]:
        made = lines(size)

        def run() -> None:
            with suppress(PinsError):
                word(pins(*made), record("a", 1), record("a", size - 1))

        return run

    assert growth(reading, 1_000) <= MOST


# --------------------------------------------------------------------------- pins win


def together(rows: list[Record], known: Pins, versions: VersionsMode = "group") -> list[set[str]]:
    """The keys of the records of each hit."""
    stage = OnlineDedup(DEFAULT.with_pins(known), versions=versions)
    for row in rows:
        stage.insert(row)
    return [{row.key for row in hit.records} for hit in stage.hits()]


@st.composite
def pinned(draw: st.DrawFn) -> tuple[list[Record], Pins]:
    """Records, and pins on their keys, DOIs and other identifiers that do not contradict one
    another."""
    rows = draw(records())
    names = sorted(
        {row.key for row in rows} | {"10.1000/one", "10.1000/two", "pmid:1", "pmid:2", "nobody:1"}
    )
    line = st.tuples(
        st.sampled_from(["same", "different"]),
        st.lists(st.sampled_from(names), min_size=2, max_size=4, unique=True),
    )
    known = Pins()
    for word_, chosen in draw(st.lists(line, min_size=1, max_size=5)):
        with suppress(PinsError):
            known |= pins(f"{word_} {' '.join(chosen)}")
    return rows, known


def verdicts(rows: list[Record], known: Pins) -> dict[str, list[set[str]]]:
    """The pairs of records that are pinned, by what is said of them."""
    found: dict[str, list[set[str]]] = {"same": [], "different": []}
    for a, b in combinations([fingerprint(row) for row in rows], 2):
        match = known.compare(a, b)
        if match is not None:
            found[match.verdict].append({a.record_key, b.record_key})
    return found


def linked(pairs: list[set[str]]) -> list[set[str]]:
    """The groups that pairs make."""
    groups: list[set[str]] = []
    for pair in pairs:
        touched = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [pair.union(*touched)]
    return groups


@given(pinned(), st.randoms(use_true_random=False), st.sampled_from(VERSIONS_MODES))
def test_pins_win(
    case: tuple[list[Record], Pins], rng: random.Random, versions: VersionsMode
) -> None:
    """Whatever the records and their order: what is pinned as different is never one hit, what is
    pinned as the same always is, unless records bear names by which the one contradicts the
    other."""
    rows, known = case
    rng.shuffle(rows)

    hits = together(rows, known, versions)

    said_of = verdicts(rows, known)
    apart = said_of["different"]
    assert not [pair for pair in apart for hit in hits if pair <= hit]
    for group in linked(said_of["same"]):
        assert any(group <= hit for hit in hits) or any(pair <= group for pair in apart)


@given(pinned(), st.randoms(use_true_random=False), st.sampled_from(VERSIONS_MODES))
def test_order_does_not_matter_under_pins(
    case: tuple[list[Record], Pins], rng: random.Random, versions: VersionsMode
) -> None:
    """The partition depends on records and pins alone."""
    rows, known = case
    before = sorted(map(sorted, together(rows, known, versions)))
    rng.shuffle(rows)

    assert sorted(map(sorted, together(rows, known, versions))) == before


def test_records_with_nothing_in_common_are_brought_together() -> None:
    """A pin is a place to meet, too."""
    rows = [record("a", 1, title="Erratum", year=1990), record("b", 1, **ARTICLE)]

    assert together(rows, pins("same a:1 b:1")) == [{"a:1", "b:1"}]


def test_a_chain_of_pins_lifts_vetoes_between_its_ends() -> None:
    """What is the same by way of a third record is one work, though the rules would part the
    ends."""
    rows = [
        record("a", 1, **{**ARTICLE, "title": f"{ARTICLE['title']}, Part I", "doi": "10.1000/one"}),
        record("b", 1, title="Something else", doi="10.1000/one", ids={"pmid": "5"}),
        record(
            "c",
            1,
            **{
                **ARTICLE,
                "title": f"{ARTICLE['title']}, Part II",
                "ids": {"pmid": "5"},
                "doi": "10.1000/t",
            },
        ),
    ]
    known = pins("same a:1 b:1", "same pmid:5 pmid:6")

    for order in ([0, 1, 2], [2, 1, 0], [0, 2, 1]):
        assert together([rows[n] for n in order], known) == [{"a:1", "b:1", "c:1"}]


@each("count", [30, 100])
def test_pins_win_in_a_crowd(count: int) -> None:
    """Two of very many copies are told apart, and the copies that are pinned to each go with it or
    stay."""
    rows = [record("s", number, **ARTICLE) for number in range(count)]
    known = pins(f"different s:{count - 2} s:{count - 1}")

    for order in (rows, rows[::-1]):
        assert not [
            hit for hit in together(order, known) if {f"s:{count - 2}", f"s:{count - 1}"} <= hit
        ]


@each("count", [30, 100])
def test_a_large_group_is_one_hit(count: int) -> None:
    """However many records are pinned together, and however little they are alike."""
    rows = [
        record("s", number, title=f"Work number {number * 7}", year=1000 + 5 * number)
        for number in range(count)
    ]
    known = pins("same " + " ".join(row.key for row in rows))

    assert together(rows, known) == [{row.key for row in rows}]


def test_versions_that_are_pinned_together_stay_together() -> None:
    """A hit for each version is a rule, and a pin is more."""
    rows = [
        record("a", 1, **ARTICLE),
        record("b", 1, **{**ARTICLE, "venue": "arXiv", "volume": None, "type": "preprint"}),
    ]

    assert len(together(rows, Pins(), "separate")) == 2
    assert together(rows, pins("same a:1 b:1"), "separate") == [{"a:1", "b:1"}]
