"""PubMed's syntax -> `ReadQuery`, as its help describes it (https://pubmed.ncbi.nlm.nih.gov/help/).

    query   = operand { [ "AND" | "OR" | "NOT" ] operand }    left to right, no precedence; capitals
    operand = "(" query ")" | ( words | phrase ) [ tag ]
            | date [ tag ] ":" date tag

A tag holds for the words, or the phrase, directly before it. Where we have only a wider field, that
one is searched and a note says so; what no field here holds is passed over (None) beside something
that can be searched for, and a note names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from metasearch.bib.languages import language_code
from metasearch.errors import QuerySyntaxError
from metasearch.query.ast import IDENTIFIERS, Query, Term, Years
from metasearch.query.blanks import is_blank
from metasearch.query.databases.lines import numbered_lines, read_lines
from metasearch.query.databases.losses import Losses
from metasearch.query.databases.scanner import StrategyLine
from metasearch.query.kinds import type_word
from metasearch.query.nested import NestedReader
from metasearch.query.pubmed_tags import SEARCHED, STUDIES, TAGS, TYPES, Tag
from metasearch.query.reading import (
    LeftToRight,
    ReadQuery,
    attempt,
    between,
    dated,
    identifier_field,
    in_fields,
    negation,
    plain,
    truncatable,
    words,
)
from metasearch.query.years import BadYears

_OPERATORS = ("AND", "OR", "NOT")
_CLOSERS = {'"': '"', "“": "”", "”": "”", "＂": "＂"}
_TAG = re.compile(r"\s{0,5}\[([^\[\]]{1,50})\]")
_DATE = r"[0-9]{4}(?:/[0-9]{1,2}){0,2}"
_RANGE = re.compile(rf"({_DATE}):({_DATE})")
_AND_THEN = re.compile(rf'\s{{0,5}}:\s{{0,5}}("?)({_DATE})("?)')
_EVERYWHERE = TAGS["all"]
_LINE = re.compile(r"#([0-9]{1,4})(?![^\s()（）])")
_FILTERS = frozenset({"filter", "sb", "subset", "filters"})


def parse_pubmed(text: str) -> ReadQuery:
    """Read a query as one types it into PubMed.

    Raises:
        QuerySyntaxError: It is none, or has a tag that cannot be searched here.
    """
    return attempt(_read, text)


def _read(text: str) -> ReadQuery:
    reader = _PubmedParser(text)
    lines = numbered_lines(text)
    return (
        reader.ended(reader.tree())
        if lines is None
        else read_lines(text, lines, _PubmedParser, "pubmed")
    )


class _PubmedParser(NestedReader):
    def __init__(
        self,
        text: str,
        lines: Mapping[int, StrategyLine] | None = None,
        losses: Losses | None = None,
    ) -> None:
        super().__init__(text, "pubmed")
        self.lines = lines
        self.losses = losses or Losses()
        self.used: set[int] = set()
        self.unsaid: QuerySyntaxError | None = None

    def tree(self) -> Query | None:
        """All of the text; None where nothing of it can be asked."""
        return self.all_of(self.query_or_none)

    def ended(self, query: Query | None) -> ReadQuery:
        """The query with what is told."""
        if query is None:
            end = len(self.text)
            raise self.unsaid or self.error(
                "Nothing in it can be searched for here", 0, end, advice="Add a word."
            )
        for sentence in self.losses.sentences():
            self.note(sentence)
        return self.finished(query)

    # ---------------------------------------------------------------- the grammar

    def query_or_none(self) -> Query | None:
        operator = self.operator()
        if operator and operator[0] != "NOT":
            raise self.lacks(operator[1:], "before")
        first = self.operand(operator)
        joined = (
            None if first is None else LeftToRight(self, negation(first) if operator else first)
        )
        while self.here() not in ("", ")"):
            operator = self.operator()
            if operator and operator[0] == "AND" and (also := self.operator()):
                if also[0] != "NOT":
                    raise self.lacks(operator[1:], "after")
                operator = also
            before, start = self.losses.widened, self.at
            name, right = operator[0] if operator else "AND", self.operand(operator)
            if name == "NOT" and self.losses.widened > before:
                self.losses.add("negated", f"NOT {plain(self.text[start : self.at])}")
            if joined is None and right is not None:
                joined = LeftToRight(self, negation(right) if name == "NOT" else right)
            elif joined is not None and right is not None:
                joined.add(name, right)
        return joined.query() if joined else None

    def operand(self, after: tuple[str, int, int] | None) -> Query | None:
        char = self.here()
        if char == "(":
            return self.bracketed()
        if found := _LINE.match(self.text, self.at):
            return self.reference(found)
        if char == "[":
            raise self.loose_tag()
        if char in ("", ")"):
            raise self.lacks(after[1:], "after") if after else self.stray()
        start = self.at
        if char in _CLOSERS:
            text, phrase = self.quoted_to(_CLOSERS[char]), True
        else:
            text, phrase = self.words(), False
            if not text:
                raise self.lacks((self.operator() or ("", start, start + 1))[1:], "before")
        if date := self.spread(text, start):
            return date
        self.counted(start, self.at)
        end = self.at
        found = _TAG.match(self.text, self.at)
        if found is None:
            return self.term(text, _EVERYWHERE, phrase, (start, end), "")
        self.at = found.end()
        return self.term(text, self.tag(found), phrase, (start, end), plain(found[1]))

    def bracketed(self) -> Query | None:
        opening = self.enter()
        query = self.query_or_none()
        self.leave(opening)
        if found := _TAG.match(self.text, self.at):
            reason = "A tag holds for a word or phrase, not for a group"
            raise self.error(reason, found.start(1) - 1, found.end(), fix=self.cut(*found.span()))
        return query

    def reference(self, found: re.Match[str]) -> Query | None:
        """What an earlier line means."""
        where = found.span()
        if self.lines is None:
            reason = f"{found[0]} stands for an earlier search, and none is remembered here"
            raise self.error(reason, *where, fix=self.cut(*where))
        line = self.lines.get(int(found[1]))
        if line is None:
            reason = f"There is no line {found[1]} before this one"
            raise self.error(reason, *where, advice="A line may name those before it.")
        self.at = found.end()
        self.used.add(int(found[1]))
        self.losses.widened += line.widened
        self.read += line.size - 1
        self.counted(*where)
        return line.query

    # ---------------------------------------------------------------- pieces

    def here(self) -> str:
        """The next character that is no blank, brackets as ASCII; "" at the end."""
        while self.at < len(self.text) and is_blank(self.text[self.at]):
            self.at += 1
        return self.text[self.at : self.at + 1].translate({0xFF08: "(", 0xFF09: ")"})

    def operator(self) -> tuple[str, int, int] | None:
        """Take an operator, if it is next: (which, where it stood)."""
        self.here()
        end = self.word_end(self.at)
        name = self.text[self.at : end]
        if name not in _OPERATORS or _TAG.match(self.text, end):
            if not self.lower_operator(self.at, end):
                return None
            self.losses.add("lower case", name)
        start, self.at = self.at, end
        return name.upper(), start, end

    def lower_operator(self, at: int, end: int) -> bool:
        """Whether what stands there is an operator in small letters: between brackets, quotes or
        tags it is no word.
        """
        if self.text[at:end] not in ("and", "or", "not"):
            return False
        before, after = at - 1, end
        while before >= 0 and is_blank(self.text[before]):
            before -= 1
        while after < len(self.text) and is_blank(self.text[after]):
            after += 1
        if before < 0 or after == len(self.text) or self.text[after] in ")）[":
            return False
        shown = self.text[before] in ')）]"”＂' or self.text[after] in '(（"“＂'
        if not shown:
            self.losses.add("word", self.text[at:end])
        return shown

    def word_end(self, at: int) -> int:
        end = at
        while (
            end < len(self.text)
            and not is_blank(self.text[end])
            and self.text[end] not in '()（）[]"“”＂'
        ):
            end += 1
        return max(end, at + 1) if self.text[at : at + 1] == "]" else end

    def words(self) -> str:
        """Take words up to the next operator, bracket, quote or tag."""
        found: list[str] = []
        while (char := self.here()) and char not in "()[" and char not in _CLOSERS:
            end = self.word_end(self.at)
            word = self.text[self.at : end]
            if word in _OPERATORS and not _TAG.match(self.text, end):
                break
            if _LINE.match(self.text, self.at) or self.lower_operator(self.at, end):
                break
            found.append(word)
            self.at = end
        return plain(" ".join(found))

    def spread(self, text: str, start: int) -> Query | None:
        """The rest of a range whose first date was `text`, with or without a tag; None where it is
        no range.
        """
        if not re.fullmatch(_DATE, text):
            return None
        at = self.at
        first = _TAG.match(self.text, at)
        then = _AND_THEN.match(self.text, first.end() if first else at)
        if then is None or then[1] != then[3]:
            return None
        last = _TAG.match(self.text, then.end())
        named = last or first
        if named is None:
            return None
        self.at = last.end() if last else then.end()
        self.counted(start, self.at)
        return self.years(
            f"{text}:{then[2]}", self.tag(named), (start, then.end()), plain(named[1])
        )

    # ---------------------------------------------------------------- tags

    def tag(self, found: re.Match[str]) -> Tag:
        from difflib import get_close_matches

        name = plain(found[1]).casefold()
        name, near, _ = name.partition(":~")
        tag = TAGS.get(re.sub(r"\s*/\s*", "/", name))
        start, end = found.start(1) - 1, found.end()
        shown = plain(found[1])
        if tag is None:
            likely = get_close_matches(name, [it for it, to in TAGS.items() if to.fields], 3, 0.6)
            meant = (
                f"; near it are {' '.join(f'[{it}]' for it in likely)}"
                if likely
                else f"; there are {SEARCHED}"
            )
            fix = self.put(start, end, f"[{likely[0]}]") if likely else self.cut(start, end)
            raise self.error(f"There is no tag [{shown}]{meant}", start, end, fix=fix)
        if not tag.fields and self.unsaid is None:
            reason = (
                f"[{shown}] cannot be searched here: no field holds it; those that can are "
                f"{SEARCHED}"
            )
            self.unsaid = self.error(reason, start, end, fix=self.cut(start, end))
        if near:
            self.note(
                f"[{shown}]: how near the words stand to one another cannot be asked: all of them "
                f"are looked for"
            )
        if tag.loss:
            self.note(f"[{shown}] is {tag.loss}")
        return tag

    def term(
        self, text: str, tag: Tag, phrase: bool, where: tuple[int, int], shown: str
    ) -> Query | None:
        if not tag.fields or text.casefold() == "hasabstract":
            return self.filtered(text, shown)
        if tag.fields == ("year",):
            return self.years(text, tag, where, shown)
        if tag.fields == ("type",):
            known = TYPES.get(text.casefold()) or type_word(text)
            if known is None and text.casefold() in STUDIES:
                self.losses.add("type", f"{text}[{shown}]")
                return words(text, "subject", phrase=" " in text)
            if TYPES.get(text.casefold()):
                self.note(f'[{shown}] "{text}" is read as type:{known}, which holds more')
            return self.listed(known, "type", text, where)
        if tag.fields == ("language",):
            return self.listed(language_code(text), "language", text, where)
        fields = tag.fields
        if fields == ("identifier",):
            known = identifier_field(text)
            fields = (known or "any",)
            if known is None:
                self.note(
                    f"[{shown}] is looked for everywhere: the term has not the form of a DOI, "
                    f"ISBN or ISSN"
                )
        if ":~" in shown:
            phrase = False
        texts = [self.cut_short(word, where) for word in text.split(" ")]
        if any(cut for _, cut in texts):
            if fields[0] in IDENTIFIERS:
                raise self.whole_number(fields[0].upper(), *where)
            if phrase and len(texts) > 1:
                self.note("a phrase with a * in it is read as all of its words, in any order")
            return in_fields(fields, lambda field: truncatable(texts, field))
        phrase = (phrase or (tag.heading and len(texts) > 1)) and fields[0] not in (
            "doi",
            "isbn",
            "issn",
        )
        return in_fields(fields, lambda field: words(text, field, phrase=phrase))

    def filtered(self, text: str, shown: str) -> Query | None:
        """A filter such as english[filter], as far as a field holds that; None for what is passed
        over.
        """
        name = text.casefold()
        if shown.casefold() in _FILTERS:
            if language := language_code(name):
                return Term(language, "language")
            if (
                kind := TYPES.get(name.replace("systematic", "systematic review"))
                or TYPES.get(name)
                or type_word(name)
            ):
                return Term(kind, "type")
        self.losses.add("nowhere", f"{text}[{shown}]")
        return None

    def listed(self, known: str | None, field: str, text: str, where: tuple[int, int]) -> Query:
        if known is None:
            reason = f'"{text[:40]}" is no {field} that is known here'
            advice = (
                "Write its English name or code."
                if field == "language"
                else "Write one such as review or letter."
            )
            raise self.error(reason, *where, advice=advice)
        return Term(known, field)

    def cut_short(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        """(the word without its star, whether it had one)."""
        bare = word.rstrip("*")
        stem = bare.partition("*")[0]
        if stem != bare and sum(map(str.isalnum, stem)) > 1:
            self.losses.add("wildcard", word)
            return stem, True
        if "*" in bare or (bare != word and not any(map(str.isalnum, bare))):
            fix = self.put(*where, self.text[where[0] : where[1]].replace("*", ""))
            raise self.error("* can stand at the end of a word only", *where, fix=fix)
        return bare, bare != word

    def years(self, text: str, tag: Tag, where: tuple[int, int], shown: str) -> Query:
        if tag.fields != ("year",):
            raise self.error(f"[{shown}] takes no range", *where, fix=self.put(*where, f'"{text}"'))
        try:
            ranged = _RANGE.fullmatch(text)
            found: tuple[Years, bool] = (
                between(ranged[1], ranged[2]) if ranged else dated(text.rstrip("*"))
            )
        except BadYears as bad:
            fix = self.put(*where, bad.corrected.replace("-", ":")) if bad.corrected else None
            advice = None if fix else "Write it as 2020[dp] or 2015:2020[dp]."
            raise self.error(bad.reason, *where, fix=fix, advice=advice) from None
        if not found[1]:
            self.note("of a date only the year can be asked")
        return found[0]

    # ---------------------------------------------------------------- errors

    def loose_tag(self) -> QuerySyntaxError:
        found = _TAG.match(self.text, self.at)
        end = found.end() if found else self.at + 1
        return self.error(
            "A tag stands directly after a word or phrase", self.at, end, fix=self.cut(self.at, end)
        )
