"""Text -> tree by the table of one database: what the readers of all of them share.

    query   = operand { [ operator ] operand }    operators of one kind first, as
                                                  `DatabaseGrammar.order` says
    operand = [ prefix ] ( "(" query ")" | phrase | word { word } | reference ) [ suffix ]

A field named at a bracket holds for all that stands in it, unless another is named there. None
stands throughout for what cannot be asked: it is ignored, and a note names it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.grammar import FieldTarget
from metasearch.query.reading import ReadQuery, disjunction, in_fields, negation, truncatable, words
from metasearch.query.scanner import Sign, TextScanner
from metasearch.query.tree import IDENTIFIERS, MAX_LINES, Query, Term, Years, conjunction, plain
from metasearch.query.values import BadYears, identifier_field, language_named, type_named, years_in

# What a field is to hold: words, phrases, signs for letters, years, types, languages.

#: "Smith J*": any names that begin so, which an initial says anyway.
_INITIAL = re.compile(r"(?<!\S)([^\W\d_])\*(?!\S)")


class TermReader(TextScanner):
    """Turns the value of a field into the part of the tree that asks for it."""

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Query | None:
        """What a field is to hold. `tag`: where they are looked for. `where`: where they stand."""
        self.count(*where)
        label = shown.strip(" (=:.,")
        if not tag.fields:
            self.losses.add("nowhere", f"{label} {text}")
            if self.not_searchable is None:
                reason = message("{index} cannot be searched here: no field holds it", index=label)
                self.not_searchable = self.error(
                    reason, *where, advice=message("Add a word to look for in another field.")
                )
            return None
        match tag.fields:
            case ("year",):
                return self.years(text, where, label if tag.loss else "")
            case ("type",):
                return self.type(text)
            case ("language",):
                return self.language(text)
        if tag.loss:
            if tag.heading:
                self.losses.add("heading", label)
            else:
                self.losses.add("field", message("{field} is {loss}", field=label, loss=tag.loss))
        if not quoted and not tag.heading and text == "*":
            return None
        return self.looked_for(text, tag, where, quoted=quoted)

    def looked_for(
        self, text: str, tag: FieldTarget, where: tuple[int, int], *, quoted: bool
    ) -> Query | None:
        """Words or a phrase, with signs for letters; authors' names are words in any order."""
        fields = tag.fields
        if fields[0] in ("isbn", "issn") and (number := identifier_field(text)) in ("isbn", "issn"):
            fields = (number,)  # some databases have one field for both
        names = fields == ("author",)
        phrase = (quoted or tag.heading or self.grammar.phrases) and not names
        if names:
            text = _INITIAL.sub(r"\1", text)
        if fields[0] in IDENTIFIERS and any(sign in text for sign in "*?"):
            raise self.truncated_number(fields[0].upper(), *where)
        texts = [self.widened(word, where) for word in text.split(" ")]
        texts = [it for it in texts if it[0]]
        if not texts:
            raise self.error(
                message("There is no letter or digit to look for"), *where, fix=self.without(*where)
            )
        if any(cut for _, cut in texts):
            if phrase and len(texts) > 1:
                self.losses.add("broken phrase", text)
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
            self.losses.add("beginning", word)
        at = next((i for i, sign in enumerate(bare) if sign in wild), None)
        if at is None:
            return self.unsigned(bare), False
        stem, rest = bare[:at], bare[at:]
        if rest not in self.grammar.endless:
            self.losses.add("wildcard", word)
        if sum(map(str.isalnum, stem)) < 2:
            reason = message("{word} has too few letters before its sign", word=word[:40])
            raise self.error(
                reason, *where, advice=message("Write the whole words, with OR between them.")
            )
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
            fix = self.replaced(*where, bad.corrected) if bad.corrected else None
            advice = None if fix else message("Write the years as 2015 or 2015-2020.")
            raise self.error(bad.reason, *where, fix=fix, advice=advice) from None
        if other:
            self.losses.add(
                "field",
                message(
                    "{field} is {loss}",
                    field=other,
                    loss=message("read as the date of publication"),
                ),
            )
        if not whole:
            self.losses.add("date", text)
        return years

    def type(self, text: str) -> Query:
        """A type of works, or a keyword where there is none so narrow."""
        known, wider = type_named(text.rstrip("*$"))
        if known is None:
            self.losses.add("type", text)
            return words(text.rstrip("*$?"), "subject", phrase=" " in text)
        if wider:
            self.losses.add("wider type", f"{text} (type:{known})")
        return Term(known, "type")

    def language(self, text: str) -> Query | None:
        """A language; None where it is none."""
        known = language_named(text)
        if known is None:
            self.losses.add("limit", text)
            return None
        return Term(known, "language")


# Earlier lines of a strategy, named in a later one: `3`, `or/1-4,7`.


class ReferenceReader(TermReader):
    """Puts earlier lines in the place of their numbers."""

    def reference(self, number: int, start: int, end: int) -> Query | None:
        """What an earlier line means; `at` is behind its number then."""
        self.at = max(self.at, end)
        shown = self.text[start:end]
        if self.lines is None:
            reason = message(
                "{shown} names an earlier search; earlier searches are not kept", shown=shown
            )
            raise self.error(
                reason,
                start,
                end,
                fix=self.without(start, end),
                advice=message("Send all lines of the strategy."),
            )
        line = self.lines.get(number)
        if line is None:
            reason = message("There is no line {number} before this one", number=number)
            raise self.error(reason, start, end, advice=message("A line may name those before it."))
        if self.target is not self.grammar.default:
            self.losses.add("field of a line", f"{self.shown.strip(' (=:.,')} {shown}")
        self.used.add(number)
        self.losses.widened += line.widened
        if line.size > 1:
            self.read += line.size - 1
        self.count(start, end)
        return line.query

    def numbers(self, text: str, where: tuple[int, int]) -> list[int]:
        """The lines that `1-4,7` names, each once."""
        numbers: dict[int, None] = {}
        for part in filter(str.strip, text.replace("#", " ").split(",")):
            first, _, last = ("".join(piece.split()) for piece in part.partition("-"))
            if not first.isdigit() or not (last or first).isdigit():
                raise self.error(
                    message('"{part}" names no lines', part=part.strip()),
                    *where,
                    advice=message("Write 1-4 or 1,3."),
                )
            if int(last or first) < int(first):
                raise self.error(
                    message("The range {part} ends before it begins", part=part.strip()),
                    *where,
                    advice=message("Write 1-4."),
                )
            if int(last or first) - int(first) > MAX_LINES:
                raise self.error(
                    message("The range {part} names too many lines", part=part.strip()),
                    *where,
                    advice=message("Write 1-4."),
                )
            numbers |= dict.fromkeys(range(int(first), int(last or first) + 1))
        return list(numbers)


class DatabaseReader(ReferenceReader):
    """One text, or one line of a strategy, with the arguments of `TextScanner`."""

    # ---------------------------------------------------------------- the whole

    def tree(self) -> Query | None:
        """All of the text; None where nothing of it can be asked."""
        return self.all_of(self.query_or_none)

    def whole(self) -> ReadQuery:
        """All of the text, if it can be searched for."""
        return self.ended(self.tree())

    def ended(self, query: Query | None) -> ReadQuery:
        """The query with its notes. Raises QuerySyntaxError: nothing of it can be searched for."""
        if query is None:
            raise self.not_searchable or self.error(
                message("No part of the query can be searched for"),
                0,
                len(self.text),
                advice=message("Add a word to look for."),
            )
        for sentence in self.losses.sentences():
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
            self.check_alternation(query)
        return query

    def excluded(self, sign: Sign) -> Query | None:
        """The operand of a NOT; where it is read more widely, a note says more is excluded."""
        before, start = self.losses.widened, self.at
        query = self.operand(sign)
        if self.losses.widened > before:
            self.losses.add("negated", f"NOT {plain(self.text[start : self.at])}")
        return query

    def combined(self, operands: Sequence[Query | None], operators: Sequence[str]) -> Query | None:
        """Operands with the operators between them, those that bind closely first."""
        if self.order_matters(operators):
            self.losses.add("order", f"AND, OR and NOT|{self.grammar.title}")
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

    def order_matters(self, operators: Sequence[str]) -> bool:
        """Whether another order of reading would change what the operators mean."""
        if "OR" in operators and ("AND" in operators or "NOT" in operators):
            return True
        order = self.grammar.order
        late_not = "NOT" in operators and order.index("NOT") > order.index("AND")
        return late_not and "AND" in operators[operators.index("NOT") :]

    def operand(self, after: Sign | None) -> Query | None:
        """One operand, whatever it is."""
        char = self.here()
        if char in ("", ")"):
            if after:
                raise self.lacks(after.span, "after")
            raise self.stray() if char else self.nothing()
        start = self.at
        handled, query = self.special()
        if handled:
            if self.at <= start:
                raise self.error(
                    message("This cannot be read"),
                    start,
                    start + 1,
                    fix=self.without(start, start + 1),
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
        if reference := self.referred():
            return True, self.reference(int(reference[1]), *reference.span())
        return False, None

    def bracketed(self) -> Query | None:
        """What stands in the bracket that is next, in the field that is named after it."""
        opening = self.at
        self.check_depth(len(self.open), opening)
        close = self.closing.get(opening)
        if close is None:
            count = len(self.text) and self.text.count("(", opening) + len(self.open)
            fix = self.text + ")" * min(count, 1 + len(self.open))
            raise self.error(message("This bracket is never closed"), opening, opening + 1, fix=fix)
        outer = self.target, self.shown
        self.at = close + 1
        named = self.suffix_here()
        after = self.at
        if named:
            self.target, self.shown = named
        self.at = opening + 1
        if self.here() == ")":
            raise self.error(
                message("There is nothing between the brackets"),
                opening,
                close + 1,
                fix=self.without(opening, after),
            )
        self.open.append(opening)
        query = self.query_or_none()
        self.open.pop()
        self.target, self.shown = outer
        self.at = after
        return query

    def prefixed(self, tag: FieldTarget, shown: str) -> Query | None:
        """The operand that a field before it holds for."""
        outer = self.target, self.shown
        self.target, self.shown = tag, shown
        at = self.at
        start = max(at - len(shown) - 1, 0)
        if self.here() in ("", ")") or ((sign := self.peeked()) is not None and sign.name != "NOT"):
            raise self.error(
                message("{sign} needs something to look for after it", sign=shown),
                start,
                at,
                fix=self.without(start, at),
            )
        before = self.at
        if self.prefix() is not None and self.text[before] != "(":
            raise self.error(
                message("{shown} stands before another field", shown=shown),
                start,
                at,
                fix=self.without(start, at),
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
            self.losses.add("bare", shown)
        return query

    def field_after(self, at: int) -> bool:
        """Whether a field or bracket is named after an operator."""
        before, self.at = self.at, at
        named = self.here() in ("", "(") or self.prefix() is not None or self.referred() is not None
        self.at = before
        return named

    def run(self, after: Sign | None) -> Query | None:
        """Words up to the next operator, bracket, quote or field."""
        words: list[str] = []
        start = end = self.at
        named: tuple[FieldTarget, str] | None = None
        while (char := self.here()) and char not in "()" and not self.opens_quote(self.at):
            if words and (self.peeked() or self.referred(after_word=True) or self.starts_special()):
                break
            if not words and self.peeked():
                sign = self.operator()
                raise self.lacks((sign or after or Sign("", start, start + 1)).span, "before")
            before = self.at
            if words and self.prefix():
                self.at = before
                break
            raw_end = self.word_end(before)
            named = self.suffix_in(before, raw_end)
            end = self.at if named else raw_end
            word = self.text[before : self.cut_at] if named else self.text[before:raw_end]
            self.at = max(end, before + 1)
            if word:
                words.append(word)
            if named:
                break
        text = plain(" ".join(words))
        if not text:
            raise self.error(
                message("There is nothing to look for here"),
                start,
                max(self.at, start + 1),
                fix=self.without(start, max(self.at, start + 1)),
            )
        tag, shown = named or (self.target, self.shown)
        return self.value(text, tag, shown, (start, max(end, start + 1)), quoted=False)

    def starts_special(self) -> bool:
        """Whether a construct of this database alone begins inside a run of words."""
        return False

    # ---------------------------------------------------------------- earlier lines

    def nothing(self) -> QuerySyntaxError:
        return self.error(
            message("There is nothing to look for here"),
            0,
            max(1, len(self.text)),
            advice=message("Write a word."),
        )


def joined(level: str, group: Sequence[Query | None]) -> Query | None:
    """Operands with one operator between them; what cannot be asked is left out."""
    if len(group) == 1:
        return group[0]
    asked = [operand for operand in group if operand is not None]
    if not asked:
        return None
    if level == "OR":
        return disjunction(asked)
    if level == "NOT":
        first, *others = group
        excluded = [negation(operand) for operand in others if operand is not None]
        asked = excluded if first is None else [first, *excluded]
    return conjunction(*asked)
