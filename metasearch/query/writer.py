"""A query tree -> what one syntax can express, and the notes on what it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from metasearch.bib.languages import languages
from metasearch.message import message
from metasearch.query.ast import CODED_FIELDS, IDENTIFIERS, Not, Or, Query, Term, Years
from metasearch.query.blanks import plain
from metasearch.query.simple.printer import to_text
from metasearch.query.writing.groups import Grouping, Leaf, Part
from metasearch.query.writing.style import SIGNS, Style

#: A word that no database takes for anything else, unless it is reserved: letters, digits and
#: hyphens between them.
_PLAIN = re.compile(r"[^\W\d_]\w*(?:-\w+)*")
#: Years that stand for an open beginning and an open end where a syntax knows closed ranges only.
FIRST_YEAR, LAST_YEAR = 1000, 3000
_NAMES = {
    "any": message("everywhere"), "title": message("titles"), "author": message("authors"),
    "venue": message("journals"), "abstract": message("abstracts"),
    "subject": message("subjects"), "doi": "DOIs", "isbn": "ISBNs", "issn": "ISSNs",
}  # fmt: skip


class QueryReducer(Grouping):
    """Reduces one query to what a syntax can express. `notes`: one sentence for each thing that the
    text does not say as the query does.
    """

    def __init__(self, style: Style) -> None:
        super().__init__(style)
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes)

    def note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def reduced(self, query: Query) -> Part | None:
        """Returns the query as this syntax can express it; None where it cannot at all."""
        match query:
            case Term():
                return self.term(query)
            case Years():
                return self.years(query)
            case Or(parts):
                return self.either(parts)
            case Not(part):
                self.note(
                    message(
                        "{label} has no NOT without something before it: {shown} is left out",
                        label=self.style.label,
                        shown=shown(query),
                    )
                )
                return None
        positive = [part for part in query.parts if not isinstance(part, Not)]
        negative = [part for part in query.parts if isinstance(part, Not)]
        wanted = self.all_reduced(positive)
        if not wanted:
            for part in negative:
                self.reduced(part)
            return None
        without = self.all_reduced([part.part for part in negative])
        return self.grouped(wanted, without)

    def all_reduced(self, queries: Iterable[Query]) -> list[Part]:
        """Returns those of the queries that can be expressed, reduced."""
        reduced = [self.reduced(query) for query in queries]
        return [part for part in reduced if part is not None]

    def either(self, parts: Sequence[Query]) -> Part | None:
        sides: list[Part] = []
        for part in self.folded(parts):
            side = part if isinstance(part, Leaf) else self.reduced(part)
            if side is not None:
                sides.append(side)
        return self.alternatives(sides) if sides else None

    def folded(self, parts: Sequence[Query]) -> Iterable[Query | Leaf]:
        """The alternatives; a term in several fields is one leaf where a template has them."""
        places: dict[Term, set[str]] = {}
        for part in parts:
            if isinstance(part, Term) and (part.phrase or " " not in part.text):
                places.setdefault(_anywhere(part), set()).add(part.field)
        done: set[Term] = set()
        for part in parts:
            if part in done:
                continue
            if not isinstance(part, Term):
                yield part
                continue
            named = places.get(_anywhere(part), set())
            together = self.searched_together(part.field, named)
            if together is None:
                yield part
                continue
            done |= {Term(part.text, field, part.phrase, part.truncated) for field in together}
            text = self.worded(part, part.text)
            if text:
                yield Leaf(text, self.style.template(*together) or "{x}")

    def searched_together(self, field: str, named: set[str]) -> tuple[str, ...] | None:
        """Returns those of the named fields, `field` among them, that one template searches."""
        for fields in self.style.together:
            if field in fields and named.issuperset(fields):
                return fields
        return None

    # ---------------------------------------------------------------- one term

    def term(self, term: Term) -> Part | None:
        if term.field in CODED_FIELDS:
            return self.coded(term)
        frame = self.style.template(term.field)
        if frame is None and term.field in IDENTIFIERS:
            self.note(
                message(
                    "{label} cannot be asked for {fields}: {shown} is left out",
                    label=self.style.label,
                    fields=_NAMES[term.field],
                    shown=shown(term),
                )
            )
            return None
        if frame is None:
            frame = self.style.fields["any"]
            self.note(
                message(
                    "{label} cannot search {fields} alone: {shown} is looked for by topic",
                    label=self.style.label,
                    fields=_NAMES[term.field],
                    shown=shown(term),
                )
            )
        elif loss := self.style.losses.get(term.field):
            self.note(loss)
        if term.phrase or term.field in IDENTIFIERS:
            texts = [self.worded(term, term.text)]
        else:
            texts = [self.worded(term, word) for word in term.text.split(" ")]
        leaves: list[Part] = [self.leaf(text, frame, term.field) for text in texts if text]
        return self.grouped(leaves) if leaves else None

    def worded(self, term: Term, text: str) -> str:
        """One word, or those of a phrase or identifier, without field; "" for nothing left."""
        style = self.style
        lost = list(dict.fromkeys(re.findall(style.lost, text, re.IGNORECASE)))
        pieces = plain(re.sub(style.lost, " ", text, flags=re.IGNORECASE) if lost else text).split(
            " "
        )
        # A word without a letter or digit is in no index.
        bare = " ".join(word for word in pieces if any(map(str.isalnum, word)))
        lost += [word for word in pieces if word and not any(map(str.isalnum, word))]
        if not bare:
            self.note(
                message(
                    "{label} cannot search for {text}, which is left out",
                    label=style.label,
                    text=text[:30],
                )
            )
            return ""
        if lost:
            self.note(
                message(
                    "{label} cannot search for {lost}, which is left out of {text}",
                    label=style.label,
                    lost=" ".join(lost),
                    text=text[:60],
                )
            )
        sign = ""
        if term.truncated and not style.truncation:
            self.note(
                message(
                    "{label} cannot be asked for the beginnings of words: {bare}* is written "
                    "as a word",
                    label=style.label,
                    bare=bare[:30],
                )
            )
        elif term.truncated:
            sign = style.truncation
            if sum(map(str.isalnum, bare)) < style.least:
                self.note(
                    message(
                        "{label} wants {least} letters or digits before a {sign}: {bare}{sign} "
                        "finds less there",
                        label=style.label,
                        least=style.least,
                        bare=bare,
                        sign=sign,
                    )
                )
        simple = _PLAIN.fullmatch(bare) and not re.fullmatch(
            f"{SIGNS}|{style.reserved}", bare, re.IGNORECASE
        )
        if style.bare and simple and not term.phrase and term.field not in IDENTIFIERS:
            return f"{bare}{sign}"
        return style.phrase.format(x=f"{bare}{sign}")

    def coded(self, term: Term) -> Part | None:
        frame = self.style.template(term.field)
        if term.field == "type":
            words = self.style.types.get(term.text, ())
        else:
            words = (
                (getattr(languages()[term.text], self.style.languages),)
                if self.style.languages
                else ()
            )
        if frame is None or not words:
            self.note(
                message(
                    "{label} has no word for {shown}, which is left out",
                    label=self.style.label,
                    shown=shown(term),
                )
            )
            return None
        quoted = self.style.value or self.style.phrase
        bare = self.style.bare
        texts = [
            word if bare and _PLAIN.fullmatch(word) else quoted.format(x=word) for word in words
        ]
        return self.alternatives([self.leaf(text, frame, term.field) for text in texts])

    def leaf(self, text: str, frame: str, field: str) -> Leaf:
        return Leaf(frame.format(x=text)) if field in self.style.single else Leaf(text, frame)

    def years(self, years: Years) -> Part | None:
        ranges = self.style.years
        first, last = years.first, years.last
        if ranges is None or (first is None and last is not None and last < FIRST_YEAR):
            self.note(
                message(
                    "{label} cannot be asked for such years: {shown} is left out",
                    label=self.style.label,
                    shown=shown(years),
                )
            )
            return None
        if first == last:
            templates = ranges.only
        elif first is None or last is None:
            templates = ranges.until if first is None else ranges.since
        else:
            templates = ranges.both
        begin, end = first or FIRST_YEAR, last or LAST_YEAR
        places = {"first": begin, "last": end, "before": begin - 1, "after": end + 1}
        values = {name: f"{value:04d}" for name, value in places.items()}
        return self.grouped([Leaf(template.format(**values)) for template in templates])


def shown(query: Query) -> str:
    """A clause for a note, at most 60 characters."""
    text = to_text(query)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _anywhere(term: Term) -> Term:
    """The same term, whatever field it is looked for in."""
    return Term(term.text, "any", term.phrase, term.truncated)
