"""Signs for any letters at the end of a word that take in other words, or do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metasearch.message import message
from metasearch.query.syntaxes import DATABASES, NAMES
from metasearch.query.writer import style_of
from metasearch.review.press.english import COMBINING, english_words
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.wording import Word, Wording, wording_of

#: Letters of a stem -> the families of words that begin so, from which on it is no root.
_FAMILIES = {2: 4, 3: 4, 4: 6}
#: The same for longer stems.
_FAMILIES_OF_LONG = 8
#: The same for those of `_SHORT` letters that are no word; with fewer it is a hint.
_FAMILIES_OF_SHORT = 3
#: Letters of a stem.
_LEAST = 2
#: Words beside which others must stand anyway: a short stem does less harm there.
_SHORT = 3
_SIGN = re.compile(r"[*$%:?#]+[0-9]?(?=\W|\Z)")
#: Written between the words of a phrase that has a sign, where quotes make it void.
_NEXT = {"cochrane": " NEXT "}


def cut_roots(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Stems with which words of many families begin."""
    english, wording = english_words(), wording_of(strategy)
    for word in wording.words:
        if not word.cut or word.is_part or not word.is_english or word.term.heading:
            continue
        alone = word.is_alone
        short = len(word.text) <= _SHORT and word.text not in english.frequent
        if len(word.text) < _LEAST or not (alone or short):
            continue
        families = english.families(word.text)
        least = _FAMILIES.get(len(word.text), _FAMILIES_OF_LONG)
        if len(families) < (1 if short and alone else _FAMILIES_OF_SHORT if short else least):
            continue
        others = [one for one in families if one != word.text]
        shown = sorted(others, key=lambda one: (len(one), one))[:4]
        yield Finding(
            "cut-root",
            message(
                "{stem} also finds {words} and others: it cuts no root",
                stem=strategy.text[word.start : word.end + 1],
                words=", ".join(shown),
            ),
            word.term.start,
            word.term.end,
            word.line.number,
            _with_plural(wording, word),
            # Who writes tele* means telehealth, telemedicine and others.
            sure=alone
            and len(families) >= (_FAMILIES_OF_SHORT if short else least)
            and not COMBINING.fullmatch(word.text)
            and (len(word.text) <= _SHORT or not wording.is_near(word)),
        )


def _with_plural(wording: Wording, word: Word) -> Fix | None:
    """The word and its plural in place of a stem that is a word itself."""
    english = english_words()
    text = wording.strategy.text
    sign = _SIGN.match(text, word.end)
    plural = f"{word.typed}s"
    if sign is None or word.text not in english.frequent or not english.has(plural.lower()):
        return None
    term = word.term
    whole = text[term.start : word.end] + text[sign.end() : term.end]
    at = word.end - term.start
    joined = f"{whole} OR {whole[:at]}s{whole[at:]}"
    if (term.start, term.end) not in wording.alternatives:
        joined = f"({joined})"
    return Fix(term.start, term.end, joined)


def idle_stems(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Signs behind a plural, before which its singular would be found, too."""
    english = english_words()
    wording = wording_of(strategy)
    for word in wording.words:
        if not (word.cut and word.is_english and word.text.endswith("s")) or word.term.heading:
            continue
        singular = word.text[:-1]
        is_plural = (
            singular in english.frequent
            and not singular.endswith(("s", "u", "i"))
            and len(singular) > _SHORT
            and len(english.families(singular)) < _FAMILIES_OF_LONG
        )
        if is_plural and list(english.beginning(word.text)) == [word.text]:
            if wording.holds(singular):
                continue
            yield Finding(
                "idle-stem",
                message(
                    "No other words begin with {word}: the sign does nothing; behind {singular} it "
                    "would find both",
                    word=word.typed,
                    singular=word.typed[:-1],
                ),
                word.start,
                word.end,
                word.line.number,
                Fix(word.end - 1, word.end, ""),
            )


def quoted_stems(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Signs in quotes, where the database takes them for nothing."""
    braces = strategy.syntax == "scopus"
    if strategy.syntax not in DATABASES or (
        not braces and style_of(strategy.syntax).stems_in_phrases
    ):
        return
    for line in strategy.lines:
        for term in line.terms:
            quoted = _QUOTED.search(term.typed) if term.quoted and not term.heading else None
            if quoted is None or (braces and quoted[0][0] != "{"):
                continue
            if not any(_SIGN.search(word) for word in quoted[1].split()):
                continue
            start = term.start + quoted.start()
            yield Finding(
                "quoted-stem",
                message(
                    "{term}: {database} takes a sign for letters in such quotes for nothing",
                    term=term.typed[:60],
                    database=NAMES[strategy.syntax].in_sentence,
                ),
                term.start,
                term.end,
                line.number,
                _unquoted(strategy.syntax, quoted, start, line),
            )


_QUOTED = re.compile(r'["{]([^"{}]{1,300})["}]')


def _unquoted(syntax: str, quoted: re.Match[str], start: int, line: ReviewLine) -> Fix | None:
    """The same without quotes, where the database has a way to say it."""
    end = start + len(quoted[0])
    words = quoted[1].split()
    if syntax == "scopus":
        return Fix(start, end, f'"{quoted[1]}"')
    if len(words) == 1:
        return Fix(start, end, words[0])
    if syntax in _NEXT and line.end >= end:
        return Fix(start, end, f"({_NEXT[syntax].join(words)})")
    return None


RULES: tuple[Rule, ...] = (cut_roots, idle_stems, quoted_stems)
