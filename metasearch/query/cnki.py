"""The expert syntax of Chinese databases: that of CNKI, Wanfang and VIP is read, those of CNKI and
Wanfang are written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, every, exact
from metasearch.query.cnki_fields import (
    DIVIDES,
    EXPERT_FIELDS,
    FLAT,
    LABELS,
    LINE,
    MATCHING,
    OFTEN,
    PREFIX,
    SEARCHED,
    SETTINGS,
    SINCE,
    UNTIL,
    ExpertValueReader,
    fold_name,
    target_of_name,
)
from metasearch.query.grammar import (
    DOUBLE,
    SINGLE,
    Booleans,
    FieldTarget,
    SyntaxStyle,
    YearRanges,
)
from metasearch.query.places import JoinOperator, Reference
from metasearch.query.reader import ReadQuery, Span, read_or_suggest
from metasearch.query.strategy import read_strategy
from metasearch.query.tree import is_blank, plain
from metasearch.query.values import BadYears, between

# The expert syntax of Chinese databases (CNKI, with the forms of Wanfang and VIP) -> `ReadQuery`.
#
#     query   = inner { ( "AND" | "OR" | "NOT" ) inner }     words, left to right, as CNKI reads
#     inner   = product { ( "+" | "-" ) product }            signs: OR and NOT, from left to right
#     product = near { "*" near }                            AND
#     near    = side { "/NEAR 3" side }                      near one another
#     side    = operand { operand }                          AND; bare words are one term
#     operand = [ field sign ] ( word | quoted | "(" query ")" )
#
# A field holds for everything that signs join to it, until another field is named; one of
# years, identifiers, types or languages only for what can be its value: in `YE>=2015*水质` no
# year is called 水质. Each sign may be full-width; 与, 或, 非 are the words. When a sign belongs to
# a word is defined in docs/syntaxes.md:
#
# - `-` is NOT only after a blank, a bracket or a quote, so COVID-19 is a word;
# - two or more `+` directly after a word belong to it, so C++ is a word; one is OR;
# - `*` is always AND outside quotes;
# - a single quote within a word is an apostrophe.
#
# What a page prints beside a query, as 检索范围：期刊, holds for the whole query.

_BETWEEN = re.compile(
    r"([A-Za-z]{1,12}(?=\s)|[\u4e00-\u9fff]{1,8})\s{0,5}between\s{0,5}(\()?\s{0,5}['\"]?"
    r"([0-9./-]{4,10})['\"]?\s{0,5}(?:,|\sand\s)\s{0,5}['\"]?([0-9./-]{4,10})['\"]?\s{0,5}(\))?",
    re.IGNORECASE,
)

#: What stands in quotes at the end of an operand.
_QUOTED = re.compile(r"(?:'([^']{1,900})'|\"([^\"]{1,900})\")\Z")


def parse_expert(text: str) -> ReadQuery:
    """Read a query in the expert syntax of Chinese databases, or lines with numbers of which the
    last is the search. Raises QuerySyntaxError: it is none, or names a field that cannot be
    searched here.
    """
    return read_or_suggest(lambda one: read_strategy(one, ExpertReader, "cnki"), text)


@dataclass(slots=True)
class _ExpertOperand:
    """A part of what stands side by side; a `bare` one is a word that the next one may join."""

    clause: Clause | None
    word: str = ""
    target: FieldTarget | None = None


class ExpertReader(ExpertValueReader):
    # ---------------------------------------------------------------- the whole

    def tree(self) -> Clause:
        """All of the text, with what is printed beside it."""
        clause = self.all_of(self.query)
        return every([clause, *self.printed])

    # ---------------------------------------------------------------- the grammar

    def query(self) -> Clause:
        rows = [self.row()]
        while not self.open and self.starts_operand():
            row = self.text[self.at : self.at + 99].partition("\n")[0]
            self.losses.add("joined lines", row)
            self.target = self.outer
            rows.append(self.row())
        return every(rows)

    def row(self) -> Clause:
        """Up to the end, a bracket that closes, or a row that no operator joins to this one."""
        before, self.outer = self.outer, self.target
        operator = self.word_operator()
        if operator and operator[0] != "NOT":
            raise self.lacks(operator[1:], "before")
        start = left = self.skip()
        first = self.inner(operator[1:] if operator else None)
        if operator:
            first = self.exclusion(first, start)
        rest: list[tuple[str, Clause]] = []
        while operator := self.word_operator():
            self.target = self.outer
            if operator[0] == "AND" and (also := self.word_operator()):
                if also[0] != "NOT":
                    raise self.lacks(operator[1:], "after")
                operator = also
            at, right = self.at, self.inner(operator[1:])
            left = self.place_join(operator[0], operator[1:], left, -1 - start)
            rest.append(self.join_operand(operator[0], right, at))
        names = [name for name, _ in rest]
        if "OR" in names and "AND" in names[names.index("OR") :]:
            self.losses.add("order", "AND, OR and NOT|CNKI")
        self.outer = before
        return self.join(first, rest, start)

    def inner(self, after: tuple[int, int] | None) -> Clause:
        minus, start = self.sign("-^"), self.at
        left = start
        outer, self.signs_from = self.signs_from, start
        first = self.product(minus or after)
        if minus:
            first = self.exclusion(first, start)
        rest: list[tuple[str, Clause]] = []
        while sign := self.sign("+-^"):
            at, right = self.at, self.product(sign)
            operator = "OR" if self.flat[sign[0]] == "+" else "NOT"
            rest.append(self.join_operand(operator, right, at))
            left = self.place_join(operator, sign, left, start)
        self.signs_from = outer
        return self.join(first, rest, start)

    def join_operand(self, operator: str, right: Clause, start: int) -> tuple[str, Clause]:
        """An operand, from `start` on, with what joins it to those before it."""
        return ("AND", self.exclusion(right, start)) if operator == "NOT" else (operator, right)

    #: Where the first operand that signs join begins: signs are of another level than words.
    signs_from = 0

    def product(self, after: tuple[int, int] | None) -> Clause:
        left = self.at
        parts = [self.near_one_another(after)]
        while sign := self.sign("*"):
            parts.append(self.near_one_another(sign))
            left = self.place_join("AND", sign, left, self.signs_from)
        return every(parts)

    def place_join(self, operator: str, sign: Span, left: int, group: int) -> int:
        """Tell whoever looks at places of an operator whose right operand ends here, and whose left
        one begins at `left`. Returns where the right one begins.
        """
        if self.places is not None:
            name = cast("JoinOperator", operator)
            sides = (left, sign[0]), (sign[1], self.at)
            self.places.join(name, sign, sides, len(self.open), group)
        return sign[1]

    def near_one_another(self, after: tuple[int, int] | None) -> Clause:
        parts, signs = [self.side(after)], list[re.Match[str]]()
        while sign := self.near_sign():
            signs.append(sign)
            parts.append(self.side(sign.span()))
        return self.beside(parts, signs) if signs else parts[0]

    def side(self, after: tuple[int, int] | None) -> Clause:
        parts: list[_ExpertOperand] = []
        ended = self.at
        while self.starts_operand():
            gap = self.text[ended : self.at]
            if parts and self.closeness(gap, parts[-1]):
                ended = self.at
                continue
            if (label := self.label()) is not None:
                if label in SETTINGS and after and not parts:
                    parts.append(_ExpertOperand(self.setting()))
                elif label in SETTINGS:
                    self.printed.append(self.setting())
                ended = self.at
                continue
            printed = bool(parts) and not self.open and self.label_at(self.at) is not None
            if "\n" in gap and parts and not self.open and not printed:
                break
            begin, known = self.skip(), len(self.places or ())
            part = self.operand()
            ended = self.at
            last = parts[-1] if parts else None
            if printed:
                self.printed.append(self.clause_of_operand(part))
            elif last and last.word and part.word and last.target is part.target:
                last.word = f"{last.word} {part.word}"
                self.place_term(last, None)
            else:
                parts.append(part)
                if len(self.places or ()) == known:
                    self.place_term(part, begin)
            if often := OFTEN.match(self.flat, self.skip()):
                self.losses.add("frequency", often[0])
                self.at = ended = often.end()
        if not parts and self.printed and after is None and not self.here():
            return IGNORED
        if not parts:
            raise self.nothing(after)
        return every([self.clause_of_operand(part) for part in parts])

    def place_term(self, part: _ExpertOperand, begin: int | None) -> None:
        """Tell whoever looks at places of a term that ends here, or that goes on to here: `begin`
        is None.
        """
        if self.places is None:
            return
        if begin is None:
            begin = self.places.terms.pop().start
        target = self.target
        clause = self.clause_of_operand(part)
        self.target = target
        quoted = _QUOTED.search(self.text, begin, self.at)
        words = quoted[1] or quoted[2] if quoted else part.word or self.text[begin : self.at]
        where = begin, self.at
        self.places.term(self.text, words, where, self.shown, clause, quoted=quoted is not None)

    def clause_of_operand(self, part: _ExpertOperand) -> Clause:
        """What an operand asks for, once no further word joins it."""
        if part.clause is not None:
            return part.clause
        self.target, target = part.target or self.target, self.target
        clause = self.clause_of_term(self.term(part.word, self.target, phrase=False))
        self.target = target
        return clause

    def operand(self) -> _ExpertOperand:
        at = self.skip()
        if match := _BETWEEN.match(self.flat, at):
            return self.between(match)
        if line := self.line_reference():
            return _ExpertOperand(self.reference(line))
        sign = self.prefix(at)
        at = self.skip()
        if not (sign or (self.target.fields and self.target.of_words) or self.fits(at)):
            self.target, self.shown = self.outer, ""
        char = self.flat[at : at + 1]
        if self.target.fields == ("year",) and char != "(":
            return _ExpertOperand(self.years(sign))
        if char == "(":
            return _ExpertOperand(self.group())
        if char and char in "'\"":
            return _ExpertOperand(
                self.value(self.take_expert_quote(), always=char == '"', start=at)
            )
        start, end = at, self.word_end(at)
        self.at = end
        self.count(start, end)
        word = plain(self.text[start:end])
        if not self.target.fields:
            return _ExpertOperand(self.nowhere(word))
        if not self.target.of_words:
            return _ExpertOperand(exact(self.term(word, self.target, phrase=False, start=start)))
        return _ExpertOperand(None, word, self.target)

    def group(self) -> Clause:
        inherited, opening = (self.target, self.shown), self.enter()
        clause = self.query()
        self.leave(opening)
        self.target, self.shown = inherited
        return clause

    # ---------------------------------------------------------------- what a page prints

    def label(self) -> str | None:
        """Take the name of a setting or what stands before a query, if it is next."""
        match = PREFIX.match(self.flat, self.skip())
        if match is None or match[2] not in ("=", ":"):
            return None
        name = fold_name(match[1])
        if name not in SETTINGS and name not in LABELS:
            return None
        self.at = match.end()
        self.shown = self.text[match.start(1) : match.end(1)]
        return name

    def setting(self) -> Clause:
        """Take the value of a setting: up to a sign, an operator, a name or the end of its line."""
        start = self.at
        while self.at < len(self.text) and self.flat[self.at] not in "\n;。)*":
            at = self.at
            if is_blank(self.flat[at]) or self.flat[at] in DIVIDES:
                self.at += 1
            elif self.operator_at(at) or PREFIX.match(self.flat, at):
                break
            elif self.flat[at] in "'\"":
                self.take_expert_quote()
            else:
                self.at = max(self.word_end(at), at + 1)
        self.losses.add("settings", f"{self.shown} {plain(self.text[start : self.at])}".strip())
        return IGNORED

    def closeness(self, gap: str, before: _ExpertOperand) -> bool:
        """Take how closely a value is to match, if a page printed that after it."""
        match = MATCHING.match(self.flat, self.at)
        bare = match is not None and match[0][0] not in "(["
        divided = "\n" in gap or any(char in DIVIDES for char in gap.translate(FLAT))
        if match is None or (bare and before.word and not divided):
            return False
        self.losses.add("settings", self.text[slice(*match.span())])
        self.at = match.end()
        return True

    # ---------------------------------------------------------------- fields

    def prefix(self, at: int) -> str:
        """Take the field that is named here. Returns its sign, or "" where none is."""
        match = PREFIX.match(self.flat, at)
        if match is None or self.flat.startswith("//", match.end()):
            return ""
        shown, sign = self.text[match.start(1) : match.end(1)], match[2]
        target = target_of_name(match[1])
        if target is None:
            quoted = self.flat[match.end() : match.end() + 1] in ("'", '"', "(")
            if sign in ("=", "==", "%=", "xls") or (sign == ":" and quoted):
                raise self.unknown_field(match)
            words_read = plain(self.text[at : self.word_end(at)])
            self.tell(message("{words} is read as words: it names no field", words=words_read))
            return ""
        compares = sign in ("<", ">", "<=", ">=")
        if compares and target.fields and target.fields != ("year",):
            reason = message("{sign} is for years: YE{sign}2015", sign=sign)
            raise self.error(reason, *match.span(), fix=self.with_replacement(*match.span(2), "="))
        self.at = match.end()
        if self.here() in ("", ")") or not (self.starts_operand() or self.here() in "-^"):
            fix = self.without(match.start(), match.end())
            raise self.error(
                message("{sign} needs something to look for after it", sign=f"{shown}{sign}"),
                *match.span(),
                fix=fix,
            )
        if target.fields and target.loss:
            self.tell(message("{field} is looked for {loss}", field=shown, loss=target.loss))
        if sign in ("%", "%=", "xls"):
            self.tell(
                message(
                    "{field}{sign}: each database decides how loosely it matches",
                    field=shown,
                    sign=sign,
                )
            )
        self.target, self.shown, self.named_at = target, shown, match.span()
        name = fold_name(match[1])
        if name in SINCE or name in UNTIL:
            return ">=" if name in SINCE else "<="
        return sign

    def unknown_field(self, match: re.Match[str]) -> QuerySyntaxError:
        from difflib import get_close_matches

        shown = self.text[match.start(1) : match.end(1)]
        names = [name for name, target in EXPERT_FIELDS.items() if target.fields and len(name) > 1]
        cutoff = 0.6 if match[1].isascii() else 0.5
        near = get_close_matches(match[1].casefold(), names, 1, cutoff)
        reason = message(
            'There is no field "{field}"; the fields are {names}', field=shown, names=SEARCHED
        )
        start = match.start()
        word = self.word_end(match.end()) if match.end() < len(self.text) else match.end()
        if near and len(shown) > 1:
            meant = near[0].upper() if len(near[0]) < 4 else near[0]
            return self.error(
                reason, *match.span(1), fix=self.with_replacement(*match.span(1), meant)
            )
        return self.error(
            reason,
            *match.span(1),
            fix=self.with_replacement(start, word, f'"{self.text[start:word]}"'),
        )

    # ---------------------------------------------------------------- earlier lines

    def line_reference(self) -> re.Match[str] | None:
        """The earlier line that is named next: `#3`, and among lines with numbers `3`."""
        match = LINE.match(self.flat, self.at)
        if match is None or match[0][0] == "#":
            return match
        ends = self.flat[match.end() : match.end() + 1] in ("", ")", "*", "+") or (
            self.operator_at(match.end() + 1) is not None
        )
        return match if self.lines is not None and self.target.of_words and ends else None

    def reference(self, match: re.Match[str]) -> Clause:
        line = self.line(int(match[1]), *match.span())
        if self.places is not None:
            self.places.references.append(Reference(int(match[1]), *match.span()))
        self.at = match.end()
        return line.clause

    # ---------------------------------------------------------------- values

    def between(self, match: re.Match[str]) -> _ExpertOperand:
        target = target_of_name(match[1])
        if target is None or target.fields not in ((), ("year",)):
            reason = message("BETWEEN is for years: YE BETWEEN ('2015','2020')")
            raise self.error(
                reason, *match.span(1), fix=self.with_replacement(*match.span(1), "YE")
            )
        if match[2] and not match[5]:
            closed = self.with_replacement(match.end(), match.end(), ")")
            raise self.error(message("This bracket is never closed"), *match.span(2), fix=closed)
        # A bracket that was opened before the field closes there.
        end = match.start(5) if match[5] and not match[2] else match.end()
        self.count(match.start(), end)
        if not target.fields:
            self.at, self.shown, self.named_at = end, match[1], match.span(1)
            return _ExpertOperand(self.nowhere(f"{match[3]}-{match[4]}"))
        try:
            years, whole = between(match[3], match[4])
        except BadYears as bad:
            fix = None
            if bad.corrected:
                first, _, last = bad.corrected.partition("-")
                ended = self.with_replacement(match.start(4), match.end(4), last)
                fix = f"{ended[: match.start(3)]}{first}{ended[match.end(3) :]}"
            advice = None if fix else message("Write the years with four digits.")
            raise self.error(
                bad.reason, match.start(3), match.end(4), fix=fix, advice=advice
            ) from None
        self.at = end
        return _ExpertOperand(self.exactly(years, whole, f"{match[3]}-{match[4]}"))

    # ---------------------------------------------------------------- errors

    def nothing(self, after: tuple[int, int] | None) -> QuerySyntaxError:
        at = self.skip()
        char = self.flat[at : at + 1]
        if after is not None:
            return self.lacks(after, "after")
        if char == ")":
            return self.no_opening(at)
        if not char:
            advice = message("Write a word.")
            return self.error(
                message("There is nothing to look for here"), 0, len(self.text), advice=advice
            )
        end = at + 1
        if operator := self.word_operator():
            end = operator[2]
        return self.lacks((at, max(end, at + 1)), "before")


# CNKI's 专业检索: `SU%=('盐沼'*'碳') AND YE BETWEEN ('2018','2020')`. Signs stand within a
# field, words between fields.

#: What the expert syntaxes of Chinese databases take for a sign even between quotes: quotes,
#: distances and counts.
LOST = rf"[{DOUBLE}{SINGLE}\\#$%＃＄％]|[/／](?=\s?(?:SEN|NEAR|PREV|AFT|PRG|PEG|SUB)\b)"

_OF_WORDS = {
    "any": "SU%={x}",
    "title": "TI={x}",
    "abstract": "AB={x}",
    "title abstract subject": "TKA={x}",
    "subject": "KY={x}",
    "author": "AU={x}",
    "venue": "LY={x}",
}
STYLE = SyntaxStyle(
    name="cnki",
    fields=_OF_WORDS | {"doi": "DOI={x}", "isbn": "IB={x}", "issn": "SN={x}"},
    near=" /NEAR {n} ",
    ordered=" /PREV {n} ",
    nearest=1,
    near_words={names: code.replace("{x}", "'{x}'") for names, code in _OF_WORDS.items()},
    inner=Booleans(all="*", either="+", without="-"),
    phrase="'{x}'",
    bare=False,
    truncation="",
    lost=LOST,
    years=YearRanges(
        "YE BETWEEN ('{first}','{last}')",
        only="YE='{first}'",
        since="YE>='{first}'",
        until="YE<='{last}'",
    ),
)

#: Wanfang's 专业检索: `主题:("盐沼" AND "碳") AND Date:2018-2020`.
WANFANG_STYLE = SyntaxStyle(
    name="wanfang",
    bracketed=True,
    fields={
        "any": "主题:({x})",
        "title": "题名:({x})",
        "abstract": "摘要:({x})",
        "subject": "关键词:({x})",
        "author": "作者:({x})",
        "venue": "刊名:({x})",
        "doi": "DOI:({x})",
    },
    bare=False,
    truncation="",
    lost=LOST,
    years=YearRanges(
        "Date:{first}-{last}", only="Date:{first}", since="Date:{first}-", until="Date:-{last}"
    ),
)
