"""What files say beside the fields of a record comes out again, and a second job counts as the
first one did."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from metasearch.bulk.export import write
from metasearch.bulk.job import JobOutcome
from metasearch.bulk.report import as_text
from metasearch.formats.reading import read_bytes
from tests.bulk import samples
from tests.bulk.samples import run
from tests.bulk.telling import count, left_out
from tests.cases import each
from tests.growth import MOST, growth

#: Tags that no field of a record holds.
BESIDE = {
    "AD": "Lake Institute, Town",
    "A3": "Series, Ed",
    "CY": "England",
    "CN": "QH1",
    "NV": "2",
    "RN": "0 (Iron)",
    "LB": "label",
    "RP": "IN FILE",
    "ST": "Sorption",
    "T3": "Mud series",
    "J2": "J. Mud",
    "XZ": "of somebody's own",
    **{f"C{n}": f"custom {n}" for n in range(1, 9)},
    **{f"L{n}": f"file {n}" for n in range(1, 5)},
    **{f"M{n}": f"misc {n}" for n in range(1, 4)},
    **{f"U{n}": f"user {n}" for n in range(1, 6)},
}
MEDLINE = (
    """TY  - JOUR
AU  - Musterfrau, Erika
TI  - Sorption of iron in the mud of shallow lakes.
JF  - Journal of Mud
PY  - 2019
VL  - 12
SP  - 101
EP  - 109
DO  - 10.1000/mud.1
AN  - 31234567
N1  - RAYYAN-INCLUSION: {"Ann"=>"Included"}
N1  - in both
"""
    + "".join(f"{tag}  - {value}\n" for tag, value in BESIDE.items())
    + """DB  - MEDLINE
DP  - Ovid
ER  -

TY  - JOUR
AU  - Sato, Yuki
TI  - Rivers of the north
T2  - Waters
PY  - 2001
DB  - MEDLINE
DP  - Ovid
ER  -
"""
)
EMBASE = """TY  - JOUR
AU  - Musterfrau, Erika
TI  - Sorption of iron in the mud of shallow lakes
JF  - Journal of Mud
PY  - 2019
VL  - 12
DO  - 10.1000/mud.1
AD  - Mud Office
N1  - in both
N1  - full text read
DB  - Embase
DP  - Elsevier
ER  -
"""


@pytest.fixture
def outcome(tmp_path: Path) -> JobOutcome:
    return run(*samples.write(tmp_path, medline_ris=MEDLINE, embase_ris=EMBASE))


def written(outcome: JobOutcome, name: str, **options: bool) -> bytes:
    return b"".join(write(name, outcome, **options))


def fields(text: bytes) -> list[list[tuple[str, str]]]:
    """The tags and values of each record of RIS."""
    records = text.decode().split("ER  - \r\n")[:-1]
    return [[(line[:2], line[6:]) for line in record.splitlines()] for record in records]


def values(text: bytes, tag: str, record: int = 0) -> list[str]:
    return [value for name, value in fields(text)[record] if name == tag]


def again(tmp_path: Path, text: bytes, name: str) -> JobOutcome:
    return run(*samples.write(tmp_path, **{name: text}))


def table(outcome: JobOutcome) -> list[tuple[object, ...]]:
    """What goes into the PRISMA flow diagram."""
    it = count(outcome)
    databases = [(p.name, p.total, p.kept, p.removed, p.only) for p in it.databases]
    return [(it.found, it.unread, it.duplicates, it.unique), *databases]


def test_the_database_survives_and_the_file_stands_beside_it(outcome: JobOutcome) -> None:
    """DB and DP are those of the input; the file is in a field of its own, an origin a record."""
    text = written(outcome, "ris")

    assert (values(text, "DB"), values(text, "DP")) == (["MEDLINE", "Embase"], ["Ovid", "Elsevier"])
    assert [value for value in values(text, "M2") if "Origin" in value] == [
        "Origin: medline.ris | MEDLINE",
        "Origin: embase.ris | Embase",
    ]


def test_every_other_tag_comes_out_again_merged_by_union(outcome: JobOutcome) -> None:
    """Repeated values once, in order; screening decisions are in N1."""
    text = written(outcome, "ris")

    assert {tag: values(text, tag)[0] for tag in BESIDE} == BESIDE
    assert values(text, "N1") == [
        'RAYYAN-INCLUSION: {"Ann"=>"Included"}',
        "in both",
        "full text read",
    ]
    assert values(text, "AD") == ["Lake Institute, Town", "Mud Office"]
    assert "31234567" in values(text, "AN")


@pytest.mark.parametrize(
    ("name", "file"), [("ris", "u_ris"), ("csv", "u_csv"), ("bibtex", "u_bib"), ("json", "u_json")]
)
def test_a_second_dedup_gives_the_same_prisma_table(
    outcome: JobOutcome, tmp_path: Path, name: str, file: str
) -> None:
    """A record that was made of several counts as several, each of its own database."""
    second = again(tmp_path, written(outcome, name), file)
    third = again(tmp_path, written(second, name), file)

    assert table(outcome)[:2] == [(3, 0, 1, 2), ("MEDLINE", 2, 2, 0, 1)]
    assert table(second) == table(third) == table(outcome)
    assert count(second).earlier == 1
    assert "by an earlier run of dedup" in as_text(count(second), "1")


@pytest.mark.parametrize("name", ["ris", "csv"])
def test_a_second_dedup_writes_the_same_records(
    outcome: JobOutcome, tmp_path: Path, name: str
) -> None:
    """But for what names the file that was read."""
    (tmp_path / "b").mkdir()
    first = written(outcome, "ris")
    second = written(again(tmp_path / "b", written(outcome, name), f"u_{name}"), "ris")

    def told(text: bytes) -> list[list[tuple[str, str]]]:
        parts = [
            [(tag, one) for tag, it in record for one in it.split("; ") if tag != "ID"]
            for record in fields(text)
        ]
        return [sorted(set(record)) for record in parts]

    assert told(second) == told(first)


def test_json_gives_tags_back_to_their_format(outcome: JobOutcome, tmp_path: Path) -> None:
    """Our own JSON has room for the tags of every format."""
    document = json.loads(written(outcome, "json"))
    text = written(again(tmp_path, written(outcome, "ndjson"), "u_ndjson"), "ris")

    assert ["ris:AD", "Mud Office"] in document["hits"][0]["given"]
    assert document["hits"][0]["origins"][1] == {"file": "embase.ris", "database": "Embase"}
    assert values(text, "AD") == ["Lake Institute, Town", "Mud Office"]


def test_bibtex_fields_come_out_again(tmp_path: Path) -> None:
    """With their LaTeX; of a merged work, each value once."""
    entry = (
        "@article{{k{n}, title={{Iron in lakes}}, author={{Doe, Ada}}, year=2001, "
        "journal={{Mud}}, {more}}}\n"
    )
    text = entry.format(n=1, more=r"annote={a \emph{b}}, file={:x\:y.pdf:PDF}, groups={in}")
    text += entry.format(n=2, more=r"annote={a \emph{b}}, groups={out}, note={seen}")

    found = written(run(*samples.write(tmp_path, a_bib=text)), "bibtex").decode()

    assert r"annote = {a \emph{b}}" in found
    assert r"file = {:x\:y.pdf:PDF}" in found
    assert "groups = {in; out}" in found
    assert "note = {seen}" in found


def test_a_command_of_latex_that_may_do_harm_is_text(tmp_path: Path) -> None:
    """Styles print `note`: what would read or run something there is escaped, and stays so when it
    is read again."""
    text = (
        r"@article{k, title={Iron}, author={Doe, Ada}, note={\input{/etc/passwd} ^^5cx}, "
        r"annote={{\'e} \ss\ \url{x}}}"
    )

    first = written(run(*samples.write(tmp_path, a_bib=text)), "bibtex")
    second = written(again(tmp_path, first, "b_bib"), "bibtex").decode()

    for found in (first.decode(), second):
        assert (
            r"note = {\textbackslash{}input\{/etc/passwd\} \textasciicircum{}\textasciicircum{}5cx}"
            in found
        )
        assert r"annote = {{\'e} \ss\ \url{x}}" in found


def test_columns_of_a_table_come_out_again(tmp_path: Path) -> None:
    """Those that nobody knows, and those that a record has no field for; a formula is guarded."""
    text = 'Title,Authors,Year,Notes,Decision,=cmd\nIron in lakes,"Doe, Ada",2001,seen,in,-1+1\n'

    found = written(run(*samples.write(tmp_path, a_csv=text)), "csv").decode()

    assert found.splitlines()[0].endswith(",database,origins,Notes,Decision,'=cmd")
    assert found.splitlines()[1].endswith(",,Origin: a.csv |,seen,in,'-1+1")


def test_what_has_no_home_in_the_output_is_told(outcome: JobOutcome, tmp_path: Path) -> None:
    """A line a file, with the tags and how often they stand in it; JSON and CSV have room for
    all."""
    assert left_out(outcome, "ris") == left_out(outcome, "json") == left_out(outcome, "csv") == []
    note = next(note for note in left_out(outcome, "bibtex") if note.startswith("embase.ris"))
    assert note == "embase.ris: bibtex has no place for N1 (2), AD (1), DP (1)"
    assert note in as_text(count(outcome), "1", left_out(outcome, "bibtex"))


def test_provenance_goes_out_only_on_request(outcome: JobOutcome, tmp_path: Path) -> None:
    """In Zotero, N1 becomes a note beside each record; read again, it is no remark of the
    file's."""
    asked = written(outcome, "ris", provenance=True)

    assert b"Fields by source" not in written(outcome, "ris")
    assert values(asked, "N1")[-1].startswith("Fields by source: embase.ris: ")
    assert b"Fields by source" not in written(again(tmp_path, asked, "u_ris"), "ris")


def test_what_is_kept_of_a_record_is_bounded_and_told() -> None:
    """A record of a million notes is one of a thousand, and the file's problems say so."""
    text = (
        "TY  - JOUR\nTI  - Iron\n" + "".join(f"N1  - note {n}\n" for n in range(1_500)) + "ER  -\n"
    )
    long = f"TY  - JOUR\nTI  - Iron\nN1  - {'x' * 60_000}\nER  -\n"

    reading = read_bytes((text + long).encode(), "a.ris")

    assert [len(entry.given) for entry in reading.entries] == [1_000, 1]
    assert len(reading.entries[1].given[0][1]) == 50_000
    assert [problem.message for problem in reading.problems] == [
        "1 list of other fields was cut at 1,000 entries",
        "1 other field was cut at 50,000 characters",
    ]


@each("hostile", ["Origin: |", "Origin: a", "Origin: ; Origin: |", "Origin: " * 50_000])
def test_an_origin_that_names_no_file_is_a_remark(hostile: str) -> None:
    """And takes no part in the counts."""
    (entry,) = read_bytes(
        f"TY  - JOUR\nTI  - Iron\nM2  - {hostile}\nER  -\n".encode(), "a.ris"
    ).entries

    assert entry.origins == ()


@pytest.mark.slow
def test_origins_are_read_in_linear_time() -> None:
    """Four times as many take some four times as long, not sixteen times."""
    from metasearch.formats.origins import read

    def reading(times: int) -> Callable[[], object]:
        text = "; ".join(["Origin: a.ris | MEDLINE"] * times)
        return lambda: read([text])

    assert growth(reading, 2_000) <= MOST


def test_names_with_marks_of_ours_stay_one_origin(tmp_path: Path) -> None:
    """A file's name can hold a bar, and a database's name what an origin begins with."""
    text = MEDLINE.replace("MEDLINE", "A | B; Origin: x | y")
    first = run(*samples.write(tmp_path, **{"a | b_ris": text}))

    second = again(tmp_path, written(first, "ris"), "u_ris")

    assert [len(entry.origins) for file in second.files for entry in file.reading.entries] == [1, 1]
    assert re.fullmatch(r"a / b\.ris", second.files[0].reading.entries[0].origins[0].file)
