"""PubMed's syntax, read and written (https://pubmed.ncbi.nlm.nih.gov/help/)."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from metasearch.bib.languages import language_code
from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause, exact, left_to_right, wider
from metasearch.query.databases import DatabaseReader
from metasearch.query.field_values import INITIAL, exploded, named
from metasearch.query.grammar import (
    ANY,
    AUTHOR,
    DOUBLE,
    ENTRY_DATE,
    HEADING,
    DatabaseGrammar,
    FieldTarget,
    Style,
    YearRanges,
    near,
)
from metasearch.query.pubmed_tags import (
    DISTANCE,
    FILTERS,
    MAJOR,
    MESH,
    NO_NUMBER,
    SEARCHED,
    SUBHEADINGS,
    TAGS,
    filter_types,
    tag_named,
    tags_in,
)
from metasearch.query.reading import ReadQuery, in_fields, truncatable, words
from metasearch.query.scanner import Sign
from metasearch.query.strategy import parse_database
from metasearch.query.tree import (
    FIELD_WORDS,
    IDENTIFIERS,
    Not,
    Term,
    disjunction,
    is_blank,
    plain,
)
from metasearch.query.values import (
    BROAD_TYPES,
    STUDIES,
    BadYears,
    between,
    counted_back,
    dated,
    identifier_field,
    type_named,
    whole_years,
)

_TAG = r"\s{0,5}\[([^\[\]]{1,60})\]"
_LOOSE_TAG = re.compile(_TAG)
PUBMED = DatabaseGrammar(
    "pubmed",
    "PubMed",
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
    """One text, or one line of a strategy."""

    grammar = PUBMED

    # ---------------------------------------------------------------- operators and tags

    def word_end(self, at: int) -> int:
        text, end = self.text, at
        while end < len(text) and not is_blank(text[end]) and text[end] not in '()"[]':
            end += 1
        return end + (end == at and text[at : at + 1] == "]")

    def peeked(self) -> Sign | None:
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

    def combined(self, operands: Sequence[Clause], operators: Sequence[Sign]) -> Clause:
        self.note_excluded(operands[1:], operators, operators)
        rest = [(sign.name, one) for sign, one in zip(operators, operands[1:], strict=True)]
        return left_to_right(operands[0], rest, self.check_clause)

    def known(self, names: str) -> FieldTarget | None:
        tag = tag_named(names)
        if tag and len(parts := tags_in(names)) > 1:
            told = message(
                "{field} is read as {meant}",
                field=f"[{plain(names)}]",
                meant=" ".join(f"[{part}]" for part in parts),
            )
            self.losses.add("field", told)
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
        fix = self.replaced(start, end, f"[{likely[0]}]") if likely else self.without(start, end)
        return self.error(reason, start, end, fix=fix)

    # ---------------------------------------------------------------- operands

    def operand(self, after: Sign | None) -> Clause:
        if after and self.here() and self.peeked():
            raise self.lacks(after.span, "after")
        return super().operand(after)

    def special(self) -> Clause | None:
        if self.here() == "[":
            match = _LOOSE_TAG.match(self.text, self.at)
            end = match.end() if match else self.at + 1
            raise self.error(
                message("A tag stands directly after a word or phrase"),
                self.at,
                end,
                fix=self.without(self.at, end),
            )
        spread = _SPREAD.match(self.text, self.at)
        if spread and (spread[3] or spread[6]):
            return self.spread(spread)
        if spread and spread[0].strip() == self.text[self.at : self.word_end(self.at)]:
            meant = message("{field} is read as {meant}", field=spread[0], meant=f"{spread[0]}[dp]")
            self.losses.add("field", meant)
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
        tag, shown = tag_named(match[named]), plain(match[named])
        if tag is None:
            raise self.unknown_field(shown, match.start(named) - 1, match.end(named) + 1)
        text = f"{match[2]}:{match[5]}"
        if tag.fields not in ((), ("year",)):
            reason = message("[{shown}] cannot be a range of years", shown=shown)
            raise self.error(reason, *where, fix=self.replaced(*where, f'"{text}"'))
        return self.value(text, tag, f"[{shown}]", where, quoted=True)

    def bracketed(self) -> Clause:
        behind = self.closing.get(self.at, 0) + 1
        clause = super().bracketed()
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
            meant = message("{field} is read as {meant}", field=text, meant=f"{heading[2]}[mh]")
            self.losses.add("field", meant)
            return self.heading(heading[2], where, explode=bool(heading[1]))
        if not tag.fields or _OF_RECORDS.fullmatch(text):
            return self.filtered(text, shown, where)
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
            self.losses.add("field", message("{field} is {loss}", field=shown, loss=tag.loss))
        if distance := DISTANCE.fullmatch(shown.strip("[]")):
            return self.close(text, tag, shown, where, int(distance[2]))
        match tag.fields:
            case ("year",):
                return self.years(text, where, shown if tag is ENTRY_DATE else "")
            case ("type",):
                return self.typed(text, shown.strip("[]"), where)
            case ("language",):
                if language_code(text) is None:
                    raise self.unlisted("language", text, where)
                return self.language(text)
        clause = self.looked_for(text, tag, where, quoted=quoted)
        if not tag.heading:
            return clause
        is_main = label in MAJOR.split("|")
        if is_main:
            self.losses.add("focus", shown)
        if "no" not in alone and (is_main or label in MESH.split("|")):
            self.losses.add("explosion", shown)
            clause = exploded(clause)
        return Clause(clause.widest, None) if is_main or narrowed or behind else clause

    def filtered(self, text: str, shown: str, where: tuple[int, int]) -> Clause:
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
            self.not_searchable = self.error(
                reason, where[1], self.at, fix=self.without(where[1], self.at)
            )
        return self.ignored("nowhere", f"{text}{shown}")

    def limit(self, text: str, start: int, shown: str) -> Clause:
        bare = _PUBLISHED.sub("", text)
        letters = "".join(filter(str.isalpha, bare.casefold()))
        if letters == "excludepreprints":
            return exact(Not(Term("preprint", "type")))
        if kind := filter_types().get(letters):
            return self.type(kind)
        return super().limit(bare, start, shown)

    def typed(self, text: str, shown: str, where: tuple[int, int]) -> Clause:
        known, includes_more = type_named(text)
        if known is None and text.casefold() not in STUDIES:
            raise self.unlisted("type", text, where)
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

    def unlisted(self, field: str, text: str, where: tuple[int, int]) -> QuerySyntaxError:
        reason = message('"{word}" is no known {field}', word=text[:40], field=FIELD_WORDS[field])
        advice = (
            message("Write an English name or a code.")
            if field == "language"
            else message("Write a type, such as review or letter.")
        )
        return self.error(reason, *where, advice=advice)

    def looked_for(
        self, text: str, tag: FieldTarget, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        fields = tag.fields
        text = text.lstrip(",; ") or text
        if fields == AUTHOR.fields:
            text = INITIAL.sub(r"\1", text)
        before = self.losses.more
        alone = " " not in text  # a question ends with a sign, too
        texts = [self.widened(word, where, alone=alone) for word in text.split(" ")]
        if any(cut for _, cut in texts):
            if fields[0] in IDENTIFIERS:
                raise self.truncated_number(fields[0].upper(), *where)
            if quoted and len(texts) > 1:
                query = self.phrase(texts, fields)
            else:
                query = in_fields(fields, lambda field: truncatable(texts, field))
            return exact(query) if self.losses.more == before else wider(query)
        text = " ".join(word for word, _ in texts)
        phrase = quoted or (tag.heading and len(texts) > 1)
        phrase = phrase and fields[0] not in IDENTIFIERS
        query = in_fields(fields, lambda field: words(text, field, phrase=phrase))
        return exact(named(query, "exact" if tag.heading else ""))

    def widened(
        self, word: str, where: tuple[int, int], *, alone: bool = False
    ) -> tuple[str, bool]:
        """(the word without its star, whether it had one)."""
        bare = word.rstrip("*" if alone else "*?")
        stem = _SIGN.split(bare, maxsplit=1)[0]
        if stem != bare and sum(map(str.isalnum, stem)) > 1:
            self.losses.add("wildcard", word)
            return stem, True
        if "*" in bare or (bare != word and not any(map(str.isalnum, bare))):
            fix = self.replaced(*where, self.text[where[0] : where[1]].replace("*", ""))
            raise self.error(message("* can stand only at the end of a word"), *where, fix=fix)
        return bare or word, "*" in word[len(bare) :]

    def years(self, text: str, where: tuple[int, int], other: str = "") -> Clause:
        if other:
            told = message("{field} is {loss}", field=other, loss=ENTRY_DATE.loss)
            self.losses.add("field", told)
        if since := counted_back(text):
            self.tell_counted(text, since)
            return Clause(since, whole_years(since))
        try:
            ranged = _RANGE.fullmatch(text)
            years, whole = between(*ranged.groups()) if ranged else dated(text.rstrip("*"))
        except BadYears as bad:
            fix = self.replaced(*where, bad.corrected.replace("-", ":")) if bad.corrected else None
            advice = None if fix else message("Write it as 2020[dp] or 2015:2020[dp].")
            raise self.error(bad.reason, *where, fix=fix, advice=advice) from None
        if not whole:
            self.losses.add("date", text)
        return exact(years) if whole else Clause(years, whole_years(years))


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
        "pmid": "{x}[pmid]",
        "pmcid": "{x}[pmc]",
        "isbn": "{x}[isbn]",
        "issn": "{x}[is]",
        "type": "{x}[pt]",
        "language": "{x}[la]",
    },
    lost=f"[{DOUBLE}*?]",
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
