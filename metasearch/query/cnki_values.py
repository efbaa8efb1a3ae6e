"""What stands next in a text in the expert syntax of Chinese databases: signs, words, quotes; and
what the values of its fields mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from metasearch.bib.languages import language_code
from metasearch.bib.normalise import simplified
from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, every, exact, near, wider
from metasearch.query.cnki_fields import (
    BESIDE,
    COUNT,
    EXPANSIONS,
    EXPERT_FIELDS,
    SEARCHED,
    SETTINGS,
    folded,
)
from metasearch.query.grammar import FieldTarget
from metasearch.query.reading import (
    in_fields,
    words,
)
from metasearch.query.scanner import Losses, LossReader, StrategyLine
from metasearch.query.tree import (
    FIELD_WORDS,
    IDENTIFIERS,
    Query,
    Term,
    Years,
    is_blank,
    plain,
)
from metasearch.query.values import BadYears, between, dated, identifier_field, type_word

# The signs, words and quotes of the Chinese expert syntax; `ExpertReader` says what they mean.

#: Full-width signs and digits -> the ASCII ones, one for one; quotes of each kind -> one of them.
FLAT = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "【": "(", "】": ")"}
)
_WORD_OPERATORS = {
    "and": "AND", "or": "OR", "not": "NOT", "与": "AND", "或": "OR", "非": "NOT",
    "并且": "AND", "或者": "OR", "不含": "NOT", "不包含": "NOT",
}  # fmt: skip
_LONGEST_FIRST = sorted(_WORD_OPERATORS, key=len, reverse=True)
_HAN_NAME = r"(?:(?:期刊|学位|会议|专利|论文)[-—])?[\u4e00-\u9fff]{1,9}"
_NAME = rf"(?:[A-Za-z]{{1,15}}|{_HAN_NAME})(?:/(?:[A-Za-z]{{1,15}}|{_HAN_NAME})){{0,3}}"
PREFIX = re.compile(rf"({_NAME})\s{{0,5}}(%=|==|>=|<=|[=%:<>]|xls(?=[\s'\"]))\s{{0,5}}")
NEAR = re.compile(
    r"/(SEN|NEAR|PREV|AFT|PRG|PEG|SUB)\b\s{0,5}([0-9]{0,3})|(?<![^\s'\")])[#%](?=\s)", re.IGNORECASE
)
LINE = re.compile(r"#?([0-9]{1,4})(?![^\s()+*])")
_OPENING_SIGNS = frozenset("'\"(")
#: What divides a query from what a page prints beside it.
DIVIDES = frozenset(";,。、")
_CLOSELY = rf"(?:(?:精确|模糊)(?:匹配)?|{'|'.join(EXPANSIONS)})"
#: What a page prints after a value: how closely it is to match.
MATCHING = re.compile(rf"[(\[]\s{{0,3}}{_CLOSELY}\s{{0,3}}[)\]]|{_CLOSELY}(?![^\s;,。)])")


class ExpertScanner(LossReader):
    """A text and its form in ASCII signs and simplified characters.

    `lines`: the lines before it by number; None where lines have no numbers. `losses`: where what
    is lost is gathered; a new place by default.
    """

    def __init__(
        self,
        text: str,
        lines: Mapping[int, StrategyLine] | None = None,
        losses: Losses | None = None,
    ) -> None:
        super().__init__(text, "cnki", lines, losses)
        self.flat = simplified(text).translate(FLAT)

    def here(self) -> str:
        """The next character that is no blank, as ASCII; "" at the end."""
        return self.flat[self.skip() : self.at + 1]

    def skip(self) -> int:
        while self.at < len(self.text) and (
            is_blank(self.text[self.at]) or self.flat[self.at] in DIVIDES
        ):
            self.at += 1
        return self.at

    def near_sign(self) -> re.Match[str] | None:
        """Take the operator of proximity that is next."""
        match = NEAR.match(self.flat, self.skip())
        if match:
            self.at = match.end()
        return match

    def sign(self, signs: str) -> tuple[int, int] | None:
        """Take one of the signs, if it is next; where it stood."""
        at = self.skip()
        char = self.flat[at : at + 1]
        if not char or char not in signs or (char in "-^" and not self.is_not(at)):
            return None
        self.at = at + 1
        return at, at + 1

    def is_not(self, at: int) -> bool:
        """Whether - or ^ is NOT: after a blank, bracket or quote, and before something."""
        before = self.flat[at - 1] if at else " "
        rest = at + 1
        return (
            (is_blank(before) or before in "()'\"")
            and rest < len(self.text)
            and self.flat[rest] not in "-^"
        )

    def word_operator(self) -> tuple[str, int, int] | None:
        """Take AND, OR or NOT, if it is next: (which, where it stood)."""
        start = self.skip()
        found = self.operator_at(start)
        if found is None:
            return None
        name, self.at = found
        return name, start, self.at

    def operator_at(self, at: int) -> tuple[str, int] | None:
        """The word there, if it is AND, OR or NOT and no field: (which, where it ends)."""
        for word in _LONGEST_FIRST:
            end = at + len(word)
            if self.flat[at:end].casefold() == word and self.ends_word(end):
                return None if PREFIX.match(self.flat, at) else (_WORD_OPERATORS[word], end)
        return None

    def ends_word(self, at: int) -> bool:
        """Whether what stands at `at` ends a word; `++` belongs to the word before it."""
        after = self.flat[at : at + 2]
        if not after or is_blank(after[0]):
            return True
        return after[0] in '*()";' or (after[0] == "+" and after != "++")

    def starts_operand(self) -> bool:
        """Whether a word, a value, a field or a bracket is next."""
        at = self.skip()
        char = self.flat[at : at + 1]
        if not char or char in ")*+":
            return False
        if char in "-^" and self.is_not(at):
            return False
        return NEAR.match(self.flat, at) is None and self.operator_at(at) is None

    def ends_here(self, at: int) -> bool:
        """Whether a word ends at `at`: before a sign, or where a page prints its settings."""
        char = self.flat[at]
        if is_blank(char) or char in '*()";':
            return True
        return char in DIVIDES and self.label_at(at + 1) is not None

    def label_at(self, at: int) -> str | None:
        """The name there of what a page prints beside a query."""
        match = PREFIX.match(self.flat, at)
        if match is None or match[2] not in ("=", ":"):
            return None
        name = folded(match[1])
        return name if name in BESIDE or name in SETTINGS else None

    def word_end(self, at: int) -> int:
        flat, end = self.flat, at
        while end < len(flat) and not self.ends_here(end):
            if flat[end] == "+":
                pluses = end
                while flat[pluses : pluses + 1] == "+":
                    pluses += 1
                if pluses - end == 1 or end == at:
                    break
                # C+++Java: the last one joins what follows.
                follows = pluses < len(flat) and (
                    flat[pluses].isalnum() or flat[pluses] in _OPENING_SIGNS
                )
                return self.word_end_after(pluses - 1 if follows and pluses - end > 2 else pluses)
            end += 1
        return end

    def word_end_after(self, at: int) -> int:
        """As `word_end`, in a word that has its pluses already."""
        end = at
        while end < len(self.flat) and not self.ends_here(end) and self.flat[end] != "+":
            end += 1
        return end

    def quoted(self) -> str:
        """What stands between these quotes; apostrophes in it: see the head of this file."""
        opening, sign = self.at, self.flat[self.at]
        end = opening + 1
        while end < len(self.flat):
            if self.flat[end] == sign and not (sign == "'" and self.apostrophe(end)):
                break
            end += 1
        if end >= len(self.flat):
            rest = self.text[opening + 1 :].rstrip(")） ")
            fix = self.replaced(
                opening + 1 + len(rest), len(self.text), sign + self.text[opening + 1 + len(rest) :]
            )
            raise self.error(
                message("This quote is never closed"),
                opening,
                opening + 1,
                fix=fix if rest else self.text[:opening],
            )
        text = self.between_quotes(end)
        self.count(opening, end + 1)
        return text

    def apostrophe(self, at: int) -> bool:
        before, after = self.flat[at - 1], self.flat[at + 1 : at + 2]
        return before.isascii() and before.isalpha() and after.isascii() and after.isalpha()


OFTEN = re.compile(r"\$\s{0,5}[0-9]{1,3}(?![0-9])")
_DAY = r"[0-9]{4}(?:[-/.年][0-9]{1,2}(?:[-/.月][0-9]{1,2})?)?[年月日]?"
#: `2010-2020`, `2010年至今`, `[2010 TO 2020]`, `2010-01-01 到 2020-12-31`.
_PERIOD = re.compile(
    rf"\[?\s?({_DAY})\s{{0,3}}(?:[-–—~至到]|to\s)\s{{0,3}}({_DAY}|今|现在)?\s?\]?(?![0-9])",
    re.IGNORECASE,
)
_NO_LIMIT = re.compile(r"(?:不限|全部|所有)(?:年限|年份|年)?(?![^\s;,。)])")
_DATE_SIGNS = str.maketrans({"年": "-", "月": "-", "日": None})


class ExpertValueReader(ExpertScanner):
    """Turns values into parts of the tree. `target`: where the next value is looked for."""

    def __init__(
        self,
        text: str,
        lines: Mapping[int, StrategyLine] | None = None,
        losses: Losses | None = None,
    ) -> None:
        super().__init__(text, lines, losses)
        self.target = self.outer = EXPERT_FIELDS["u"]
        self.shown, self.named_at = "", (0, 0)
        #: What a page prints beside the query.
        self.printed: list[Clause] = []

    def fits(self, at: int) -> bool:
        """Whether what is there can be a further value of a field that takes not every word."""
        value = self.flat[at : self.word_end(at)].strip("'\"")
        match self.target.fields:
            case ():
                return self.target is not COUNT or value[:1].isdigit()
            case ("year",):
                return value[:4].isdigit()
            case ("type",):
                return type_word(value) is not None
            case ("language",):
                return language_code(value) is not None
            case ("doi" | "isbn" | "issn" as identifier,):
                return identifier_field(value) == identifier
        return True

    def nowhere(self, text: str) -> Clause:
        """What no field here holds: ignored, and told."""
        self.losses.add("nowhere", f"{self.shown} {text}")
        if self.not_searchable is None:
            reason = message(
                "{field} cannot be searched here: no field holds it; the fields are {names}",
                field=self.shown,
                names=SEARCHED,
            )
            fix = None if self.target is COUNT else self.without(*self.named_at)
            advice = message("Add a word to look for in another field.")
            self.not_searchable = self.error(reason, *self.named_at, fix=fix, advice=advice)
        return IGNORED

    def tell(self, sentence: str) -> None:
        """Note a whole sentence, in a line of a strategy as well."""
        self.losses.add("field", sentence)

    # ---------------------------------------------------------------- words

    def value(self, text: str, *, always: bool, start: int) -> Clause:
        """A quoted value, a phrase of several words, or `always`; CNKI has 'a /SEN 5 b'."""
        if not self.target.fields:
            return self.nowhere(text)
        if (bare := OFTEN.sub(" ", text).strip()) != text and bare:
            self.losses.add("frequency", "$")
            text = plain(bare)
        signs = list(NEAR.finditer(text.translate(FLAT)))
        edges = [0, *(edge for sign in signs for edge in sign.span()), len(text)]
        pieces = [plain(text[edges[at] : edges[at + 1]]) for at in range(0, len(edges), 2)]
        pieces = [piece for piece in pieces if piece] or [text]
        clauses = [
            self.asked(self.term(piece, self.target, phrase=always or " " in piece, start=start))
            for piece in pieces
        ]
        return clauses[0] if len(clauses) == 1 else self.beside(clauses, signs)

    @staticmethod
    def distance(sign: re.Match[str]) -> tuple[int, bool] | None:
        """How many words may stand between, and whether the order counts; None for what sources
        cannot be asked: sentences, paragraphs, distances of at least so many words.
        """
        name = (sign[1] or "").upper()
        return (int(sign[2]), name == "PREV") if name in ("NEAR", "PREV") and sign[2] else None

    def beside(self, clauses: Sequence[Clause], signs: Sequence[re.Match[str]]) -> Clause:
        """Operands with operators of proximity between them."""
        shown = ", ".join(dict.fromkeys(plain(sign[0]) for sign in signs))
        distances = {self.distance(sign) for sign in signs}
        distance = distances.pop() if len(distances) == 1 and len(clauses) > len(signs) else None
        if distance is None:
            self.losses.add("same", shown)
            return Clause(every(clauses).widest, None)
        self.losses.add("near", shown)
        return near(clauses, distance[0], ordered=distance[1])

    def asked(self, query: Query) -> Clause:
        """What is looked for in the present field; one author among all is asked more widely."""
        one_of_all = self.target.fields == ("author",) and self.target.loss
        return wider(query) if one_of_all else exact(query)

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
        plain_id = field in IDENTIFIERS
        return in_fields(
            target.fields, lambda field: words(text, field, phrase=phrase and not plain_id)
        )

    # ---------------------------------------------------------------- years

    def years(self, sign: str) -> Clause:
        start = self.skip()
        if match := _NO_LIMIT.match(self.flat, start):
            self.at = match.end()
            self.losses.add("settings", f"{self.shown} {match[0]}")
            return IGNORED
        if match := _PERIOD.match(self.flat, start):
            self.at = match.end()
            self.count(*match.span())
            first, last = (
                (day or "3000").translate(_DATE_SIGNS).rstrip("-") for day in match.groups()
            )
            last = "3000" if not last[:1].isdigit() else last
            return self.spread(first, last, match)
        if self.flat[start] in "'\"":
            value = self.quoted()
        else:
            self.at = self.word_end(start)
            value = self.text[start : self.at]
            self.count(start, self.at)
        value = value.translate(FLAT).translate(_DATE_SIGNS).rstrip("-")
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
        return self.exactly(dates, whole, value)

    def spread(self, first: str, last: str, match: re.Match[str]) -> Clause:
        """The years from one date to another, both printed."""
        try:
            years, whole = between(first, last)
        except BadYears as bad:
            fix = self.replaced(*match.span(), bad.corrected) if bad.corrected else None
            advice = None if fix else message("Write the years with four digits.")
            raise self.error(bad.reason, *match.span(), fix=fix, advice=advice) from None
        return self.exactly(years, whole, match[0])

    def exactly(self, years: Years, whole: bool, value: str) -> Clause:
        if whole:
            return exact(years)
        self.losses.add("date", value)
        return wider(years)
