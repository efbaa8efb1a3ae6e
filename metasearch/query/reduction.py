"""What a syntax can express of a query, as a tree of its own: terms as they are written, and groups
of them. A tree of this kind holds no NOT by itself: what must not hold stands beside what has to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from metasearch.bib.languages import languages
from metasearch.message import N_, message
from metasearch.query.grammar import SIGNS, SyntaxStyle
from metasearch.query.simple import to_text
from metasearch.query.syntaxes import NAMES
from metasearch.query.tree import (
    CODED_FIELDS,
    FIELDS,
    IDENTIFIERS,
    IN_TEXTS,
    Near,
    Not,
    Or,
    Query,
    Term,
    Years,
    disjunction,
    plain,
    terms,
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One term as it is written, and the template to put it into; `frame`: "{x}" for none."""

    text: str
    frame: str = "{x}"


@dataclass(frozen=True, slots=True)
class PartGroup:
    """All or either of several parts, but for those `without`.

    Attributes:
        every: Whether all of them have to hold.
        without: What must not hold; only where `every`.
        frame: The template of all that is in it; "" where there are several.
        sign: What stands between the parts where they are near one another; "" for all or either.
    """

    every: bool
    parts: tuple[Leaf | PartGroup, ...]
    without: tuple[Leaf | PartGroup, ...] = ()
    frame: str = ""
    sign: str = ""


#: A part of a query as a syntax can express it.
Part = Leaf | PartGroup


class Grouping:
    """Puts parts together, by the table of one syntax."""

    def __init__(self, style: SyntaxStyle) -> None:
        self.style = style

    def requirements(self, wanted: Sequence[Part], without: Sequence[Part] = ()) -> Part:
        """All of them, flattened."""
        parts: list[Part] = []
        unwanted: list[Part] = []
        for part in wanted:
            if isinstance(part, PartGroup) and part.every and not part.sign:
                parts += part.parts
                unwanted += part.without
            else:
                parts.append(part)
        unwanted += without
        return self.group(True, list(dict.fromkeys(parts)), list(dict.fromkeys(unwanted)))

    def alternatives(self, sides: Sequence[Part]) -> Part:
        flat: dict[Part, None] = {}
        for side in sides:
            flat |= dict.fromkeys(
                side.parts if isinstance(side, PartGroup) and not side.every else (side,)
            )
        return self.group(False, list(flat), [])

    def group(self, every: bool, parts: list[Part], without: list[Part]) -> Part:
        if len(parts) == 1 and not without:
            return parts[0]
        frames = {part.frame for part in (*parts, *without)}
        frame = frames.pop() if len(frames) == 1 and self.style.framed else ""
        return PartGroup(every, tuple(parts), tuple(without), "" if frame == "{x}" else frame)


#: Choices of words near one another that are written one by one.
_MOST_CHOICES = 60
_PLAIN_WORDS, _PLAIN_WORD = re.compile(r"\w[\w -]*"), re.compile(r"\w[\w-]*")


def _choices(near: Near) -> list[list[Term]]:
    """The words and phrases of each part, whatever their fields. None where a part is more than
    alternatives that are all looked for in the same fields, or there are too many choices.
    """
    fields = {term.field for term in terms(near)}
    choices: list[list[Term]] = []
    for part in near.parts:
        places: dict[Term, set[str]] = {}
        for term in part.parts if isinstance(part, Or) else (part,):
            if not isinstance(term, Term):
                return []
            places.setdefault(_anywhere(term), set()).add(term.field)
        if any(found != fields for found in places.values()):
            return []
        choices.append(list(places))
    return choices if prod(map(len, choices)) <= _MOST_CHOICES else []


def _in_those(query: Query, fields: Collection[str]) -> Query | None:
    """What of a part of a `Near` is looked for in some of its fields."""
    match query:
        case Term(field=field):
            return query if field in fields else None
        case Or(parts):
            there = [inner for part in parts if (inner := _in_those(part, fields))]
            return disjunction(there) if there else None
        case Near(parts):
            there = [inner for part in parts if (inner := _in_those(part, fields))]
            return replace(query, parts=tuple(there)) if len(there) == len(parts) else None
    return None


def _frames(part: Part) -> Iterator[str]:
    if isinstance(part, Leaf):
        yield part.frame
    else:
        for inner in (*part.parts, *part.without):
            yield from _frames(inner)


#: The name of a heading that no syntax takes for anything else.
_HEADING_NAME = re.compile(r"[^\W_][^\"/\\\[\]{}*?$#+]*")


def is_framed(part: Part) -> bool:
    """Whether it is looked for in one field, with a template of its own."""
    return bool(part.frame) and part.frame != "{x}"


#: A word that no database takes for anything else, unless it is reserved: letters, digits and
#: hyphens between them.
_PLAIN = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W_]+)*")
#: Years that stand for an open beginning and an open end where a syntax knows closed ranges only.
FIRST_YEAR, LAST_YEAR = 1000, 3000
_NAMES = {
    "any": message("everywhere"), "title": message("titles"), "author": message("authors"),
    "venue": message("journals"), "abstract": message("abstracts"),
    "subject": message("subjects"), "doi": "DOIs", "isbn": "ISBNs", "issn": "ISSNs",
    "pmid": "PMIDs", "pmcid": "PMCIDs", "arxiv": message("arXiv numbers"),
    "trial": message("registration numbers"),
}  # fmt: skip


class QueryReducer(Grouping):
    """Reduces one query to what a syntax can express. `notes`: one sentence for each thing that the
    text does not say as the query does.
    """

    def __init__(self, style: SyntaxStyle) -> None:
        super().__init__(style)
        names = NAMES[style.name]
        self.label = names.short or names.in_sentence
        self._notes: dict[str, None] = {}
        #: How many parts were written more widely than they are meant.
        self.more = 0

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes)

    def note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def tell(self, template: str, about: Query, *, wider: bool = False, **values: object) -> None:
        """Note a sentence about a part of the query, which names the syntax. `wider`: the part is
        written more widely than it is meant.
        """
        self.more += wider
        self.note(message(template, label=self.label, shown=short_text(about), **values))

    def reduce(self, query: Query) -> Part | None:
        """Returns the query as this syntax can express it; None where it cannot at all."""
        match query:
            case Term():
                return self.term(query)
            case Years():
                return self.years(query)
            case Or(parts):
                return self.either(parts)
            case Near():
                return self.near(query)
            case Not():
                self.tell(
                    N_("{label} has no NOT without something before it: {shown} is left out"),
                    query,
                )
                return None
        positive = [part for part in query.parts if not isinstance(part, Not)]
        negative = [part for part in query.parts if isinstance(part, Not)]
        wanted = self.reduce_all(positive)
        self.more += len(wanted) < len(positive)
        without = [found for one in negative if (found := self.exclusion(one))]
        return self.requirements(wanted, without) if wanted else None

    def exclusion(self, query: Not) -> Part | None:
        """What must not hold; None where that would exclude more than is meant."""
        before, notes = self.more, dict(self._notes)
        part = self.reduce(query.part)
        if part is None or self.more == before:
            return part
        self._notes = notes
        self.tell(
            N_(
                "{shown} cannot be excluded as it is meant in {label}, so it is left out, which "
                "finds more"
            ),
            query,
        )
        return None

    def near(self, near: Near) -> Part | None:
        """Parts near one another, field by field, where the syntax can say so; otherwise all."""
        places = self.places_of(near)
        written = [part for place in places if (part := self.near_in(place, near))]
        return self.alternatives(written) if written else None

    def near_in(self, near: Near, whole: Near) -> Part | None:
        """As `near`, in one of the places where `whole` is looked for."""
        style = self.style
        if phrases := self.as_phrases(near):
            return self.reduce(phrases)
        if style.near_words and (words := self.near_words(near, whole)):
            return words
        parts = self.reduce_all(near.parts)
        if len(parts) < len(near.parts):
            self.more += 1
            return self.requirements(parts) if parts else None
        frames = {frame for part in parts for frame in _frames(part)}
        if len(frames) > 1 or style.near_words or not (style.near or style.adjacent):
            sign = ""
        else:
            sign = self.near_sign(near, whole)
        if not sign:
            self.tell(
                N_(
                    "{label} cannot be asked how near these words stand to one another: {shown} is "
                    "written with AND, which finds more"
                ),
                whole,
                wider=True,
            )
            return self.requirements(parts)
        frame = frames.pop() if style.framed else ""
        return PartGroup(True, tuple(parts), frame="" if frame == "{x}" else frame, sign=sign)

    def as_phrases(self, near: Near) -> Query | None:
        """The same as phrases, where nothing may stand between words in their order, and either
        there is but one phrase or the syntax has no sign for this.
        """
        style = self.style
        choices = _choices(near)
        if near.within or not near.ordered or not choices:
            return None
        if any(term.truncated for words in choices[:-1] for term in words):
            return None
        cut = any(term.truncated for term in choices[-1])
        if cut and not style.stems_in_phrases:
            return None
        has_sign = style.adjacent or (style.ordered and not style.nearest)
        if has_sign and (cut or prod(map(len, choices)) > 1):
            return None
        fields = dict.fromkeys(term.field for term in terms(near))
        return disjunction(
            Term(" ".join(term.text for term in words), field, True, words[-1].truncated)
            for words in product(*choices)
            for field in fields
        )

    def near_sign(self, near: Near, whole: Near) -> str:
        """What stands between the parts; "" where the syntax cannot say it."""
        style = self.style
        if near.ordered and near.within == 0 and style.adjacent:
            return style.adjacent
        sign = (near.ordered and style.ordered) or style.near
        if near.ordered and sign != style.ordered:
            self.note_order(whole)
        if near.within < style.nearest:
            self.tell(
                N_(
                    "{label} counts from 1 how near words stand: one word may stand between those "
                    "of {shown}, which finds more"
                ),
                whole,
                wider=True,
            )
        return sign.format(n=max(near.within, style.nearest), next=near.within + 1)

    def note_order(self, near: Near) -> None:
        self.tell(
            N_(
                "{label} cannot be asked for words in their order: {shown} is written for any "
                "order, which finds more"
            ),
            near,
            wider=True,
        )

    def places_of(self, near: Near) -> list[Near]:
        """The same for each field, or each set of fields that one template searches, where all
        parts are looked for in the same ones: words stand near one another in one text.
        """
        fields = [frozenset(term.field for term in terms(part)) for part in near.parts]
        if len(set(fields)) > 1 or len(fields[0]) < 2:
            return [near]
        left, sets = set(fields[0]), []
        for together in self.style.together:
            if left.issuperset(together):
                sets.append(frozenset(together))
                left.difference_update(together)
        sets += [frozenset({field}) for field in sorted(left, key=FIELDS.index)]
        return [place for chosen in sets if isinstance(place := _in_those(near, chosen), Near)]

    def near_words(self, near: Near, whole: Near) -> Part | None:
        """Each choice of one word or phrase of each part, written by one template; None where the
        parts hold more than words, or there are too many choices.
        """
        style = self.style
        fields = {term.field for term in terms(near)}
        template = style.near_words.get(" ".join(sorted(fields, key=FIELDS.index)))
        choices = _choices(near)
        texts = [term.text for part in choices for term in part]
        if not template or not choices or any(term.truncated for term in terms(near)):
            return None
        # Without a sign, a phrase would be mere words, too.
        pattern = _PLAIN_WORDS if style.near else _PLAIN_WORD
        if not all(map(pattern.fullmatch, texts)):
            return None
        within = near.within
        between = self.near_sign(near, whole) if style.near else " "
        if not style.near and near.ordered:
            self.note_order(whole)
        if not style.near and within and len(choices) > 2:
            within *= len(choices) - 1
            self.tell(
                N_(
                    "{label} counts the other words between all of several: {shown} is written "
                    "with {number} of them, which finds more"
                ),
                whole,
                wider=True,
                number=within,
            )
        return self.alternatives(
            [
                Leaf(template.format(x=between.join(term.text for term in chosen), n=within))
                for chosen in product(*choices)
            ]
        )

    def reduce_all(self, queries: Iterable[Query]) -> list[Part]:
        reduced = [self.reduce(query) for query in queries]
        return [part for part in reduced if part is not None]

    def either(self, parts: Sequence[Query]) -> Part | None:
        sides: list[Part] = []
        for part in self.fold_fields(parts):
            side = part if isinstance(part, Leaf) else self.reduce(part)
            if side is not None:
                sides.append(side)
        return self.alternatives(sides) if sides else None

    def fold_fields(self, parts: Sequence[Query]) -> Iterable[Query | Leaf]:
        """The alternatives; a term in several fields is one leaf where a template has them."""
        places: dict[Term, set[str]] = {}
        for part in parts:
            if isinstance(part, Term) and (part.phrase or " " not in part.text):
                if self.heading(part):
                    continue
                places.setdefault(_anywhere(part), set()).add(part.field)
        done: set[Term] = set()
        for part in parts:
            if isinstance(part, Term) and (leaf := self.heading(part)):
                yield leaf
                continue
            if part in done:
                continue
            if not isinstance(part, Term):
                yield part
                continue
            named = places.get(_anywhere(part), set())
            together = self.fields_of_one_template(part.field, named)
            if together is None:
                yield part
                continue
            done |= {Term(part.text, field, part.phrase, part.truncated) for field in together}
            if split := self.split(part, *together):
                yield split
                continue
            text = self.text_without_field(part, part.text)
            if text:
                yield Leaf(text, self.style.template(*together) or "{x}")

    def fields_of_one_template(self, field: str, named: set[str]) -> tuple[str, ...] | None:
        """Returns those of the named fields, `field` among them, that one template searches."""
        for fields in self.style.together:
            if field in fields and named.issuperset(fields):
                return fields
        return None

    # ---------------------------------------------------------------- one term

    def heading(self, term: Term) -> Leaf | None:
        """A heading of a vocabulary, where the syntax asks for headings and can write its name."""
        template = self.style.headings.get(term.heading) if term.heading else None
        if (
            template is None
            or not _HEADING_NAME.fullmatch(term.text)
            or re.search(self.style.lost, term.text)
        ):
            return None
        return Leaf(template.format(x=term.text))

    def split(self, term: Term, *fields: str) -> Near | None:
        """The words of a phrase with a stem, which follow one another, where the syntax cannot
        write the stem in quotes.
        """
        style = self.style
        cut = term.phrase and term.truncated and bool(style.truncation)
        if style.stems_in_phrases or not cut or " " not in term.text:
            return None
        *words, stem = term.text.split(" ")
        parts = [
            disjunction([Term(word, field, truncated=word is stem) for field in fields])
            for word in (*words, stem)
        ]
        return Near(tuple(parts), 0, ordered=True)

    def term(self, term: Term) -> Part | None:
        if leaf := self.heading(term):
            return leaf
        if split := self.split(term, term.field):
            return self.near(split)
        if term.heading:
            self.note(heading_note(term, self.label))
        if term.field in CODED_FIELDS:
            return self.code_part(term)
        frame = self.style.template(term.field)
        if frame is None and term.field in IDENTIFIERS - IN_TEXTS:
            self.tell(
                N_("{label} cannot be asked for {fields}: {shown} is left out"),
                term,
                fields=_NAMES[term.field],
            )
            return None
        if frame is None:
            frame = self.style.fields["any"]
            self.tell(
                N_("{label} cannot search {fields} alone: {shown} is looked for by topic"),
                term,
                wider=True,
                fields=_NAMES[term.field],
            )
        elif loss := self.style.losses.get(term.field):
            self.note(message(loss, label=self.label))
        if term.phrase or term.field in IDENTIFIERS:
            texts = [self.text_without_field(term, term.text)]
        else:
            texts = [self.text_without_field(term, word) for word in term.text.split(" ")]
        leaves: list[Part] = [self.leaf(text, frame, term.field) for text in texts if text]
        return self.requirements(leaves) if leaves else None

    def text_without_field(self, term: Term, text: str) -> str:
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
                    label=self.label,
                    text=text[:30],
                )
            )
            return ""
        if lost:
            self.note(
                message(
                    "{label} cannot search for {lost}, which is left out of {text}",
                    label=self.label,
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
                    label=self.label,
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
                        label=self.label,
                        least=style.least,
                        bare=bare,
                        sign=sign,
                    )
                )
        if style.bare and self.is_plain(bare) and not term.phrase and term.field not in IDENTIFIERS:
            return f"{bare}{sign}"
        return style.phrase.format(x=f"{bare}{sign}")

    def is_plain(self, word: str) -> bool:
        """Whether a word that stands without quotes is read as nothing else."""
        signs = f"{SIGNS}|{self.style.reserved}"
        return bool(_PLAIN.fullmatch(word)) and not re.fullmatch(signs, word, re.IGNORECASE)

    def code_part(self, term: Term) -> Part | None:
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
            self.tell(N_("{label} has no word for {shown}, which is left out"), term)
            return None
        quoted = self.style.value or self.style.phrase
        bare = self.style.bare
        texts = [word if bare and self.is_plain(word) else quoted.format(x=word) for word in words]
        return self.alternatives([self.leaf(text, frame, term.field) for text in texts])

    def leaf(self, text: str, frame: str, field: str) -> Leaf:
        return Leaf(frame.format(x=text)) if field in self.style.single else Leaf(text, frame)

    def years(self, years: Years) -> Part | None:
        ranges = self.style.years
        first, last = years.first, years.last
        if ranges is None or (first is None and last is not None and last < FIRST_YEAR):
            self.tell(
                N_("{label} cannot be asked for such years: {shown} is left out"),
                years,
            )
            return None
        begin, end = first or FIRST_YEAR, last or LAST_YEAR
        places = {"first": begin, "last": end, "before": begin - 1, "after": end + 1}
        values = {name: f"{value:04d}" for name, value in places.items()}
        templates = ranges.templates(years)
        return self.requirements([Leaf(template.format(**values)) for template in templates])


def short_text(query: Query) -> str:
    """A clause for a note, at most 60 characters."""
    text = to_text(query)
    return text if len(text) <= 60 else f"{text[:57]}..."


def heading_note(term: Term, label: str) -> str:
    """What is lost of a heading that is written as a subject."""
    if term.heading == "exploded":
        return message(
            "{label} cannot be asked for narrower headings: {shown} is looked for alone",
            label=label,
            shown=short_text(term),
        )
    return message(
        "{label} cannot be asked for such a heading: {shown} is looked for among keywords",
        label=label,
        shown=short_text(term),
    )


def _anywhere(term: Term) -> Term:
    """The same term, whatever field it is looked for in."""
    return Term(term.text, "any", term.phrase, term.truncated)
