"""What the term of a clause of CQL means: words, masks, dates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from metasearch.bib.languages import language_code
from metasearch.errors import QueryFault
from metasearch.message import message
from metasearch.query.cql_grammar import (
    CqlIndex,
    CqlToken,
    Relation,
)
from metasearch.query.reading import (
    QueryReader,
    phrase_of,
    truncatable,
    words,
)
from metasearch.query.tree import (
    CODED_FIELDS,
    FIELD_WORDS,
    IDENTIFIERS,
    Query,
    Term,
    Years,
    disjunction,
    plain,
)
from metasearch.query.values import BadYears, between, dated, identifier_field, type_word

_MASKS = "*?^"
#: Mask that cannot stand where it does -> what is wrong.
_MASK_FAULTS: Mapping[str, QueryFault] = {
    "?": "masking",
    "^": "anchoring",
    "*": "masking-position",
}
#: Fields whose value is one word: it is the whole field.
_WHOLE = IDENTIFIERS | CODED_FIELDS
#: Relations that compare dates.
ORDERED = ("<", "<=", ">", ">=", "within", "encloses")


@dataclass(frozen=True, slots=True)
class _TermWord:
    """A word of a term: (character, whether it is a mask)."""

    chars: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        return "".join(char for char, _ in self.chars)

    @property
    def masks(self) -> str:
        return "".join(char for char, mask in self.chars if mask)


class CqlTermReader:
    """Turns terms of CQL into parts of the query tree."""

    def __init__(self, reader: QueryReader) -> None:
        self.reader = reader
        #: How often something was read more widely than it is meant.
        self.more = 0

    def widened(self, sentence: str) -> None:
        """Note what is read more widely than it is meant."""
        self.more += 1
        self.reader.note(sentence)

    def words_of(self, term: CqlToken, relation: str, index: CqlIndex, *, masked: bool) -> Query:
        field = index.field
        split = self.unanchored(_split(term.text, quoted=term.kind == "quoted", masked=masked))
        if not split:
            fix = self.reader.without(term.start, term.end)
            reason = message("There is nothing between the quotes")
            raise self.reader.error(reason, term.start, term.end, fix=fix, kind="empty-term")
        if field == "identifier":
            known = identifier_field(" ".join(word.text for word in split))
            field = known or "any"
            if known is None:
                self.reader.note(
                    message(
                        "dc.identifier is looked for everywhere: the term is no DOI, ISBN or ISSN"
                    )
                )
        texts = [self.unmasked(word, term) for word in split]
        if field in IDENTIFIERS and any(cut for _, cut in texts):
            raise self.reader.truncated_number(field.upper(), term.start, term.end)
        if relation == "any":
            return disjunction([self.one(word, cut, field, term) for word, cut in texts])
        if relation == "all":
            return self.each(texts, field, term)
        if relation in ("==", "exact") and field not in _WHOLE:
            self.widened(
                message(
                    "{relation} is read as a phrase: sources cannot be asked for fields that "
                    "hold no other words",
                    relation=relation,
                )
            )
        exact = relation in ("==", "exact", "adj") or len(texts) > 1
        return self.together(texts, field, term, exact=exact)

    def together(
        self, texts: Sequence[tuple[str, bool]], field: str, term: CqlToken, *, exact: bool
    ) -> Query:
        """The words one after the other."""
        if any(cut for _, cut in texts) or field in ("type", "language"):
            if len(texts) > 1 and field not in ("type", "language"):
                if not any(cut for _, cut in texts[:-1]):
                    return phrase_of(texts, (field,))
                self.widened(
                    message("a phrase with a * in it is read as all of its words, in any order")
                )
            return self.each(texts, field, term)
        return words(
            " ".join(word for word, _ in texts),
            field,
            phrase=exact and field not in IDENTIFIERS,
        )

    def each(self, texts: Sequence[tuple[str, bool]], field: str, term: CqlToken) -> Query:
        if field in ("type", "language"):
            return self.one(
                " ".join(word for word, _ in texts), any(cut for _, cut in texts), field, term
            )
        return truncatable(texts, field)

    def one(self, word: str, cut: bool, field: str, term: CqlToken) -> Query:
        convert: dict[str, Callable[[str], str | None]] = {
            "type": type_word,
            "language": language_code,
        }
        if field in convert:
            known = convert[field](word)
            if known is None or cut:
                reason = message(
                    '"{word}" is no known {field}', word=word[:30], field=FIELD_WORDS[field]
                )
                advice = (
                    message("Write a code, such as en, or a name.")
                    if field == "language"
                    else message("Write a type, such as thesis.")
                )
                raise self.reader.error(reason, term.start, term.end, advice=advice, kind="term")
            return Term(known, field)
        return Term(word, field, truncated=True) if cut else words(word, field)

    def unanchored(self, split: list[_TermWord]) -> list[_TermWord]:
        """The words without the ^ at either end, which asks for the place in the field."""
        bare = [_TermWord(_without_anchors(word.chars)) for word in split]
        if bare == split or not any(word.chars for word in bare):
            return split
        self.widened(
            message("^ is ignored: sources cannot be asked where in a field a word stands")
        )
        return [word for word in bare if word.chars]

    def unmasked(self, word: _TermWord, term: CqlToken) -> tuple[str, bool]:
        """(the word without masks, whether it is truncated)."""
        if not word.masks:
            return word.text, False
        if word.masks == "*" and word.chars[-1] == ("*", True) and any(map(str.isalnum, word.text)):
            return word.text[:-1], True
        sign = word.masks.replace("*", "")[:1] or "*"
        what = {
            "?": message("? for one letter is not supported"),
            "^": message(
                "^ for the beginning or end of a field can stand only at the end of a word"
            ),
            "*": message("* for any letters can stand only at the end of a word"),
        }[sign]
        bare = "".join(char for char, mask in word.chars if not mask)
        raw = self.reader.text[term.start : term.end]
        fixed = raw
        for mask in set(word.masks):
            fixed = fixed.replace(mask, "" if bare else "x")
        fix = self.reader.replaced(term.start, term.end, fixed) if bare else None
        advice = None if bare else message("Add a word to look for.")
        kind = _MASK_FAULTS[sign]
        raise self.reader.error(what, term.start, term.end, fix=fix, advice=advice, kind=kind)

    def years(self, relation: Relation, name: str, term: CqlToken) -> Query:
        value = plain(term.text).rstrip("*")
        try:
            if name in ("any", "within") or (name == "all" and " " not in value):
                parts = value.split()
                if name == "within":
                    if len(parts) != 2:
                        raise BadYears(
                            message('within takes two years in quotes: within "2015 2020"')
                        )
                    return self.exactly(between(parts[0], parts[1]))
                return disjunction([self.exactly(dated(part)) for part in parts])
            years = self.exactly(dated(value))
            if name in ORDERED[:4] and years.first != years.last:
                raise BadYears(message("{relation} takes one year", relation=name))
        except BadYears as bad:
            fix = (
                self.reader.replaced(term.start, term.end, f'"{bad.corrected}"')
                if bad.corrected
                else None
            )
            advice = None if fix else message("Write a year with four digits.")
            raise self.reader.error(
                bad.reason, term.start, term.end, fix=fix, advice=advice, kind="term"
            ) from None
        if name == "encloses":
            self.reader.note(message("encloses is read as =, because a record has one year"))
        year = years.first
        if (name == "<" and year == 1) or (name == ">" and year == 9999):
            raise self.reader.error(
                message("There is no such year"),
                term.start,
                term.end,
                advice=message("Write another year."),
                kind="term",
            )
        match name:
            case "<" if year is not None:
                return Years(None, year - 1)
            case "<=":
                return Years(None, year)
            case ">" if year is not None:
                return Years(year + 1, None)
            case ">=":
                return Years(year, None)
        return years

    def exactly(self, dated_years: tuple[Years, bool]) -> Years:
        """The years of a date; a note says where the date has more than years."""
        years, whole = dated_years
        if not whole:
            self.widened(message("only the year of a date is searched"))
        return years


def _without_anchors(chars: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, bool], ...]:
    anchor = ("^", True)
    start = 1 if chars[:1] == (anchor,) else 0
    end = len(chars) - 1 if chars[start:][-1:] == (anchor,) else len(chars)
    return chars[start:end]


def _split(raw: str, *, quoted: bool, masked: bool) -> list[_TermWord]:
    r"""The words of a term; `\*` is a star, `\"` a quote, `\\` a backslash."""
    chars: list[tuple[str, bool]] = []
    at = 0
    while at < len(raw):
        char = raw[at]
        if char == "\\" and at + 1 < len(raw):
            at += 1
            chars.append((raw[at], False))
        else:
            chars.append((char, masked and char in _MASKS))
        at += 1
    split: list[_TermWord] = []
    run: list[tuple[str, bool]] = []
    for char, mask in [*chars, (" ", False)]:
        if plain(char):
            run.append((char, mask))
        elif run:
            split.append(_TermWord(tuple(run)))
            run = []
    return split
