"""What the value of a field means in the expert syntax of Chinese databases."""

from __future__ import annotations

import re
from collections.abc import Callable

from metasearch.bib.languages import language_code
from metasearch.message import message
from metasearch.query.ast import FIELD_WORDS, Query, Term, Years, conjunction
from metasearch.query.blanks import plain
from metasearch.query.expert.fields import EXPERT_FIELDS
from metasearch.query.expert.scanner import FLAT, NEAR, NEAR_NOTE, ExpertScanner
from metasearch.query.field_targets import FieldTarget
from metasearch.query.identifiers import identifier_field
from metasearch.query.kinds import type_word
from metasearch.query.trees import in_fields, words
from metasearch.query.years import BadYears, dated

OFTEN = re.compile(r"\$\s{0,5}[0-9]{1,3}(?![0-9])")
OFTEN_NOTE = "$ is ignored: sources cannot be asked how often a word occurs"


class ExpertValueReader(ExpertScanner):
    """Turns values into parts of the tree. `target`: where the next value is looked for."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.target = self.outer = EXPERT_FIELDS["u"]

    def fits(self, at: int) -> bool:
        """Whether what is there can be a further value of a field that takes not every word."""
        value = self.flat[at : self.word_end(at)].strip("'\"")
        match self.target.fields[0]:
            case "year":
                return value[:4].isdigit()
            case "type":
                return type_word(value) is not None
            case "language":
                return language_code(value) is not None
            case identifier:
                return identifier_field(value) == identifier

    def value(self, text: str, *, always: bool, start: int) -> Query:
        """A quoted value, a phrase of several words, or `always`; CNKI has 'a /SEN 5 b'."""
        if (bare := OFTEN.sub(" ", text).strip()) != text and bare:
            self.note(OFTEN_NOTE)
            text = plain(bare)
        pieces = [
            plain(piece)
            for piece in re.split(rf"{NEAR.pattern}|\s%(?=\s)", text, flags=re.IGNORECASE)
        ]
        pieces = [piece for piece in pieces if piece] or [text]
        if len(pieces) > 1:
            self.note(NEAR_NOTE)
        return conjunction(
            *(
                self.term(piece, self.target, phrase=always or " " in piece, start=start)
                for piece in pieces
            )
        )

    def term(self, text: str, target: FieldTarget, *, phrase: bool, start: int = 0) -> Query:
        convert: dict[str, Callable[[str], str | None]] = {
            "type": type_word,
            "language": language_code,
        }
        field = target.fields[0]
        if field in convert:
            known = convert[field](text)
            if known is None:
                reason = message(
                    '"{word}" is no known {field}', word=text[:30], field=FIELD_WORDS[field]
                )
                raise self.error(
                    reason,
                    start,
                    start + len(text),
                    advice=message("Write a name, such as 英文 or 学位论文."),
                )
            return Term(known, field)
        plain_id = field in ("doi", "isbn", "issn")
        return in_fields(target.fields, lambda it: words(text, it, phrase=phrase and not plain_id))

    def years(self, sign: str) -> Query:
        start = self.skip()
        if self.flat[start] in "'\"":
            value = self.quoted()
        else:
            self.at = self.word_end(start)
            value = self.text[start : self.at]
            self.count(start, self.at)
        value = value.translate(FLAT)
        try:
            if sign in ("<", ">", "<=", ">="):
                dates, whole = dated(value)
                if dates.first is None or dates.first != dates.last:
                    raise BadYears(message("{relation} takes one year", relation=sign))
                dates, _ = dated(f"{sign}{dates.first:04d}")
            else:
                dates, whole = dated(value)
        except BadYears as bad:
            fix = self.replaced(start, self.at, bad.corrected) if bad.corrected else None
            advice = None if fix else message("Write the year with four digits, as in YE=2020.")
            raise self.error(bad.reason, start, self.at, fix=fix, advice=advice) from None
        return self.exactly(dates, whole)

    def exactly(self, years: Years, whole: bool) -> Years:
        if not whole:
            self.note(message("only the year of a date is searched"))
        return years
