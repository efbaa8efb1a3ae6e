"""A query tree -> text in one syntax, by its `Style`. Brackets stand only where an operator
changes.

Two steps: `said` turns the tree into what the syntax can say, and puts into the notes what it
cannot; `text` writes that, with one field around all that is looked for in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metasearch.bib.languages import languages
from metasearch.query.ast import FACETS, IDENTIFIERS, Not, Or, Query, Term, Years
from metasearch.query.printer import to_text
from metasearch.query.reading import plain
from metasearch.query.writing.style import SIGNS, Booleans, Style

#: A word that no database takes for anything else, unless it is reserved: letters, digits and
#: hyphens between them.
_PLAIN = re.compile(r"[^\W\d_]\w*(?:-\w+)*")
#: Years that stand for an open beginning and an open end where a syntax knows closed ranges only.
FIRST_YEAR, LAST_YEAR = 1000, 3000
_NAMES = {
    "any": "everywhere", "title": "titles", "author": "authors", "venue": "journals",
    "abstract": "abstracts",
    "subject": "subjects", "doi": "DOIs", "isbn": "ISBNs", "issn": "ISSNs",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Leaf:
    """One term as it is written, and the template that it has to be put into; `frame` is "{x}" for
    none.
    """

    text: str
    frame: str = "{x}"


@dataclass(frozen=True, slots=True)
class Group:
    """All or either of several parts, but for those `without`.

    Attributes:
        every: Whether all of them have to hold.
        parts: At least one.
        without: What must not hold; only where `every`.
        frame: The template of all that is in it; "" where there are several.
    """

    every: bool
    parts: tuple[Leaf | Group, ...]
    without: tuple[Leaf | Group, ...] = ()
    frame: str = ""


Said = Leaf | Group


class QueryWriter:
    """Writes one query.

    Attributes:
        notes: One sentence for each thing that the text does not say as the query does.
    """

    def __init__(self, style: Style) -> None:
        self.style = style
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes)

    def note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def write(self, query: Query) -> str:
        """The query; "" where nothing of it can be written, which is told."""
        said = self.said(query)
        if said is None:
            self.note(f"nothing of the query can be written for {self.style.label}")
            return ""
        return self.text(said)

    # ---------------------------------------------------------------- what can be said

    def said(self, query: Query) -> Said | None:
        """The query as this syntax can say it; None where it cannot at all."""
        match query:
            case Term():
                return self.term(query)
            case Years():
                return self.years(query)
            case Or(parts):
                return self.either(parts)
            case Not(part):
                self.note(
                    f"{self.style.label} has no NOT without something before it: {shown(query)} "
                    f"is left out"
                )
                return None
        wanted = [
            said
            for part in query.parts
            if not isinstance(part, Not) and (said := self.said(part)) is not None
        ]
        unwanted = [part for part in query.parts if isinstance(part, Not)]
        if not wanted:
            for part in unwanted:
                self.said(part)
            return None
        without = [said for part in unwanted if (said := self.said(part.part)) is not None]
        return self.grouped(wanted, without)

    def grouped(self, wanted: Sequence[Said], without: Sequence[Said] = ()) -> Said:
        """All of them, flattened."""
        parts: list[Said] = []
        unwanted: list[Said] = []
        for part in wanted:
            if isinstance(part, Group) and part.every:
                parts += part.parts
                unwanted += part.without
            else:
                parts.append(part)
        unwanted += without
        return self.group(True, list(dict.fromkeys(parts)), list(dict.fromkeys(unwanted)))

    def alternatives(self, sides: Sequence[Said]) -> Said:
        """Either of them, flattened, each once."""
        flat: dict[Said, None] = {}
        for side in sides:
            flat |= dict.fromkeys(
                side.parts if isinstance(side, Group) and not side.every else (side,)
            )
        return self.group(False, list(flat), [])

    def group(self, every: bool, parts: list[Said], without: list[Said]) -> Said:
        if len(parts) == 1 and not without:
            return parts[0]
        frames = {it.frame for it in (*parts, *without)}
        frame = frames.pop() if len(frames) == 1 and self.style.framed else ""
        return Group(every, tuple(parts), tuple(without), "" if frame == "{x}" else frame)

    def either(self, parts: Sequence[Query]) -> Said | None:
        sides: list[Said] = []
        for part in self.folded(parts):
            side = part if isinstance(part, Leaf) else self.said(part)
            if side is not None:
                sides.append(side)
        return self.alternatives(sides) if sides else None

    def folded(self, parts: Sequence[Query]) -> Iterable[Query | Leaf]:
        """The alternatives; one term in several fields is one leaf where a template searches them
        at once.
        """
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
            at = places.get(_anywhere(part), set())
            found = next(
                (it for it in self.style.together if part.field in it and at.issuperset(it)), None
            )
            if found is None:
                yield part
                continue
            done |= {Term(part.text, field, part.phrase, part.truncated) for field in found}
            text = self.worded(part, part.text)
            if text:
                yield Leaf(text, self.style.template(*found) or "{x}")

    # ---------------------------------------------------------------- one term

    def term(self, term: Term) -> Said | None:
        if term.field in FACETS:
            return self.facet(term)
        frame = self.style.template(term.field)
        if frame is None and term.field in IDENTIFIERS:
            self.note(
                f"{self.style.label} cannot be asked for {_NAMES[term.field]}: {shown(term)} is "
                f"left out"
            )
            return None
        if frame is None:
            frame = self.style.fields["any"]
            self.note(
                f"{self.style.label} cannot search {_NAMES[term.field]} alone: {shown(term)} is "
                f"looked for by topic"
            )
        elif told := self.style.told.get(term.field):
            self.note(told)
        if term.phrase or term.field in IDENTIFIERS:
            texts = [self.worded(term, term.text)]
        else:
            texts = [self.worded(term, word) for word in term.text.split(" ")]
        leaves: list[Said] = [self.leaf(text, frame, term.field) for text in texts if text]
        return self.grouped(leaves) if leaves else None

    def worded(self, term: Term, text: str) -> str:
        """One word, or the words of a phrase or identifier, without its field; "" where nothing is
        left of it.
        """
        style = self.style
        lost = list(dict.fromkeys(re.findall(style.lost, text, re.IGNORECASE)))
        pieces = plain(re.sub(style.lost, " ", text, flags=re.IGNORECASE) if lost else text).split(
            " "
        )
        # A word without a letter or digit is in no index.
        bare = " ".join(word for word in pieces if any(map(str.isalnum, word)))
        lost += [word for word in pieces if word and not any(map(str.isalnum, word))]
        if not bare:
            self.note(f"{style.label} cannot search for {text[:30]}, which is left out")
            return ""
        if lost:
            self.note(
                f"{style.label} cannot search for {' '.join(lost)}, which is left out of "
                f"{text[:60]}"
            )
        sign = ""
        if term.truncated and not style.truncation:
            self.note(
                f"{style.label} cannot be asked for the beginnings of words: {bare[:30]}* is "
                f"written as a word"
            )
        elif term.truncated:
            sign = style.truncation
            if sum(map(str.isalnum, bare)) < style.least:
                wanted = f"{style.label} wants {style.least} letters or digits before a {sign}"
                self.note(f"{wanted}: {bare}{sign} finds less there")
        simple = _PLAIN.fullmatch(bare) and not re.fullmatch(
            f"{SIGNS}|{style.reserved}", bare, re.IGNORECASE
        )
        if style.bare and simple and not term.phrase and term.field not in IDENTIFIERS:
            return f"{bare}{sign}"
        return style.phrase.format(x=f"{bare}{sign}")

    def facet(self, term: Term) -> Said | None:
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
            self.note(f"{self.style.label} has no word for {shown(term)}, which is left out")
            return None
        quoted = self.style.value or self.style.phrase
        bare = self.style.bare
        texts = [
            word if bare and _PLAIN.fullmatch(word) else quoted.format(x=word) for word in words
        ]
        return self.alternatives([self.leaf(text, frame, term.field) for text in texts])

    def leaf(self, text: str, frame: str, field: str) -> Leaf:
        return Leaf(frame.format(x=text)) if field in self.style.single else Leaf(text, frame)

    def years(self, years: Years) -> Said | None:
        ranges = self.style.years
        first, last = years.first, years.last
        if ranges is None or (first is None and last is not None and last < FIRST_YEAR):
            self.note(
                f"{self.style.label} cannot be asked for such years: {shown(years)} is left out"
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

    # ---------------------------------------------------------------- text

    def text(self, said: Said) -> str:
        """Written out, each field around all that is looked for in it."""
        if isinstance(said, Leaf):
            return said.frame.format(x=said.text)
        if said.frame:
            inner = self.inside(said)
            return said.frame.format(x=inner if self.style.bracketed else f"({inner})")
        parts, without = self.by_frame(said)
        return self.joined(said.every, parts, without, self.style.booleans)

    def by_frame(self, said: Group) -> tuple[list[str], list[str]]:
        """The parts and what must not hold, those of one field put together, each in brackets where
        it needs them.
        """
        framed: dict[str, tuple[list[Said], list[Said]]] = {}
        order: list[str | Said] = []
        for part in said.parts:
            if not self.style.framed or not _frames(part):
                order.append(part)
                continue
            if part.frame not in framed:
                framed[part.frame] = ([], [])
                order.append(part.frame)
            framed[part.frame][0].append(part)
        outside: list[Said] = []
        for part in said.without:
            (framed[part.frame][1] if part.frame in framed else outside).append(part)
        together: list[Said] = []
        for it in order:
            if isinstance(it, str):
                parts, without = framed[it]
                it = self.grouped(parts, without) if said.every else self.alternatives(parts)
            together.append(it)
        return [self.operand(it, said.every) for it in together], [
            self.operand(it, None) for it in outside
        ]

    def operand(self, said: Said, every: bool | None) -> str:
        """A part of a group of that kind; None for what follows a NOT."""
        written = self.text(said)
        loose = isinstance(said, Group) and not said.frame and said.every is not every
        return f"({written})" if loose else written

    def inside(self, said: Said) -> str:
        """What stands in a frame, without fields."""
        if isinstance(said, Leaf):
            return said.text

        def operand(part: Said, every: bool | None) -> str:
            loose = isinstance(part, Group) and part.every is not every
            return f"({self.inside(part)})" if loose else self.inside(part)

        parts = [operand(part, said.every) for part in said.parts]
        without = [operand(part, None) for part in said.without]
        return self.joined(said.every, parts, without, self.style.within)

    @staticmethod
    def joined(every: bool, parts: list[str], without: list[str], booleans: Booleans) -> str:
        written = (booleans.all if every else booleans.either).join(parts)
        return "".join([written, *(f"{booleans.without}{it}" for it in without)])


def shown(query: Query) -> str:
    """A clause for a note, at most 60 characters."""
    text = to_text(query)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _frames(part: Said) -> bool:
    """Whether it is looked for in one field, with a template of its own."""
    return bool(part.frame) and part.frame != "{x}"


def _anywhere(term: Term) -> Term:
    """The same term, whatever field it is looked for in."""
    return Term(term.text, "any", term.phrase, term.truncated)
