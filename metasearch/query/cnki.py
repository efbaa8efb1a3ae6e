"""The expert syntax of Chinese databases (CNKI, with the forms of Wanfang and VIP) -> `ReadQuery`.

    query   = inner { ( "AND" | "OR" | "NOT" ) inner }     words, left to right, as CNKI reads
    inner   = product { ( "+" | "-" ) product }            signs: OR and NOT, from left to right
    product = side { "*" side }                            AND
    side    = operand { operand }                          AND; bare words are one term
    operand = [ field sign ] ( word | quoted | "(" query ")" )

A field holds for everything that signs join to it, until another field is named; one of years,
identifiers, types or languages only for what can be its value: in `YE>=2015*水质` no year is called
水质. Each sign may be full-width; 与, 或, 非 are the words. When a sign belongs to a word is
defined in docs/syntaxes.md:

- `-` is NOT only after a blank, a bracket or a quote, so COVID-19 is a word;
- two or more `+` directly after a word belong to it, so C++ is a word; one is OR;
- `*` is always AND outside quotes;
- a single quote within a word is an apostrophe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.ast import Query, conjunction
from metasearch.query.blanks import plain
from metasearch.query.expert.fields import EXPERT_FIELDS, SEARCHED
from metasearch.query.expert.scanner import PREFIX
from metasearch.query.expert.values import OFTEN, OFTEN_NOTE, ExpertValueReader
from metasearch.query.field_targets import FieldTarget
from metasearch.query.reading import ReadQuery, read_or_suggest
from metasearch.query.trees import LeftToRight, negation
from metasearch.query.years import BadYears, between

_BETWEEN = re.compile(
    r"([A-Za-z]{1,12}|[\u4e00-\u9fff]{1,8})\s{1,5}between\s{0,5}(\()?\s{0,5}'?([0-9./-]{4,10})'?\s{0,5}(?:,|\sand\s)\s{0,5}'?"
    r"([0-9./-]{4,10})'?\s{0,5}(\))?",
    re.IGNORECASE,
)


def parse_expert(text: str) -> ReadQuery:
    """Read a query in the expert syntax of Chinese databases. Raises QuerySyntaxError: it is none,
    or names a field that cannot be searched here.
    """
    return read_or_suggest(lambda one: _ExpertParser(one).whole(), text)


@dataclass(slots=True)
class _ExpertOperand:
    """A part of what stands side by side; a `bare` one is a word that the next one may join."""

    query: Query | None
    word: str = ""
    target: FieldTarget | None = None


class _ExpertParser(ExpertValueReader):
    # ---------------------------------------------------------------- the grammar

    def whole(self) -> ReadQuery:
        return self.finished(self.all_of(self.query))

    def query(self) -> Query:
        before, self.outer = self.outer, self.target
        joined = LeftToRight(self, self.negated())
        while operator := self.word_operator():
            self.target = self.outer
            name, start, end = operator
            if name == "AND" and (also := self.word_operator()):
                if also[0] != "NOT":
                    raise self.lacks((start, end), "after")
                name, start, end = also
            joined.add(name, self.inner((start, end)))
        if joined.mixed:
            self.note(
                message(
                    "AND, OR and NOT are read from left to right, as CNKI reads them; write "
                    "brackets to be sure"
                )
            )
        self.outer = before
        return joined.query()

    def negated(self) -> Query:
        operator = self.word_operator()
        if operator is None:
            return self.inner(None)
        name, start, end = operator
        if name != "NOT":
            raise self.lacks((start, end), "before")
        return negation(self.inner((start, end)))

    def inner(self, after: tuple[int, int] | None) -> Query:
        minus = self.sign("-^")
        first = negation(self.product(minus)) if minus else self.product(after)
        joined = LeftToRight(self, first)
        while sign := self.sign("+-^"):
            right = self.product(sign)
            joined.add("OR" if self.flat[sign[0]] == "+" else "NOT", right)
        return joined.query()

    def product(self, after: tuple[int, int] | None) -> Query:
        parts = [self.side(after)]
        while sign := self.sign("*"):
            parts.append(self.side(sign))
        return conjunction(*parts)

    def side(self, after: tuple[int, int] | None) -> Query:
        parts: list[_ExpertOperand] = []
        while self.starts_operand():
            part = self.operand()
            last = parts[-1] if parts else None
            if last and self.joins(last, part):
                last.word = f"{last.word} {part.word}"
            else:
                parts.append(part)
            if often := OFTEN.match(self.flat, self.skip()):
                self.note(OFTEN_NOTE)
                self.at = often.end()
        if not parts:
            raise self.nothing(after)
        return conjunction(
            *(
                operand.query
                or self.term(operand.word, operand.target or self.target, phrase=False)
                for operand in parts
            )
        )

    @staticmethod
    def joins(last: _ExpertOperand, part: _ExpertOperand) -> bool:
        """Whether both are bare words of one field."""
        return bool(last.word and part.word) and last.target is part.target

    def operand(self) -> _ExpertOperand:
        at = self.skip()
        if match := _BETWEEN.match(self.flat, at):
            return self.between(match)
        sign = self.prefix(at)
        at = self.skip()
        if not (sign or self.target.of_words or self.fits(at)):
            self.target = self.outer
        char = self.flat[at : at + 1]
        if self.target.fields == ("year",) and char != "(":
            return _ExpertOperand(self.years(sign))
        if char == "(":
            return _ExpertOperand(self.group())
        if char and char in "'\"":
            return _ExpertOperand(self.value(self.quoted(), always=char == '"', start=at))
        start, end = at, self.word_end(at)
        self.at = end
        self.count(start, end)
        if not self.target.of_words:
            return _ExpertOperand(
                self.term(plain(self.text[start:end]), self.target, phrase=False, start=start)
            )
        return _ExpertOperand(None, plain(self.text[start:end]), self.target)

    def group(self) -> Query:
        inherited, opening = self.target, self.enter()
        query = self.query()
        self.leave(opening)
        self.target = inherited
        return query

    def prefix(self, at: int) -> str:
        """Take the field that is named here. Returns its sign, or "" where none is."""
        match = PREFIX.match(self.flat, at)
        if match is None:
            return ""
        name, sign = match[1].casefold(), match[2]
        target = EXPERT_FIELDS.get(name)
        if sign not in ("=", "==", "%=") and (
            target is None or (sign in "<>" and target.fields != ("year",))
        ):
            return ""
        if sign in (">=", "<=", "<", ">") and target is not None and target.fields != ("year",):
            return ""
        if target is None:
            raise self.unknown_field(match)
        if not target.fields:
            fix = self.without(match.start(), match.end())
            reason = message(
                "{field} cannot be searched here: no field holds it; the fields are {names}",
                field=match[1],
                names=SEARCHED,
            )
            raise self.error(reason, *match.span(1), fix=fix)
        self.at = match.end()
        if self.here() in ("", ")") or not (self.starts_operand() or self.here() in "-^"):
            fix = self.without(match.start(), match.end())
            raise self.error(
                message("{sign} needs something to look for after it", sign=f"{match[1]}{sign}"),
                *match.span(),
                fix=fix,
            )
        if target.loss:
            self.note(message("{field} is looked for {loss}", field=match[1], loss=target.loss))
        if sign in ("%", "%="):
            self.note(
                message(
                    "{field}{sign}: each database decides how loosely it matches",
                    field=match[1],
                    sign=sign,
                )
            )
        self.target = target
        return sign

    def unknown_field(self, match: re.Match[str]) -> QuerySyntaxError:
        from difflib import get_close_matches

        names = [name for name, target in EXPERT_FIELDS.items() if target.fields and len(name) > 1]
        near = get_close_matches(match[1].casefold(), names, 1, 0.6)
        reason = message(
            'There is no field "{field}"; the fields are {names}',
            field=match[1],
            names=SEARCHED,
        )
        start = match.start()
        word = self.word_end(match.end()) if match.end() < len(self.text) else match.end()
        if near and len(match[1]) > 1:
            meant = near[0].upper() if len(near[0]) < 4 else near[0]
            return self.error(reason, *match.span(1), fix=self.replaced(*match.span(1), meant))
        return self.error(
            reason, *match.span(1), fix=self.replaced(start, word, f'"{self.text[start:word]}"')
        )

    # ---------------------------------------------------------------- values

    def between(self, match: re.Match[str]) -> _ExpertOperand:
        target = EXPERT_FIELDS.get(match[1].casefold())
        if target is None or target.fields != ("year",):
            reason = message("BETWEEN is for years: YE BETWEEN ('2015','2020')")
            raise self.error(reason, *match.span(1), fix=self.replaced(*match.span(1), "YE"))
        if match[2] and not match[5]:
            closed = self.replaced(match.end(), match.end(), ")")
            raise self.error(message("This bracket is never closed"), *match.span(2), fix=closed)
        # A bracket that was opened before the field closes there.
        end = match.start(5) if match[5] and not match[2] else match.end()
        self.count(match.start(), end)
        try:
            years, whole = between(match[3], match[4])
        except BadYears as bad:
            fix = None
            if bad.corrected:
                first, _, last = bad.corrected.partition("-")
                ended = self.replaced(match.start(4), match.end(4), last)
                fix = f"{ended[: match.start(3)]}{first}{ended[match.end(3) :]}"
            advice = None if fix else message("Write the years with four digits.")
            raise self.error(
                bad.reason, match.start(3), match.end(4), fix=fix, advice=advice
            ) from None
        self.at = end
        return _ExpertOperand(self.exactly(years, whole))

    # ---------------------------------------------------------------- errors

    def nothing(self, after: tuple[int, int] | None) -> QuerySyntaxError:
        at = self.skip()
        char = self.flat[at : at + 1]
        if after is not None:
            return self.lacks(after, "after")
        if char == ")":
            return self.stray()
        end = at + 1
        if operator := self.word_operator():
            end = operator[2]
        return self.lacks((at, max(end, at + 1)), "before")
