"""Each sentence about two records has a template, by which a page shows it in another language."""

from __future__ import annotations

import json

from metasearch.dedup import DEFAULT, STRATEGIES, evidence, fingerprint
from metasearch.message import Message, TextList, join_texts, message, translate
from metasearch.record import Record
from tests import cases
from tests.test_pairs import FILES, read

PAIRS = [
    (read(pair["a"], "alpha"), read(pair["b"], "beta"))
    for file in FILES
    for pair in json.loads(file.read_text("utf-8"))
]


def shown(text: str) -> str:
    """The text with marks around each template, as a translation that changes all."""
    return translate(text, lambda template: f"<{template}>", lambda *_: "")


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
        assert isinstance(because, TextList)
        assert "; ".join(map(str, because.parts)) == because
        for part in because.parts:
            assert isinstance(part, Message), part


@cases.each("name", [name for name, each in STRATEGIES.items() if not each.loads])
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
    assert isinstance(match.because, TextList)
    assert all(isinstance(part, Message) for part in match.because.parts)


def test_sentences_are_translated_one_by_one() -> None:
    """And so are the words of a list in them."""
    because = join_texts(
        "; ",
        [
            message(evidence.TITLE_AND_MEMBERS, members=evidence.members(["venue", "year"])),
            message(evidence.TITLES_NEAR, score="0.97"),
            "said in another release",
        ],
    )

    assert shown(because) == (
        "<same title, <venue>, <year>>; <titles agree 0.97>; said in another release"
    )


def test_versions_have_templates() -> None:
    """With a number and without."""
    numbered = message(evidence.NUMBERED_VERSION, kind=evidence.PREPRINT, number="2")

    assert shown(evidence.CONFERENCE_ABSTRACT) == "<conference abstract>"
    assert shown(numbered) == "<<preprint>, version 2>"
