"""Headings that NLM's vocabulary does not have, or has narrower ones of; words that have a heading,
and headings whose synonyms are missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import OSA

from metasearch.message import message
from metasearch.query.places import PlacedTerm
from metasearch.review.press.concept_rules import concepts
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.mesh import Mesh, MeshHeading, installed_mesh, key, read_mesh
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.spelling_rules import misspellings_beside
from metasearch.review.press.wording import Wording

#: Databases whose headings are NLM's, and platforms where they may be those of another vocabulary.
_NLM = frozenset({"pubmed", "cochrane"})
_PERHAPS = frozenset({"ovid", "ebsco", "proquest", "europepmc"})
#: Of the headings of a strategy, how many must be NLM's that the others are thought to be.
_SHARE, _LEAST = 0.7, 2
#: Letters in which a misspelt heading differs at most, and those of one that may be misspelt.
_WRONG, _LEAST_LETTERS = 2, 6
#: Headings that nearly every record has one of: who names them asks for no concept.
_CHECK_TAGS = frozenset(
    "humans animals male female adult aged child infant adolescent pregnancy".split()
) | {"middle aged", "young adult", "child preschool", "infant newborn", "aged 80 and over"}
#: Synonyms that one finding names, and findings of words that have a heading.
_SHOWN, _MOST = 5, 20


def rules_of_headings(path: Path | None = None) -> tuple[Rule, ...]:
    """The rules with the headings of a file, else with those of the extra `mesh`; none where
    neither is there. Raises UsageError: the file is none of NLM's.
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
            strategy.syntax in _PERHAPS and len(self.known) >= max(_LEAST, _SHARE * len(self.named))
        )

    def unknown(self) -> Iterator[Finding]:
        if self.strategy.syntax not in _NLM | _PERHAPS:
            return
        for term, line in self.named:
            name = key(term.text)
            if name in self.mesh.headings:
                continue
            if heading := self._of_entry(name):
                text = message(
                    "{term} is no heading, but a synonym of {heading}",
                    term=term.text[:80],
                    heading=heading.name,
                )
                fix = _named(term, heading.name)
                yield self._finding("entry-term", text, term, line, fix=fix)
            elif near := self._near(name):
                text = message(
                    "There is no heading {term}: is {heading} meant?",
                    term=term.text[:80],
                    heading=near,
                )
                yield self._finding("unknown-heading", text, term, line, fix=_named(term, near))
            elif self.mesh.complete:
                text = message("There is no heading {term}", term=term.text[:80])
                yield self._finding("unknown-heading", text, term, line)

    def _of_entry(self, name: str) -> MeshHeading | None:
        """The heading of an entry term, or of a name in the other number."""
        names = (name, f"{name}s", name.removesuffix("s"))
        return next((found for one in names if (found := self.mesh.names.get(one))), None)

    def _near(self, name: str) -> str:
        """The one heading that a misspelt one is meant to be; "" where none or several are."""
        if len(name) < _LEAST_LETTERS:
            return ""
        likely = [
            one
            for one in self.mesh.headings
            if abs(len(one) - len(name)) <= _WRONG and (one[0] == name[0] or one[-3:] == name[-3:])
        ]
        wrong = _WRONG if len(name) > 2 * _LEAST_LETTERS else 1
        found = process.extract(name, likely, scorer=OSA.distance, score_cutoff=wrong, limit=3)
        if not found or (len(found) > 1 and found[0][1] == found[1][1]):
            return ""
        return self.mesh.headings[found[0][0]].name

    def unexploded(self) -> Iterator[Finding]:
        above = [heading for term, _, heading in self.known if term.heading == "exploded"]
        for term, line, heading in self.known:
            if term.heading != "exact" or not self.is_of_nlm or not self.mesh.has_narrower(heading):
                continue
            if any(one is heading or self.mesh.is_below(heading, one) for one in above):
                continue
            yield self._finding(
                "narrower-headings",
                message(
                    "{heading} has narrower headings, which are not searched: explode it, or say "
                    "why not",
                    heading=heading.name,
                ),
                term,
                line,
                fix=_exploded(self.strategy.syntax, term),
            )

    def without_heading(self) -> Iterator[Finding]:
        if not self.is_of_nlm:
            return
        told: set[str] = set()
        used = [heading for _, _, heading in self.known]
        for concept in concepts(self.strategy):
            if concept.headings:
                continue
            for term, line in concept.words:
                heading = self._of_entry(key(term.text))
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
        wording = Wording(self.strategy)
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
        self,
        code: str,
        text: str,
        term: PlacedTerm,
        line: ReviewLine,
        *,
        fix: Fix | None = None,
    ) -> Finding:
        sure = self.is_of_nlm
        return Finding(code, text, term.start, term.end, line.number, fix, sure=sure)


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
