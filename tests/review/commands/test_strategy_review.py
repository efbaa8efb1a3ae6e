"""`metasearch strategy review`: of a file, of standard input, and of a project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.review.commands.conftest import Json

BROKEN = "1. exp Asthma/\n2. asthma*.ti,ab.\n3. 1 and 2\n4. 3 or 9\n"


@pytest.fixture
def ovid(tmp_path: Path) -> Path:
    file = tmp_path / "ovid.txt"
    file.write_text(BROKEN, encoding="utf-8")
    return file


def test_findings_are_json_with_place_and_mend(answered: Json, ovid: Path) -> None:
    """Exit code 1 says that there are errors; no workspace is needed."""
    told = answered("strategy", "review", str(ovid), code=1)["findings"]
    joined, missing = (one for one in told if one["severity"] != "hint")

    assert (joined["line"], joined["code"], joined["severity"]) == (3, "and-for-or", "warning")
    assert joined["place"] == {
        "start": BROKEN.index("1 and 2"),
        "end": BROKEN.index("1 and 2") + 7,
        "text": "1 and 2",
    }
    at = BROKEN.index("and")
    assert joined["fix"] == {"start": at, "end": at + 3, "text": "or"}
    assert (missing["line"], missing["severity"], missing["fix"]) == (4, "error", None)


def test_warnings_and_hints_are_no_errors(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "pubmed.txt"
    file.write_text("asthma AND 2019[dp]", encoding="utf-8")
    outcome = run("strategy", "review", str(file), "--syntax", "pubmed")

    assert outcome.code == 0
    assert "no-field" in outcome.out
    assert "0 errors" in outcome.err


@pytest.mark.parametrize("content", [b"", b"((((", b"\xff\xfe\x00\x01", b"1. \n2. \n"])
def test_what_cannot_be_read_is_a_finding(run: Run, tmp_path: Path, content: bytes) -> None:
    """JSON stands on standard output all the same."""
    file = tmp_path / "odd.txt"
    file.write_bytes(content)
    outcome = run("strategy", "review", str(file), "--json")

    assert outcome.code in (0, 1)
    assert isinstance(json.loads(outcome.out)["findings"], list)


def test_mends_are_written_into_the_file(answered: Json, run: Run, ovid: Path) -> None:
    """Those that are sure; what has none is still told."""
    told = answered("strategy", "review", str(ovid), "--fix", code=1)

    assert ovid.read_text(encoding="utf-8") == BROKEN.replace("1 and 2", "1 or 2")
    assert told["mended"] == 1
    assert [one["code"] for one in told["findings"] if one["severity"] != "hint"] == [
        "line-missing"
    ]


def test_what_a_database_cannot_be_asked_is_told(answered: Json, tmp_path: Path) -> None:
    file = tmp_path / "pubmed.txt"
    file.write_text("asthma*[tiab] OR wheez*[tiab]", encoding="utf-8")
    told = answered("strategy", "review", str(file), "--to", "cnki")["findings"]

    assert "untranslatable" in {one["code"] for one in told}


def test_a_strategy_of_a_project_is_reviewed(run: Run, answered: Json) -> None:
    """Its steps are its lines."""
    run("project", "new", "gambling", "--kind", "review")
    for text in ("gambling OR betting", "debt", "harm", "#1 AND #2"):
        run("strategy", "add", text)
    told = answered("strategy", "review")["findings"]

    assert [(one["line"], one["code"]) for one in told if one["severity"] == "warning"] == [
        (3, "unused-line")
    ]


def test_a_project_is_not_mended_by_the_command(run: Run) -> None:
    assert run("strategy", "review", "--fix").code == 2


@pytest.mark.parametrize(
    ("options", "code"),
    [(["gone.txt"], 1), (["-", "--to", "nothing"], 1), (["-", "--syntax", "nothing"], 2)],
)
def test_a_review_that_cannot_be_made_is_a_document_too(
    run: Run, options: list[str], code: int
) -> None:
    """Programs read standard output: it has one error, which standard error has as well."""
    outcome = run("strategy", "review", *options, "--json")

    assert outcome.code == code
    (reason,) = json.loads(outcome.out)["findings"]
    assert (reason["line"], reason["severity"], reason["code"]) == (None, "error", "unreadable")
    assert reason["message"] in outcome.err


def test_a_file_that_is_not_read_to_its_end_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    """Nothing of it is lost by the mends of its beginning."""
    file = tmp_path / "long.txt"
    text = "1. “tretament”.tw.\n" + "".join(f"{at}. knee.tw.\n" for at in range(2, 40_000))
    file.write_text(text, encoding="utf-8")
    outcome = run("strategy", "review", str(file), "--syntax", "ovid", "--fix")

    assert "too-large" in outcome.out
    assert file.read_text(encoding="utf-8") == text
