"""`metasearch strategies`: what is told of each, as text and as data."""

from __future__ import annotations

import json

import pytest
from wcwidth import wcswidth

from metasearch.bulk.commands import FACTS
from metasearch.bulk.published import words as segment
from metasearch.dedup import STRATEGIES
from tests.cases import each
from tests.cli.completion import offers
from tests.cli.conftest import Run
from tests.strategies import same_title


def flat(text: str) -> str:
    """Without the line breaks of a narrow terminal."""
    return " ".join(text.split())


def test_the_list_tells_all_of_each(run: Run) -> None:
    """Name, what it does, what it needs and costs, order, when to use it, and its source, the
    default one first."""
    outcome = run("strategies")

    told = flat(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("default: ")
    for it in STRATEGIES.values():
        assert flat(f"{it.name}: {it.does}") in told
        assert all(flat(f"{fact} {getattr(it, fact)}") in told for fact in FACTS)


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_lines_fit(run: Run, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    """The terminal's width is kept, and names stand at the margin, where they are easily found."""
    monkeypatch.setenv("COLUMNS", columns)

    out = run("strategies").out

    assert all(wcswidth(line) <= int(columns) for line in out.splitlines())
    names = [
        line.partition(":")[0] for line in out.splitlines() if line[:1].strip() and ":" in line
    ]
    assert [name for name in names if name in STRATEGIES] == list(STRATEGIES)


def test_one_with_its_parameters(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its matchers with the fields of their dataclasses, and what makes it stricter."""
    monkeypatch.setitem(STRATEGIES, "same-title", same_title())

    told = flat(run("strategies", "same-title").out)

    assert "same-title: finds records of one title" in told
    assert "source A. Tester, On titles (2001)" in told
    assert "stricter by least; worth trying: 9, 3" in told
    assert "matcher same-title: reading = _nothing, least = 3" in told
    assert "default:" not in told


def test_the_default_one_has_vetoes(run: Run) -> None:
    """Matchers in the order in which they are asked, and what may speak against them."""
    out = run("strategies", "default").out

    labels = [line.split() for line in out.splitlines() if line.startswith(("  matcher", "  veto"))]
    chain = STRATEGIES["default"].chain
    assert [words[1].rstrip(":") for words in labels] == [
        it.name for it in (*chain.matchers, *chain.vetoes)
    ]
    assert "stricter by" not in out


def test_the_list_as_data(run: Run) -> None:
    """All of the same under the names that it has in Python, and the segmenter in use."""
    document = json.loads(run("strategies", "--json").out)

    assert document["segmenter"] == segment.segmenter()
    assert [it["name"] for it in document["strategies"]] == list(STRATEGIES)
    for told, it in zip(document["strategies"], STRATEGIES.values(), strict=True):
        assert {fact: told[fact] for fact in ("does", *FACTS, "threshold")} == {
            fact: getattr(it, fact) for fact in ("does", *FACTS, "threshold")
        }
        assert told["sweep"] == list(it.sweep)
        assert [matcher["name"] for matcher in told["matchers"]] == [
            matcher.name for matcher in it.chain.matchers
        ]


@each("name", STRATEGIES)
def test_each_as_data(run: Run, name: str) -> None:
    """The threshold is a parameter of one of its matchers."""
    document = json.loads(run("strategies", name, "--json").out)

    assert document["name"] == name
    if document["threshold"] is not None:
        assert any(
            document["threshold"] in matcher["parameters"] for matcher in document["matchers"]
        )


def test_parameters_as_data(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers stay numbers, what JSON does not know goes by its name."""
    monkeypatch.setitem(STRATEGIES, "same-title", same_title())

    (matcher,) = json.loads(run("strategies", "same-title", "--json").out)["matchers"]

    assert matcher == {
        "name": "same-title",
        "exact": True,
        "parameters": {"reading": "_nothing", "least": 3},
    }


@pytest.mark.parametrize(
    ("segmenter", "said"),
    [
        ("jieba 1.2", "Chinese text is cut into words by jieba 1.2."),
        ("pairs", "jieba cannot be imported; metasearch needs it: run pip install jieba."),
    ],
)
def test_the_segmenter(
    run: Run, monkeypatch: pytest.MonkeyPatch, segmenter: str, said: str
) -> None:
    """Its name and version; where there is none, how to install jieba."""
    monkeypatch.setattr(segment, "segmenter", lambda: segmenter)

    assert said in flat(run("strategies").out)


def test_one_that_is_not_there(run: Run) -> None:
    """Exit code 2, with the names of those that are."""
    outcome = run("strategies", "magic")

    assert (outcome.code, outcome.out) == (2, "")
    assert "there is no strategy called 'magic'" in outcome.err
    assert ", ".join(STRATEGIES) in flat(outcome.err)


@each(
    ("words", "offered"),
    [
        ("metasearch dedup a.ris --dedup u", "url"),
        ("metasearch strategies four", "four-tuple"),
    ],
)
def test_completion(words: str, offered: str) -> None:
    """The shell is offered their names."""
    assert offered in offers(words)


def test_words_of_a_query_are_no_names(run: Run) -> None:
    """The question says how they are searched for."""
    outcome = run("strategies", "of", "mice")

    assert outcome.code == 2
    assert "metasearch -- strategies of mice" in outcome.err
