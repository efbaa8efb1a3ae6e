"""What assistants type where a query is expected: a question in plain words, and the operators of
web search. For the faces that only they use; on all others a text stays as it is.

Half of the databases look for every word of a question, "which" and "recent" among them, and find
nothing. So a question is searched for by the words that carry it, and in the years that it names;
where no work has all of them, by any of them. An operator of web search is no word of any work.
All that is changed is said.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from metasearch.bib.normalise import CJK
from metasearch.engine.scores import STOP_WORDS
from metasearch.errors import QuerySyntaxError
from metasearch.events import Answer
from metasearch.late_pattern import late_pattern
from metasearch.query import read, to_text
from metasearch.query.simple_fields import likely_field
from metasearch.query.tree import Or, Query, Term, Years
from metasearch.query.values import BadYears, identifier_field, read_years, years_text
from metasearch.server.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Wish:
    """What a text of an assistant asks for.

    Attributes:
        query: The query to search for; "" where there is no word.
        years: The years that the text names beside the query; None for all.
        sources: Those that `site:` names; none for all.
        notes: What was read otherwise than as words, or left out; a sentence each.
        words: Those to look for where no work has all of the query; none for a query with
            operators.
    """

    query: str
    years: Years | None = None
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def wish(text: str, sources: Iterable[str] = (), today: date | None = None) -> Wish:
    """What a text asks for. `sources`: names that `site:` may mean. `today`: "the last five years"
    count from it; None is today in UTC.
    """
    plain = _without_unknown(without_operators(text, sources))
    question = _question(plain.query, today or datetime.now(UTC).date())
    if question is None:
        return replace(plain, words=tuple(plain_words(plain.query)))
    return replace(
        question,
        years=plain.years or question.years,
        sources=plain.sources,
        notes=(*plain.notes, *question.notes),
    )


# --------------------------------------------------------------------------- web search

#: Operators of web search that name no words -> what they would have asked for.
_LIMITS = {
    **dict.fromkeys(("site", "domain", "host", "inurl", "allinurl", "url"), "an address"),
    **dict.fromkeys(
        ("filetype", "ext", "mime", "mimetype", "contains", "format"), "a type of file"
    ),
    **dict.fromkeys(("related", "link", "cache", "inanchor", "allinanchor"), "links of pages"),
    **dict.fromkeys(("loc", "location", "region", "country"), "a country"),
    **dict.fromkeys(
        (
            "daterange",
            "numrange",
            "imagesize",
            "safesearch",
            "prefer",
            "insubject",
            "group",
            "label",
            "tbs",
            "qdr",
            "weather",
            "map",
            "stocks",
            "movie",
        ),
        "web pages",
    ),
}
#: Those before what is a word anywhere in the text.
_ANYWHERE = frozenset({"intext", "allintext", "inbody", "define"})
#: Such an operator before a blank, and the years of Google's ranges.
_SPREAD = late_pattern(
    r"(?<![\w-])(-?(?:site|filetype|ext|inurl|intext|allintext|allinurl)):\s{1,3}(?=\w)",
    re.IGNORECASE,
)
_RANGE = late_pattern(r"((?:1[5-9]|20)[0-9]{2})\.{2,3}((?:1[5-9]|20)[0-9]{2})")
_PIECE = late_pattern(r'-?[A-Za-z]{3,12}:"[^"]*"|"[^"]*(?:"|\Z)|[“][^”]*(?:”|\Z)|[()]|[^\s()"“]+')
_LIMIT = late_pattern(r"-?([A-Za-z]{3,12}):(\S.*)", re.DOTALL)
_TIME = late_pattern(r"(after|before|since|until):((?:1[5-9]|20)[0-9]{2})([-/.][0-9./-]{1,8})?")
_BANG = late_pattern(r"!{1,2}([\w.-]{1,40})|:([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)")
_JOINS = frozenset({"AND", "OR", "NOT", "|"})
#: Characters of an operator that a note repeats, and notes.
_SHOWN, _MOST_NOTES = 60, 10
#: Characters of a query that is read to find names that are no field: no assistant writes more.
_LONGEST = 2_000


def without_operators(text: str, sources: Iterable[str] = ()) -> Wish:
    """A text without the operators of web search; as it is where there are none."""
    text = _SPREAD.sub(r"\1:", text)
    if not _may_have_operators(text):
        return Wish(text)
    kept: list[str] = []
    left_out: dict[str, str] = {}
    hosts: list[str] = []
    years: Years | None = None
    for match in _PIECE.finditer(text):
        piece = match[0]
        limit = _LIMIT.fullmatch(piece)
        name = limit[1].lower() if limit else ""
        if limit and name in _ANYWHERE:
            kept.append(limit[2])
            continue
        if ended := _TIME.fullmatch(piece.lower()):
            years = narrower(years, _years_of_operator(ended))
        elif between := _RANGE.fullmatch(piece):
            years = narrower(years, Years(*sorted(map(int, between.groups()))))
        elif limit and name in _LIMITS:
            left_out[piece[:_SHOWN]] = _LIMITS[name]
            hosts += [limit[2]] if name == "site" and not piece.startswith("-") else []
        elif bang := _BANG.fullmatch(piece):
            left_out[piece] = "a search engine" if bang[1] else "a language of pages"
        else:
            kept.append(piece)
            continue
        if kept and kept[-1] == "NOT":
            kept.pop()
        kept.append("")
    named = _sources_at(hosts, sources)
    notes = [
        f"{each} is left out: sources cannot be asked for {what}"
        for each, what in left_out.items()
        if not (named and each.startswith("site:"))
    ]
    if named:
        notes.append(f"site: is read as the source to ask: {', '.join(named)}")
    if years is not None:
        notes.append(f"The dates are read as whole years: {years_text(years)}")
    return Wish(" ".join(_join_pieces(kept)), years, named, tuple(notes[:_MOST_NOTES]))


def _years_of_operator(match: re.Match[str]) -> Years:
    year = int(match[2])
    if match[1] in ("after", "since"):
        return Years(year, None)
    # before:2020 ends with 2019, before:2020-06 in 2020.
    return Years(None, year - (match[1] == "before" and not match[3]))


def narrower(known: Years | None, years: Years) -> Years:
    """The years of both; those of the later one where they share none."""
    if known is None:
        return years
    first, last = years.first or known.first, years.last or known.last
    return years if first and last and first > last else Years(first, last)


def _sources_at(hosts: list[str], sources: Iterable[str]) -> tuple[str, ...]:
    """The sources that are the places of `site:`; none where one of these is no source."""
    by_label = {re.sub(r"[\W_]+", "", name): name for name in sources} if hosts else {}
    found: dict[str, None] = {}
    for host in hosts:
        labels = host.strip('"').lower().partition("/")[0].split(".")
        name = next((by_label[label] for label in labels if label in by_label), None)
        if name is None:
            return ()
        found[name] = None
    return tuple(found)


def _may_have_operators(text: str) -> bool:
    for match in _PIECE.finditer(text):
        piece = match[0]
        limit = _LIMIT.fullmatch(piece)
        if limit and (limit[1].lower() in _LIMITS or limit[1].lower() in _ANYWHERE):
            return True
        if any(each.fullmatch(piece.lower()) for each in (_TIME, _BANG, _RANGE)):
            return True
    return False


def _without_unknown(wished: Wish) -> Wish:
    """The wish with the nearest field, or with words, in place of names that are no field."""
    query, notes = wished.query, list(wished.notes)
    while ":" in query and len(query) <= _LONGEST and len(notes) < _MOST_NOTES:
        try:
            read(query)
        except QuerySyntaxError as error:
            end = error.position + error.length
            name = query[error.position : end]
            if error.text != query or not name.isalpha() or query[end : end + 1] != ":":
                break
            if field := likely_field(name):
                query = f"{query[: error.position]}{field}{query[end:]}"
                notes.append(f"{name}: is read as {field}:")
            else:
                query = f"{query[:end]} {query[end + 1 :]}"
                notes.append(f"{name}: names no field, and is read as a word")
        else:
            break
    return replace(wished, query=query, notes=tuple(notes))


def _join_pieces(pieces: list[str]) -> Iterator[str]:
    """The pieces without the operators and brackets that join nothing any more; "" stands for one
    that was left out.
    """
    out: list[str] = []
    for at, piece in enumerate(pieces):
        if piece in ("AND", "OR", "|"):
            between = pieces[at - 1 : at] == [""] and pieces[at + 1 : at + 2] == [""]
            if between or not out or out[-1] in ("(", *_JOINS):
                continue
        if piece == ")":
            while out and out[-1] in _JOINS:
                out.pop()
            if out and out[-1] == "(":
                out.pop()
                continue
        if piece:
            out.append(piece)
    while out and out[-1] in _JOINS:
        out.pop()
    yield from out


# --------------------------------------------------------------------------- questions

#: Words by which people ask, and by which they name what they ask for.
_OF_QUESTIONS = frozenset(
    "about am any been between could did find found give had he her his i know known look "
    "looking me my one our please research say says search she should show some tell than "
    "them there's us we were what's when where whether who whom whose why work would written wrote "
    "you your article articles book books literature paper papers publication publications "
    "study studies study's evidence findings list need want get recommend suggest summarize "
    "summarise explain help related regarding concerning published".split()
)
_LEFT_OUT = STOP_WORDS | _OF_QUESTIONS
#: What makes a question or a wish of words.
_asks = late_pattern(
    r"(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|has|"
    r"have|should|find|show|give|tell|search|list|i|please|recommend|suggest|summari[sz]e)\b",
    re.IGNORECASE,
)
_WISHED = (
    r"(?:recent|latest|newest|peer-reviewed|scholarly|academic|relevant|seminal|influential|any|"
    r"some)"
)
_QUALITY = (
    rf"(?:(?:{_WISHED}|the|all|most|more|very|new|current|modern|up-to-date|scientific|key|"
    r"important|highly|cited|top|best|good|published|english|open|access|empirical|original|"
    r"[0-9]{1,3})\s)"
)
#: What names the kind of works that are looked for, before what they are about.
_head = late_pattern(
    rf"\b(?:(?:a\s)?(?:list|overview|summary|selection)\sof\s)?"
    rf"(?:{_QUALITY}{{0,6}}(?:research\s|journal\s|review\s)?(?:papers|articles|publications)"
    rf"|{_WISHED}\s{_QUALITY}{{0,5}}(?:research|studies|literature|works?|findings)"
    r"|(?:research|studies|literature|works?|evidence|findings)(?=\s(?:about|regarding|"
    r"concerning)\b))"
    r"(?:\spublished)?(?=\s{1,3}(?:on|about|regarding|concerning|into|of|in|for|that|which|related|"
    r"discussing|examining|exploring|investigating|dealing|from|since|by)\b)",
    re.IGNORECASE,
)
#: The same behind what they are about, with the years: "sleep apnea research papers 2021 2022".
_tail = late_pattern(
    rf"\s(?:{_QUALITY}|(?:research|journal|conference)\s){{1,5}}"
    r"(?:papers?|articles?|studies|publications)((?:[\s-](?:19|20)[0-9]{2}){0,6})(?:\spdf)?\s?$",
    re.IGNORECASE,
)
#: Signs and words of a query, which is searched for as it is.
_is_query = late_pattern(
    r'["“”\[\]{}*|=<>^~]|\b[A-Za-z]+:\S|(?:^|\s)(?:AND|OR|NOT|(?:NEAR|PRE)/\d+)(?:\s|$)'
    r"|\b(?:(?i:pmid|pmcid|arxiv|doi|isbn|issn)\s?:|PMC[0-9])"
)
_word = late_pattern(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_chinese_asking = late_pattern(
    "什么是|何为|是什么|是多少|是不是|是否|能否|有什么|有何|为什么|為什麼|为何|什么|什麼|如何|怎样|怎樣|怎么样|怎么|有哪些|哪些|"
    "哪个|哪种|多少|有没有|请问|請問|关于|關於|请帮我找?|帮我找?|我想找|(?:找|查|搜)(?:一下|一些|找)|查找|搜索|检索|寻找|推荐|列出|给我|我想|想找|请|一些|几篇|[吗呢的]"
)
_CHINESE_JOINS = frozenset("对對与與和及在是")
#: What joins two words of a question that each stand somewhere.
_chinese_joins = late_pattern(
    r"(?<=[\u4e00-\u9fff]{2})(?:以及|对|對|与|與|和|及|在|是)(?=[\u4e00-\u9fff]{2})"
)
_chinese_works = late_pattern(
    "的?(?:最新|最近|近期|近年来|近年|相关|主要|重要){0,3}的?(?:研究论文|学术论文|期刊论文|研究文献|论文|文献|文章|"
    r"研究|综述)(?=有哪些|哪些|[？?。，,\s]|$)"
)
_recent = late_pattern(
    r"\b(?:recent|recently|latest|newest|up-to-date|current)\b|最新|最近|近期|近年来?",
    re.IGNORECASE,
)
#: Words of a question that are looked for, and that a note repeats.
_MOST_WORDS = 20

_Y = r"(?<![0-9])((?:19|20)[0-9]{2})(?![0-9])"
_WRITTEN = r"(?:(?:published|written)\s)?"
_number_words = dict(
    zip(
        (
            "two three four five six seven eight nine ten fifteen twenty "
            "二 三 四 五 六 七 八 九 十 两"
        ).split(),
        (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2),
        strict=True,
    )
)
#: How the years of works are named: (the form, the range of what it names).
_YEARS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Years]], ...] = (
    (
        late_pattern(
            rf"{_WRITTEN}(?:(?:from|between|in|during|从|自)\s?)?{_Y}\s?年?\s?"
            rf"(?:[-–—~～至到]|to\b|and\b|until\b|till\b|through\b)\s?"
            rf"(?:{_Y}|present\b|now\b|today\b|今|现在)\s?年?(?:期间|之间|间)?",
            re.IGNORECASE,
        ),
        lambda match, today: Years(int(match[1]), int(match[2]) if match[2] else None),
    ),
    (
        late_pattern(
            rf"{_WRITTEN}(?:since|after|from|从|自)\s?{_Y}(?:\sonwards?\b)?(?:年?(?:以来|以后|之后|起))?",
            re.IGNORECASE,
        ),
        lambda match, today: Years(int(match[1]), None),
    ),
    (
        late_pattern(rf"{_Y}\s?年?(?:以来|以后|之后|起)"),
        lambda match, today: Years(int(match[1]), None),
    ),
    (
        late_pattern(
            rf"{_WRITTEN}(?:before|until|up to|prior to)\s{_Y}|{_Y}\s?年?(?:以前|之前)",
            re.IGNORECASE,
        ),
        lambda match, today: Years(None, int(match[1] or match[2])),
    ),
    (
        late_pattern(
            rf"{_WRITTEN}(?:(?:in|from|over|within|during)\s)?(?:the\s)?(?:last|past|previous)\s"
            r"(?:([0-9]{1,2}|[a-z]{3,7})\syears|decade)\b"
            r"|(?:最近|近|过去)\s?([0-9]{1,2}|[二三四五六七八九十两])\s?年(?:以来|来|间|内)?",
            re.IGNORECASE,
        ),
        lambda match, today: Years(today.year - _count(match[1] or match[2]), None),
    ),
    (
        late_pattern(
            rf"(?:published|written)\s(?:in\s)?{_Y}|{_Y}\s?年?(?:发表|出版)", re.IGNORECASE
        ),
        lambda match, today: Years(int(match[1] or match[2]), int(match[1] or match[2])),
    ),
)
_bracketed = late_pattern(r"[(（]\s?([^()（）]{4,40}?)\s?[)）]")


def _count(word: str | None) -> int:
    """How many years "five" or "5" are; a decade where it is no number."""
    word = (word or "").lower()
    return int(word) if word.isdecimal() else _number_words.get(word, 10)


def _with_years(text: str, today: date, *, anywhere: bool) -> tuple[str, Years | None]:
    """The text without the years that it names, and these. Years outside of brackets are those of
    works only `anywhere` where works are named: others may be what the works are about.
    """
    for bracketed in _bracketed.finditer(text):
        for pattern, years in _YEARS:
            if match := pattern.fullmatch(bracketed[1]):
                return _cut(text, bracketed), years(match, today)
        with suppress(BadYears):
            return _cut(text, bracketed), read_years(bracketed[1])
    if anywhere:
        for pattern, years in _YEARS:
            if match := pattern.search(text):
                return _cut(text, match), years(match, today)
    return text, None


def _cut(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"


def words_of(text: str) -> list[str]:
    """The words that carry a question, in their order; [] for what is a query or no question.

    >>> words_of("Does drinking coffee change the risk of breast cancer?")
    ['drinking', 'coffee', 'change', 'risk', 'breast', 'cancer']
    >>> words_of("title:coffee AND cancer")
    []
    """
    found = _question(text, datetime.now(UTC).date())
    return list(found.words) if found else []


def plain_words(text: str) -> list[str]:
    """All words of a text that is no question and has no operators; those of phrases in quotes as
    well. [] for a query.
    """
    unquoted = re.sub('["“”]', " ", text)
    if _is_query.search(unquoted) or re.search("[()（）]", text) or identifier_field(text.strip()):
        return []
    words = [word for word in _word.findall(unquoted) if word.lower() not in STOP_WORDS]
    return list(dict.fromkeys(words))[:_MOST_WORDS]


def _question(text: str, today: date) -> Wish | None:
    """What a question asks for; None for what is a query or no question."""
    if _is_query.search(text) or identifier_field(text.strip()):
        return None
    chinese = CJK.search(text) is not None
    head = _chinese_works if chinese else _head
    rest, years = _with_years(text, today, anywhere=head.search(text) is not None)
    named = head.search(rest)
    asks = named is not None and not chinese and not rest[: named.start()].strip()
    if chinese:
        asks = _chinese_asking.search(rest) is not None
    elif tail := _tail.search(rest):
        named, asks, rest = tail, True, rest[: tail.start()]
        if found := [int(year) for year in re.findall("[0-9]{4}", tail[1])]:
            years = years or Years(min(found), max(found))
    asks = asks or (not chinese and ("?" in text or _asks.match(text.strip()) is not None))
    if not asks and (years is None or re.search("[()（）]", rest)):
        return None
    asked = head.sub(" ", rest, count=1) if asks else rest
    if chinese and asks:
        asked = _chinese_joins.sub(" ", _chinese_asking.sub(" ", asked))
    stop = _LEFT_OUT if asks else STOP_WORDS
    words = [word for word in _word.findall(asked) if word.lower() not in stop]
    if chinese and asks:
        words = [word for word in words if word not in _CHINESE_JOINS]
    words = list(dict.fromkeys(words))[:_MOST_WORDS]
    if not words:
        return None
    query = " ".join(words)
    notes = [f"Searched for the words that carry the question: {query}"]
    left_out = _chinese_asking.findall(rest) if chinese else _word.findall(rest)
    left_out += _word.findall(named[0]) if named else []
    unlike = dict.fromkeys(each for each in left_out if each not in words and not each.isdigit())
    if unlike:
        notes.append(f"Left out of the query: {', '.join(list(unlike)[:_MOST_WORDS])}"[:500])
    if years is not None:
        notes.append(f"The years are read as those of publication: {years_text(years)}")
    elif named and (recent := _recent.search(named[0])):
        notes.append(f"{recent[0]!r} names no years: works of all years are searched for")
    return Wish(query, years, notes=tuple(notes), words=tuple(words))


# --------------------------------------------------------------------------- where nothing is found

#: Seconds that a further search must have.
_LEAST_SECONDS = 5.0


async def relax(
    answer: Answer,
    wished: Wish,
    parameters: Parameters,
    search: Callable[[Parameters], Awaitable[Answer]],
    until: float,
) -> tuple[Answer, list[str]]:
    """The answer, and in words what of the wish was given up for it where nothing was found.

    Args:
        answer: That of the whole wish.
        parameters: With which it was searched for.
        search: Searches with others.
        until: When the last search has to end, by `time.monotonic`.
    """
    notes: list[str] = []
    query = to_text(any_of(wished.words)) if len(wished.words) > 1 else parameters.query
    attempts = []
    if len(wished.words) > 1:
        attempts.append(
            (parameters.years, "No work has all words; these have some of them, the nearest first")
        )
    if parameters.years is not None and wished.words:
        attempts.append(
            (None, "No work of these years has any of the words; works of all years are shown")
        )
    for years, note in attempts:
        left = until - time.monotonic()
        found = answer.hits or answer.counts.unique
        if found or left < _LEAST_SECONDS or not any(each.answered for each in answer.sources):
            break
        timeout = min(left, parameters.timeout or left)
        wider = replace(parameters, query=query, years=years, timeout=timeout, syntax="simple")
        answer = await search(replace(wider, year="" if years is None else parameters.year))
        notes.append(note)
    if notes and not answer.hits:
        notes = ["No work has all words, and none has any of them"]
    return answer, notes


def any_of(words: Sequence[str]) -> Query:
    """The query for works with at least one of the words, of which there are two or more."""
    return Or(tuple(Term(word) for word in words))
