"""`metasearch parse`: the records that an adapter reads out of a saved answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cases import each
from tests.cli.conftest import Run


def body(*items: Mapping[str, object], total: int = 7) -> str:
    return json.dumps({"status": "ok", "message": {"total-results": total, "items": list(items)}})


def item(number: int, **fields: object) -> dict[str, object]:
    return {"DOI": f"10.5555/Islands.{number}", "title": [f"Island mice {number}"]} | fields


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "answer.json"
    file.write_text(body(item(1, author=[{"family": "Byron", "given": "Ada"}]), item(2)))
    return file


def test_a_record_a_line(run: Run, saved: Path) -> None:
    """Each record is one JSON object of the fields that have a value; the counts are on stderr."""
    outcome = run("parse", "crossref", str(saved))

    first, second = (json.loads(line) for line in outcome.out.splitlines())
    assert outcome.code == 0
    assert first["authors"] == [{"name": "Ada Byron", "family": "Byron", "given": "Ada"}]
    assert second == {
        "source": "crossref",
        "source_id": "10.5555/Islands.2",
        "position": 2,
        "title": "Island mice 2",
        "doi": "10.5555/islands.2",
    }
    assert outcome.err == "2 records, total 7\n"


def test_quiet(run: Run, saved: Path) -> None:
    """`--quiet` leaves the records alone on the stage."""
    assert run("-q", "parse", "crossref", str(saved)).err == ""


def test_stdin(run: Run, saved: Path) -> None:
    """ "-" reads the answer from stdin."""
    assert (
        run("parse", "crossref", "-", stdin=saved.read_bytes()).out
        == run("parse", "crossref", str(saved)).out
    )


def test_nothing_is_cut(run: Run, tmp_path: Path) -> None:
    """A file of more records than any search asks for is printed whole."""
    file = tmp_path / "answer.json"
    file.write_text(body(*(item(number) for number in range(2500))))

    assert len(run("parse", "crossref", str(file)).out.splitlines()) == 2500


def test_empty_list(run: Run, tmp_path: Path) -> None:
    """An answer without records is no error."""
    file = tmp_path / "answer.json"
    file.write_text(body(total=0))

    outcome = run("parse", "crossref", str(file))

    assert (outcome.code, outcome.out, outcome.err) == (0, "", "0 records, total 0\n")


def test_odd_record_is_named(run: Run, tmp_path: Path) -> None:
    """A record that cannot be read is told on stderr, and its neighbours are printed."""
    file = tmp_path / "answer.json"
    file.write_text(body(item(1), {"publisher": "nobody"}, item(3)))

    outcome = run("parse", "crossref", str(file))

    assert [json.loads(line)["position"] for line in outcome.out.splitlines()] == [1, 3]
    assert "record 2 could not be read: neither a title nor an identifier\n" in outcome.err


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "NotParsable"),
        ("<html><body>Sorry</body></html>", "NotParsable"),
        ('{"status": "failed", "message": [{"message": "bad cursor"}]}', "SourceSaysError"),
        (body(*({"DOI": f"10.5555/{number}"} for number in range(10))), "Drifted"),
    ],
)
def test_bad_answer(run: Run, tmp_path: Path, text: str, kind: str) -> None:
    """What is no answer exits 3, and stderr has the error's type, message and advice."""
    file = tmp_path / "answer"
    file.write_text(text)

    outcome = run("parse", "crossref", str(file))

    *_, error, advice = outcome.err.splitlines()
    assert outcome.code == 3
    assert error.startswith(f"{kind}: ")
    assert advice.startswith("  ")


def test_too_large(run: Run, saved: Path, tmp_path: Path) -> None:
    """A file beyond the source's limit is not read to its end."""
    config = tmp_path / "my.toml"
    config.write_text("[sources.crossref.limits]\nmax_bytes = 10\n")

    outcome = run("parse", "crossref", str(saved), "--config", str(config))

    assert outcome.code == 3
    assert outcome.err.startswith("TooLarge: ")


def test_source_of_the_configuration(run: Run, saved: Path, tmp_path: Path) -> None:
    """A source of the user's own can be looked at in the same way."""
    config = tmp_path / "my.toml"
    config.write_text('[sources.mine]\nextends = "crossref"\nfields.title = "DOI"\n')

    outcome = run("--config", str(config), "parse", "mine", str(saved))

    assert json.loads(outcome.out.splitlines()[0])["title"] == "10.5555/Islands.1"


def test_family(run: Run, tmp_path: Path) -> None:
    """A family reads what any of its members may send."""
    file = tmp_path / "answer.xml"
    file.write_text(
        '<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><version>1.1</version>'
        "<numberOfRecords>0</numberOfRecords></searchRetrieveResponse>"
    )

    outcome = run("parse", "sru", str(file))

    assert (outcome.code, outcome.err) == (0, "0 records, total 0\n")


def test_control_characters_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    """Records of a hostile answer hold no character that drives a terminal."""
    file = tmp_path / "answer.json"
    file.write_text(body(item(1, title=["Mice\x9b31m \x1b[2Jand men"])))

    assert not any(0x7F <= ord(char) < 0xA0 for char in run("parse", "crossref", str(file)).out)


@pytest.mark.parametrize("args", [["nothing", "{}"], ["crossref", "/no/such/file"], ["crossref"]])
def test_usage(run: Run, saved: Path, args: list[str]) -> None:
    """An unknown source and a missing file exit 2."""
    outcome = run("parse", *(arg.format(saved) for arg in args))

    assert outcome.code == 2
    assert outcome.err
    assert "Traceback" not in outcome.err


EXPORT = """TY  - JOUR
TI  - Island mice
PY  - soon
ER  -
TY  - JOUR
TI  - Lake mice
ER  -
"""


def test_a_file_of_references(run: Run, tmp_path: Path) -> None:
    """Without a source, the format is detected; what was not understood is told with its line."""
    file = tmp_path / "export.ris"
    file.write_text(EXPORT)

    outcome = run("parse", str(file))

    titles = [json.loads(line)["title"] for line in outcome.out.splitlines()]
    assert (outcome.code, titles) == (0, ["Island mice", "Lake mice"])
    assert outcome.err == 'line 1: PY holds no year: "soon"\n2 records, ris\n'


def test_references_from_standard_input_in_a_format_that_is_named(run: Run) -> None:
    """`-` and `--from` go together."""
    outcome = run("parse", "-", "--from", "ris", stdin=EXPORT.encode())

    assert len(outcome.out.splitlines()) == 2


@each("words", [("crossref", "a.json", "b.json"), ("crossref", "a.json", "--from", "ris")])
def test_what_goes_not_together_is_refused(run: Run, words: tuple[str, ...]) -> None:
    """Two files, or a format for an answer of a source."""
    assert run("parse", *words).code == 2
