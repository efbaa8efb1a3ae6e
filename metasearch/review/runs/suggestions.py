"""Words, phrases and headings that the relevant works of a project have and its other works have
not, with what each would bring and cost as an alternative of a strategy. They are offered; nothing
is added.

How far a word belongs to the relevant works is told by the log-likelihood ratio of the numbers of
works that have it:

    Dunning, T. (1993). Accurate methods for the statistics of surprise and coincidence.
    Computational Linguistics 19, 61-74.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from metasearch.engine.inquiry import Inquirer
from metasearch.engine.options import SearchOptions
from metasearch.engine.scores import STOP_WORDS
from metasearch.errors import UsageError
from metasearch.formats import hits
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query import Query, Term, terms, to_text
from metasearch.query.match import CJK, TOKEN, fold
from metasearch.query.matching_sets import MatchingSets, bits_of, numbers_of
from metasearch.record import Record
from metasearch.review.projects.projects import Project
from metasearch.review.runs import figures, known_works
from metasearch.review.runs.evidence import final_steps
from metasearch.review.runs.plan import TIMEOUTS, RunSources
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.strategies.variants import Alternative, StrategyQueries
from metasearch.review.works.works import relevant_works

#: Works that are compared; on a server, where others wait.
MOST_WORKS, MOST_ON_A_SERVER = 100_000, 5_000
#: Suggestions that are made; words that are looked at, those first that tell most; works that one
#: names; places in a strategy.
MOST, _MOST_LOOKED_AT, MOST_NAMED, _MOST_PLACES = 200, 1_000, 20, 200
#: Of the ratio, 5 % of words that belong to no works more than to others have so much.
LEAST_SCORE = 3.84
#: Characters of an abstract, words of a phrase, letters of a word, characters of a Chinese word.
_ABSTRACT, _WORDS, _LETTERS, _CHARACTERS = 5_000, 3, 3, 6
#: Parts of a Chinese title that begin or end no word.
_PARTICLES = frozenset("的了和与及或在对中为之其从以于等是有被将由并")
#: Words of grammar and of every abstract, beside `STOP_WORDS`.
_GRAMMAR = frozenset(
    "about after again all also although among any because been before being between both during "
    "each either few first found further had her here his however its less may many more most much "
    "nor one only other others our out over own same several should since some than them those "
    "through too two three under until upon use used using very via was well when where whether "
    "while who whom whose why within without would you your aim background conclusion conclusions "
    "method methods objective paper purpose result results study studies".split()
)
_RUN = late_pattern(f"{CJK.pattern}+")
#: Share of the records with one of two words that have both, from which they are counterparts.
_COUNTERPARTS = 0.5
#: Holds for every record that has a text.
_EVERYTHING = Term("-")

Kind = Literal["word", "phrase", "keyword", "heading"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A word that a strategy might look for.

    Attributes:
        text: As it is shown; `term` as it is looked for.
        line: Number of the step that it would be an alternative in; `beside` the first alternative
            there. None and "" where it brings nothing.
        relevant, others: Works that have it: relevant ones, and others.
        score: The log-likelihood ratio; larger where fewer other works have it.
        brings: Names and titles of relevant works that the strategy has not found, and finds with
            it; at most `MOST_NAMED`; `brought` is their number.
        cost: Other works of the project that the strategy finds with it, and did not without.
        counterpart: What records in both languages have in its place in the other; "" for none.
        pairs: How many records have both.
        hits: Name of a database for people -> hits that it has more with the word; None where that
            is not known. Empty where no database was asked.
    """

    text: str
    kind: Kind
    term: Term
    line: int | None
    beside: str
    relevant: int
    others: int
    score: float
    brings: tuple[tuple[str, str], ...]
    brought: int
    cost: int
    counterpart: str
    pairs: int
    hits: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def query(self) -> str:
        """As it is typed, in metasearch's syntax."""
        return to_text(self.term)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """What is suggested, what brings most first. `relevant`, `others`: works that were compared.
    `missed`: of the relevant those that the strategy has not found.
    """

    relevant: int
    others: int
    missed: int
    words: tuple[Suggestion, ...]


@dataclass(frozen=True, slots=True)
class AskedQueries:
    """What databases are asked about suggestions: the last query of the strategy as it is, and with
    each word.
    """

    now: Query
    with_word: Mapping[str, Query]


def asked_queries(
    project: Project, strategy: Strategy, words: Sequence[Suggestion]
) -> AskedQueries | None:
    """The queries by which the cost of words is counted; None where no line brings works yet."""
    queries = StrategyQueries(step_rows.of(project.db, strategy), strategy.years)
    finals = final_steps(figures.table(project.db, strategy).steps)
    last = max((line for line in finals if line in queries.queries), default=None)
    if last is None:
        return None
    asked = {}
    for one in words:
        for place in queries.places(one.line) if one.line is not None else ():
            if place.text[: known_works.SHOWN] == one.beside:
                new = queries.with_beside(place, one.term).get(last)
                if new is not None:
                    asked[one.text] = new
    return AskedQueries(queries.queries[last], asked)


async def counted_words(
    engine: Inquirer,
    chosen: RunSources,
    asked: AskedQueries,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> dict[str, dict[str, int | None]]:
    """Text of a suggestion -> name of a source for people -> hits that it has more with the word;
    None where it failed, or does not count the whole query. One request each, and one for the query
    as it is.
    """
    now = await _hits(engine, chosen, asked.now)
    found = {}
    for done, (text, query) in enumerate(asked.with_word.items(), 1):
        progress(done, len(asked.with_word))
        then = await _hits(engine, chosen, query)
        found[text] = {
            chosen.labels[name]: None if before is None or after is None else after - before
            for name, before in now.items()
            for after in (then[name],)
        }
    return found


async def _hits(engine: Inquirer, chosen: RunSources, query: Query) -> dict[str, int | None]:
    """The hits of each source, all asked at once."""
    options = SearchOptions(
        query=query,
        sources=tuple(chosen.sources.values()),
        timeout=TIMEOUTS["counts"],
        enrich="none",
    )
    inquiry = engine.inquiry(options)
    answers = await asyncio.gather(*(inquiry.count(name) for name in chosen.sources))
    return {
        name: answer.report.total if answer.exact else None
        for name, answer in zip(chosen.sources, answers, strict=True)
    }


def suggest(
    project: Project, strategy: Strategy, *, count: int = MOST, most: int = MOST_WORKS
) -> Suggestions:
    """Suggest at most `count` words. Raises UsageError: no work is relevant or known yet, or the
    project has more than `most` works.
    """
    with project.db.snapshot():
        described = _Described.of(project, strategy, most)
        queries = StrategyQueries(step_rows.of(project.db, strategy), strategy.years)
        finals = final_steps(figures.table(project.db, strategy).steps)
    places = _Places(queries, finals)
    pairs = _Counterparts(work.record for work in described.works)
    # Of what the strategy has in one language, the other one.
    others = {pairs.of(text)[0] for text in places.texts()} - {""}
    chosen = places.uncovered(_ranked(described, others))
    sets = MatchingSets([*places.every_query(), *(one.term for one in chosen)])
    for work in described.works:
        sets.add(work.record)
    found = bits_of([number for number, work in enumerate(described.works) if work.found])
    reached = [(place, bits & ~found) for place, bits in places.reached(sets)]
    made = [
        _suggestion(one, described.works, sets.of(one.term).fit, reached, pairs) for one in chosen
    ]
    made = [one for one in made if one.brought or one.score >= LEAST_SCORE or one.text in others]
    made.sort(key=lambda one: (-one.brought, -one.score, one.cost, one.text))
    return Suggestions(
        relevant=described.relevant,
        others=len(described.works) - described.relevant,
        missed=sum(work.relevant and not work.found for work in described.works),
        words=tuple(_without_parts(made))[:count],
    )


# ---------------------------------------------------------------- the works


@dataclass(frozen=True, slots=True)
class _DescribedWork:
    """A work, or what is known of one that the project has not. `name`: its uid, or its name."""

    name: str
    record: Record
    relevant: bool
    found: bool


@dataclass(slots=True)
class _Described:
    works: list[_DescribedWork] = field(default_factory=list)
    relevant: int = 0

    @classmethod
    def of(cls, project: Project, strategy: Strategy, most: int) -> _Described:
        db = project.db
        count = db.value("SELECT count(*) FROM work WHERE project = ?", project.id)
        if count > most:
            raise UsageError(
                message(
                    "The project has {count} works; at most {most} are compared here",
                    count=f"{count:,}",
                    most=f"{most:,}",
                ),
                advice=message("Use `metasearch strategy words` on the command line.")
                if most < MOST_WORKS
                else message("Make a project of some of its runs."),
            )
        checked = known_works.validate(project, strategy).works
        known = {uid for one in checked for uid in one.works}
        relevant = relevant_works(project)
        found = {row[0] for row in db.all(_FOUND, strategy.id)}
        made = cls()
        for row in db.rows(_BODIES, project.id):
            wanted = row["id"] in relevant or row["uid"] in known
            record = hits.read(row["hit"]).record
            made.add(_DescribedWork(row["uid"], record, wanted, row["id"] in found))
        for one in checked:
            if not one.works and one.known.record.title:
                made.add(_DescribedWork(one.known.name, one.known.record, True, False))
        if not made.relevant:
            raise UsageError(
                message("No work of the project is relevant or known yet"),
                advice=message(
                    "Decide on works, or name some that must be found: "
                    "`metasearch strategy known add`."
                ),
            )
        return made

    def add(self, work: _DescribedWork) -> None:
        self.works.append(work)
        self.relevant += work.relevant


_BODIES = (
    "SELECT work.id, work.uid, work_body.hit FROM work JOIN work_body ON work_body.work = work.id"
    " WHERE work.project = ? ORDER BY work.id"
)
#: What the searches of a strategy have found; what citations led to is what they have missed.
_FOUND = (
    "SELECT DISTINCT work_record.work FROM run JOIN answer ON answer.run = run.id"
    " JOIN finding ON finding.answer = answer.id"
    " JOIN work_record ON work_record.record = finding.record"
    " WHERE run.strategy = ? AND run.mode <> 'citations'"
)


# ---------------------------------------------------------------- the words of works


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    kind: Kind
    relevant: int
    others: int
    score: float

    @property
    def term(self) -> Term:
        field = "subject" if self.kind in ("keyword", "heading") else "any"
        return Term(self.text, field, phrase=" " in self.text or bool(CJK.search(self.text)))


def _ranked(described: _Described, wanted: Collection[str]) -> list[_Candidate]:
    """The words of relevant works that belong to them more than to others, and keywords that are
    `wanted` in any case; those of missed works first, and then the surest.
    """
    least = 2 if described.relevant > 2 else 1
    within, missed, beside = (Counter[tuple[str, Kind]]() for _ in range(3))
    for work in described.works:
        if work.relevant:
            words = set(_words_of(work.record))
            within.update(words)
            missed.update(words if not work.found else ())
    kinds: tuple[Kind, ...] = ("keyword", "heading")
    counterparts = {(text, kind) for text in wanted for kind in kinds}
    looked_for = {word for word, works in within.items() if works >= least or word in missed}
    looked_for |= counterparts
    for work in described.works:
        if not work.relevant:
            beside.update(looked_for.intersection(_words_of(work.record)))
    all_relevant, all_others = described.relevant, len(described.works) - described.relevant
    made = []
    for word in looked_for:
        a, b = within[word], beside[word]
        if not a + b:
            continue
        score = log_likelihood(a, all_relevant, b, all_others)
        # What brings a work that was missed is of use even where few works have it.
        if word in counterparts or (
            a * all_others >= b * all_relevant and (score >= LEAST_SCORE or word in missed)
        ):
            first = missed[word] + (word in counterparts)
            made.append((-first, _Candidate(*word, a, b, score)))
    made.sort(key=lambda one: (one[0], -one[1].score, -len(one[1].text), one[1].text))
    return [one for _, one in made[:_MOST_LOOKED_AT]]


def log_likelihood(a: int, all_a: int, b: int, all_b: int) -> float:
    """Dunning's ratio (G²) of a word that `a` of `all_a` works have, and `b` of `all_b` others."""
    share = (a + b) / (all_a + all_b)
    total = 0.0
    for seen, of in ((a, all_a), (b, all_b)):
        for number, expected in ((seen, of * share), (of - seen, of * (1 - share))):
            if number:
                total += number * math.log(number / expected)
    return 2 * total


def _words_of(record: Record) -> Iterator[tuple[str, Kind]]:
    for heading in record.subjects:
        if text := _keyword(heading):
            yield text, "heading"
    for keyword in record.keywords:
        if text := _keyword(keyword):
            yield text, "keyword"
    titles = (record.title, record.original_title, record.translated_title, *record.titles)
    for title in filter(None, titles):
        yield from _of_text(title)
        for run in _RUN.findall(title):
            yield from _characters(run)
    yield from _of_text((record.abstract or "")[:_ABSTRACT])


def _keyword(text: str) -> str:
    folded = " ".join(fold(text).split())
    return folded if 1 < len(folded) <= 80 and not folded.isdecimal() else ""


def _of_text(text: str) -> Iterator[tuple[str, Kind]]:
    """Words and phrases between stops, without those that begin or end with a word of grammar."""
    for part in _between_stops(fold(text)):
        words = TOKEN.findall(part)
        for start, first in enumerate(words):
            if not _is_word(first):
                continue
            yield first, "word"
            for end in range(start + 2, min(start + _WORDS, len(words)) + 1):
                if _is_word(words[end - 1]):
                    yield " ".join(words[start:end]), "phrase"


def _between_stops(text: str) -> Iterable[str]:
    for stop in ".;:!?()[],":
        text = text.replace(stop, "\n")
    return text.split("\n")


def _is_word(word: str) -> bool:
    return (
        len(word) >= _LETTERS
        and not word.isdecimal()
        and word not in STOP_WORDS
        and word not in _GRAMMAR
        and not CJK.search(word)
    )


def _characters(run: str) -> Iterator[tuple[str, Kind]]:
    for start in range(len(run) - 1):
        if run[start] in _PARTICLES:
            continue
        for end in range(start + 2, min(start + _CHARACTERS, len(run)) + 1):
            if run[end - 1] not in _PARTICLES:
                yield run[start:end], "word"


def _without_parts(made: Sequence[Suggestion]) -> Iterator[Suggestion]:
    """The suggestions without those that are a part of another one of the same works."""
    longest: dict[tuple[object, ...], list[str]] = {}
    for one in sorted(made, key=lambda each: -len(each.text)):
        longest.setdefault(_numbers(one), []).append(one.text)
    for one in made:
        others = longest[_numbers(one)]
        if not any(len(one.text) < len(other) and one.text in other for other in others):
            yield one


def _numbers(one: Suggestion) -> tuple[object, ...]:
    return one.relevant, one.others, one.brings, one.cost


# ---------------------------------------------------------------- what a word brings and costs


class _Places:
    """Where a word can be an alternative in a strategy: at most `_MOST_PLACES`."""

    def __init__(self, queries: StrategyQueries, finals: set[int]) -> None:
        lines = [
            line
            for line in queries.queries
            if line in finals or finals.intersection(queries.users.get(line, ()))
        ]
        #: Each place, with the queries of the final lines if all works had the word.
        self._all: list[tuple[Alternative, list[Query]]] = []
        for place in islice((p for line in lines for p in queries.places(line)), _MOST_PLACES):
            changed = queries.with_beside(place, _EVERYTHING)
            wanted = (changed.get(line) for line in sorted(finals))
            self._all.append((place, [query for query in wanted if query is not None]))
        self._terms = {term for line in lines for term in terms(queries.queries[line])}

    def every_query(self) -> Iterator[Query]:
        for _, wanted in self._all:
            yield from wanted

    def texts(self) -> set[str]:
        """What the strategy looks for."""
        return {_keyword(term.text) for term in self._terms}

    def uncovered(self, candidates: Sequence[_Candidate]) -> list[_Candidate]:
        """Those that a work may have without a word that the strategy looks for."""
        sets = MatchingSets(self._terms)
        for one in candidates:
            text = one.text
            sets.add(Record(source="", title=text, abstract=text, keywords=(text,)))
        covered = 0
        for term in self._terms:
            covered |= sets.of(term).fit
        return [one for number, one in enumerate(candidates) if not covered >> number & 1]

    def reached(self, sets: MatchingSets) -> list[tuple[Alternative, int]]:
        """Each place, with the records that the strategy finds if they have a word there."""
        made = []
        for place, wanted in self._all:
            bits = 0
            for query in wanted:
                bits |= sets.of(query).fit
            made.append((place, bits))
        return made


def _suggestion(
    one: _Candidate,
    works: Sequence[_DescribedWork],
    has: int,
    reached: Sequence[tuple[Alternative, int]],
    pairs: _Counterparts,
) -> Suggestion:
    """`has`: the works that have the word."""
    place: Alternative | None = None
    brought: list[_DescribedWork] = []
    cost = 0
    for here, bits in reached:
        new = [works[number] for number in numbers_of(has & bits)]
        wanted = [work for work in new if work.relevant]
        if wanted and (-len(wanted), len(new) - len(wanted)) < (-len(brought), cost):
            place, brought, cost = here, wanted, len(new) - len(wanted)
    counterpart, both = pairs.of(one.text)
    return Suggestion(
        text=one.text,
        kind=one.kind,
        term=one.term,
        line=None if place is None else place.step,
        beside="" if place is None else place.text[: known_works.SHOWN],
        relevant=one.relevant,
        others=one.others,
        score=round(one.score, 2),
        brings=tuple((work.name, work.record.title) for work in brought[:MOST_NAMED]),
        brought=len(brought),
        cost=cost,
        counterpart=counterpart,
        pairs=both,
    )


class _Counterparts:
    """Which Chinese and English keywords stand for one another: those of records that have both."""

    def __init__(self, every: Iterable[Record]) -> None:
        self._times: Counter[str] = Counter()
        self._both: dict[str, Counter[str]] = {}
        self._aligned: set[tuple[str, str]] = set()
        for keywords in (words for record in every for words in (record.keywords, record.subjects)):
            keys = list(dict.fromkeys(filter(None, map(_keyword, keywords))))
            chinese = [key for key in keys if CJK.search(key)]
            others = [key for key in keys if not CJK.search(key)]
            if not (chinese and others) or len(keys) > 40:
                continue
            self._times.update(keys)
            for first in chinese:
                for second in others:
                    self._both.setdefault(first, Counter())[second] += 1
                    self._both.setdefault(second, Counter())[first] += 1
            if len(chinese) == len(others):
                self._aligned.update(zip(chinese, others, strict=True))
                self._aligned.update(zip(others, chinese, strict=True))

    def of(self, text: str) -> tuple[str, int]:
        """The counterpart and the records that have both; ("", 0) where none is sure."""
        best, records, share = "", 0, 0.0
        for other, both in self._both.get(text, {}).items():
            likely = 2 * both / (self._times[text] + self._times[other])
            sure = both > 1 or (text, other) in self._aligned
            # Where one record alone has both, only their order tells.
            if sure and likely >= _COUNTERPARTS:
                likely += (text, other) in self._aligned
                if (likely, other) > (share, best):
                    best, records, share = other, both, likely
        return best, records
