"""The words of CCL: scanned, and turned into terms of our fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from metasearch.bib.languages import language_code
from metasearch.message import message
from metasearch.query.ast import FIELD_WORDS, IDENTIFIERS, Query, Term, Years, conjunction
from metasearch.query.blanks import is_blank, plain
from metasearch.query.kinds import type_word
from metasearch.query.nested import NestedReader, Span
from metasearch.query.trees import in_fields, negation, truncatable, words
from metasearch.query.years import BadYears, dated

_OPERATORS = {"and": "AND", "or": "OR", "not": "NOT"}
_NAME = r'[^\s()"=<>,]{1,40}'
#: Each part is bounded, so that a long text without a relation is read once.
QUALIFIED = re.compile(rf"({_NAME}(?:\s{{0,5}},\s{{0,5}}{_NAME}){{0,9}})\s{{0,5}}(<=|>=|<>|[=<>])")
_PROXIMITY = re.compile(r"[%!][0-9]{0,3}")
_WORD_ENDS = '()="<>'
#: Signs that stand for letters; only those of `_TRUNCATES` may, at the end of a word.
_MASKS, _TRUNCATES = "?*#", "?*"
#: Field -> what turns a word into the form that our records have; None where it is not known.
_CLOSED: Mapping[str, Callable[[str], str | None]] = {
    "type": type_word,
    "language": language_code,
}


class CclTermReader(NestedReader):
    """A text with a place in it; takes operators, words, phrases and dates."""

    def here(self) -> str:
        while self.at < len(self.text) and is_blank(self.text[self.at]):
            self.at += 1
        return self.text[self.at : self.at + 1]

    def operator(self) -> tuple[str, Span] | None:
        """Take an operator, if it is next."""
        name = self.peek_operator()
        if name is None:
            return None
        start, self.at = self.at, self.word_end()
        return name, (start, self.at)

    def peek_operator(self) -> str | None:
        self.here()
        end = self.word_end()
        name = _OPERATORS.get(self.text[self.at : end].lower()) if end - self.at <= 3 else None
        # "or=" is no operator, and no known qualifier either.
        return name if name is None or not QUALIFIED.match(self.text, self.at) else None

    def word_end(self) -> int:
        end = self.at
        while end < len(self.text) and not is_blank(self.text[end]):
            if self.text[end] in _WORD_ENDS:
                break
            end += 1
        return end

    def terms(self, fields: Sequence[str]) -> Query:
        """Words and phrases up to the next operator, qualifier or bracket."""
        parts: list[Query] = []
        run: list[tuple[str, bool]] = []
        start = self.at

        def end_run() -> None:
            if run:
                parts.append(self.in_all(fields, (start, self.at), [*run]))
                run.clear()

        while (char := self.here()) and char not in "()=<>":
            if (parts or run) and self.ends_terms():
                break
            where = self.at
            if char == '"':
                end_run()
                phrase = self.quoted_to('"')
                self.count(where, self.at)
                parts.append(self.phrase(phrase, fields, (where, self.at)))
            elif match := _PROXIMITY.fullmatch(self.text, where, self.word_end()):
                self.at = match.end()
                self.note(
                    message(
                        "{operator} is read as and: sources cannot be asked how near words stand "
                        "to one another",
                        operator=match[0],
                    )
                )
            else:
                run.append(self.word())
        end_run()
        if not parts:  # a sign of proximity alone
            raise self.lacks((start, start + 1), "after")
        return conjunction(*parts)

    def ends_terms(self) -> bool:
        """Whether an operator or a qualifier is next."""
        return bool(self.peek_operator() or QUALIFIED.match(self.text, self.at))

    def word(self) -> tuple[str, bool]:
        """Take a word: (the word, whether it is truncated)."""
        start, self.at = self.at, self.word_end()
        self.count(start, self.at)
        raw = self.text[start : self.at]
        bare = raw.rstrip(_TRUNCATES)
        if bare and not any(sign in bare for sign in _MASKS):
            return plain(bare), raw != bare
        shown = next(sign for sign in _MASKS if sign in raw)
        stripped = "".join(char for char in raw if char not in _MASKS)
        reason = message(
            "{shown} can stand only at the end of a word, for any letters", shown=shown
        )
        if shown == "#":
            reason = message("# for one letter is not supported")
        if not any(map(str.isalnum, stripped)):
            raise self.error(
                reason, start, self.at, advice=message("Add a word to look for."), kind="masking"
            )
        fix = self.replaced(start, self.at, stripped)
        raise self.error(reason, start, self.at, fix=fix, kind="masking")

    def in_all(
        self, fields: Sequence[str], where: Span, texts: Sequence[tuple[str, bool]]
    ) -> Query:
        """All of the words, in one of the fields."""
        cut = any(truncated for _, truncated in texts)

        def of(field: str) -> Query:
            if field in _CLOSED:
                return self.closed(" ".join(word for word, _ in texts), field, where, cut=cut)
            if field in IDENTIFIERS and cut:
                raise self.truncated_number(field.upper(), *where)
            return truncatable(texts, field)

        return in_fields(fields, of)

    def phrase(self, text: str, fields: Sequence[str], where: Span) -> Query:
        """A text in quotes, in one of the fields."""

        def of(field: str) -> Query:
            if field in _CLOSED:
                return self.closed(text, field, where)
            if field == "author" and len(names := text.replace(",", " ").split()) > 1:
                self.note(
                    message(
                        "the words of a name are looked for in any order: databases write names "
                        "in different orders"
                    )
                )
                return words(" ".join(names), field)
            return words(text, field, phrase=" " in text and field not in IDENTIFIERS)

        return in_fields(fields, of)

    def closed(self, text: str, field: str, where: Span, *, cut: bool = False) -> Query:
        """A value of a field that has few of them."""
        known = None if cut else _CLOSED[field](text)
        if known is None:
            advice = (
                message("Write a code, such as en, or a name.")
                if field == "language"
                else message("Write a type, such as thesis.")
            )
            reason = message(
                '"{word}" is no known {field}', word=text[:30], field=FIELD_WORDS[field]
            )
            raise self.error(reason, *where, advice=advice, kind="term")
        return Term(known, field)

    # ---------------------------------------------------------------- dates

    def years(self, relation: str) -> Query:
        """The years of a date, a word or a text in quotes."""
        start = self.at
        if self.here() == '"':
            value = self.quoted_to('"')
        else:
            self.at = self.word_end()
            value = plain(self.text[start : self.at])
        self.count(start, self.at)
        try:
            years, whole = dated(value)
            ordered = relation in ("<", "<=", ">", ">=")
            if ordered and years.first != years.last:
                raise BadYears(message("{relation} takes one year", relation=relation))
        except BadYears as bad:
            fix = self.replaced(start, self.at, bad.corrected) if bad.corrected else None
            advice = None if fix else message("Write a year with four digits.")
            raise self.error(
                bad.reason, start, self.at, fix=fix, advice=advice, kind="term"
            ) from None
        if not whole:
            self.note(message("only the year of a date is searched"))
        return self.compared(relation, years, (start, self.at))

    def compared(self, relation: str, years: Years, where: Span) -> Query:
        year = years.first
        if relation == "<>":
            return negation(years)
        if relation == "=" or year is None:
            return years
        if (relation, year) in (("<", 1), (">", 9999)):
            advice = message("Write another year.")
            raise self.error(message("There is no such year"), *where, advice=advice, kind="term")
        match relation:
            case "<":
                return Years(None, year - 1)
            case "<=":
                return Years(None, year)
            case ">":
                return Years(year + 1, None)
        return Years(year, None)
