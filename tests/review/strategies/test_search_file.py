"""JSON search files of searchRxiv and search-query."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metasearch.errors import FileFormatError, QuerySyntaxError, UsageError
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.strategies import search_file, steps, strategies
from metasearch.review.strategies.strategies import Strategy
from tests import cases

RECORD: dict[str, Any] = {
    "record_info": {"id_1": "https://doi.org/10.1000/x"},
    "authors": [{"name": "Doe, J", "ORCID": "0000-0002-1825-0097"}, {"name": "Roe, R"}],
    "date": {"data_entry": "2021.03.02", "search_conducted": "2020.01.01"},
    "platform": "Web of Science",
    "database": ["SSCI"],
    "search_string": "TS=(forest* OR tree*)",
    "review_question": "Why?",
}


def add(db: Database, project: Project, record: object, **more: Any) -> search_file.FileIn:
    return search_file.add(project, json.dumps(record).encode(), "forest.json", **more)


def texts(db: Database, strategy: Strategy) -> list[str]:
    return [step.text for step in steps.of(db, strategy)]


def test_a_search_becomes_a_strategy(db: Database, project: Project) -> None:
    """Its string is read in the syntax of the platform; all else is kept as it stands."""
    (made,) = add(db, project, RECORD).strategies
    (step,) = steps.of(db, made)
    assert (made.name, step.text, step.syntax) == ("forest", "TS=(forest* OR tree*)", "wos")
    assert made.details["search_file"] == {
        key: value for key, value in RECORD.items() if key != "search_string"
    }


def test_the_blocks_of_a_string_are_steps(db: Database, project: Project) -> None:
    """As searchRxiv keeps them; the whole is the last one."""
    string = {"full_string": "TS=(a) AND TS=(b)", "first block": "TS=(a)", "second": "TS=(b)"}
    (made,) = add(db, project, {**RECORD, "search_string": string}).strategies
    assert [(it.text, it.note) for it in steps.of(db, made)] == [
        ("TS=(a)", "first block"), ("TS=(b)", "second"), ("TS=(a) AND TS=(b)", ""),
    ]  # fmt: skip


def test_a_string_of_numbered_lines_is_a_list(db: Database, project: Project) -> None:
    """As search-query writes them."""
    lines = "1. gambl*[tiab]\n2. harm*[tiab]\n3. #1 AND #2"
    record = {**RECORD, "platform": "pubmed", "search_string": lines}
    (made,) = add(db, project, record).strategies
    assert texts(db, made) == ["gambl*[tiab]", "harm*[tiab]", "#1 AND #2"]


def test_a_list_of_searches_becomes_several(db: Database, project: Project) -> None:
    """Each with a name of its own."""
    named = {**RECORD, "string_name": "final: all"}
    made = add(db, project, [RECORD, RECORD, named]).strategies
    assert [it.name for it in made] == ["forest", "forest-2", "final-all"]


def test_what_narrows_beside_the_string_is_told(db: Database, project: Project) -> None:
    """It is kept, but not applied; so is a platform that is not known."""
    record = {**RECORD, "platform": "AGRIS", "search_string": "tree", "search_language": ["en"]}
    notes = add(db, project, record).notes
    assert any("AGRIS has no syntax" in note for note in notes)
    assert any(note.startswith("search_language is not part") for note in notes)


def test_what_is_written_is_read_again(db: Database, project: Project) -> None:
    """With steps, sources, years and all keys of an earlier file."""
    (old,) = add(db, project, RECORD).strategies
    old = strategies.update(db, old, sources=["pubmed"], years="2010-", note="n")
    steps.add(db, old, "#1 NOT review")
    content = search_file.write(db, old, syntax="pubmed", searched="2026-05-03")
    (new,) = search_file.add(project, content, "again_search_history.json").strategies
    assert (new.name, new.sources, new.years, new.note) == ("again", ("pubmed",), "2010-", "n")
    assert [(it.number, it.text, it.syntax) for it in steps.of(db, new)] == [
        (1, "TS=(forest* OR tree*)", "wos"), (2, "#1 NOT review", "auto"),
    ]  # fmt: skip
    assert new.details["search_file"]["review_question"] == "Why?"


def test_what_is_written_has_the_keys_of_the_standard(db: Database, strategy: Strategy) -> None:
    """The search string is that of the last step, with the years."""
    for text in ("gambl*", "harm*", "#1 AND #2"):
        steps.add(db, strategy, text)
    content = search_file.write(
        db,
        strategy,
        syntax="pubmed",
        years="2010-2020",
        authors=[{"name": "Burt, A", "ORCID": "0000-0002-1825-0097"}],
        database=["MEDLINE"],
        searched="2026-05-03T10:00:00Z",
    )
    record = json.loads(content)
    assert record["search_string"] == "gambl*[tw] AND harm*[tw] AND 2010:2020[dp]"
    assert record["platform"] == "pubmed"
    assert record["database"] == ["MEDLINE"]
    assert record["authors"] == [{"name": "Burt, A", "ORCID": "0000-0002-1825-0097"}]
    assert record["date"]["search_conducted"] == "2026.05.03"
    assert record["record_info"] == {}


def test_a_string_in_the_syntax_of_the_platform_stays_as_it_is(
    db: Database, project: Project
) -> None:
    """What no tree can say is written again."""
    string = "TS=(forest* NEAR/3 tree$)"
    (made,) = add(db, project, {**RECORD, "search_string": string}).strategies
    content = search_file.write(db, made, syntax="wos")
    assert json.loads(content)["search_string"] == string


def test_a_string_that_was_changed_elsewhere_is_what_counts(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """The steps beside it are those of another search then."""
    steps.add(db, strategy, "gambl*")
    record = json.loads(search_file.write(db, strategy, syntax="pubmed"))
    record["search_string"] = "harm*[tiab]"
    (made,) = add(db, project, record).strategies
    assert texts(db, made) == ["harm*[tiab]"]


@cases.each(
    ("content", "reason"),
    [
        (b"", "it is no JSON"),
        (b"\xff", "it is no JSON"),
        (b"[]", "it has 0 searches"),
        (b"[1]", 'no "search_string"'),
        (b'{"platform": "wos"}', 'no "search_string"'),
        (b'{"search_string": 3}', "is no text"),
        (b'{"search_string": {"a": 1}}', "is no text"),
        (b'{"search_string": " "}', "is no text"),
        (b"[" * 5_000 + b"]" * 5_000, "it is no JSON"),
        (b"[" * 30 + b"]" * 30, "nested more than 20 deep"),
        (b" " * 2_000_001, "larger than 2,000,000 bytes"),
    ],
)
def test_another_file_is_an_error(
    db: Database, project: Project, content: bytes, reason: str
) -> None:
    """With its name, and advice; nothing is made."""
    with pytest.raises(FileFormatError, match=reason) as caught:
        search_file.add(project, content, "x.json")
    assert str(caught.value).startswith("x.json: ")
    assert caught.value.advice
    assert strategies.of(project) == []


def test_a_string_that_cannot_be_read_makes_nothing(db: Database, project: Project) -> None:
    """The searches before it in the file are not made either."""
    with pytest.raises(QuerySyntaxError):
        add(db, project, [RECORD, {**RECORD, "search_string": "TS=(a"}])
    assert strategies.of(project) == []


def test_a_name_that_is_given_must_be_free(db: Database, strategy: Strategy) -> None:
    """As for any strategy."""
    from metasearch.review.projects import projects

    project = projects.find(db, "harms")
    with pytest.raises(UsageError, match="'main' already"):
        add(db, project, RECORD, strategy="main")
    assert add(db, project, RECORD, strategy="other").strategies[0].name == "other"


@cases.each(
    "wrong",
    [
        {"syntax": "nowhere"},
        {"syntax": "pubmed", "authors": [{"ORCID": "x"}]},
        {"syntax": "pubmed", "authors": [{"name": "A", "ORCID": "0000"}]},
        {"syntax": "pubmed", "step": 9},
        {"syntax": "pubmed", "years": "soon"},
    ],
)
def test_what_cannot_be_written_is_an_error(
    db: Database, strategy: Strategy, wrong: dict[str, Any]
) -> None:
    """With advice."""
    steps.add(db, strategy, "gambl*")
    with pytest.raises(UsageError) as caught:
        search_file.write(db, strategy, **wrong)
    assert caught.value.advice


def test_a_strategy_without_steps_cannot_be_written(db: Database, strategy: Strategy) -> None:
    """There is nothing to search for."""
    with pytest.raises(UsageError, match="no step"):
        search_file.write(db, strategy, syntax="pubmed")
