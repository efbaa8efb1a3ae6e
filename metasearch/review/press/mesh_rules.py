"""Headings that NLM's vocabulary does not have, or has narrower ones of; words that have a heading,
and headings whose synonyms are missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from metasearch.message import message
from metasearch.query.places import PlacedTerm
from metasearch.review.press.concept_rules import concepts
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.mesh import Mesh, installed_mesh, key, read_mesh
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.spelling_rules import misspellings_beside
from metasearch.review.press.wording import wording_of

#: Databases whose headings are NLM's, and platforms where they may be those of another vocabulary.
_NLM = frozenset({"pubmed", "cochrane"})
_PERHAPS = frozenset({"ovid", "ebsco", "proquest", "europepmc"})
#: The part of a strategy's headings that must be NLM's, or nearly, so that all are thought to be.
_SHARE = 0.8
#: Headings that are looked up: the time is bounded.
_MOST_UNKNOWN = 100
#: Headings that nearly every record has one of: who names them asks for no concept.
_CHECK_TAGS = frozenset(
    "humans animals male female adult aged child infant adolescent pregnancy".split()
) | {"middle aged", "young adult", "child preschool", "infant newborn", "aged 80 and over"}
#: Synonyms that one finding names, and findings of words that have a heading.
_SHOWN, _MOST = 5, 20


def rules_of_headings(path: Path | None = None) -> tuple[Rule, ...]:
    """The rules with the headings of a file, else with those of the package that is installed;
    none where neither is there. Raises UsageError: the file is none of NLM's.
    """
    mesh = read_mesh(path) if path is not None else installed_mesh()
    return mesh_rules(mesh) if mesh is not None else ()


def mesh_rules(mesh: Mesh) -> tuple[Rule, ...]:
    """The rules that know the headings."""

    def unknown(strategy: ReviewedStrategy) -> Iterator[Finding]:
        """Headings that there are not."""
        yield from _Headings(strategy, mesh).unknown()

    def unexploded(strategy: ReviewedStrategy) -> Iterator[Finding]:
        """Headings without the narrower ones that there are."""
        yield from _Headings(strategy, mesh).unexploded()

    def without_heading(strategy: ReviewedStrategy) -> Iterator[Finding]:
        """Words that have a heading, which the strategy does not name."""
        yield from _Headings(strategy, mesh).without_heading()

    def synonyms(strategy: ReviewedStrategy) -> Iterator[Finding]:
        """Headings of which synonyms are looked for nowhere."""
        yield from _Headings(strategy, mesh).synonyms()

    def misspellings(strategy: ReviewedStrategy) -> Iterator[Finding]:
        """As without the headings, whose words are known now."""
        checked = _Headings(strategy, mesh).is_of_nlm
        yield from misspellings_beside(strategy, mesh.words, headings=not checked)

    return (unknown, unexploded, without_heading, synonyms, misspellings)


class _Headings:
    """The headings of a strategy."""

    def __init__(self, strategy: ReviewedStrategy, mesh: Mesh) -> None:
        self.strategy, self.mesh = strategy, mesh
        self.named: list[tuple[PlacedTerm, ReviewLine]] = [
            (term, line)
            for line in strategy.lines
            for term in line.terms
            if term.heading and term.text.isascii() and not any(c in "*?$#" for c in term.text)
        ]
        self.known = [
            (term, line, heading)
            for term, line in self.named
            if (heading := mesh.headings.get(key(term.text)))
        ]
        self.is_of_nlm = strategy.syntax in _NLM or (
            strategy.syntax in _PERHAPS
            # Emtree's begin with small letters.
            and sum(term.text[0].isupper() for term, _ in self.named) * 2 > len(self.named)
            and len(self.named) - len(self._strangers()) >= _SHARE * len(self.named)
        )

    def _strangers(self) -> list[str]:
        """Names that are none of NLM's, nor nearly."""
        names = [key(term.text) for term, _ in self.named]
        unknown = [name for name in names if self.mesh.of_synonym(name) is None]
        return [
            name
            for at, name in enumerate(unknown)
            if at >= _MOST_UNKNOWN or not self.mesh.nearest(name)
        ]

    def unknown(self) -> Iterator[Finding]:
        if not self.is_of_nlm:
            return
        unknown = [one for one in self.named if key(one[0].text) not in self.mesh.headings]
        for term, line in unknown[:_MOST_UNKNOWN]:
            name, shown = key(term.text), term.text[:80]
            if heading := self.mesh.of_synonym(name):
                text = message(
                    "{term} is no heading, but a synonym of {heading}",
                    term=shown,
                    heading=heading.name,
                )
                yield self._finding("entry-term", text, term, line, _named(term, heading.name))
            elif near := self.mesh.nearest(name):
                text = message(
                    "There is no heading {term}: is {heading} meant?", term=shown, heading=near
                )
                yield self._finding("unknown-heading", text, term, line, _named(term, near))
            elif self.mesh.complete:
                text = message("There is no heading {term}", term=shown)
                yield self._finding("unknown-heading", text, term, line)

    def unexploded(self) -> Iterator[Finding]:
        above = [heading for term, _, heading in self.known if term.heading == "exploded"]
        for term, line, heading in self.known:
            if term.heading != "exact" or not self.is_of_nlm or not self.mesh.has_narrower(heading):
                continue
            if any(one is heading or self.mesh.is_below(heading, one) for one in above):
                continue
            text = message(
                "{heading} has narrower headings, which are not searched: explode it, or say why "
                "not",
                heading=heading.name,
            )
            fix = _exploded(self.strategy.syntax, term)
            found = self._finding("narrower-headings", text, term, line, fix)
            yield replace(found, sure=False)  # it may be meant so

    def without_heading(self) -> Iterator[Finding]:
        if not self.is_of_nlm:
            return
        told: set[str] = set()
        used = [heading for _, _, heading in self.known]
        for concept in concepts(self.strategy):
            if concept.headings:
                continue
            for term, line in concept.words:
                heading = self.mesh.of_synonym(key(term.text))
                if heading is None or heading.name in told or len(told) == _MOST:
                    continue
                told.add(heading.name)
                if any(one is heading or self.mesh.is_below(heading, one) for one in used):
                    continue
                text = message(
                    "{word} has a heading: {heading}", word=term.text[:60], heading=heading.name
                )
                yield self._finding("missing-heading", text, term, line)

    def synonyms(self) -> Iterator[Finding]:
        if not self.is_of_nlm:
            return
        wording = wording_of(self.strategy)
        told: set[str] = set()
        for term, line, heading in self.known:
            if heading.name in told or key(heading.name) in _CHECK_TAGS:
                continue
            told.add(heading.name)
            missing = [
                entry
                for entry in heading.entries
                if "," not in entry and not all(map(wording.holds, key(entry).split()))
            ]
            shown = list({key(entry).removesuffix("s"): entry for entry in missing}.values())
            if shown:
                yield self._finding(
                    "missing-synonym",
                    message(
                        "Words for {heading} that are looked for nowhere: {words}",
                        heading=heading.name,
                        words="; ".join(shown[:_SHOWN]),
                    ),
                    term,
                    line,
                )

    def _finding(
        self, code: str, text: str, term: PlacedTerm, line: ReviewLine, fix: Fix | None = None
    ) -> Finding:
        return Finding(code, text, term.start, term.end, line.number, fix)


def _named(term: PlacedTerm, name: str) -> Fix | None:
    """The name of a heading in place of that of a term."""
    at = term.typed.casefold().find(term.text.casefold())
    if at < 0:
        return None
    start = term.start + at
    return Fix(start, start + len(term.text), name)


#: Syntax -> what makes a heading a mere one, and what stands there in place of it.
_MERE = {
    "ovid": (re.compile(r"\A(?=\S)"), "exp "),
    "pubmed": (re.compile(r":\s?no\s?exp", re.IGNORECASE), ""),
    "cochrane": (re.compile(r"\^"), ""),
    "ebsco": (re.compile(r'(?=")\Z|(?="\s*\Z)'), "+"),
}


def _exploded(syntax: str, term: PlacedTerm) -> Fix | None:
    """The same heading with all narrower ones."""
    pattern, instead = _MERE.get(syntax, (re.compile("(?!)"), ""))
    made, count = pattern.subn(instead, term.typed, count=1)
    return Fix(term.start, term.end, made) if count else None
