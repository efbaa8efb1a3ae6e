"""The vocabulary of PubMed: its search field tags, subheadings, and filters by type."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from functools import cache

from metasearch.bib.languages import language_code
from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause, exact, left_to_right, wider
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.field_values import (
    INITIAL,
    MESH_SUBHEADINGS,
    with_heading,
    with_narrower,
)
from metasearch.query.grammar import (
    ANY,
    AUTHOR,
    DOUBLE,
    ENTRY_DATE,
    HEADING,
    MEDLINE_TYPES,
    NOWHERE,
    TRIAL,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    YearRanges,
    near,
    rows,
    together,
)
from metasearch.query.reader import ReadQuery, in_fields, truncatable, words
from metasearch.query.scanner import Sign
from metasearch.query.strategy import parse_database
from metasearch.query.tree import IDENTIFIERS, Not, Term, Years, disjunction, is_blank, plain
from metasearch.query.values import (
    BROAD_TYPES,
    STUDIES,
    TYPE_NAMES,
    TYPES,
    BadYears,
    bare_number,
    between,
    identifier_field,
    publication_type,
    years_of_date,
)

# PubMed's search field tags -> our fields (https://pubmed.ncbi.nlm.nih.gov/help/#search-tags):
# those of its help, the names that its builder writes, and those of the Entrez utilities.

#: Headings that are taken with all narrower ones, those of the main topic last.
MESH = "mh|mesh|mesh terms|mesh term|mesh heading|mesh headings"
MAJOR = "majr|mesh major topic|mesh major|major topic"
NO_NUMBER = FieldTarget(
    ("any",), message("looked for everywhere: the term is no DOI, ISBN or ISSN")
)
_ROWS = rows(f"""
    title: ti|title|titl|tt|transliterated title
    title abstract: tiab|title/abstract|title abstract
    abstract: ab|abstract
    any: tw|text word|text words|text|word
    any: all|all fields
    author: au|author|author name|auth|fau|full author name|author - full|full|auid|
      author - identifier|author identifier|cn|corporate author|author - corporate|coln
    first author: 1au|first author name|first author|author - first|faut|lastau|last author name|
      last author|author - last|laut
    venue: ta|journal|jour|jt|journal title|title abbreviation|journal title abbreviation
    heading: {MESH}
    heading: {MAJOR}
    heading: sh|mesh subheading|mesh subheadings|subheading|subheadings|subh
    heading: nm|supplementary concept|substance name|substance|subs|rn|ec/rn number|ecno|
      registry number
    subject: ot|other term|other terms|otrm|kw|keyword|keywords
    year: dp|pdat|date - publication|publication date
    entry date: epdat|epdt|date - electronic publication|electronic publication date|ppdat|ppdt|
      date - print publication|print publication date
    entry date: edat|date - entry|entrez date|entry date|crdt|date - create|create date|
      date - mesh|mhda
    language: la|lang|language
    type: pt|ptyp|publication type|article type
    identifier: aid|article identifier|lid|location id|eid|pii
    doi: doi
    issn: is|issn
    isbn: isbn
    pmid: pmid|uid
    pmcid: pmc|pmcid|pid
    trial: si|secondary source id
    nowhere: filter|filt|filters|sb|subset|citation subset|ad|affiliation|affl|gr|
      grants and funding|grant number|grnt|vi|volume|vol|ip|issue|iss|pg|pagination|page
    nowhere: pl|place of publication|country of publication|cnty|pubn|publisher|ir|investigator|
      invr|fir|full investigator name|investigator - full|finv|ed|editor|ps|
      personal name as subject|subject - personal name|nlm unique id|jid|cois|
      conflict of interest statements|conflict of interest statement
    nowhere: pa|pharmacological action|papx|book|be|bti|stat|owner|phst|mid|ci|
      comment correction type|dso|aucl|publication status|text availability
    nowhere: lr|date - modification|modification date|mdat|dcom|date - completion|completion date|
      cdat|mesh date
    """)

#: FieldTarget in small letters, without its brackets -> where its words are looked for.
TAGS: Mapping[str, FieldTarget] = {name: tag for names, tag in _ROWS for name in names}
#: The short tags that can be searched, for messages.
SEARCHED = " ".join(f"[{names[0]}]" for names, tag in _ROWS if tag.fields)

# What stands at a tag: a distance (`[tiab:~3]`), and whether a heading is taken with narrower ones.
DISTANCE = re.compile(r"(.*):~([0-9]{1,3})")
_EXPLOSION = re.compile(r"(.*): ?(?:no ?)?exp")
FILTERS = frozenset({"filter", "filt", "filters", "sb", "subset", "citation subset"})
#: What may stand after the slash of a heading: of the names of MeSH, those that it still has
#: (https://www.nlm.nih.gov/mesh/topsubscope.html).
SUBHEADINGS = frozenset(MESH_SUBHEADINGS.values()) - {
    "contraindications", "radiography", "radionuclide imaging", "ultrasonography", "utilization"
} | {"secretion"}  # fmt: skip


@cache
def filter_types() -> Mapping[str, str]:
    """Types of works and studies as PubMed writes filters: "randomizedcontrolledtrial"."""
    names = (*TYPES, *STUDIES, *TYPE_NAMES)
    squeezed = {"".join(filter(str.isalpha, name)): name for name in names}
    return squeezed | {"systematic": "systematic review", "booksdocs": "book"}


def target_of_tag(name: str) -> FieldTarget | None:
    name = re.sub(r"\s?/\s?", "/", plain(name).casefold())
    if match := DISTANCE.fullmatch(name):
        return TAGS.get(match[1])
    if match := _EXPLOSION.fullmatch(name):
        tag = TAGS.get(match[1])
        return tag if tag and tag.heading else None
    if name in TAGS:
        return TAGS[name]
    tags = [TAGS.get(part) for part in tags_in(name)]
    several = [tag for tag in tags if tag and tag.of_words]
    return together(several) if 1 < len(several) == len(tags) else None


def tags_in(name: str) -> list[str]:
    """The tags that people write as one, which PubMed does not know so: "ti,ab"."""
    whole = re.sub(r"\s?/\s?", "/", plain(name).casefold().strip("[] "))
    if whole in TAGS or len(whole) > 60:
        return [whole]
    return [part for part in re.split(r"\s?[,/;]\s?|\sor\s|\sand\s|\s(?=ab\Z|ti\Z)", whole) if part]


# PubMed's syntax, read and written (https://pubmed.ncbi.nlm.nih.gov/help/).

_TAG = r"\s{0,5}\[([^\[\]]{1,60})\]"
_LOOSE_TAG = re.compile(_TAG)
PUBMED = DatabaseGrammar(
    "pubmed",
    TAGS,
    suffix=_LOOSE_TAG,
    near=re.compile("(?!)"),
    wild="*",
    printed=re.compile(
        r"(?:AND\s{1,3})?(?-i:Filters?|Limits?)(?:\s(?:applied|activated))?\s?:\s?"
        r"(?P<limits>(?:(?!Sort\sby:|Clear\sall)[^\n\t()\[\]]){1,500})"
        r"|Sort\sby\s?:\s?(?:Best\sMatch|Most\sRecent|Publication\sDate|(?:First|Last)\sAuthor|"
        r"[a-z]{2,20})|Clear\sall\b"
        r"|(?-i:Search|Query)(?:\sdetails)?\s?:|\ASearch(?=\s[(\"#])",
        re.IGNORECASE,
    ),
)

_OPERATORS = {"AND": "AND", "OR": "OR", "NOT": "NOT", "ANDNOT": "NOT", "BUTNOT": "NOT"}
#: What people write for operators behind a tag, bracket or quote.
_SIGNS = {"&": "AND", "&&": "AND", "+": "AND", "|": "OR", "||": "OR"}
_CLOSED = frozenset(')]"')
#: Operators of proximity of other databases.
_NEAR = near()
_DATE = r"[0-9]{4}(?:/[0-9]{1,2}){0,2}"
_RANGE = re.compile(rf"({_DATE})(?:\s?:\s?|\s-\s|\sto\s)({_DATE})")
_SPREAD = re.compile(rf'("?)({_DATE})\1(?:{_TAG})?\s{{0,5}}:\s{{0,5}}("?)({_DATE})\4(?:{_TAG})?')
#: What older lists of filters write before a range of dates.
_PUBLISHED = re.compile(r"\A\s{0,5}publi(?:cation dates?|shed)\s", re.IGNORECASE)
#: What says something of a record itself.
_OF_RECORDS = re.compile(r"has\s?abstract|jsubset[a-z]{1,3}", re.IGNORECASE)
_OF_YEARS = re.compile(r"y_?([0-9]{1,3})")
#: The one sign of PubMed, and those that other databases have within words and at their ends.
_SIGN = re.compile(r"\*|(?<=\w)\?(?=\w|\Z)|(?<=\w)\$[0-9]?\Z")
#: A subheading behind the tag of its heading.
_BEHIND = re.compile(
    rf"\s?/\s?(?:{'|'.join(map(re.escape, sorted(SUBHEADINGS)))}|[a-z]{{2}})(?!\w)", re.IGNORECASE
)
#: `exp Asthma/`.
_OF_OVID = re.compile(r"(exp )?\*?([^/*]{1,150})/", re.IGNORECASE)
_AND = re.compile(r"\band\b")


# PubMed's syntax -> `ReadQuery`, as its help describes it (https://pubmed.ncbi.nlm.nih.gov/help/).
#
#     query   = operand { [ "AND" | "OR" | "NOT" ] operand }    left to right, no precedence;
# capitals
#     operand = "(" query ")" [ tag ] | ( words | phrase ) [ tag ]
#             | date [ tag ] ":" date tag
#
# A tag applies to the words, or the phrase, directly before it. If only a wider field exists here,
# that field is searched and a note says so. Without any field, the words are ignored beside others
# that can be searched for, and a note names them.


def parse_pubmed(text: str) -> ReadQuery:
    """Read a query as one types it into PubMed, or its history. Raises QuerySyntaxError: it is
    none, or has a tag that cannot be searched here.
    """
    return parse_database(as_lines(text), "pubmed")


def as_lines(text: str) -> str:
    """A history as lines with numbers; any other text as it is."""
    lines = {number: query for number, query, _ in history(text)}
    if len(lines) == 1:
        return next(iter(lines.values()))
    if lines and not any("#" in query for query in lines.values()):
        raise QuerySyntaxError(
            message("The history has several searches, and none that combines them"),
            text=text,
            position=0,
            advice=message("Search for one of them."),
            syntax="pubmed",
        )
    return "\n".join(f"#{number} {query}" for number, query in lines.items()) or text


def history(text: str) -> list[tuple[int, str, str]]:
    """The searches in PubMed's history as a file of comma-separated values: number, query with its
    filters, results; the first ones first. Nothing where the text is no such file.
    """
    text = text.lstrip("\ufeff \r\n")
    if text[:14].casefold() != "search number,":
        return []
    try:
        rows = list(csv.DictReader(text.splitlines()))
    except csv.Error:
        return []
    found = []
    for row in rows:
        number, query = (row.get("Search number") or "").strip(" #"), plain(row.get("Query") or "")
        if query and number.isascii() and number.isdigit() and len(number) < 5:
            limits = plain(row.get("Filters") or "")
            query = f"{query} Filters: {limits}" if limits else query
            found.append((int(number), query, row.get("Results") or ""))
    return sorted(found)


#: The number of a line, before an operator in small letters.
_NAMES_LINE = re.compile(r"#[0-9]{1,4}\Z")


class PubmedReader(DatabaseReader):
    grammar = PUBMED

    # ---------------------------------------------------------------- operators and tags

    def word_end(self, at: int) -> int:
        text, end = self.text, at
        while end < len(text) and not is_blank(text[end]) and text[end] not in '()"[]':
            end += 1
        return end + (end == at and text[at : at + 1] == "]")

    def peek(self) -> Sign | None:
        self.here()
        end = self.word_end(self.at)
        name = self.text[self.at : end]
        if name in _OPERATORS:
            tagged = PUBMED.suffix and PUBMED.suffix.match(self.text, end)
            return None if tagged else Sign(_OPERATORS[name], self.at, end)
        if name in _SIGNS and self.text[: self.at].rstrip()[-1:] in _CLOSED:
            return Sign(_SIGNS[name], self.at, end)
        if _NEAR.fullmatch(name):
            return self.near_sign(name, self.at, end)
        lower = self.lower_operator(self.at, end)
        return Sign(name.upper(), self.at, end) if lower else None

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
        if before < 0 or after == len(self.text) or self.text[after] in ")[":
            return False
        shown = (
            self.text[before] in ')]"'
            or self.text[after] in '("#'
            or _NAMES_LINE.search(self.text, max(0, before - 5), before + 1) is not None
        )
        if not shown:
            self.losses.add("word", self.text[at:end])
        return shown

    def operator(self) -> Sign | None:
        sign = super().operator()
        if sign and self.text[sign.start].islower():
            self.losses.add("lower case", self.text[sign.start : sign.end])
        return sign

    def combine(self, operands: Sequence[Clause], operators: Sequence[Sign]) -> Clause:
        self.note_exclusions(operands[1:], operators, operators)
        rest = [(sign.name, one) for sign, one in zip(operators, operands[1:], strict=True)]
        return left_to_right(operands[0], rest, self.check_clause)

    def target_of(self, names: str) -> FieldTarget | None:
        tag = target_of_tag(names)
        if tag and len(parts := tags_in(names)) > 1:
            self.tell_meaning(f"[{plain(names)}]", " ".join(f"[{part}]" for part in parts))
        return tag

    behind = ""

    def after_suffix(self) -> None:
        if subheading := _BEHIND.match(self.text, self.at):
            self.at, self.behind = subheading.end(), subheading[0]

    def unknown_field(self, name: str, start: int, end: int) -> QuerySyntaxError:
        from difflib import get_close_matches

        start, shown = self.text.index("[", start), name.strip("[] ")
        likely = get_close_matches(
            shown.casefold(), [name for name, tag in TAGS.items() if tag.fields], 3, 0.6
        )
        reason = (
            message(
                "There is no tag [{tag}]; near it are {near}",
                tag=shown,
                near=" ".join(f"[{name}]" for name in likely),
            )
            if likely
            else message("There is no tag [{tag}]; there are {tags}", tag=shown, tags=SEARCHED)
        )
        fix = (
            self.with_replacement(start, end, f"[{likely[0]}]")
            if likely
            else self.without(start, end)
        )
        return self.error(reason, start, end, fix=fix)

    # ---------------------------------------------------------------- operands

    def operand(self, after: Sign | None) -> Clause:
        if after and self.here() and self.peek():
            raise self.lacks(after.span, "after")
        return super().operand(after)

    def special(self) -> Clause | None:
        if self.here() == "[":
            match = _LOOSE_TAG.match(self.text, self.at)
            end = match.end() if match else self.at + 1
            raise self.needless(
                message("A tag stands directly after a word or phrase"), self.at, end
            )
        spread = _SPREAD.match(self.text, self.at)
        if spread and (spread[3] or spread[6]):
            return self.spread(spread)
        if spread and spread[0].strip() == self.text[self.at : self.word_end(self.at)]:
            self.tell_meaning(spread[0], f"{spread[0]}[dp]")
            self.at = spread.end()
            self.count(*spread.span())
            return self.years(spread[0], spread.span())
        return super().special()

    def starts_special(self) -> bool:
        return self.here() == "["

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        self.cut_at = self.at = end
        return self.suffix_here()

    def spread(self, match: re.Match[str]) -> Clause:
        """A range between two dates, each perhaps with its tag."""
        self.at = match.end()
        where, named = (match.start(), match.end(5) + len(match[4])), 6 if match[6] else 3
        tag, shown = target_of_tag(match[named]), plain(match[named])
        if tag is None:
            raise self.unknown_field(shown, match.start(named) - 1, match.end(named) + 1)
        text = f"{match[2]}:{match[5]}"
        if tag.fields not in ((), ("year",)):
            reason = message("[{shown}] cannot be a range of years", shown=shown)
            raise self.error(reason, *where, fix=self.with_replacement(*where, f'"{text}"'))
        return self.value(text, tag, f"[{shown}]", where, quoted=True)

    def bracket(self) -> Clause:
        behind = self.closing.get(self.at, 0) + 1
        clause = super().bracket()
        if tag := plain(self.text[behind : self.at]):
            told = message(
                "{field} behind a bracket is read as the field of all words in it, which PubMed "
                "itself does not do",
                field=tag,
            )
            self.losses.add("field", told)
        return clause

    # ---------------------------------------------------------------- values

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        if not quoted and where[0] < self.cut_at < where[1]:
            where = where[0], self.cut_at
        self.count(*where)
        behind, self.behind = self.behind, ""
        if tag is ANY and not shown and not quoted and (heading := _OF_OVID.fullmatch(text)):
            self.tell_meaning(text, f"{heading[2]}[mh]")
            return self.heading(heading[2], where, explode=bool(heading[1]))
        if tag.fields == TRIAL.fields:
            number = bare_number("trial", text)
            # GenBank/AB123456, or clinicaltrials.gov for whatever is registered there.
            text, tag = (number, tag) if number else (text, NOWHERE)
        if not tag.fields or _OF_RECORDS.fullmatch(text):
            return self.filter_clause(text, shown, where)
        label, _, alone = shown.strip("[]").casefold().partition(":")
        name, _, narrowed = text.partition("/")
        if tag is ANY and not shown and _AND.sub("&", narrowed.casefold()) in SUBHEADINGS:
            tag, label, shown = HEADING, "mesh", text
        if behind:
            self.losses.add("subheading", behind)
        if tag.heading and name and narrowed:
            self.losses.add("subheading", f"/{narrowed}")
            text = name
        if tag.fields == ("pmid",) and (numbers := re.findall(r"[0-9]{1,9}", text))[1:]:
            for _ in numbers[1:]:
                self.count(*where)
            return exact(disjunction([Term(number, "pmid") for number in numbers]))
        if tag.fields == ("identifier",):
            known = identifier_field(text)
            tag = FieldTarget((known,)) if known else NO_NUMBER
        if tag.heading:
            self.losses.add("heading", shown)
        elif tag.loss and tag is not ENTRY_DATE:
            self.tell_field(shown, tag.loss)
        if distance := DISTANCE.fullmatch(shown.strip("[]")):
            return self.close(text, tag, shown, where, int(distance[2]))
        match tag.fields:
            case ("year",):
                return self.years(text, where, shown if tag is ENTRY_DATE else "")
            case ("type",):
                return self.type_clause(text, shown.strip("[]"), where)
            case ("language",):
                if language_code(text) is None:
                    advice = message("Write an English name or a code.")
                    raise self.no_such_code(text[:40], "language", where, advice)
                return self.language(text)
        clause = self.search_for(text, tag, where, quoted=quoted)
        if not tag.heading:
            return clause
        is_main = label in MAJOR.split("|")
        if is_main:
            self.losses.add("focus", shown)
        if "no" not in alone and (is_main or label in MESH.split("|")):
            self.losses.add("explosion", shown)
            clause = with_narrower(clause)
        return Clause(clause.widest, None) if is_main or narrowed or behind else clause

    def filter_clause(self, text: str, shown: str, where: tuple[int, int]) -> Clause:
        """A filter such as english[filter], as far as a field holds that; ignored otherwise."""
        name, label = text.casefold(), shown.strip("[]")
        if label.casefold() in FILTERS:
            letters = "".join(filter(str.isalpha, name))
            if years := _OF_YEARS.fullmatch(name):
                return self.years(f"last {years[1]} years", where)
            if letters == "excludepreprints":
                return exact(Not(Term("preprint", "type")))
            if language_code(name):
                return self.language(name)
            if kind := filter_types().get(letters):
                return self.type(kind)
        if label and self.not_searchable is None:
            reason = message(
                "[{shown}] cannot be searched here: no field holds it; those that can "
                "are {searched}",
                shown=label,
                searched=SEARCHED,
            )
            self.not_searchable = self.needless(reason, where[1], self.at)
        return self.ignore("nowhere", f"{text}{shown}")

    def limit(self, text: str, start: int, shown: str) -> Clause:
        bare = _PUBLISHED.sub("", text)
        letters = "".join(filter(str.isalpha, bare.casefold()))
        if letters == "excludepreprints":
            return exact(Not(Term("preprint", "type")))
        if kind := filter_types().get(letters):
            return self.type(kind)
        return super().limit(bare, start, shown)

    def type_clause(self, text: str, shown: str, where: tuple[int, int]) -> Clause:
        known, includes_more = publication_type(text)
        if known is None and text.casefold() not in STUDIES:
            advice = message("Write a type, such as review or letter.")
            raise self.no_such_code(text[:40], "type", where, advice)
        if known is None or not includes_more:
            return self.type(text)
        told = message(
            '[{shown}] "{text}" is read as type:{known}, which includes more',
            shown=shown,
            text=text,
            known=known,
        )
        self.losses.add("field", told)
        meant = Term(known, "type")
        return wider(meant) if known in BROAD_TYPES else exact(meant)

    def search_for(
        self, text: str, tag: FieldTarget, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        fields = tag.fields
        text = text.lstrip(",; ") or text
        if fields == AUTHOR.fields:
            text = INITIAL.sub(r"\1", text)
        before = self.losses.more
        alone = " " not in text  # a question ends with a sign, too
        texts = [self.stem_of(word, where, alone=alone) for word in text.split(" ")]
        if any(cut for _, cut in texts):
            if fields[0] in IDENTIFIERS:
                raise self.star_in_number(fields[0].upper(), *where)
            if quoted and len(texts) > 1:
                query = self.phrase(texts, fields)
            else:
                query = in_fields(fields, lambda field: truncatable(texts, field))
            return exact(query) if self.losses.more == before else wider(query)
        text = " ".join(word for word, _ in texts)
        phrase = quoted or (tag.heading and len(texts) > 1)
        phrase = phrase and fields[0] not in IDENTIFIERS
        query = in_fields(fields, lambda field: words(text, field, phrase=phrase))
        return exact(with_heading(query, "exact" if tag.heading else ""))

    def stem_of(
        self, word: str, where: tuple[int, int], *, alone: bool = False
    ) -> tuple[str, bool]:
        """(the word without its star, whether it had one)."""
        bare = word.rstrip("*" if alone else "*?")
        stem = _SIGN.split(bare, maxsplit=1)[0]
        if stem != bare and sum(map(str.isalnum, stem)) > 1:
            self.losses.add("wildcard", word)
            return stem, True
        if "*" in bare or (bare != word and not any(map(str.isalnum, bare))):
            fix = self.with_replacement(*where, self.text[where[0] : where[1]].replace("*", ""))
            raise self.error(message("* can stand only at the end of a word"), *where, fix=fix)
        return bare or word, "*" in word[len(bare) :]

    def dates(self, text: str) -> tuple[Years, bool]:
        ranged = _RANGE.fullmatch(text)
        return between(*ranged.groups()) if ranged else years_of_date(text.rstrip("*"))

    def no_years(self, bad: BadYears, where: tuple[int, int]) -> QuerySyntaxError:
        advice = message("Write it as 2020[dp] or 2015:2020[dp].")
        return self.misread(bad, *where, advice, instead=lambda years: years.replace("-", ":"))


# PubMed (https://pubmed.ncbi.nlm.nih.gov/help/): a tag in square brackets after each term.

STYLE = SyntaxStyle(
    name="pubmed",
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
        "pmid": "{x}[pmid]",
        "pmcid": "{x}[pmc]",
        "trial": "{x}[si]",
        "isbn": "{x}[isbn]",
        "issn": "{x}[is]",
        "type": "{x}[pt]",
        "language": "{x}[la]",
    },
    lost=f"[{DOUBLE}*?]",
    least=4,
    years=YearRanges("{first}:{last}[dp]", only="{first}[dp]"),
    # What is a review is a journal article as well.
    types={
        **MEDLINE_TYPES,
        "dataset": ("Dataset",),
        "thesis": ("Academic Dissertation",),
        "report": ("Technical Report",),
        "proceedings": ("Congress",),
    },
    near_words={"title": '"{x}"[ti:~{n}]', "title abstract": '"{x}"[tiab:~{n}]'},
    headings={"exact": '"{x}"[mh:noexp]', "exploded": '"{x}"[mh]'},
    languages="bibliographic",
)
