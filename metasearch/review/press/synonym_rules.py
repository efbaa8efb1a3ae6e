"""Synonyms that are missing beside a word, in each language that the strategy uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from metasearch.bib.normalise import has_han
from metasearch.message import message
from metasearch.review.press.findings import Finding, Rule
from metasearch.review.press.mesh import key
from metasearch.review.press.reading import ReviewedStrategy
from metasearch.review.press.wording import Word, Wording, wording_of

#: Letters of an ending that forms of a word differ by: "infant" and "infants".
_ENDING = 2


@cache
def _groups() -> Sequence[tuple[str, ...]]:
    """Words that stand for one another, as `key` makes them."""
    text = Path(__file__).with_name("synonyms.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    return [
        tuple(key(one) for part in line.split(";") for one in part.split("|")) for line in lines
    ]


@cache
def _numbers() -> Mapping[str, Sequence[int]]:
    """Word -> the numbers of its groups."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(_groups()):
        for one in group:
            found[one].append(number)
    return found


def missing_synonyms(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Words that stand for a word of the strategy and are looked for nowhere."""
    wording = wording_of(strategy)
    han = {word.text for word in wording.words if has_han(word.text)}
    english = any(word.is_english for word in wording.words if not word.term.heading)
    told: set[int] = set()
    for word in wording.words:
        for number in _of(word):
            if number in told:
                continue
            told.add(number)
            missing = [
                one
                for one in _groups()[number]
                if (bool(han) if has_han(one) else english) and not _is_held(wording, han, one)
            ]
            if missing:
                yield Finding(
                    "missing-synonym",
                    message(
                        "Words for {word} that are looked for nowhere: {words}",
                        word=word.term.text[:60],
                        words="; ".join(missing),
                    ),
                    word.term.start,
                    word.term.end,
                    word.line.number,
                )


def _of(word: Word) -> Sequence[int]:
    """The groups of the term that a word begins."""
    if word.term.heading or not word.is_first:
        return ()
    text = key(word.term.text)
    for end in range(_ENDING):
        if found := _numbers().get(text[: len(text) - end]):
            return found
    return ()


def _is_held(wording: Wording, han: set[str], name: str) -> bool:
    if has_han(name):
        # 卒中 finds 脑卒中 as well.
        return any(one in name for one in han)
    return all(wording.holds(word) or wording.holds(f"{word}s") for word in name.split())


RULES: tuple[Rule, ...] = (missing_synonyms,)
