"""`metasearch translate`."""

from __future__ import annotations

import json

from metasearch.query.syntaxes import TARGETS
from tests.cli.conftest import Run


def test_one_syntax_alone_on_standard_output(run: Run) -> None:
    """So it can be piped to a clipboard; what is lost goes to standard error."""
    outcome = run("translate", "title:(salt marsh*) isbn:9783161484100", "--to", "ovid")

    assert (outcome.code, outcome.out) == (0, "(salt and marsh*).ti.\n")
    assert outcome.err == "note: Ovid cannot be asked for ISBNs: isbn:9783161484100 is left out\n"


def test_several_syntaxes_are_a_paragraph_each(run: Run) -> None:
    """In the order in which they were named, with what is lost."""
    outcome = run("translate", "title:marsh*", "--to", "wos,cnki")

    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "wos: Web of Science",
        "  TI=(marsh*)",
        "",
        "cnki: CNKI",
        "  TI=('marsh'+'marshes')",
        (
            "  note: CNKI cannot be asked for the beginnings of words: marsh* is written as marsh, "
            "marshes, and other words that begin so are not found"
        ),
    ]


def test_all_of_them_as_a_document(run: Run) -> None:
    """Without a name, and from another syntax, which is told from its marks or named."""
    document = json.loads(run("translate", '"salt marsh"[tiab]', "--json").out)
    named = json.loads(run("translate", "--from", "pubmed", "salt", "--to", "simple", "--json").out)

    assert (document["query"], document["syntax"]) == (
        'title:"salt marsh" OR abstract:"salt marsh"',
        "pubmed",
    )
    assert [it["syntax"] for it in document["translations"]] == list(TARGETS)
    assert document["translations"][0] == {
        "syntax": "ovid",
        "text": '"salt marsh".ti,ab.',
        "notes": [],
    }
    assert named["syntax"] == "pubmed"


def test_what_cannot_be_translated(run: Run) -> None:
    """A query that is none and a syntax that is not there are errors; of which nothing can be said
    is exit code 1."""
    assert run("translate", "(x", "--to", "ovid").code == 2
    assert "ovid, pubmed" in run("translate", "x", "--to", "sql").err
    assert (run("translate", "isbn:9783161484100", "--to", "ovid").code) == 1


def test_a_query_from_standard_input(run: Run) -> None:
    """A long strategy need not stand on the command line."""
    assert run("translate", "-", "--to", "simple", stdin=b"title:x").out == "title:x\n"
