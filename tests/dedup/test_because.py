"""Each sentence about two records has a template, by which a page shows it in another language."""

from __future__ import annotations

import json
import time

import pytest

from metasearch.dedup import DEFAULT, STRATEGIES, fingerprint
from metasearch.dedup.evidence import BECAUSE, VERSION_KINDS
from metasearch.message import Message, translated
from metasearch.record import Record
from tests.test_pairs import FILES, read

PAIRS = [
    (read(pair["a"], "alpha"), read(pair["b"], "beta"))
    for file in FILES
    for pair in json.loads(file.read_text("utf-8"))
]


def shown(text: str) -> str:
    """The text with marks around each template, as a translation that changes all."""
    return translated(text, lambda template: f"<{template}>", lambda *_: "")


def test_all_that_is_said_of_pairs_has_a_template() -> None:
    """What joins two records, and what parts them."""
    said = set()
    for a, b in PAIRS:
        one, other = fingerprint(a), fingerprint(b)
        for match in (DEFAULT.judge(one, other), DEFAULT.forbids(one, other)):
            if match is not None:
                said.add(match.because)

    assert len(said) > 100
    for because in said:
        message = BECAUSE.messages(because)
        assert message == because
        for part in because.split("; "):
            assert isinstance(BECAUSE.message(part), Message), part


@pytest.mark.parametrize("name", [name for name, each in STRATEGIES.items() if not each.loads])
def test_what_published_strategies_say_has_a_template(name: str) -> None:
    """Of two records with the same text."""
    text = " ".join(
        f"Sentence {number} says that the lake {number} is deep." for number in range(40)
    )
    one, other = (
        fingerprint(
            Record(
                source=source,
                position=1,
                title="Iron in the lakes of the north and the south",
                abstract=text,
                doi="10.1000/a",
                year=2020,
                venue="Limnology",
                url="https://example.org/1",
            )
        )
        for source in ("alpha", "beta")
    )
    match = STRATEGIES[name].chain.judge(one, other)

    assert match is not None
    message = BECAUSE.messages(match.because)
    assert isinstance(message, Message)
    assert message == match.because


def test_sentences_are_translated_one_by_one() -> None:
    """And so are the words of a list in them."""
    because = "same title, venue, year; titles agree 0.97; said in another release"

    assert shown(BECAUSE.messages(because)) == (
        "<same title, <venue>, <year>>; <titles agree 0.97>; said in another release"
    )


def test_the_most_precise_template_is_taken() -> None:
    """A standard is no scheme of numbers."""
    for text, template in {
        "same standard (GB/T 7714)": "same standard ({number})",
        "same PMID (123)": "same {scheme} ({number})",
        "same ISBN (123)": "same ISBN ({number})",
        "DOIs differ: 10.1/a against 10.1/b": "DOIs differ: {left} against {right}",
    }.items():
        message = BECAUSE.message(text)
        assert isinstance(message, Message)
        assert message.template == template


def test_versions_have_templates() -> None:
    """With a number and without."""
    assert shown(VERSION_KINDS.message("conference abstract")) == "<conference abstract>"
    assert shown(VERSION_KINDS.message("preprint, version 2")) == "<<preprint>, version 2>"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["", "; ", "same (", "DOIs differ: " + " against " * 20_000, "one is " * 20_000, "{left}" * 99],
    ids=lambda text: text[:12],
)
def test_any_text_is_read_at_once(text: str) -> None:
    """A text that no rule here writes stays as it is."""
    began = time.process_time()

    assert BECAUSE.messages(text) == text
    assert time.process_time() - began < 0.5
