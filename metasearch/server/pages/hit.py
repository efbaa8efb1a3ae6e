"""One work of a list: its texts and addresses, with the words of the query marked, as the template
`_hit.html` shows them; and how a query was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from metasearch.bib import notices
from metasearch.bib.normalise import CJK, with_blanks
from metasearch.bib.work_ids import hit_id
from metasearch.engine.scores import QueryWords
from metasearch.errors import QuerySyntaxError
from metasearch.formats.reference import doi_url, full_title, notice_url
from metasearch.formats.text import clean, line, web_url
from metasearch.language import ReaderLanguage
from metasearch.message import Message, message
from metasearch.query import Query, ReadQuery, Term, Years, read, to_text
from metasearch.query.reader import window
from metasearch.query.syntaxes import SYNTAXES
from metasearch.query.tree import leaves
from metasearch.query.values import years_text
from metasearch.record import Hit, Match, Reason, Record
from metasearch.server.pages.environment import (
    N_,
    NOTICE_WORDS,
    TYPE_WORDS,
    VERDICT_WORDS,
    field_word,
)
from metasearch.server.site import Site, work_path

if TYPE_CHECKING:
    from metasearch.server.pages.metadata import Resolver


# Which parts of a title are words of the query.

#: Characters of a text that are looked through; the rest is shown unmarked.
_MOST_CHARACTERS = 2_000
_TOKEN = re.compile(r"\w+")


class Marker:
    """Marks the words of queries, by the same forms that the ranking counts."""

    def __init__(self, *queries: Query | None) -> None:
        words = (word for query in queries for word in QueryWords(query).words)
        forms = {form for word in words for form in word.forms}
        self._whole = {form for form in forms if form.startswith(" ") and form.endswith(" ")}
        self._begun = tuple(form[1:] for form in forms - self._whole if form.startswith(" "))
        self._inside = frozenset(form for form in forms if not form.startswith(" "))

    def parts(self, text: str) -> list[tuple[str, bool]]:
        """The text in parts, each with whether it is marked; marked neighbours are one part. Takes
        time linear in the text.
        """
        parts: list[tuple[str, bool]] = []
        shown = 0
        for start, end in self._join_stretches(text):
            if start > shown:
                parts.append((text[shown:start], False))
            parts.append((text[start:end], True))
            shown = end
        if shown < len(text):
            parts.append((text[shown:], False))
        return parts

    def _join_stretches(self, text: str) -> Iterator[tuple[int, int]]:
        """The marked stretches; those with nothing but a blank between them are one."""
        open_: tuple[int, int] | None = None
        for start, end in self._stretches(text[:_MOST_CHARACTERS]):
            if open_ is not None and text[open_[1] : start] in ("", " "):
                open_ = open_[0], end
                continue
            if open_ is not None:
                yield open_
            open_ = start, end
        if open_ is not None:
            yield open_

    def _stretches(self, text: str) -> Iterator[tuple[int, int]]:
        for token in _TOKEN.finditer(text):
            word = token.group()
            if not word.isascii() and CJK.search(word):
                yield from self._in_run(word, token.start())
            elif self._holds(with_blanks(word)):
                yield token.span()

    def _holds(self, folded: str) -> bool:
        return f" {folded} " in self._whole or folded.startswith(self._begun)

    def _in_run(self, run: str, offset: int) -> Iterator[tuple[int, int]]:
        """The characters of a run of Chinese that stand in a pair of the query."""
        folded = with_blanks(run).replace(" ", "")
        if len(folded) != len(run):  # a character was folded into several: places would not agree
            return
        end = 0
        for place in range(len(folded)):
            for length in (2, 1):
                if folded[place : place + length] in self._inside:
                    start = max(place, end)
                    end = max(end, place + length)
                    if start < end:
                        yield offset + start, offset + end
                    break


# The addresses of record pages, as lists and the pages themselves link to them.

#: Characters of the address of a record page that names its search; beyond that it names the work
#: alone, so that a page of fifty works does not repeat a long strategy fifty times.
LONGEST_ADDRESS = 1_500


def work_address(site: Site, name: str, search: Mapping[str, str | int], **output: str) -> str:
    """The local address of a record page. `search`: parameters of the search that finds it; left
    out where they are long. `output`: how the work is written; `format` and `style`.
    """
    whole = site.path(work_path(name), **{**search, **output})
    return whole if len(whole) <= LONGEST_ADDRESS else site.path(work_path(name), **output)


def names_search(site: Site, search: Mapping[str, str | int]) -> bool:
    """Whether addresses of record pages name this search; what they lead to must be kept else."""
    return "?" in work_address(site, hit_id(""), search)


#: Authors that are named, characters of an abstract that are sent, and of one that is shown in
#: three lines.
AUTHORS_SHOWN, _LONGEST_ABSTRACT, _SHORT_ABSTRACT = 6, 3_000, 220
#: Sources, reasons, matches and versions that a card lists; the page of the work has all.
FOUND_SHOWN, _MOST_SHOWN = 4, 12
_language = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", re.IGNORECASE)
_CHINESE, _KANA = re.compile("[\u4e00-\u9fff]"), re.compile("[\u3040-\u30ff]")
#: Languages by their codes of three letters, as catalogues write them, that fonts depend on.
_SHORT_CODES = {"chi": "zh", "zho": "zh", "jpn": "ja", "kor": "ko"}


@dataclass(frozen=True, slots=True)
class Holding:
    """A source that holds the work. `place`: its rank there; 0 for none. `address`: of the record
    there; None for none.
    """

    label: str
    place: int
    address: str | None


@dataclass(frozen=True, slots=True)
class MatchEvidence:
    """Why two records are one work.

    Attributes:
        verdict: What was decided, to be translated.
        because: The sentence that says why, of the core.
        left, right: The sources of the two records, with their rank there.
    """

    verdict: str
    because: str
    left: str
    right: str

    @classmethod
    def of(cls, match: Match, names: Mapping[str, str]) -> MatchEvidence:
        """Of two records; `names` has what records are called by their keys."""
        return cls(
            VERDICT_WORDS.get(match.verdict, match.verdict),
            match.because,
            names.get(match.left, line(match.left)),
            names.get(match.right, line(match.right)),
        )


class NoticeView(NamedTuple):
    """A notice about a work. `kind`: to be translated. `slight`: whether the work stands."""

    kind: str
    date: str
    link: str
    address: str | None
    slight: bool


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit as text for people; "" where nothing is known.

    Attributes:
        names: All ids that the work may have had before.
        parts: The title in parts, each with whether it is a word of the query.
        language: Of title and abstract, as HTML names it.
        authors: The first ones.
        imprint: Volume with issue, pages and year, those that are known.
        abstract: All of it, up to `_LONGEST_ABSTRACT` characters.
        folds: Whether the abstract is longer than three lines.
        type: To be translated.
        found: The sources, best rank first, each once.
        reasons: (sentence of the core, points) of each part of the score.
        versions: (kind, the sources that have it with their rank there) of each.
        fields: (source, the fields that it gave, each to be translated).
        context_object: Its description for reference managers.
        page_address: Of its record page; "" for none.
        resolver: (text, address) of the link to the library's link resolver; None for none.
    """

    id: str
    names: str
    rank: int
    score: float
    title: str
    parts: Sequence[tuple[str, bool]]
    language: str | None
    authors: Sequence[str]
    more_authors: int
    venue: str
    imprint: Sequence[str]
    abstract: str
    folds: bool
    retracted: bool
    retracted_by: Sequence[str]
    notices: Sequence[NoticeView]
    type: str
    open_access: bool
    citations: int | None
    found: Sequence[Holding]
    doi: str
    address: str | None
    doi_address: str | None
    pdf_address: str | None
    record_count: int
    reasons: Sequence[tuple[str, float]]
    matches: Sequence[MatchEvidence]
    more_matches: int
    versions: Sequence[tuple[str, Sequence[str]]]
    fields: Sequence[tuple[str, Sequence[str]]]
    context_object: str
    page_address: str
    resolver: tuple[str, str] | None


def hit_view(
    hit: Hit,
    labels: Mapping[str, str],
    base: str,
    *,
    page: str = "",
    resolver: Resolver | None = None,
    marker: Marker | None = None,
    described: bool = True,
) -> HitView:
    """The view of a hit."""
    from metasearch.server.pages.metadata import context_object  # which loads formats

    record = hit.record
    title = full_title(record)
    abstract = line(record.abstract)
    named = dict.fromkeys(line(author.name) for author in record.byline)
    authors = [name for name in named if name]
    few = len(authors) <= AUTHORS_SHOWN + 1
    found = _holdings(hit, labels)
    places = {record.key: _source_place(record, labels) for record in hit.records}
    return HitView(
        id=clean(hit.id),
        names=" ".join(dict.fromkeys((hit.id, *hit.also))),
        rank=hit.rank,
        score=hit.score,
        title=title,
        parts=marker.parts(title) if marker else [(title, False)],
        language=text_language(record.language, title),
        authors=authors if few else authors[:AUTHORS_SHOWN],
        more_authors=0 if few else len(authors) - AUTHORS_SHOWN,
        venue=line(record.venue) or line(record.publisher),
        imprint=_imprint(record),
        abstract=abstract[:_LONGEST_ABSTRACT],
        folds=len(abstract) > _SHORT_ABSTRACT,
        retracted=bool(record.retracted),
        retracted_by=_sources_of_retraction(hit, labels),
        notices=[*_notices(hit)],
        type=TYPE_WORDS.get(record.type or "", line(record.type)),
        open_access=record.open_access not in (None, "closed"),
        citations=record.citations,
        found=found,
        doi=line(record.doi),
        address=doi_url(record.doi) or web_url(record.url),
        doi_address=doi_url(record.doi),
        pdf_address=web_url(record.pdf_url),
        record_count=len(hit.records),
        reasons=[(_reason(reason, labels), reason.points) for reason in hit.reasons[:_MOST_SHOWN]],
        matches=[MatchEvidence.of(match, places) for match in hit.matches[:_MOST_SHOWN]],
        more_matches=max(0, len(hit.matches) - _MOST_SHOWN),
        versions=[
            (
                version.kind,
                [places.get(key, line(key)) for key in version.records[:_MOST_SHOWN]],
            )
            for version in hit.versions[:_MOST_SHOWN]
        ],
        fields=_fields(hit, labels),
        context_object=context_object(hit, base) if described else "",
        page_address=page,
        resolver=(resolver.name, resolver.link(hit, base)) if resolver else None,
    )


def text_language(code: str | None, text: str) -> str | None:
    """The language of a text as HTML names it; where the source does not say, that of its
    characters, so that fonts and voices fit.
    """
    named = line(code)
    if _language.fullmatch(named):
        return _SHORT_CODES.get(named.lower(), named)
    if _KANA.search(text):
        return "ja"
    return "zh" if _CHINESE.search(text) else None


def _imprint(record: Record) -> list[str]:
    issue = f"({line(record.issue)})" if record.issue else ""
    parts = (
        f"{line(record.volume)}{issue}",
        line(record.pages).replace("-", "–"),
        str(record.year) if record.year is not None else "",
    )
    return [part for part in parts if part]


def _holdings(hit: Hit, labels: Mapping[str, str]) -> list[Holding]:
    ranked = sorted(hit.records, key=lambda record: (record.position or 10**9, record.source))
    best: dict[str, Holding] = {}
    for record in ranked:
        label = line(labels.get(record.source, record.source))
        best.setdefault(label, Holding(label, record.position, web_url(record.url)))
    return list(best.values())


def _sources_of_retraction(hit: Hit, labels: Mapping[str, str]) -> list[str]:
    names = dict.fromkeys(record.source for record in hit.records if record.retracted)
    return [line(labels.get(name, name)) for name in names]


def _notices(hit: Hit) -> Iterator[NoticeView]:
    said = ((text, record) for record in hit.records for text in record.notices)
    for (kind, date, link), _ in notices.each_once(said):
        address, slight = notice_url(link), kind == "correction"
        yield NoticeView(NOTICE_WORDS[kind], date, line(link), address, slight)


def _source_place(record: Record, labels: Mapping[str, str]) -> str:
    label = line(labels.get(record.source, record.source))
    return f"{label} #{record.position}" if record.position else label


def _fields(hit: Hit, labels: Mapping[str, str]) -> list[tuple[str, Sequence[str]]]:
    """(source, the fields that it gave)."""
    of_source: dict[str, list[str]] = {}
    for field, source in sorted(hit.provenance.items()):
        of_source.setdefault(line(labels.get(source, source)), []).append(field_word(field))
    return sorted(of_source.items())


def _reason(reason: Reason, labels: Mapping[str, str]) -> str:
    """A reason such as "crossref ranks it 3", with the label of the source in place of its name."""
    text, source = reason.text, reason.source
    if source is None or not isinstance(text, Message):
        return text
    return message(text.template, **{**text.values, "source": labels.get(source, source)})


# How a query was read, for people: in its normal spelling, word by word, or where it cannot be.

#: Field of a query -> its name for people, to be translated; in the order of a form.
QUERY_FIELD_WORDS: Mapping[str, str] = {
    "any": N_("Anywhere"),
    "title": N_("Title"),
    "author": N_("Author"),
    "subject": N_("Keyword or subject"),
    "abstract": N_("Abstract"),
    "venue": N_("Journal or book"),
    "doi": "DOI",
    "isbn": "ISBN",
    "issn": "ISSN",
    "pmid": "PMID",
    "pmcid": "PMCID",
    "arxiv": N_("arXiv number"),
    "trial": N_("Registration number of a trial"),
    "type": N_("Type of work"),
    "language": N_("Language"),
    "year": N_("Year"),
}
#: Syntax -> what a reader knows it as, in the order of a form. Names of databases have no
#: translation.
SYNTAX_WORDS: Mapping[str, str] = {"auto": N_("Recognise it")} | {
    name: SYNTAXES[name].label for name in sorted(SYNTAXES, key=("cql", "ccl").__contains__)
}
#: Columns of the line that shows a mistake.
_COLUMNS = 64
#: Words of a field that are listed, and characters of each.
_MOST_WORDS, _LONGEST_WORD = 100, 200


@dataclass(frozen=True, slots=True)
class Fault:
    """A query that cannot be read, on one line around the mistake. `marked`: the mistake; "" where
    something is missing at the end. `suggestion`: a query that can be read, or "".
    """

    before: str
    marked: str
    after: str
    reason: str
    suggestion: str
    advice: str

    @classmethod
    def of(cls, error: QuerySyntaxError) -> Fault:
        advice = "" if error.suggestion else error.advice
        return cls(*window(error, _COLUMNS), error.reason, error.suggestion or "", advice)


@dataclass(frozen=True, slots=True)
class FieldWords:
    """What is looked for in one field.

    Attributes:
        field: To be translated.
        words: As they are written: phrases in quotes, beginnings of words with a star.
        excluded: Whether works that have these words are left out.
        more: How many further words there are.
    """

    field: str
    words: Sequence[str]
    excluded: bool
    more: int


@dataclass(frozen=True, slots=True)
class Reading:
    """How a query was read.

    Attributes:
        text: In metasearch's own syntax.
        syntax: To be translated: the syntax that it was read in; "" where that is our own.
        notes: What the text does not say exactly.
    """

    text: str
    syntax: str
    notes: Sequence[str]
    fields: Sequence[FieldWords]

    @classmethod
    def of(cls, query: ReadQuery, language: ReaderLanguage) -> Reading:
        """From a query that was read; `language` has names for types and languages."""
        syntax = "" if query.syntax == "simple" else SYNTAX_WORDS[query.syntax]
        fields = _field_words(query.query, language)
        return cls(to_text(query.query), syntax, query.notes, fields)


def plain_name(syntax: str) -> str:
    """The one of `SYNTAX_WORDS` for one of `metasearch.query.CHOICES`."""
    return "cnki" if syntax == "expert" else syntax


def read_or_fault(text: str, syntax: str) -> ReadQuery | QuerySyntaxError:
    """The query, or why it cannot be read, in linear time. `syntax`: one of `SYNTAX_WORDS`."""
    try:
        return read(text, syntax)
    except QuerySyntaxError as error:
        return error


def _field_words(query: Query, language: ReaderLanguage) -> list[FieldWords]:
    listed: dict[tuple[bool, str], dict[str, None]] = {}
    for leaf, excluded in leaves(query):
        if isinstance(leaf, Years):
            listed.setdefault((excluded, "year"), {})[years_text(leaf)] = None
        elif isinstance(leaf, Term):
            words = listed.setdefault((excluded, leaf.field), {})
            words |= dict.fromkeys(_words(leaf, language))
    order = list(QUERY_FIELD_WORDS)
    return [
        FieldWords(
            QUERY_FIELD_WORDS[field],
            list(words)[:_MOST_WORDS],
            excluded,
            max(0, len(words) - _MOST_WORDS),
        )
        for (excluded, field), words in sorted(
            listed.items(), key=lambda each: (each[0][0], order.index(each[0][1]))
        )
    ]


def _words(term: Term, language: ReaderLanguage) -> list[str]:
    if term.field == "type":
        return [language.gettext(TYPE_WORDS.get(term.text, term.text))]
    if term.field == "language":
        return [language.language_name(term.text)]
    if term.phrase:
        return [f"“{term.text[:_LONGEST_WORD]}{'*' * term.truncated}”"]
    if term.truncated:
        return [f"{term.text[:_LONGEST_WORD]}*"]
    return [word[:_LONGEST_WORD] for word in term.text.split(" ")]
