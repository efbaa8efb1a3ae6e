"""`metasearch lookup` and `metasearch check`, on the works of the demo."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cases import each
from tests.cli.conftest import Outcome, Run
from tests.references.hostile import FILES

#: Two works of the catalogue below, and an entry each that is right, wrong, and of no work.
WORKS = [
    {
        "title": "Salt marsh birds of the northern coast in winter",
        "authors": [["Byron", "Ada"], ["Hopper", "Grace"]],
        "year": 2015, "type": "article", "venue": "Journal of Coastal Birds", "volume": "12",
        "issue": "3", "pages": "101-119", "doi": "10.5555/marsh.1", "pmid": "9000001",
    },
    {
        "title": "Eelgrass meadows and the memory of storms",
        "authors": [["Curie", "Marie"], ["Noether", "Emmy"]],
        "year": 2018, "type": "article", "venue": "Estuarine Letters", "volume": "4",
        "issue": "1", "pages": "7-19", "doi": "10.5555/eelgrass.2", "pmid": "9000002",
    },
]  # fmt: skip
RIGHT = """@article{byron2015,
  title = {Salt marsh birds of the northern coast in winter},
  author = {Byron, Ada and Hopper, Grace},
  journal = {Journal of Coastal Birds}, year = {2015}, doi = {10.5555/marsh.1}
}
"""
WRONG = """@article{curie2018,
  title = {Eelgrass meadows and the memory of storms},
  author = {Lovelace, Bob and Turing, <Joan>},
  journal = {Estuarine Letters}, year = {2011}, doi = {10.5555/eelgrass.2},
}
"""
UNKNOWN = """@article{nobody2020,
  title = {Quantum gardening of invisible orchards in seven easy movements},
  author = {Nobody, Nemo}, journal = {Journal of Nothing}, year = {2020},
}
"""

Check = Callable[..., Outcome]


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    file = tmp_path / "works.jsonl"
    file.write_text("".join(json.dumps(work) + "\n" for work in WORKS))
    return file


@pytest.fixture
def check(run: Run, catalogue: Path, tmp_path: Path) -> Check:
    """Checks a list against the catalogue."""

    def check(
        text: str | bytes, *options: str, name: str = "refs.bib", command: str = "check"
    ) -> Outcome:
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return run(command, "--demo-catalogue", str(catalogue), str(file), *options)

    return check


@each(
    ("text", "code", "verdict"),
    [(RIGHT, 0, "confirmed"), (WRONG, 1, "differs"), (UNKNOWN, 0, "not-found")],
)
def test_verdicts_and_exit_codes(check: Check, text: str, code: int, verdict: str) -> None:
    """Only what is serious makes it fail; what is not found is no fault."""
    outcome = check(text, "--json")

    answer = json.loads(outcome.out)
    assert outcome.code == code
    assert [each["verdict"] for each in answer["references"]] == [verdict]
    assert answer["counts"][verdict] == 1
    assert answer["references"][0]["asked"]


def test_the_worst_comes_first(check: Check) -> None:
    """The report of a terminal tells of what is confirmed the key alone."""
    outcome = check(RIGHT + UNKNOWN + WRONG)

    first, *_, last = outcome.out.splitlines()
    assert (first, last) == ("curie2018: differs, serious", "byron2015: confirmed")
    assert "invented" not in outcome.out + outcome.err
    assert re.fullmatch(
        r"3 references, 1 confirmed, 1 differs, 1 not-found, 1 serious \(\d+ requests\)\n",
        outcome.err,
    )


def test_a_database_that_fails(run: Run, tmp_path: Path) -> None:
    """What it may have is no "not found", and the exit code tells."""
    file = tmp_path / "refs.bib"
    file.write_text(UNKNOWN)

    outcome = run("check", "--demo", "-s", "demo-crossref,demo-failing", str(file), "--json")

    (reference,) = json.loads(outcome.out)["references"]
    assert outcome.code == 3
    assert (reference["verdict"], reference["serious"]) == ("unchecked", False)
    assert "demo-failing" in reference["reason"]


@each(
    ("ending", "begins"),
    [
        (".txt", "curie2018: differs"),
        (".json", "{"),
        (".html", "<!DOCTYPE html>"),
        (".sarif", "{"),
        (".xml", "<?xml"),
    ],
)
def test_the_ending_chooses_the_format(
    check: Check, tmp_path: Path, ending: str, begins: str
) -> None:
    """As in other commands."""
    target = tmp_path / f"report{ending}"
    assert check(WRONG, "-o", str(target)).out == ""
    assert target.read_text().startswith(begins)


def test_other_endings_are_refused(check: Check, tmp_path: Path) -> None:
    """And so are two formats."""
    outcome = check(WRONG, "-o", str(tmp_path / "report.pdf"))
    assert (outcome.code, "end in .pdf" in outcome.err) == (2, True)
    assert check(WRONG, "--json", "--format", "html").code == 2
    assert check(WRONG, "--diff", "--json").code == 2


def test_sarif(check: Check, tmp_path: Path) -> None:
    """A rule for each kind of finding; levels, lines and the file as code scanning needs them."""
    document = json.loads(check(RIGHT + WRONG + UNKNOWN, "--format", "sarif").out)

    (scan,) = document["runs"]
    rules = [rule["id"] for rule in scan["tool"]["driver"]["rules"]]
    found = [
        (
            result["ruleId"],
            result["level"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for result in scan["results"]
    ]
    assert document["version"] == "2.1.0"
    assert found == [
        ("authors", "error", 6),
        ("year", "error", 6),
        ("not-found", "note", 11),
    ]
    for result in scan["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["message"]["text"]
        (place,) = result["locations"]
        address = place["physicalLocation"]["artifactLocation"]["uri"]
        assert address == (tmp_path / "refs.bib").as_uri()


@pytest.fixture
def retract(catalogue: Path) -> Callable[[str], None]:
    """Gives the first work notices, and an id, which chooses the databases that have it."""

    def retract(chosen: str) -> None:
        notices = ["retraction 2017-03-01 10.5555/n.1", "concern 2016 10.5555/n.2"]
        works = [WORKS[0] | {"id": chosen, "notices": notices}, WORKS[1]]
        catalogue.write_text("".join(json.dumps(work) + "\n" for work in works))

    return retract


@each(
    ("chosen", "sources"),
    [
        ("n12", "demo-openalex,demo-pubmed,demo-arxiv,demo-crossref"),  # the last one by itself
        ("n6", "demo-openalex,demo-pubmed"),
    ],
)
def test_a_retraction_is_told_with_its_notice(
    check: Check, retract: Callable[[str], None], chosen: str, sources: str
) -> None:
    """Also where a database confirms all fields that is asked before, and knows no notice."""
    retract(chosen)
    (reference,) = json.loads(check(RIGHT, "--json", "-s", sources).out)["references"]

    assert (reference["verdict"], reference["serious"]) == ("retracted", True)
    assert [(each["field"], each["found"]) for each in reference["differences"]] == [
        ("notice", "retraction of 2017-03-01, 10.5555/n.1"),
        ("notice", "concern of 2016, 10.5555/n.2"),
    ]


def test_notices_in_reports(check: Check, retract: Callable[[str], None]) -> None:
    """Each is a finding of its own."""
    retract("n4")
    (scan,) = json.loads(check(RIGHT, "--format", "sarif").out)["runs"]
    page = check(RIGHT, "--format", "html").out

    found = [(result["ruleId"], result["level"]) for result in scan["results"]]
    assert found == [("retracted", "error"), ("notice", "error")]
    assert "retraction of 2017-03-01, 10.5555/n.1" in page


def test_a_notice_cannot_be_repaired(check: Check, retract: Callable[[str], None]) -> None:
    """Other fields of the entry can, and a DOI is added."""
    retract("n4")
    assert "+" in check(RIGHT.replace(", doi = {10.5555/marsh.1}", ""), "--diff").out
    assert "a notice about its work cannot be repaired" in check(RIGHT, "--diff").err

    wrong = RIGHT.replace("2015}", "2009}")
    assert "+  journal = {Journal of Coastal Birds}, year = {2015}" in check(wrong, "--diff").out


def test_junit(check: Check) -> None:
    """A case for each reference; what is serious is a failure."""
    root = ET.fromstring(check(RIGHT + WRONG + UNKNOWN, "--format", "junit").out)

    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "0")
    assert [[inner.tag for inner in case] for case in suite] == [[], ["failure"], ["system-out"]]
    assert [case.get("name") for case in suite] == ["byron2015", "curie2018", "nobody2020"]


def test_html_is_escaped(check: Check) -> None:
    """One file without scripts; what a reference says is text."""
    hostile = UNKNOWN.replace("Quantum", "<script>alert(1)</script> & Quantum")
    page = check(hostile + WRONG, "--format", "html").out

    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;Joan&gt;" in page
    assert page.index("curie2018") < page.index("nobody2020")
    assert "demo-crossref (" in page
    assert "does not mean invented" in page


# Repairs.


def test_fix(check: Check, tmp_path: Path) -> None:
    """Only what differs is changed; the diff is shown; twice changes nothing; then nothing serious
    is left."""
    text = f"% Mine: 50 % done\r\n{RIGHT}\n  odd text\n{WRONG}{UNKNOWN}"
    target = tmp_path / "fixed.bib"

    outcome = check(text, "--fix", str(target))

    fixed = target.read_bytes().decode()
    changed = [
        (old, new)
        for old, new in zip(text.split("\n"), fixed.split("\n"), strict=True)
        if old != new
    ]
    assert outcome.code == 1
    assert [new for _, new in changed] == [
        "  author = {Curie, Marie and Noether, Emmy},",
        "  journal = {Estuarine Letters}, year = {2018}, doi = {10.5555/eelgrass.2},",
    ]
    assert "-  author = {Lovelace, Bob and Turing, <Joan>}," in outcome.err
    again = check(fixed, "--fix", str(target))
    assert again.code == 0
    assert target.read_bytes().decode() == fixed


def test_diff_writes_nothing(check: Check, tmp_path: Path) -> None:
    """The diff instead of the report."""
    outcome = check(WRONG, "--diff")

    assert outcome.out.startswith("--- refs.bib\n+++ refs.bib\n@@")
    assert (tmp_path / "refs.bib").read_text() == WRONG


def test_a_missing_doi_is_added(check: Check) -> None:
    """To a confirmed work, in the manner of the entry."""
    bare = RIGHT.replace(", doi = {10.5555/marsh.1}", "")
    assert "+  doi = {10.5555/marsh.1}\n" in check(bare, "--diff").out


@each(
    "text",
    [
        UNKNOWN,
        # Title of one work and DOI of another, by nobody: which is meant?
        WRONG.replace("10.5555/eelgrass.2", "10.5555/marsh.1"),
        # Given twice.
        WRONG.replace("year = {2011}", "author = {A, B}, year = {2011}"),
        WRONG + WRONG,
    ],
    ids=["unknown", "of two works", "field twice", "key twice"],
)
def test_doubt_repairs_nothing(check: Check, text: str) -> None:
    """What is not certain stays as it is."""
    out = check(text, "--diff").out
    assert out.count("+  author") == (text == WRONG + WRONG)  # the first of two alone


TITLE, PEOPLE = "title = {Eelgrass meadows and the memory of storms}", "Curie, M. and Noether, E."
DOI = "doi = {10.5555/eelgrass.2}"
#: Entries as people write them, and what a repair puts there.
ODD = {
    "parentheses": (f"@article(c, {TITLE}, author = {{A B}}, {DOI})", "author = {Curie, Marie"),
    "line ends": (
        f'@article{{c,\r\n\t{TITLE},\r\n\tauthor = "{PEOPLE}",\r\n\tyear = "2018"\r\n}}\r\n',
        '"2018",\r\n\tdoi = {10.5555',
    ),
    "quotes": (
        f'@article{{c, {TITLE}, author = "B{{\\"o}}b, {{A, and}} x", {DOI} }}',
        "author = {Curie, Marie",
    ),
    "macro": (
        f'@string{{y = "2011"}}\n@article{{c, {TITLE}, author = {{{PEOPLE}}}, {DOI}, year = y}}',
        "year = {2018}}",
    ),
    "no blanks": (
        f"@article {'{'} c ,\n {TITLE},author={{{PEOPLE}}},volume={{9}},{DOI}}}",
        "volume={4},doi",
    ),
    "joined": (
        f'@article{{c, {TITLE}, author = {{{PEOPLE}}}, {DOI}, year = "20" # "11"}}',
        "year = {2018}}",
    ),
}


@each(("text", "changed"), ODD.values(), ids=ODD)
def test_entries_as_people_write_them(
    check: Check, text: str, changed: str, tmp_path: Path
) -> None:
    """Other delimiters, line ends and macros: a repaired file is sound, and stays as it is."""
    target = tmp_path / "fixed.bib"

    check(text, "--fix", str(target))

    fixed = target.read_bytes().decode()
    assert changed in fixed
    assert check(fixed).code == 0
    assert check(fixed, "--diff").out == ""


@each(("name", "text"), [("a.txt", "10.5555/marsh.1"), ("a.ris", "TY  - JOUR\nTI  - A\nER  - \n")])
def test_other_formats_are_not_repaired(check: Check, name: str, text: str) -> None:
    """They say so before anybody is asked."""
    outcome = check(text, "--diff", name=name)
    assert (outcome.code, "cannot be repaired" in outcome.err) == (2, True)


# Lookups.


@each("format_", ["ris", "csv", "json", "bibtex"])
def test_lookup(check: Check, format_: str) -> None:
    """A work a line; what is missing stands on stderr, and in JSON."""
    text = f"10.5555/marsh.1\n{WORKS[1]['title']}\n10.5555/nothing.9\n"
    outcome = check(text, "--format", format_, name="list.txt", command="lookup")

    assert outcome.code == 1
    assert "Salt marsh birds" in outcome.out
    assert "Eelgrass meadows" in outcome.out
    assert "not-found: 3 10.5555/nothing.9" in outcome.err
    if format_ == "json":
        answer = json.loads(outcome.out)
        assert len(answer["hits"]) == 2
        assert [(each["key"], each["status"]) for each in answer["missing"]] == [("3", "not-found")]


def test_lookup_from_stdin(run: Run, catalogue: Path) -> None:
    """ "-" is standard input; all found is 0."""
    outcome = run("lookup", "--demo-catalogue", str(catalogue), "-", stdin=b"10.5555/marsh.1\n")
    assert (outcome.code, "Salt marsh birds" in outcome.out) == (0, True)


def test_check_from_stdin(run: Run, catalogue: Path) -> None:
    """Its SARIF names it so."""
    outcome = run(
        "check", "--demo-catalogue", str(catalogue), "-", "--format", "sarif", stdin=WRONG.encode()
    )
    assert outcome.code == 1
    assert '"uri": "stdin"' in outcome.out


def test_lookup_while_one_fails(run: Run, tmp_path: Path) -> None:
    """Then a work may be there, and could not be looked up."""
    file = tmp_path / "list.txt"
    file.write_text("Quantum gardening of invisible orchards in seven movements\n")
    outcome = run("lookup", "--demo", "-s", "demo-crossref,demo-failing", str(file), "--json")
    assert (outcome.code, json.loads(outcome.out)["missing"][0]["status"]) == (3, "unchecked")


def test_an_interrupted_run_is_used(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that it was answered is asked again; `--fresh` asks anew."""
    from metasearch.engine.lookup import Journal

    close = Journal.close
    monkeypatch.setattr(Journal, "close", lambda self, done: close(self, done=False))  # killed
    quiet = partial(check, RIGHT + UNKNOWN, "--json")
    first = json.loads(quiet().out)
    (journal,) = (tmp_path / "cache").rglob("lookups/*.jsonl")
    journal.write_bytes(journal.read_bytes() + b'{"request": "half a li')
    second = json.loads(quiet().out)
    fresh = json.loads(quiet("--fresh").out)

    assert first["requests"] > 0 == second["requests"]
    assert fresh["requests"] == first["requests"]
    assert first["references"] == second["references"]


def test_the_example_of_the_page(run: Run) -> None:
    """docs/check.md shows what the command prints."""
    page = (Path(__file__).parents[2] / "docs" / "check.md").read_text(encoding="utf-8")
    shown = page.split("```")[3].strip("\n")
    file = Path(__file__).parents[2] / "docs" / "examples" / "references.bib"

    outcome = run("check", "--demo", str(file))

    assert (outcome.out.strip("\n"), outcome.code) == (shown, 1)


# What is no list.

OPEN_BRACE = b"@article{a, title = {" + b"{" * 10_000


@pytest.mark.slow  # tests/references/test_hostile.py reads the same files
@each("name", FILES)
def test_hostile_files(check: Check, name: str) -> None:
    """Each reference is read, or there is a clear error; nothing is lost without a word, and the
    terminal is safe."""
    hostile = FILES[name]
    outcome = check(hostile.make(hostile.size), "--json", name=hostile.name)

    assert outcome.code in (0, 1, 2, 3)
    assert "Traceback" not in outcome.err
    assert "internal" not in outcome.err
    assert not set("\x1b\x07\u202e") & set(outcome.out + outcome.err)
    if hostile.works is None:
        assert outcome.code in (2, 3)
        assert outcome.err.partition(" (0 requests)")[0]
    if outcome.code == 2:
        assert hostile.name in outcome.err
        return
    references = json.loads(outcome.out)["references"]
    assert len(references) == (hostile.works or 0)
    assert all(each["title"] or each["reason"] for each in references)
    if any(each["verdict"] == "unchecked" for each in references) or not references:
        assert outcome.code == 3


@each("name", ["one line", "RIS without ER", "empty entries", "bomb", "cyclic crossrefs"])
def test_hostile_lists_of_works(check: Check, name: str) -> None:
    """A lookup reads them in the same way."""
    hostile = FILES[name]
    outcome = check(hostile.make(hostile.size), name=hostile.name, command="lookup")

    assert (outcome.code, bool(outcome.err)) in {(1, True), (2, True), (3, True)}
    assert "Traceback" not in outcome.err


@each(("place", "why"), [(".", "it is a folder"), ("/dev/zero", "it is a device")])
def test_what_is_no_file(run: Run, place: str, why: str) -> None:
    """It is told, and not read."""
    outcome = run("check", "--demo", place)
    assert (outcome.code, why in outcome.err) == (2, True)


@each(
    ("data", "code"),
    [
        (b"", 3),
        (b"@article{a,}\n" * 300, 3),
        (RIGHT.encode() + OPEN_BRACE, 3),
        (WRONG.encode() + OPEN_BRACE, 1),
        (b"%PDF-1.7\n", 2),
    ],
)
def test_what_is_not_read_is_not_sound(check: Check, data: bytes, code: int) -> None:
    """Of an entry that was left out nobody was asked; the exit code tells."""
    assert check(data).code == code


def test_a_missing_file(run: Run) -> None:
    """It is named."""
    outcome = run("check", "--demo", "no-such.bib")
    assert (outcome.code, "no-such.bib" in outcome.err) == (2, True)
