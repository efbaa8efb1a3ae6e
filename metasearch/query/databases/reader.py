"""Text -> tree by the table of one database: what the readers of all of them share.

    query   = operand { [ operator ] operand }    operators of one kind first: `Grammar.order`
    operand = [ prefix ] ( "(" query ")" | phrase | word { word } | reference ) [ suffix ]

A field named at a bracket holds for all that stands in it, unless another is named there. None
stands throughout for what cannot be asked: it is passed over wherever it stands, and told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from metasearch.errors import QuerySyntaxError
from metasearch.query.ast import IDENTIFIERS, Query, Term, Years, conjunction
from metasearch.query.databases.grammar import Grammar
from metasearch.query.databases.telling import Telling
from metasearch.query.databases.values import language_named, type_named, years_in
from metasearch.query.lexer import is_blank
from metasearch.query.nested import NestedReader
from metasearch.query.pubmed_tags import Tag
from metasearch.query.reading import (
    ReadQuery,
    disjunction,
    identifier_field,
    in_fields,
    negation,
    plain,
    truncatable,
    words,
)
from metasearch.query.years import BadYears

_DOUBLE = {'"': '"', "“": "”", "”": "”", "„": "“", "＂": "＂"}
_ENDS = frozenset('()（）"“”„＂')
#: "Smith J*": any names that begin so, which an initial says anyway.
_INITIAL = re.compile(r"(?<!\S)([^\W\d_])\*(?!\S)")
#: Lines of a strategy.
MOST_LINES = 300
_FLAT = str.maketrans("（）＂＝：", '()"=:')


@dataclass(frozen=True, slots=True)
class Line:
    """An earlier line of a strategy.

    Attributes:
        query: What it means, or None.
        size: How many words and phrases that is.
        widened: Whether it finds more than it was meant to.
    """

    query: Query | None
    size: int
    widened: bool = False


@dataclass(frozen=True, slots=True)
class Sign:
    """An operator: which it is ("NEAR" for all of proximity), and where it stands."""

    name: str
    start: int
    end: int

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


class DatabaseReader(NestedReader):
    """One text, or one line of a strategy.

    Args:
        text: As typed.
        grammar: The table of its database.
        lines: The lines before it by number; None where lines have no numbers.
        telling: Where what is lost is gathered; a new place by default.
    """

    def __init__(
        self,
        text: str,
        grammar: Grammar,
        lines: Mapping[int, Line] | None = None,
        telling: Telling | None = None,
    ) -> None:
        super().__init__(text, grammar.name)
        self.grammar = grammar
        self.lines = lines
        self.telling = telling or Telling()
        self.used: set[int] = set()
        self.target, self.shown = grammar.default, ""
        self.unsaid: QuerySyntaxError | None = None
        self.quotes = _DOUBLE | dict(grammar.quotes)
        self.closing = self._closing()

    # ---------------------------------------------------------------- the whole

    def tree(self) -> Query | None:
        """All of the text; None where nothing of it can be asked."""
        return self.all_of(self.query_or_none)

    def whole(self) -> ReadQuery:
        """All of the text, if it can be searched for."""
        return self.ended(self.tree())

    def ended(self, query: Query | None) -> ReadQuery:
        """The query with what is told.

        Raises:
            QuerySyntaxError: Nothing of it can be searched for.
        """
        if query is None:
            raise self.unsaid or self.error(
                "Nothing in it can be searched for here",
                0,
                len(self.text),
                advice="Name a word to look for.",
            )
        for sentence in self.telling.sentences():
            self.note(sentence)
        return self.finished(query)

    # ---------------------------------------------------------------- the grammar

    def query_or_none(self) -> Query | None:
        """Up to the end, or to the bracket that closes."""
        first = self.operator()
        if first and first.name != "NOT":
            raise self.lacks(first.span, "before")
        operands, operators = [self.excluded(first) if first else self.operand(None)], []
        if first and operands[0] is not None:
            operands[0] = negation(operands[0])
        while self.here() not in ("", ")"):
            sign = self.operator()
            operators.append(sign.name if sign else "BESIDE")
            operands.append(
                self.excluded(sign) if sign and sign.name == "NOT" else self.operand(sign)
            )
        query = self.combined(operands, operators)
        if query is not None:
            self.not_tangled(query)
        return query

    def excluded(self, sign: Sign) -> Query | None:
        """The operand behind a NOT; where it is read more widely, more is left out, and that is
        told.
        """
        before, start = self.telling.widened, self.at
        query = self.operand(sign)
        if self.telling.widened > before:
            self.telling.tell("negated", f"NOT {plain(self.text[start : self.at])}")
        return query

    def combined(self, operands: Sequence[Query | None], operators: Sequence[str]) -> Query | None:
        """Operands with the operators between them, those that bind closely first."""
        late_not = (
            self.grammar.order.index("NOT") > self.grammar.order.index("AND") and "NOT" in operators
        )
        if ("OR" in operators and any(it in ("AND", "NOT") for it in operators)) or (
            late_not and "AND" in operators[operators.index("NOT") :]
        ):
            self.telling.tell("order", f"AND, OR and NOT|{self.grammar.title}")
        order: list[str] = list(self.grammar.order)
        order.insert(1 if order[0] == "OR" else 0, "NEAR")
        for level in ("BESIDE", *order):
            groups, rest = [[operands[0]]], []
            for operator, operand in zip(operators, operands[1:], strict=True):
                if operator == level:
                    groups[-1].append(operand)
                else:
                    rest.append(operator)
                    groups.append([operand])
            operands, operators = [joined(level, group) for group in groups], rest
        return operands[0]

    def operand(self, after: Sign | None) -> Query | None:
        """One operand, whatever it is."""
        char = self.here()
        if char in ("", ")"):
            raise (
                self.lacks(after.span, "after")
                if after
                else self.stray()
                if char
                else self.nothing()
            )
        start = self.at
        handled, query = self.special()
        if handled:
            if self.at <= start:
                raise self.error(
                    "This cannot be read", start, start + 1, fix=self.cut(start, start + 1)
                )
            return query
        if prefix := self.prefix():
            return self.prefixed(*prefix)
        if char == "(":
            return self.bracketed()
        if self.opens_quote(self.at):
            text = self.quoted_to(self.quotes[self.text[self.at]])
            end = self.at
            tag, shown = self.suffix_here() or (self.target, self.shown)
            return self.value(text, tag, shown, (start, end), quoted=True)
        return self.run(after)

    def special(self) -> tuple[bool, Query | None]:
        """Whether a construct of this database alone is next, and what it means."""
        if found := self.referred():
            return True, self.reference(int(found[1]), *found.span())
        return False, None

    def bracketed(self) -> Query | None:
        """What stands in the bracket that is next, in the field that is named after it."""
        opening = self.at
        self.not_too_deep(len(self.open), opening)
        close = self.closing.get(opening)
        if close is None:
            count = len(self.text) and self.text.count("(", opening) + len(self.open)
            fix = self.text + ")" * min(count, 1 + len(self.open))
            raise self.error("This bracket is never closed", opening, opening + 1, fix=fix)
        outer = self.target, self.shown
        self.at = close + 1
        named = self.suffix_here()
        after = self.at
        if named:
            self.target, self.shown = named
        self.at = opening + 1
        if self.here() == ")":
            raise self.error(
                "There is nothing between the brackets",
                opening,
                close + 1,
                fix=self.cut(opening, after),
            )
        self.open.append(opening)
        query = self.query_or_none()
        self.open.pop()
        self.target, self.shown = outer
        self.at = after
        return query

    def prefixed(self, tag: Tag, shown: str) -> Query | None:
        """The operand that a field before it holds for."""
        outer = self.target, self.shown
        self.target, self.shown = tag, shown
        at = self.at
        start = max(at - len(shown) - 1, 0)
        if self.here() in ("", ")") or ((sign := self.peeked()) is not None and sign.name != "NOT"):
            raise self.error(
                f"{shown} needs something to look for after it", start, at, fix=self.cut(start, at)
            )
        before = self.at
        if self.prefix() is not None and self.text[before] != "(":
            raise self.error(
                f"{shown} stands before another field", start, at, fix=self.cut(start, at)
            )
        self.at = before
        opens = self.here() == "("
        query = self.operand(None)
        self.target, self.shown = outer
        sign = None if opens else self.peeked()
        if (
            sign
            and sign.name == "OR"
            and self.target is self.grammar.default
            and not self.field_after(sign.end)
        ):
            self.telling.tell("bare", shown)
        return query

    def field_after(self, at: int) -> bool:
        """Whether a field or bracket is named after an operator."""
        before, self.at = self.at, at
        named = self.here() in ("", "(") or self.prefix() is not None or self.referred() is not None
        self.at = before
        return named

    def run(self, after: Sign | None) -> Query | None:
        """Words up to the next operator, bracket, quote or field."""
        found: list[str] = []
        start = end = self.at
        named: tuple[Tag, str] | None = None
        while (char := self.here()) and char not in "()" and not self.opens_quote(self.at):
            if found and (self.peeked() or self.referred() or self.starts_special()):
                break
            if not found and self.peeked():
                sign = self.operator()
                raise self.lacks((sign or after or Sign("", start, start + 1)).span, "before")
            before = self.at
            if found and self.prefix():
                self.at = before
                break
            raw_end = self.word_end(before)
            named = self.suffix_in(before, raw_end)
            end = self.at if named else raw_end
            word = self.text[before : self.cut_at] if named else self.text[before:raw_end]
            self.at = max(end, before + 1)
            if word:
                found.append(word)
            if named:
                break
        text = plain(" ".join(found))
        if not text:
            raise self.error(
                "There is nothing to look for here",
                start,
                max(self.at, start + 1),
                fix=self.cut(start, max(self.at, start + 1)),
            )
        tag, shown = named or (self.target, self.shown)
        return self.value(text, tag, shown, (start, max(end, start + 1)), quoted=False)

    def starts_special(self) -> bool:
        """Whether a construct of this database alone begins inside a run of words."""
        return False

    # ---------------------------------------------------------------- signs

    def here(self) -> str:
        """The next character that is no blank, as ASCII; "" at the end."""
        while self.at < len(self.text) and is_blank(self.text[self.at]):
            self.at += 1
        return self.text[self.at : self.at + 1].translate(_FLAT)

    def word_end(self, at: int) -> int:
        """Where the word at `at` ends: at a blank, bracket or double quote."""
        text, end = self.text, at
        while end < len(text) and not is_blank(text[end]) and text[end] not in _ENDS:
            end += 1
        return end

    def peeked(self) -> Sign | None:
        """The operator that is next, left where it is."""
        self.here()
        end = self.word_end(self.at)
        if end - self.at > 12:
            return None
        word = self.text[self.at : end]
        upper = word.upper()
        if upper in ("AND", "OR", "NOT"):
            return Sign(upper, self.at, end)
        if self.grammar.near.fullmatch(word) and (not word.isalpha() or self.is_near(word)):
            return Sign("NEAR", self.at, end)
        return None

    def is_near(self, word: str) -> bool:
        """Whether a word of letters alone is an operator of proximity: most databases want such a
        word in quotes.
        """
        return True

    def operator(self) -> Sign | None:
        """Take the operator that is next."""
        sign = self.peeked()
        if sign is None:
            return None
        self.at = sign.end
        if sign.name == "AND" and (also := self.peeked()) and also.name == "NOT":
            self.at = also.end
            return Sign("NOT", sign.start, also.end)
        if sign.name == "NEAR":
            self.telling.tell("near", self.text[sign.start : sign.end])
        return sign

    def _closing(self) -> dict[int, int]:
        """Opening -> closing round bracket; those in quotes are none."""
        pairs: dict[int, int] = {}
        opened: list[int] = []
        at, text = 0, self.text
        flat = text.translate(_FLAT)
        while at < len(text):
            if flat[at] == "(":
                opened.append(at)
            elif flat[at] == ")" and opened:
                pairs[opened.pop()] = at
            elif self.opens_quote(at):
                end = text.find(self.quotes[text[at]], at + 1)
                at = end if end > 0 else at
            at += 1
        return pairs

    # ---------------------------------------------------------------- quotes

    def opens_quote(self, at: int) -> bool:
        """Whether a quote begins there; a single one within a word is an apostrophe."""
        char = self.text[at : at + 1]
        if char in _DOUBLE:
            return True
        if char not in self.quotes:
            return False
        before = self.text[at - 1] if at else " "
        return is_blank(before) or before in "(（=,[*"

    # ---------------------------------------------------------------- fields

    cut_at = 0

    def prefix(self) -> tuple[Tag, str] | None:
        """Take the field that is named next, if one is: where it looks, and its name."""
        if self.grammar.prefix is None:
            return None
        found = self.grammar.prefix.match(self.text, self.at)
        if found is None or (self.at and self.text[self.at - 1].isalnum()):
            return None
        tag = self.known(found[1])
        if tag is None:
            return None
        self.at = found.end()
        return tag, plain(self.text[found.start() : found.end()])

    def suffix_here(self) -> tuple[Tag, str] | None:
        """Take the field that is named directly after a bracket or quote, if one is."""
        if self.grammar.suffix is None:
            return None
        found = self.grammar.suffix.match(self.text, self.at)
        if found is None:
            return None
        tag = self.known(found[1])
        if tag is None:
            shown = plain(found[0])
            reason = f"There is no field {shown} in {self.grammar.title}"
            raise self.error(reason, *found.span(), fix=self.cut(*found.span()))
        self.at = found.end()
        self.after_suffix()
        return tag, plain(found[0])

    def suffix_in(self, start: int, end: int) -> tuple[Tag, str] | None:
        """Take a word with the field at its end: `cut_at` is where the field begins, `at` is behind
        it.
        """
        if self.grammar.suffix is None:
            return None
        for at in range(start + 1, end):
            if self.text[at] not in ".:/":
                continue
            found = self.grammar.suffix.match(self.text, at)
            if (
                found
                and found.end() >= end
                and self.is_suffix(found)
                and (tag := self.known(found[1]))
            ):
                self.cut_at, self.at = at, found.end()
                self.after_suffix()
                return tag, plain(found[0])
        return None

    def is_suffix(self, found: re.Match[str]) -> bool:
        """Whether what looks like a field at the end of a word is one."""
        return True

    def after_suffix(self) -> None:
        """Take what a database itself writes behind a field."""

    def known(self, names: str) -> Tag | None:
        """Where several codes with commas look together; None where one is unknown."""
        tags = []
        for name in re.split(r"\s?[,/]\s?", plain(names).casefold().translate(_FLAT)):
            tag = self.grammar.codes.get(name)
            if tag is None:
                return None
            tags.append(tag)
        if len(tags) == 1:
            return tags[0]
        fields = dict.fromkeys(it for tag in tags for it in tag.fields)
        if len(fields) > 1:
            for special in ("year", "type", "language", *IDENTIFIERS):
                fields.pop(special, None)
        if "any" in fields:
            return Tag(("any",))
        told = next((tag.told for tag in tags if tag.told), "")
        return Tag(tuple(fields), told, heading=all(tag.heading for tag in tags))

    # ---------------------------------------------------------------- values

    def value(
        self, text: str, tag: Tag, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Query | None:
        """What a field is to hold.

        Args:
            text: Words with single blanks between them.
            tag: Where they are looked for.
            shown: The field as it was written.
            where: Where they stand.
            quoted: Whether they stand in quotes.
        """
        self.counted(*where)
        label = shown.strip(" (=:.,")
        if not tag.fields:
            self.telling.tell("nowhere", f"{label} {text}")
            if self.unsaid is None:
                reason = f"{label} cannot be searched here: no field holds it"
                self.unsaid = self.error(
                    reason, *where, advice="Add a word to look for in another field."
                )
            return None
        match tag.fields:
            case ("year",):
                return self.years(text, where, label if tag.told else "")
            case ("type",):
                return self.type(text)
            case ("language",):
                return self.language(text)
        if tag.told:
            if tag.heading:
                self.telling.tell("heading", label)
            else:
                self.telling.tell("field", f"{label} is {tag.told}")
        if not quoted and not tag.heading and text == "*":
            return None
        return self.looked_for(text, tag, where, quoted=quoted)

    def looked_for(
        self, text: str, tag: Tag, where: tuple[int, int], *, quoted: bool
    ) -> Query | None:
        """Words or a phrase, with signs for letters in them; names of authors are words in any
        order.
        """
        fields = tag.fields
        if fields[0] in ("isbn", "issn") and (number := identifier_field(text)) in ("isbn", "issn"):
            fields = (number,)  # some databases have one field for both
        names = fields == ("author",)
        phrase = (quoted or tag.heading or self.grammar.phrases) and not names
        if names:
            text = _INITIAL.sub(r"\1", text)
        if fields[0] in IDENTIFIERS and any(sign in text for sign in "*?"):
            raise self.whole_number(fields[0].upper(), *where)
        texts = [self.widened(word, where) for word in text.split(" ")]
        texts = [it for it in texts if it[0]]
        if not texts:
            raise self.error(
                "There is no letter or digit to look for", *where, fix=self.cut(*where)
            )
        if any(cut for _, cut in texts):
            if phrase and len(texts) > 1:
                self.telling.tell("broken phrase", text)
        elif phrase or len(texts) == 1 or len(fields) == 1:
            joined = " ".join(word for word, _ in texts)
            phrase = phrase and fields[0] not in IDENTIFIERS
            by_quotes = phrase and (len(texts) > 1 or (quoted and not joined.isalnum()))
            return in_fields(fields, lambda field: words(joined, field, phrase=by_quotes))
        if len(fields) == 1:
            return truncatable(texts, fields[0])
        # All must occur, but not all in the same one of the fields.
        return conjunction(*(in_fields(fields, partial(truncatable, [text])) for text in texts))

    def widened(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        """(the word, or its beginning where any ending will do, whether it is one)."""
        wild = self.grammar.wild
        if "'" in word and self.grammar.quotes.get("'"):
            word = word.strip("'")
        bare = word.lstrip(wild)
        if bare != word and bare:
            self.telling.tell("beginning", word)
        at = next((i for i, sign in enumerate(bare) if sign in wild), None)
        if at is None:
            return self.unsigned(bare), False
        stem, rest = bare[:at], bare[at:]
        if rest not in self.grammar.endless:
            self.telling.tell("wildcard", word)
        if sum(map(str.isalnum, stem)) < 2:
            reason = f"{word[:40]} leaves too few letters to look for"
            raise self.error(reason, *where, advice="Write the words out, with OR between them.")
        return self.unsigned(stem), True

    def unsigned(self, word: str) -> str:
        """A word without the punctuation that a sentence puts around it."""
        bare = word.strip(",;")
        return bare if any(map(str.isalnum, bare)) else ""

    def years(self, text: str, where: tuple[int, int], other: str = "") -> Years:
        """The years that a field of dates is to hold."""
        try:
            years, whole = years_in(text)
        except BadYears as bad:
            fix = self.put(*where, bad.corrected) if bad.corrected else None
            advice = None if fix else "Write the years as 2015 or 2015-2020."
            raise self.error(bad.reason, *where, fix=fix, advice=advice) from None
        if other:
            self.telling.tell("field", f"{other} is taken for the date of publication")
        if not whole:
            self.telling.tell("date", text)
        return years

    def type(self, text: str) -> Query:
        """A type of works, or a keyword where there is none so narrow."""
        known, wider = type_named(text.rstrip("*$"))
        if known is None:
            self.telling.tell("type", text)
            return words(text.rstrip("*$?"), "subject", phrase=" " in text)
        if wider:
            self.telling.tell("wider type", f"{text} (type:{known})")
        return Term(known, "type")

    def language(self, text: str) -> Query | None:
        """A language; None where it is none."""
        known = language_named(text)
        if known is None:
            self.telling.tell("limit", text)
            return None
        return Term(known, "language")

    # ---------------------------------------------------------------- lines

    def referred(self) -> re.Match[str] | None:
        """The earlier line that is named next, if one is."""
        end = self.word_end(self.at)
        found = (
            self.grammar.reference.fullmatch(self.text, self.at, end) if end - self.at < 6 else None
        )
        return found if found and (self.lines is not None or not found[0].isdigit()) else None

    def reference(self, number: int, start: int, end: int) -> Query | None:
        """What an earlier line means; `at` is behind its number then."""
        self.at = max(self.at, end)
        shown = self.text[start:end]
        if self.lines is None:
            reason = f"{shown} stands for an earlier search, and none is remembered here"
            raise self.error(
                reason,
                start,
                end,
                fix=self.cut(start, end),
                advice="Send all lines of the strategy.",
            )
        line = self.lines.get(number)
        if line is None:
            reason = f"There is no line {number} before this one"
            raise self.error(reason, start, end, advice="A line may name those before it.")
        self.used.add(number)
        self.telling.widened += line.widened
        if line.size > 1:
            self.read += line.size - 1
        self.counted(start, end)
        return line.query

    def numbers(self, text: str, where: tuple[int, int]) -> list[int]:
        """The lines that `1-4,7` names, each once."""
        numbers: dict[int, None] = {}
        for part in filter(str.strip, text.replace("#", " ").split(",")):
            first, _, last = ("".join(it.split()) for it in part.partition("-"))
            if not first.isdigit() or not (last or first).isdigit():
                raise self.error(
                    f'"{part.strip()}" names no lines', *where, advice="Write 1-4 or 1,3."
                )
            if int(last or first) < int(first):
                raise self.error(
                    f"The range {part.strip()} ends before it begins", *where, advice="Write 1-4."
                )
            if int(last or first) - int(first) > MOST_LINES:
                raise self.error(
                    f"The range {part.strip()} names too many lines", *where, advice="Write 1-4."
                )
            numbers |= dict.fromkeys(range(int(first), int(last or first) + 1))
        return list(numbers)

    def nothing(self) -> QuerySyntaxError:
        return self.error(
            "There is nothing to look for here", 0, max(1, len(self.text)), advice="Write a word."
        )


def identifier(text: str) -> Tag | None:
    """The place of an identifier, as its form tells."""
    found = identifier_field(text)
    return Tag((found,)) if found else None


def joined(level: str, group: Sequence[Query | None]) -> Query | None:
    """Operands with one operator between them; what cannot be asked is left out."""
    if len(group) == 1:
        return group[0]
    said = [it for it in group if it is not None]
    if not said:
        return None
    if level == "OR":
        return disjunction(said)
    if level == "NOT":
        said = [it if at == 0 else negation(it) for at, it in enumerate(group) if it is not None]
    return conjunction(*said)
