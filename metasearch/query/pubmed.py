"""PubMed's syntax, read and written (https://pubmed.ncbi.nlm.nih.gov/help/)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from metasearch.bib.languages import language_code
from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, exact, left_to_right, wider, without
from metasearch.query.databases import exploded, named
from metasearch.query.grammar import DOUBLE, FieldTarget, Style, YearRanges
from metasearch.query.reading import (
    NestedReader,
    ReadQuery,
    in_fields,
    read_or_suggest,
    truncatable,
    words,
)
from metasearch.query.scanner import Losses, StrategyLine
from metasearch.query.strategy import read_strategy
from metasearch.query.tree import FIELD_WORDS, IDENTIFIERS, Near, Term, is_blank, plain
from metasearch.query.values import (
    BROAD_TYPES,
    STUDIES,
    TYPES,
    BadYears,
    between,
    dated,
    identifier_field,
    type_word,
)

# PubMed's search field tags -> our fields (https://pubmed.ncbi.nlm.nih.gov/help/#search-tags).

_ANY_AUTHOR = message("looked for among all authors: sources cannot be asked for their order")
_HEADING = message(
    "looked for among keywords and subject headings; narrower headings are not added"
)
_MAIN = message("{heading}, and it need not be the main topic", heading=_HEADING)
_OTHER_DATE = message("read as the date of publication")
_TABLE: tuple[tuple[str, FieldTarget], ...] = (
    ("ti|title|tt|transliterated title", FieldTarget(("title",))),
    ("tiab|title/abstract", FieldTarget(("title", "abstract"))),
    ("ab|abstract", FieldTarget(("abstract",))),
    ("tw|text word|text words", FieldTarget(("any",))),
    ("all|all fields", FieldTarget(("any",))),
    (
        "au|author|author name|fau|full author name|auid|author - identifier|cn|corporate author",
        FieldTarget(("author",)),
    ),
    ("1au|first author name|author - first", FieldTarget(("author",), _ANY_AUTHOR)),
    ("lastau|last author name|author - last", FieldTarget(("author",), _ANY_AUTHOR)),
    ("ta|journal|jour|jt|journal title", FieldTarget(("venue",))),
    (
        "mh|mesh|mesh terms|mesh:noexp|mh:noexp|mesh terms:noexp",
        FieldTarget(("subject",), _HEADING, heading=True),
    ),
    (
        "majr|mesh major topic|majr:noexp|mesh major topic:noexp",
        FieldTarget(("subject",), _MAIN, heading=True),
    ),
    (
        "sh|mesh subheading|mesh subheadings|subheading",
        FieldTarget(("subject",), _HEADING, heading=True),
    ),
    (
        "nm|supplementary concept|substance name|rn|ec/rn number",
        FieldTarget(("subject",), _HEADING, heading=True),
    ),
    ("ot|other term|other terms|kw|keyword", FieldTarget(("subject",))),
    ("dp|pdat|date - publication|publication date", FieldTarget(("year",))),
    (
        "epdat|date - electronic publication|ppdat|date - print publication",
        FieldTarget(("year",), _OTHER_DATE),
    ),
    (
        "edat|date - entry|entrez date|entry date|crdt|date - create|create date|date - mesh|mhda",
        FieldTarget(("year",), _OTHER_DATE),
    ),
    ("la|lang|language", FieldTarget(("language",))),
    ("pt|ptyp|publication type", FieldTarget(("type",))),
    ("aid|article identifier|lid|location id", FieldTarget(("identifier",))),
    ("doi", FieldTarget(("doi",))),
    ("is|issn", FieldTarget(("issn",))),
    ("isbn", FieldTarget(("isbn",))),
    ("pmid|uid", FieldTarget(("any",), message("looked for everywhere: there is no field for it"))),
    (
        "pmc|pmcid",
        FieldTarget(("any",), message("looked for everywhere: there is no field for it")),
    ),
    (
        (
            "ad|affiliation|gr|grants and funding|grant "
            "number|sb|subset|filter|vi|volume|ip|issue|pg|pagination|page"
        ),
        FieldTarget(()),
    ),
    (
        (
            "pl|place of publication|pubn|publisher|ir|investigator|fir|full investigator "
            "name|ed|editor|ps"
        ),
        FieldTarget(()),
    ),
    ("personal name as subject|si|secondary source id|nlm unique id|jid|cois|lr", FieldTarget(())),
    (
        "date - modification|pa|pharmacological action|book|be|bti|stat|owner|phst|mid|filters",
        FieldTarget(()),
    ),
    (
        "subject - personal name|conflict of interest statements|comment correction type|ci",
        FieldTarget(()),
    ),
    ("dcom|date - completion|completion date|mesh date|modification date", FieldTarget(())),
)

#: FieldTarget in small letters, without its brackets -> where its words are looked for.
TAGS: Mapping[str, FieldTarget] = {name: tag for names, tag in _TABLE for name in names.split("|")}
#: The short tags that can be searched, for messages.
SEARCHED = " ".join(f"[{names.split('|')[0]}]" for names, tag in _TABLE if tag.fields)


OPERATORS = ("AND", "OR", "NOT")
CLOSERS = {'"': '"', "“": "”", "”": "”", "＂": "＂"}
TAG = re.compile(r"\s{0,5}\[([^\[\]]{1,50})\]")
LINE = re.compile(r"#([0-9]{1,4})(?![^\s()（）])")


class PubmedScanner(NestedReader):
    """A text with a place in it."""

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
        self.not_searchable: QuerySyntaxError | None = None

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
        if name not in OPERATORS or TAG.match(self.text, end):
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
        taken: list[str] = []
        while (char := self.here()) and char not in "()[" and char not in CLOSERS:
            end = self.word_end(self.at)
            word = self.text[self.at : end]
            if word in OPERATORS and not TAG.match(self.text, end):
                break
            if LINE.match(self.text, self.at) or self.lower_operator(self.at, end):
                break
            taken.append(word)
            self.at = end
        return plain(" ".join(taken))


# What the words before a tag of PubMed mean in our fields.

DATE = r"[0-9]{4}(?:/[0-9]{1,2}){0,2}"
_RANGE = re.compile(rf"({DATE}):({DATE})")
_FILTERS = frozenset({"filter", "sb", "subset", "filters"})


class PubmedValueReader(PubmedScanner):
    """Turns words with a tag into the part of the tree that asks for them."""

    def tag(self, match: re.Match[str]) -> FieldTarget:
        from difflib import get_close_matches

        name = plain(match[1]).casefold()
        name, near, _ = name.partition(":~")
        tag = TAGS.get(re.sub(r"\s*/\s*", "/", name))
        start, end = match.start(1) - 1, match.end()
        shown = plain(match[1])
        if tag is None:
            likely = get_close_matches(name, [it for it, to in TAGS.items() if to.fields], 3, 0.6)
            reason = (
                message(
                    "There is no tag [{tag}]; near it are {near}",
                    tag=shown,
                    near=" ".join(f"[{it}]" for it in likely),
                )
                if likely
                else message("There is no tag [{tag}]; there are {tags}", tag=shown, tags=SEARCHED)
            )
            fix = (
                self.replaced(start, end, f"[{likely[0]}]") if likely else self.without(start, end)
            )
            raise self.error(reason, start, end, fix=fix)
        if not tag.fields and self.not_searchable is None:
            reason = message(
                "[{shown}] cannot be searched here: no field holds it; those that can "
                "are {searched}",
                shown=shown,
                searched=SEARCHED,
            )
            self.not_searchable = self.error(reason, start, end, fix=self.without(start, end))
        if near:
            self.note(
                message(
                    "[{shown}]: sources cannot be asked how near words stand to one another; "
                    "all of the words are looked for",
                    shown=shown,
                )
            )
        if tag.loss:
            self.note(message("[{shown}] is {loss}", shown=shown, loss=tag.loss))
        return tag

    def term(
        self, text: str, tag: FieldTarget, phrase: bool, where: tuple[int, int], shown: str
    ) -> Clause:
        if not tag.fields or text.casefold() == "hasabstract":
            return self.filtered(text, shown)
        if tag.fields == ("year",):
            return self.years(text, tag, where, shown)
        if tag.fields == ("type",):
            known = TYPES.get(text.casefold()) or type_word(text)
            if known is None and text.casefold() in STUDIES:
                self.losses.add("type", f"{text}[{shown}]")
                return exact(words(text, "subject", phrase=" " in text))
            if TYPES.get(text.casefold()):
                self.note(
                    message(
                        '[{shown}] "{text}" is read as type:{known}, which includes more',
                        shown=shown,
                        text=text,
                        known=known,
                    )
                )
                if known in BROAD_TYPES:
                    return wider(self.listed(known, "type", text, where))
            return exact(self.listed(known, "type", text, where))
        if tag.fields == ("language",):
            return exact(self.listed(language_code(text), "language", text, where))
        fields = tag.fields
        if fields == ("identifier",):
            known = identifier_field(text)
            fields = (known or "any",)
            if known is None:
                self.note(
                    message(
                        "[{shown}] is looked for everywhere: the term is no DOI, ISBN or ISSN",
                        shown=shown,
                    )
                )
        _, near, within = shown.partition(":~")
        phrase = phrase and not near
        before = self.losses.more
        texts = [self.cut_short(word, where) for word in text.split(" ")]
        if near and len(texts) > 1 and within.strip().isdigit():
            return exact(
                in_fields(
                    fields,
                    lambda field: Near(
                        tuple(truncatable([one], field) for one in texts), int(within[:4])
                    ),
                )
            )
        if any(cut for _, cut in texts):
            if fields[0] in IDENTIFIERS:
                raise self.truncated_number(fields[0].upper(), *where)
            if phrase and len(texts) > 1:
                self.losses.add("broken phrase", text)
            query = in_fields(fields, lambda field: truncatable(texts, field))
            return exact(query) if self.losses.more == before else wider(query)
        phrase = (phrase or (tag.heading and len(texts) > 1)) and fields[0] not in (
            "doi",
            "isbn",
            "issn",
        )
        clause = exact(in_fields(fields, lambda field: words(text, field, phrase=phrase)))
        if not tag.heading:
            return clause
        clause = exact(named(clause.widest, "exact")) if clause.widest else clause
        clause = clause if "noexp" in shown.casefold() else exploded(clause)
        main = shown.casefold().startswith(("majr", "mesh major"))
        return wider(clause.widest) if main and clause.widest else clause

    def filtered(self, text: str, shown: str) -> Clause:
        """A filter such as english[filter], as far as a field holds that; ignored otherwise."""
        name = text.casefold()
        if shown.casefold() in _FILTERS:
            if language := language_code(name):
                return exact(Term(language, "language"))
            systematic = TYPES.get(name.replace("systematic", "systematic review"))
            kind = systematic or TYPES.get(name) or type_word(name)
            if kind:
                return exact(Term(kind, "type"))
        self.losses.add("nowhere", f"{text}[{shown}]")
        return IGNORED

    def listed(self, known: str | None, field: str, text: str, where: tuple[int, int]) -> Term:
        if known is None:
            reason = message(
                '"{word}" is no known {field}', word=text[:40], field=FIELD_WORDS[field]
            )
            advice = (
                message("Write an English name or a code.")
                if field == "language"
                else message("Write a type, such as review or letter.")
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
            fix = self.replaced(*where, self.text[where[0] : where[1]].replace("*", ""))
            raise self.error(message("* can stand only at the end of a word"), *where, fix=fix)
        return bare, bare != word

    def years(self, text: str, tag: FieldTarget, where: tuple[int, int], shown: str) -> Clause:
        if tag.fields != ("year",):
            raise self.error(
                message("[{shown}] cannot be a range of years", shown=shown),
                *where,
                fix=self.replaced(*where, f'"{text}"'),
            )
        try:
            ranged = _RANGE.fullmatch(text)
            years, whole = between(*ranged.groups()) if ranged else dated(text.rstrip("*"))
        except BadYears as bad:
            fix = self.replaced(*where, bad.corrected.replace("-", ":")) if bad.corrected else None
            advice = None if fix else message("Write it as 2020[dp] or 2015:2020[dp].")
            raise self.error(bad.reason, *where, fix=fix, advice=advice) from None
        if not whole:
            self.note(message("only the year of a date is searched"))
        return exact(years) if whole else wider(years)


# PubMed's syntax -> `ReadQuery`, as its help describes it (https://pubmed.ncbi.nlm.nih.gov/help/).
#
#     query   = operand { [ "AND" | "OR" | "NOT" ] operand }    left to right, no precedence;
# capitals
#     operand = "(" query ")" | ( words | phrase ) [ tag ]
#             | date [ tag ] ":" date tag
#
# A tag applies to the words, or the phrase, directly before it. If only a wider field exists here,
# that field is searched and a note says so. Without any field, the words are ignored beside others
# that can be searched for, and a note names them.

_AND_THEN = re.compile(rf'\s{{0,5}}:\s{{0,5}}("?)({DATE})("?)')
_EVERYWHERE = TAGS["all"]


def parse_pubmed(text: str) -> ReadQuery:
    """Read a query as one types it into PubMed. Raises QuerySyntaxError: it is none, or has a tag
    that cannot be searched here.
    """
    return read_or_suggest(lambda one: read_strategy(one, PubmedReader, "pubmed"), text)


class PubmedReader(PubmedValueReader):
    """One text, or one line of a strategy."""

    def tree(self) -> Clause:
        """All of the text."""
        return self.all_of(self.query)

    def ended(self, clause: Clause) -> ReadQuery:
        """The query with its notes."""
        if clause.widest is None:
            end = len(self.text)
            raise self.not_searchable or self.error(
                message("No part of the query can be searched for"),
                0,
                end,
                advice=message("Add a word to look for."),
            )
        for sentence in self.losses.sentences():
            self.note(sentence)
        bounds = None if clause.is_exact else clause
        return self.finished(clause.widest, bounds, self.losses.of_sources())

    # ---------------------------------------------------------------- the grammar

    def query(self) -> Clause:
        operator = self.operator()
        if operator and operator[0] != "NOT":
            raise self.lacks(operator[1:], "before")
        self.here()
        start = self.at
        first = self.operand(operator)
        if operator:
            first = self.excluded(first, start)
        rest: list[tuple[str, Clause]] = []
        while self.here() not in ("", ")"):
            operator = self.operator()
            if operator is None and (row := self.row_here()):
                self.losses.add("joined lines", row)
            if operator and operator[0] == "AND" and (also := self.operator()):
                if also[0] != "NOT":
                    raise self.lacks(operator[1:], "after")
                operator = also
            before, right = self.at, self.operand(operator)
            if operator and operator[0] == "NOT":
                rest.append(("AND", self.excluded(right, before)))
            else:
                rest.append((operator[0] if operator else "AND", right))
        clause = left_to_right(first, rest)
        if clause.widest is None and any(one.widest for one in (first, *(one for _, one in rest))):
            self.losses.add("alternatives", plain(self.text[start : self.at]))
        for bound in {id(query): query for query in (clause.widest, clause.narrowest)}.values():
            if bound is not None:
                self.check_alternation(bound)
        return clause

    def excluded(self, clause: Clause, start: int) -> Clause:
        """NOT of what stands from `start` on; a note says where it cannot be excluded as meant."""
        if not clause.is_exact:
            self.losses.add("negated", f"NOT {plain(self.text[start : self.at])}")
        return without(clause)

    def operand(self, after: tuple[str, int, int] | None) -> Clause:
        char = self.here()
        if char == "(":
            return self.bracketed()
        if match := LINE.match(self.text, self.at):
            return self.reference(match)
        if char == "[":
            raise self.loose_tag()
        if char in ("", ")"):
            raise self.lacks(after[1:], "after") if after else self.stray()
        start = self.at
        if char in CLOSERS:
            text, phrase = self.quoted_to(CLOSERS[char]), True
        else:
            text, phrase = self.words(), False
            if not text:
                raise self.lacks((self.operator() or ("", start, start + 1))[1:], "before")
        if date := self.spread(text, start):
            return date
        self.count(start, self.at)
        end = self.at
        match = TAG.match(self.text, self.at)
        if match is None:
            return self.term(text, _EVERYWHERE, phrase, (start, end), "")
        self.at = match.end()
        return self.term(text, self.tag(match), phrase, (start, end), plain(match[1]))

    def bracketed(self) -> Clause:
        opening = self.enter()
        clause = self.query()
        self.leave(opening)
        if match := TAG.match(self.text, self.at):
            reason = message("A tag applies to a word or phrase, not to a group")
            raise self.error(
                reason, match.start(1) - 1, match.end(), fix=self.without(*match.span())
            )
        return clause

    def reference(self, match: re.Match[str]) -> Clause:
        """What an earlier line means."""
        where = match.span()
        if self.lines is None:
            reason = message(
                "{shown} names an earlier search; earlier searches are not kept", shown=match[0]
            )
            raise self.error(reason, *where, fix=self.without(*where))
        line = self.lines.get(int(match[1]))
        if line is None:
            reason = message("There is no line {number} before this one", number=match[1])
            raise self.error(reason, *where, advice=message("A line may name those before it."))
        self.at = match.end()
        self.used.add(int(match[1]))
        self.read += line.size - 1
        self.count(*where)
        return line.clause

    # ---------------------------------------------------------------- pieces

    def spread(self, text: str, start: int) -> Clause | None:
        """The rest of a range that begins with the date `text`; None where it is no range."""
        if not re.fullmatch(DATE, text):
            return None
        at = self.at
        first = TAG.match(self.text, at)
        then = _AND_THEN.match(self.text, first.end() if first else at)
        if then is None or then[1] != then[3]:
            return None
        last = TAG.match(self.text, then.end())
        named = last or first
        if named is None:
            return None
        self.at = last.end() if last else then.end()
        self.count(start, self.at)
        return self.years(
            f"{text}:{then[2]}", self.tag(named), (start, then.end()), plain(named[1])
        )

    # ---------------------------------------------------------------- tags

    # ---------------------------------------------------------------- errors

    def loose_tag(self) -> QuerySyntaxError:
        match = TAG.match(self.text, self.at)
        end = match.end() if match else self.at + 1
        return self.error(
            message("A tag stands directly after a word or phrase"),
            self.at,
            end,
            fix=self.without(self.at, end),
        )


# PubMed (https://pubmed.ncbi.nlm.nih.gov/help/): a tag in square brackets after each term.

STYLE = Style(
    name="pubmed",
    label="PubMed",
    framed=False,
    fields={
        "any": "{x}[tw]",
        "title": "{x}[ti]",
        "abstract": "{x}[ab]",
        "title abstract": "{x}[tiab]",
        "subject": "({x}[mh:noexp] OR {x}[ot])",
        "author": "{x}[au]",
        "venue": "{x}[ta]",
        "doi": "{x}[doi]",
        "isbn": "{x}[isbn]",
        "issn": "{x}[is]",
        "type": "{x}[pt]",
        "language": "{x}[la]",
    },
    lost=f"[{DOUBLE}*]",
    least=4,
    years=YearRanges(
        only=("{first}[dp]",),
        both=("{first}:{last}[dp]",),
        since=("{first}:3000[dp]",),
        until=("1000:{last}[dp]",),
    ),
    # What is a review is a journal article as well.
    types={
        "article": ("Journal Article",),
        "review": ("Review",),
        "editorial": ("Editorial",),
        "letter": ("Letter",),
        "erratum": ("Published Erratum",),
        "retraction": ("Retraction of Publication",),
        "preprint": ("Preprint",),
        "dataset": ("Dataset",),
        "thesis": ("Academic Dissertation",),
        "report": ("Technical Report",),
        "proceedings": ("Congress",),
    },
    near_words={"title": '"{x}"[ti:~{n}]', "title abstract": '"{x}"[tiab:~{n}]'},
    headings={"exact": '"{x}"[mh:noexp]', "exploded": '"{x}"[mh]'},
    languages="bibliographic",
)
