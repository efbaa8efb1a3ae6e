"""What stands next in a text: an operator, a quote, a field, an earlier line. Nothing here knows
what a query means.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from metasearch.errors import QuerySyntaxError
from metasearch.message import N_, join_texts, message
from metasearch.query.clauses import Clause, left_to_right, without
from metasearch.query.grammar import (
    ABSTRACT,
    TITLE,
    TITLE_ABSTRACT,
    TOPIC,
    DatabaseGrammar,
    FieldTarget,
    together,
)
from metasearch.query.places import Places
from metasearch.query.reader import BracketReader, ReadQuery
from metasearch.query.syntaxes import NAMES
from metasearch.query.tree import is_blank, plain
from metasearch.query.values import DOI

# What the tree cannot express of a strategy: a sentence for each kind of loss, with its words.

#: Kind -> the sentence; `{words}` stands for the operators or words that it concerns.
SENTENCES: Mapping[str, str] = {
    "near": N_(
        "{words}: sources cannot be asked how near words stand to one another; they are asked "
        "for all of the words, which finds more"
    ),
    "same": N_(
        "{words}: read as AND, which finds more: sources know no sentences, paragraphs or least "
        "distances"
    ),
    "heading": N_("{words}: headings are looked for among keywords and subject headings"),
    "explosion": N_("{words}: narrower headings are not added"),
    "focus": N_(
        "{words}: sources cannot be asked for the main topic; the heading is looked for as any "
        "other"
    ),
    "subheading": N_(
        "{words}: sources cannot be asked for subheadings; the heading is looked for without them"
    ),
    "floating": N_(
        "{words}: all headings with this subheading are looked for by its words, among keywords "
        "and subject headings"
    ),
    "wildcard": N_("{words}: a sign that stands for some letters is read as any ending"),
    "spelling": N_("{words}: signs for letters are read as these spellings; others are not found"),
    "beginning": N_(
        "{words}: a sign before a word is ignored; words that only end like this are not found"
    ),
    "broken phrase": N_(
        "{words}: a phrase with a * in it is read as all of its words, in any order"
    ),
    "negated": N_(
        "{words}: this cannot be excluded as it is written, so less is excluded and more is found"
    ),
    "alternatives": N_(
        "{words}: one of these alternatives cannot be asked, so all of them are left out, which "
        "finds more"
    ),
    "no field": N_("{words}: read as words, because no field has this name here"),
    "code or word": N_(
        "{words}: read as words; a field has quotes, brackets or a capital after it"
    ),
    "unknown line": N_(
        "{words}: no part of it can be asked, so it is ignored where other lines name it"
    ),
    "nowhere": N_("{words}: ignored, because no field here holds this; that finds more"),
    "limit": N_("{words}: ignored, because no source can be asked for this limit; that finds more"),
    "field": "{words}",
    "type": N_(
        "{words}: there is no type of works as narrow as this; the words are looked for among "
        "keywords and subject headings"
    ),
    "wider type": N_("{words}: read as a type that includes more"),
    "date": N_("only the year of a date is searched ({words})"),
    "order": N_(
        "{words} without brackets are read in the order of {database}; write brackets to be sure"
    ),
    "bare": N_(
        "{words}: a field applies to the word, phrase or bracket directly beside it, "
        "not to the words after OR"
    ),
    "frequency": N_("{words}: sources cannot be asked how often a word occurs"),
    "duplicates": N_("{words}: ignored, because duplicates are always merged"),
    "hits": N_("numbers of hits at the ends of lines are ignored ({words})"),
    "unused": N_(
        "{words}: not searched for, because the last line does not use it, directly or through "
        "other lines"
    ),
    "lower case": N_(
        "{words}: read as operators, because brackets, quotes or fields stand beside them; "
        "write operators in capitals"
    ),
    "field of a line": N_(
        "{words}: a field does not hold for another line, which is looked for as it is"
    ),
    "word": N_("{words}: read as words; write operators in capitals"),
    "variations": N_("{words}: other forms of the words are not added here, which may find less"),
    "comment": N_("{words}: comments are ignored"),
    "limits": N_("{words}: read as limits of all that stands beside them"),
    "settings": N_("{words}: settings of a database are ignored"),
    "section": N_("{words}: taken for headings of the strategy, and not searched for"),
    "joined lines": N_(
        "{words}: no operator stands before this line, so the lines are joined with AND"
    ),
    "unnumbered": N_("{words}: a line without a number, read as one that combines the lines above"),
    "range": N_("{words}: read as a range of lines, with OR between them"),
    "number": N_("{words}: read as the number of a line, not as a word"),
    "number word": N_(
        "{words}: read as a word, not as the number of a line, because an operator of proximity "
        "stands beside"
    ),
    "counted": N_("the lines have no numbers, and one combines others: they are counted, {words}"),
}
#: Kinds of words with signs that find more than is meant.
_WIDER = frozenset({"wildcard", "broken phrase"})
#: Kinds of what is ignored.
IGNORED_KINDS = frozenset({"nowhere", "limit", "alternatives", "unknown line"})
#: Kinds of what a tree holds and no source can be asked.
OF_SOURCES = frozenset({"near", "explosion", "heading"})
_SHOWN = 8
_LONGEST_SHOWN = 60
#: Kinds whose words are shown whole: sentences, and spellings, which are bounded.
_WHOLE = frozenset({"field", "spelling"})


class SyntaxLosses:
    """Gathers a text's losses, each once. `more`: how many words were read more widely."""

    def __init__(self) -> None:
        self.more = 0
        self._concerned: dict[str, dict[str, None]] = {}

    def add(self, kind: str, of: str) -> None:
        """Note a loss: a key of `SENTENCES`, and the operator or words that it concerns."""
        self.more += kind in _WIDER
        # A sentence stays as it is, so that it may be translated.
        shown = of
        if kind not in _WHOLE:
            whole = len(of) <= _LONGEST_SHOWN
            cut = of if whole else of[:_LONGEST_SHOWN].rpartition(" ")[0] or of[:_LONGEST_SHOWN]
            shown = " ".join(cut.split()) + ("" if whole else " …")
        self._concerned.setdefault(kind, {})[shown] = None

    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """Kind -> the words that it concerns."""
        return {kind: tuple(words) for kind, words in self._concerned.items()}

    def sentences(self, kinds: Collection[str] = SENTENCES) -> tuple[str, ...]:
        """Returns one sentence for each of some kinds, in the order in which they were added."""
        return tuple(
            self._sentence(kind, list(of)) for kind, of in self._concerned.items() if kind in kinds
        )

    @staticmethod
    def _sentence(kind: str, of: list[str]) -> str:
        if kind == "order":
            words, _, database = of[0].partition("|")
            return message(SENTENCES[kind], words=words, database=database)
        concerned = join_texts("; " if kind == "field" else ", ", of[:_SHOWN])
        if len(of) > _SHOWN:
            concerned = message(
                "{words} and {number} more", words=concerned, number=len(of) - _SHOWN
            )
        return message(SENTENCES[kind], words=concerned)


_ENDS = frozenset('()"')


def _doi_end(text: str, at: int) -> int:
    """Where a DOI ends: brackets that are opened and closed in it belong to it."""
    opened = 0
    while at < len(text) and not is_blank(text[at]) and text[at] != '"':
        opened += (text[at] == "(") - (text[at] == ")")
        if opened < 0:
            break
        at += 1
    return at


_SINGLE = re.compile(r"'[^'()\"\n]{1,200}'(?!\w)")
#: A field as other syntaxes have it, and those that nobody means as a word before a colon.
_COLONED = re.compile(r"([A-Za-z]{2,15}(?:-[A-Za-z]{3,4}){0,3}):\s{0,2}(?=[\w\"(])")
#: EBSCOhost's and others' `TI x`, at the beginning of an operand.
_SPACED = re.compile(r"(TI|AB)\s{1,5}(?=[\w\"(])")
#: What stands before an operand.
BEGINS = re.compile(r"(?:\A|[\n(]|\b(?:AND|OR|NOT|[NW][0-9]{1,3}))\s{0,8}\Z", re.IGNORECASE)
_WITH_COLON = frozenset({TITLE, ABSTRACT, TITLE_ABSTRACT, TOPIC})
#: The number of an earlier line, whatever sign the database itself writes.
_LINE = re.compile(r"#([0-9]{1,4})")
_BARE_LINE = re.compile(r"([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class EarlierLine:
    """An earlier line of a strategy.

    Attributes:
        clause: What it means.
        size: How many words and phrases that is.
    """

    clause: Clause
    size: int


@dataclass(frozen=True, slots=True)
class Sign:
    """An operator: which it is ("NEAR" for all of proximity), where it stands, and how many words
    may stand between (None for those of a sentence or paragraph), in that order or in any.
    """

    name: str
    start: int
    end: int
    within: int | None = None
    ordered: bool = False

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


class LossReader(BracketReader):
    """A text, or a line of a strategy, and what is lost of it.

    `lines`: the lines before it by number; None where lines have no numbers. `losses`: where what
    is lost is gathered; a new place by default.
    """

    def __init__(
        self,
        text: str,
        syntax: str,
        lines: Mapping[int, EarlierLine] | None = None,
        losses: SyntaxLosses | None = None,
    ) -> None:
        super().__init__(text, syntax)
        self.lines = lines
        self.losses = losses or SyntaxLosses()
        self.used: set[int] = set()
        #: Where it says what stands where; None where nobody asks.
        self.places: Places | None = None
        self.not_searchable: QuerySyntaxError | None = None

    def result_of(self, clause: Clause) -> ReadQuery:
        """The query with its notes. Raises QuerySyntaxError: nothing of it can be searched for."""
        if clause.widest is None:
            why = " ".join(
                f"{sentence.rstrip('.')}." for sentence in self.losses.sentences(IGNORED_KINDS)
            )
            raise self.not_searchable or self.error(
                message("No part of the query can be searched for: {why}", why=why)
                if why
                else message("No part of the query can be searched for"),
                0,
                len(self.text),
                advice=message("Add a word to look for."),
                kind="index",
            )
        for sentence in self.losses.sentences():
            self.note(sentence)
        bounds = None if clause.is_exact else clause
        return self.finish(clause.widest, bounds, self.losses.sentences(OF_SOURCES))

    def line(self, number: int, start: int, end: int) -> EarlierLine:
        """The earlier line that text[start:end] names. Raises QuerySyntaxError: there is none."""
        if self.lines is None:
            raise self.error(
                message(
                    "{shown} names an earlier search; earlier searches are not kept",
                    shown=self.text[start:end],
                ),
                start,
                end,
                fix=self.without(start, end),
                advice=message("Send all lines of the strategy."),
            )
        line = self.lines.get(number)
        if line is None:
            reason = message("There is no line {number} before this one", number=number)
            raise self.error(reason, start, end, advice=message("A line may name those before it."))
        self.used.add(number)
        self.read += line.size - 1
        self.count(start, end)
        return line

    def exclusion(self, clause: Clause, start: int) -> Clause:
        """NOT of what stands from `start` on; a note says where it cannot be excluded as meant."""
        if not clause.is_exact:
            self.losses.add("negated", f"NOT {plain(self.text[start : min(self.at, start + 99)])}")
        return without(clause)

    def join(self, first: Clause, rest: Sequence[tuple[str, Clause]], start: int) -> Clause:
        """Operands from left to right; a note says where alternatives cannot be asked."""
        clause = left_to_right(first, rest, self.check_clause)
        asked = any(one.widest is not None for one in (first, *(one for _, one in rest)))
        if clause.widest is None and asked:
            self.losses.add("alternatives", plain(self.text[start : min(self.at, start + 99)]))
        return clause


class TextScanner(LossReader):
    """A text with a place in it, by the table of one database; arguments as of `LossReader`."""

    #: The table of the database; each reader sets its own.
    grammar: ClassVar[DatabaseGrammar]

    def __init__(
        self,
        text: str,
        lines: Mapping[int, EarlierLine] | None = None,
        losses: SyntaxLosses | None = None,
    ) -> None:
        super().__init__(text, self.grammar.name, lines, losses)
        self.target, self.shown = self.grammar.default, ""
        self.quotes = {'"': '"', "'": "'"} | dict(self.grammar.quotes)
        self.closing = self._bracket_pairs()

    # ---------------------------------------------------------------- operators

    def word_end(self, at: int) -> int:
        """Where the word at `at` ends: at a blank, bracket or double quote."""
        text, end = self.text, at
        if text.startswith("10.", at) and (doi := DOI.match(text, at)):
            return _doi_end(text, doi.end())
        while end < len(text) and not is_blank(text[end]) and text[end] not in _ENDS:
            end += 1
        return end

    def peek(self) -> Sign | None:
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
            return self.near_sign(word, self.at, end)
        return None

    def near_sign(self, word: str, start: int, end: int) -> Sign:
        """An operator of proximity: `NEAR/3`, `adj4`, `N5`."""
        name = word.rstrip("0123456789")
        number, name = word[len(name) :], name.rstrip("/").lower()
        if number:
            # adj4 is in the fourth place, all others count the words between.
            within: int | None = max(0, int(number) - (name == "adj"))
        else:
            within = self.grammar.distances.get(name, 0)
        ordered = name in self.grammar.ordered or (name == "adj" and not number)
        return Sign("NEAR", start, end, within, ordered)

    def is_near(self, word: str) -> bool:
        """Whether a word of letters alone is an operator of proximity: most databases want such a
        word in quotes.
        """
        return True

    def operator(self) -> Sign | None:
        sign = self.peek()
        if sign is None:
            return None
        self.at = sign.end
        if sign.name == "AND" and (also := self.peek()) and also.name == "NOT":
            self.at = also.end
            return Sign("NOT", sign.start, also.end)
        if sign.name == "NEAR":
            self.losses.add("near", self.text[sign.start : sign.end])
        return sign

    # ---------------------------------------------------------------- brackets and quotes

    def _bracket_pairs(self) -> dict[int, int]:
        """Opening -> closing round bracket; those in quotes are none."""
        pairs: dict[int, int] = {}
        opened: list[int] = []
        at, text = 0, self.text
        while at < len(text):
            if text[at] == "(":
                opened.append(at)
            elif text[at] == ")" and opened:
                pairs[opened.pop()] = at
            elif self.opens_quote(at):
                end = text.find(self.quotes[text[at]], at + 1)
                at = end if end > 0 else at
            at += 1
        return pairs

    def opens_quote(self, at: int) -> bool:
        """Whether a quote begins there; a single one within a word is an apostrophe. Where a
        database has no single quotes, a pair of them is meant as one all the same.
        """
        char = self.text[at : at + 1]
        if char == '"':
            return True
        if char not in self.quotes:
            return False
        before = self.text[at - 1] if at else " "
        if not is_blank(before) and before not in "(=:,[*":
            return False
        return char in self.grammar.quotes or bool(_SINGLE.match(self.text, at))

    # ---------------------------------------------------------------- fields

    cut_at = 0

    def prefix(self) -> tuple[FieldTarget, str] | None:
        """Take the field that is named next, if one is: where it looks, and its name."""
        if self.at and self.text[self.at - 1].isalnum():
            return None
        match = self.grammar.prefix and self.grammar.prefix.match(self.text, self.at)
        tag = self.target_of(match[1]) if match else None
        if match is None or tag is None:
            return self.foreign_field()
        self.at = match.end()
        return tag, plain(self.text[match.start() : match.end()])

    def foreign_field(self) -> tuple[FieldTarget, str] | None:
        """Take a field of words as another syntax has it, `TI: x` or `TI x`, which is told."""
        match = _COLONED.match(self.text, self.at)
        if match is None and BEGINS.search(self.text, max(self.at - 12, 0), self.at):
            match = _SPACED.match(self.text, self.at)
        tag = self.grammar.codes.get(match[1].casefold()) if match else None
        if match is None or tag not in _WITH_COLON or self.target is not self.grammar.default:
            return None
        suffix = self.grammar.suffix and self.grammar.suffix.match(self.text, match.end(1))
        if suffix and self.target_of(suffix[1]):
            return None  # ab:ti is a word in titles
        meant = " OR ".join(f"{field}:" for field in tag.fields)
        self.losses.add(
            "field", message("{name}: is read as {fields}", name=match[1], fields=meant)
        )
        self.at = match.end()
        return tag, plain(match[0])

    def suffix_here(self) -> tuple[FieldTarget, str] | None:
        """Take the field that is named directly after a bracket or quote, if one is."""
        if self.grammar.suffix is None:
            return None
        match = self.grammar.suffix.match(self.text, self.at)
        if match is None:
            return None
        tag = self.target_of(match[1])
        if tag is None:
            raise self.unknown_field(plain(match[0]), *match.span())
        self.at = match.end()
        self.after_suffix()
        return tag, plain(match[0])

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        """Take a word with its field at the end, which `cut_at` begins and `at` is behind."""
        if self.grammar.suffix is None:
            return None
        for at in range(start + 1, end):
            if self.text[at] not in ".:/":
                continue
            match = self.grammar.suffix.match(self.text, at)
            if match is None or match.end() < end or not self.is_suffix(match):
                continue
            if tag := self.target_of(match[1]):
                self.cut_at, self.at = at, match.end()
                self.after_suffix()
                return tag, plain(match[0])
        return None

    def is_suffix(self, match: re.Match[str]) -> bool:
        """Whether what looks like a field at the end of a word is one."""
        return True

    def after_suffix(self) -> None:
        """Take what a database itself writes behind a field."""

    def tell_field(self, field: str, loss: str) -> None:
        self.losses.add("field", message("{field} is {loss}", field=field, loss=loss))

    def tell_meaning(self, shown: str, meant: str) -> None:
        """Tell what is read where the database itself would not know it so."""
        self.losses.add("field", message("{field} is read as {meant}", field=shown, meant=meant))

    def unknown_field(self, name: str, start: int, end: int) -> QuerySyntaxError:
        """Returns the error for a code that the database does not have."""
        from difflib import get_close_matches

        # Of several codes, the first that there is none of; a code may have dots, too.
        parts = re.findall(r"[\w-]{1,40}", name.casefold())[:60]
        asked = next((part for part in parts if part not in self.grammar.codes), "")
        near = get_close_matches(asked, self.grammar.codes, 3, 0.5)
        near = near or get_close_matches(name.casefold()[:40], self.grammar.codes, 3, 0.5)
        name = asked if asked and "," in name else name
        reason = (
            message(
                "There is no field {field} in {title}; near it are {near}",
                field=name,
                title=NAMES[self.grammar.name].in_sentence,
                near=", ".join(near),
            )
            if near
            else message(
                "There is no field {field} in {title}",
                field=name,
                title=NAMES[self.grammar.name].in_sentence,
            )
        )
        return self.needless(reason, start, end)

    def target_of(self, names: str) -> FieldTarget | None:
        """Where several codes with commas look together; None where one is unknown."""
        tags = []
        for name in re.split(r"\s?[,/]\s?", plain(names).casefold()):
            tag = self.grammar.codes.get(name)
            if tag is None:
                return None
            tags.append(tag)
        return together(tags)

    # ---------------------------------------------------------------- earlier lines

    def line_reference(self, *, after_word: bool = False) -> re.Match[str] | None:
        """The earlier line that is named next, if one is. A mere number is one only as a whole
        operand: "phase 3 trial" is a phrase.
        """
        end = self.word_end(self.at)
        if self.lines is not None and (match := _LINE.fullmatch(self.text, self.at, end)):
            return match
        match = (
            self.grammar.reference.fullmatch(self.text, self.at, end) if end - self.at < 6 else None
        )
        if match is not None and not match[0].isdigit():
            return match
        if self.lines is None or after_word or not (self.ends_at(end) or self.opens(end)):
            return None
        word = self.text[self.at : end]
        known = len(word) < 6 and word.isdecimal() and int(word) in self.lines
        if self.target is not self.grammar.default and not (known and self.target.of_words):
            return None  # (2019 or 2020).yr.
        if self.is_beside_near(end):
            if known:
                self.losses.add("number word", word)
            return None
        if match is None and self.target is self.grammar.default:
            # Papers write the lines of any database with mere numbers.
            match = _BARE_LINE.fullmatch(self.text, self.at, end) if known else None
            if match:
                self.losses.add("number", match[0])
        return match

    def opens(self, at: int) -> bool:
        """Whether a bracket opens there, behind blanks."""
        return self.text[at : at + 20].lstrip()[:1] == "("

    def is_beside_near(self, end: int) -> bool:
        """Whether an operator of proximity stands beside the number that is next and ends at `end`:
        so it is a word.
        """
        before, self.at = self.at, end
        sign = self.peek()
        self.at = before
        last = self.text[max(0, before - 20) : before].split()[-1:]
        behind = last and self.grammar.near.fullmatch(last[0])
        return bool(behind) or (sign is not None and sign.name == "NEAR")

    def ends_at(self, at: int) -> bool:
        """Whether an operand ends there: an operator, a closing bracket or the end is next."""
        before, self.at = self.at, at
        ends = self.here() in ("", ")") or self.peek() is not None
        self.at = before
        return ends
