"""What a field holds that is no mere word: identifiers, types of works, languages, years; as people
and databases write them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from operator import index
from typing import Any

from metasearch.bib import trials
from metasearch.bib.languages import language_code, language_words
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.tree import Years, is_blank

# DOIs, ISBNs and ISSNs as people type them.

#: Matches the beginning of a DOI; groups: protocol, resolver, prefix with its slash.
DOI = re.compile(
    r"(https?://)?((?:dx\.|www\.)?doi\.org/)?(?:doi:)?(10\.[0-9]{4,9}(?:\.[0-9]+)*/)", re.IGNORECASE
)
_DOI_TAIL = ".,;:"
_ISBN = late_pattern(r"(?:97[89][- ]?)?(?:[0-9][- ]?){9}[0-9Xx]")
_ISSN = late_pattern(r"[0-9]{4}-[0-9]{3}[0-9Xx]")


def bare_doi(text: str) -> str | None:
    """Lower case, without resolver, or None: "https://doi.org/10.1000/X" -> "10.1000/x"."""
    match = DOI.match(text)
    if match is None:
        return None
    bare = text[match.start(3) :]
    if match[1] or match[2]:
        bare = re.split(r"[?#]", bare, maxsplit=1)[0]
        if "%" in bare:
            from urllib.parse import unquote

            decoded = unquote(bare)
            bare = bare if any(map(is_blank, decoded)) else decoded
    bare = bare.lower().rstrip(_DOI_TAIL)
    return bare if len(bare) > len(match[3]) else None


#: An arXiv number: that of a month, or of a subject before 2007.
_ARXIV = r"([0-9]{4}\.[0-9]{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?"
_PMC = r"(PMC)0*([0-9]{1,9})(?:\.[0-9]{1,2})?"
#: Field -> its values as people write them; the groups are the parts that are kept.
_NUMBERS: Mapping[str, re.Pattern[str]] = {
    "pmid": late_pattern(r"0*([0-9]{1,9})"),
    "pmcid": late_pattern(rf"(?:{_PMC}|()0*([0-9]{{1,9}}))", re.IGNORECASE),
    "arxiv": late_pattern(rf"(?:arxiv:)?{_ARXIV}", re.IGNORECASE),
}
#: Field -> values that need no field: PMC1234567, addresses of works.
_NAMED: Mapping[str, re.Pattern[str]] = {
    "pmid": late_pattern(
        r"https?://(?:pubmed\.ncbi\.nlm\.nih\.gov|www\.ncbi\.nlm\.nih\.gov/pubmed"
        r"|europepmc\.org/(?:article|abstract)/med)/0*([0-9]{1,9})/?",
        re.IGNORECASE,
    ),
    "pmcid": late_pattern(
        r"(?:https?://(?:pmc|www)\.ncbi\.nlm\.nih\.gov/(?:pmc/)?articles/"
        rf"|https?://europepmc\.org/article/PMC/)?{_PMC}/?"
    ),
    "arxiv": late_pattern(
        rf"https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/{_ARXIV}(?:\.pdf)?", re.IGNORECASE
    ),
}


#: Characters of a text that may name one registration number, with its registry.
_LONGEST_TRIAL = 100


def bare_number(field: str, text: str) -> str | None:
    """A PMID, PMCID, arXiv number or registration number of a trial in its usual form, or None:
    ("arxiv", "2104.12255v2") -> "2104.12255".
    """
    if field == "trial":
        found = trials.registrations(text[:_LONGEST_TRIAL], alone=True)
        several = [number for value in found.values() for number in trials.numbers(value)]
        return several[0] if len(several) == 1 else None
    match = _NUMBERS[field].fullmatch(text.rstrip(_DOI_TAIL)) if field in _NUMBERS else None
    if match is None:
        return None
    parts = "".join(part for part in match.groups() if part)
    if field == "pmcid":
        return f"PMC{parts.upper().removeprefix('PMC')}"
    return parts.lower()


def number_and_field(text: str) -> tuple[str, str] | None:
    """The field of a number that needs none, and its usual form; None for all other texts."""
    if not text.startswith(("http", "PMC")):
        return None
    for field, pattern in _NAMED.items():
        if match := pattern.fullmatch(text.rstrip(_DOI_TAIL)):
            return field, "".join(part for part in match.groups() if part)
    return None


def identifier_field(text: str) -> str | None:
    """The field of an identifier, as its form tells: "doi", "isbn", "issn", "pmcid", or None."""
    if bare_doi(text) is not None:
        return "doi"
    if text.startswith("PMC") and number_and_field(text):
        return "pmcid"
    if _ISSN.fullmatch(text):
        return "issn"
    return "isbn" if _ISBN.fullmatch(text) else None


# Types of works: what people call them -> the words of `metasearch.record.TYPES`.

#: The type -> other words for it, in small letters, with hyphens for blanks. Plurals in "s" are
#: understood.
TYPE_NAMES: Mapping[str, str] = {
    "article": "journal-article research-article paper journalarticle 期刊论文 期刊文章 论文 文章",
    "preprint": "eprint e-print working-paper posted-content 预印本",
    "conference-paper": "proceedings-article inproceedings conference conferencepaper 会议论文 "
    "会议文献",
    "proceedings": "conference-proceedings 会议录 论文集",
    "book": "monograph 图书 专著",
    "chapter": "book-chapter bookchapter inbook incollection 章节",
    "thesis": "theses dissertation phd-thesis doctoral-thesis master-thesis 学位论文 博士论文 "
    "硕士论文",
    "report": "technical-report techreport 报告 科技报告",
    "dataset": "data data-set 数据集",
    "software": "code program 软件",
    "patent": "专利",
    "standard": "norm 标准",
    "review": "review-article survey systematic-review 综述",
    "editorial": "社论",
    "letter": "comment 快报",
    "erratum": "errata correction corrigendum corrigenda 勘误",
    "retraction": "retraction-notice 撤稿",
    "reference-entry": "encyclopedia-entry dictionary-entry 词条",
    "journal": "periodical serial 期刊",
    "map": "地图",
    "score": "sheet-music notated-music 乐谱",
    "audio": "sound sound-recording music-recording 音频",
    "video": "film movie moving-image 视频",
    "image": "picture photograph 图片",
    "webpage": "web-page website 网页",
    "other": "其他",
}

#: What a type holds beside what is called so: databases call a review an article, or tell the two
#: apart.
NARROWER: Mapping[str, tuple[str, ...]] = {"article": ("review",)}

TYPE_WORDS: Mapping[str, str] = {
    word: name for name, others in TYPE_NAMES.items() for word in (name, *others.split())
}


def type_word(word: str) -> str | None:
    """The type that a word means: "Journal Articles" -> "article"; None where it means none."""
    plain = "-".join(word.casefold().replace("_", " ").replace("-", " ").split())
    return TYPE_WORDS.get(plain) or (TYPE_WORDS.get(plain[:-1]) if plain.endswith("s") else None)


# Publication types of PubMed and other databases that have another name here.

#: Publication type in small letters -> our type.
TYPES: Mapping[str, str] = {
    "journal article": "article", "case reports": "article", "case report": "article",
    "classical article": "article",
    "corrected and republished article": "article", "historical article": "article",
    "introductory journal article":
    "article", "english abstract": "article", "clinical conference": "article",
    "legal case": "article",
    "meta-analysis": "review", "meta analysis": "review", "systematic review": "review",
    "scoping review": "review",
    "review literature": "review", "review, academic": "review", "review, tutorial": "review",
    "comment": "letter", "published erratum": "erratum", "retraction of publication": "retraction",
    "retraction notice": "retraction", "retracted publication": "retraction",
    "books and documents": "book", "duplicate publication": "article",
    "scientific integrity review": "report",
    "expression of concern": "retraction",
    "technical report": "report", "government publication": "report",
    "academic dissertation": "thesis",
    "dissertations & theses": "thesis", "doctoral dissertation": "thesis",
    "congress": "proceedings",
    "congresses": "proceedings", "conference proceeding": "conference-paper",
    "conference paper": "conference-paper",
    "conference abstract": "conference-paper", "meeting abstract": "conference-paper",
    "proceedings paper": "conference-paper", "conference review": "proceedings",
    "dictionary": "reference-entry",
    "encyclopedia": "reference-entry", "textbook": "book", "handbook": "book",
    "book chapter": "chapter",
    "editorial material": "editorial", "news": "other", "newspaper article": "other",
    "note": "letter",
    "short survey": "article", "article in press": "article", "early access": "article",
    "data paper": "article",
    "video-audio media": "video", "webcast": "video", "periodical index": "journal",
}  # fmt: skip
#: Those of them that mean all of our type, and no part of it.
_SAME_TYPES = frozenset(
    "journal article|review literature|published erratum|retraction of publication|retraction "
    "notice|technical report|academic dissertation|doctoral dissertation|dissertations & theses|"
    "congress|congresses|conference proceeding|conference paper|proceedings paper|book chapter|"
    "editorial material|books and documents|comment|conference review|periodical index".split("|")
)
#: Types of which the names above that are narrower mean a small part: what is excluded by such a
#: name must not exclude the type. Other types are hardly more than what is called so.
BROAD_TYPES = frozenset({"article", "review", "letter", "book", "report", "other"})
#: Publication types that say how a study was made: no type of works is so narrow, so they are
#: looked for as keywords.
STUDIES = frozenset(
    (
        "clinical study|clinical trial|clinical trial, phase i|clinical trial, phase ii|"
        "clinical trial, phase iii|"
        "clinical trial, phase iv|clinical trial protocol|clinical trial, veterinary|controlled "
        "clinical trial|"
        "randomized controlled trial|randomized controlled trial, veterinary|adaptive clinical "
        "trial|"
        "equivalence trial|pragmatic clinical trial|comparative study|multicenter "
        "study|observational study|"
        "observational study, veterinary|evaluation study|evaluation studies|validation "
        "study|validation studies|"
        "twin study|network meta-analysis|guideline|practice guideline|consensus development "
        "conference|"
        "consensus development conference, "
        "nih|biography|autobiography|interview|lecture|address|festschrift|"
        "personal narrative|patient education handout|portrait|bibliography|directory|overall|"
        "interactive tutorial|research support, non-u.s. gov't|research support, u.s. gov't, "
        "p.h.s.|"
        "research support, u.s. gov't, non-p.h.s.|research support, n.i.h., extramural|"
        "research support, n.i.h., intramural|preregistration|registered report|"
        "collected work|electronic supplementary materials|legislation"
    ).split("|")
)


#: For messages: what may be written.
CODED_WORDS: Mapping[str, str] = {
    "type": ", ".join(TYPE_NAMES),
    "language": message("the codes of ISO 639-1 (en, zh), or an English name (chinese)"),
}


def code_of_word(field: str, text: str) -> str | None:
    """The canonical "type" or "language" of a word: "Dissertations" -> "thesis"; or None."""
    return type_word(text) if field == "type" else language_code(text)


def codes_near(field: str, text: str) -> list[str]:
    """Canonical words near an unknown one, the nearest first, at most three."""
    from difflib import get_close_matches

    known = (
        TYPE_WORDS
        if field == "type"
        else {word: code for word, code in language_words().items() if len(word) > 3}
    )
    plain = "-".join(text.casefold()[:40].split())
    near = [word for word in known if len(plain) > 2 and word.startswith(plain)]
    near += get_close_matches(plain, known, 6, 0.7)
    return list(dict.fromkeys(known[word] for word in near))[:3]


# Year ranges as people write them: "2020", "2019-2024", "2019-", "-2024", ">=2019".

#: How a program may write years: `Years(2018, 2020)`, `(2018, 2020)`, `(2018, None)`, 2018,
#: "2018-2020", "2018-".
YearsLike = Years | Sequence[int | None] | int | str

_COMPARED = late_pattern(r"(>=|=>|≥|<=|=<|≤|>|<|=) ?([0-9]{4})")
_RANGE = late_pattern(r"([0-9]{4})?(?: ?(\.\.|[-\u2010-\u2015\u2212~:\uff0d\uff5e]) ?([0-9]{4})?)?")
_FOUR_DIGITS = late_pattern(r"(?<![0-9])[0-9]{4}(?![0-9])")
_SHORT_END = late_pattern(r"([0-9]{2})([0-9]{2})\D{1,3}([0-9]{2})")
_FULL_WIDTH = str.maketrans("０１２３４５６７８９＞＜＝：", "0123456789><=:")
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DATE = late_pattern(
    rf"([0-9]{{4}})(?:[-/.]({_MONTH})(?:[-/.]{_DAY})?|((?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])))?"
)
_FORMS = "2020, 2019-2024, 2019- or -2024"


class BadYears(ValueError):
    """Text that is no year range; `corrected` is what was probably meant, or None."""

    def __init__(self, reason: str, corrected: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.corrected = corrected


def parse_years(text: str) -> Years:
    """The range that an option such as `--year 2019-2024` asks for.

    Between two years may stand a hyphen, a dash, `:`, `~` or `..`; `>=2019`, `>2019`, `<=2024`,
    `<2024` work too.

    Raises:
        QuerySyntaxError: It is no range of four-digit years, or it ends before it begins.
    """
    try:
        return read_years(text)
    except BadYears as bad:
        value = text.strip()
        raise QuerySyntaxError(
            bad.reason,
            text=text,
            position=text.index(value),
            length=len(value),
            suggestion=bad.corrected,
            advice=None if bad.corrected else message("Write the years as {forms}.", forms=_FORMS),
        ) from None


def read_years(value: str) -> Years:
    """As `parse_years`, for callers that know the place of `value` in a longer query. Raises
    BadYears: as there.
    """
    plain = " ".join(value.translate(_FULL_WIDTH).split())
    if compared := _COMPARED.fullmatch(plain):
        years = years_of_sign(compared[1], int(compared[2]))
    elif (ranged := _RANGE.fullmatch(plain)) and (ranged[1] or ranged[3]):
        first, last = (int(year) if year else None for year in (ranged[1], ranged[3]))
        years = Years(first, last if ranged[2] else first)
    else:
        raise BadYears(
            message("Years are written with four digits, as {forms}", forms=_FORMS), _guess(plain)
        )
    if any(year is not None and not 1 <= year <= 9999 for year in (years.first, years.last)):
        raise BadYears(message("There is no such year"))
    if years.first is not None and years.last is not None and years.first > years.last:
        raise BadYears(
            message("The range ends before it begins"), years_text(Years(years.last, years.first))
        )
    return years


_SPAN_END = r"([0-9][0-9TZ:./-]{3,25}|\*"
#: A range as databases on Lucene write it: [2015 TO 2020], {2015 TO 2020} without its ends; and
#: ACM's (01/31/2015 TO 12/31/2020), in one or two brackets.
SPAN = late_pattern(
    rf"([\[{{(])\s{{0,3}}\(?{_SPAN_END})\s{{1,3}}TO\s{{1,3}}{_SPAN_END}|NOW)\)?\s{{0,3}}([\]}})])"
)
_MONTH_FIRST = late_pattern(r"([0-9]{1,2}/[0-9]{1,2})/([0-9]{4})")


def read_span(text: str) -> tuple[Years, bool]:
    """The years of a `SPAN`, and whether it says no more than years. Raises BadYears: there is none
    in it, or it ends before it begins.
    """
    match = SPAN.fullmatch(text)
    if match is None:
        raise BadYears(message("A range of years is written as [2015 TO 2020]"))
    begin, end = (_MONTH_FIRST.sub(r"\2/\1", date)[:10] for date in (match[2], match[3]))
    first, last = (int(date[:4]) if date[:4].isdigit() else None for date in (begin, end))
    if first is not None and match[1] == "{":
        first += len(begin) == 4
    if last is not None and match[4] == "}":
        last -= len(end) == 4
    if first is None and last is None:
        raise BadYears(message("A range of years has a year at one end"))
    if first is not None and last is not None and first > last:
        raise BadYears(message("The range ends before it begins"), f"{last:04d}-{first:04d}")
    exact = first is None or _at_edge(begin, "01", "01")
    if last is None or last >= 2999:
        return Years(first, None), exact
    return Years(first, last), exact and _at_edge(end, "12", "31")


def years_of_date(text: str) -> tuple[Years, bool]:
    """The years of a date or range, and whether that is all that it says. Raises BadYears: it is
    none.
    """
    text = months_as_digits(text)
    if (date := _DATE.fullmatch(text)) is not None:
        return read_years(date[1]), date[2] is None and date[3] is None
    return read_years(text), True


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH_NAME = rf"({'|'.join(_MONTHS)})[a-z]{{0,6}}[.*$]?"
_MONTH_BEHIND = late_pattern(
    rf"(?<!\w)([12][0-9]{{3}})\s{_MONTH_NAME}(?:\s([0-9]{{1,2}}))?(?![\w*$])", re.IGNORECASE
)
_MONTH_BEFORE = late_pattern(
    rf"(?<!\w)(?:([0-9]{{1,2}})\s)?{_MONTH_NAME}\s([12][0-9]{{3}})(?!\w)", re.IGNORECASE
)


def months_as_digits(text: str) -> str:
    """Dates with the names of months in digits: "Mar 2020" -> "2020-03", "2020 May 1" ->
    "2020-05-01".
    """
    text = _MONTH_BEHIND.sub(lambda day: _digits(day[1], day[2], day[3]), text)
    return _MONTH_BEFORE.sub(lambda day: _digits(day[3], day[2], day[1]), text)


def _digits(year: str, month: str, day: str | None) -> str:
    number = _MONTHS.index(month[:3].lower()) + 1
    return f"{year}-{number:02d}" + (f"-{day:0>2}" if day else "")


def whole_years(years: Years) -> Years | None:
    """The years that a range surely holds wholly, where its ends may be meant in part; None: there
    are none.
    """
    first = None if years.first is None else years.first + 1
    last = None if years.last is None else years.last - 1
    if first is not None and last is not None and first > last:
        return None
    return Years(first, last)


def between(first: str, last: str) -> tuple[Years, bool]:
    """The years from one date to another, and whether that is all that they say; the year 3000 is
    the open end. Raises BadYears: one is no date, or the last is before the first.
    """
    (begin, whole), (end, also_whole) = years_of_date(first), years_of_date(last)
    exact = (whole or bool(re.fullmatch(r"[0-9]{4}(?:\D0?1){1,2}", first))) and (
        also_whole or bool(re.fullmatch(r"[0-9]{4}\D12(?:\D31)?", last))
    )
    if begin.first is None or end.last is None:
        raise BadYears(message("A range of years has a year at both ends"))
    if end.last >= 3000:
        return Years(begin.first, None), exact
    if begin.first > end.last:
        raise BadYears(
            message("The range ends before it begins"), f"{end.last:04d}-{begin.first:04d}"
        )
    return Years(begin.first, end.last), exact


_LAST = late_pattern(
    r"(?:in )?(?:the )?(?:last |past )?([0-9]{1,4}) ?(day|week|month|year)s?"
    r"|(?:in )?(?:the )?(?:last|past) (day|week|month|year)",
    re.IGNORECASE,
)


def today() -> date:
    """The day that "last 5 years" is counted back from."""
    return datetime.now(UTC).date()


def years_back(text: str) -> Years | None:
    """The years of "last 5 years" or "in the last 6 months", up to today and open, of which the
    first may be meant in part only; None where it is nothing of the kind.
    """
    match = _LAST.fullmatch(text)
    if match is None:
        return None
    number, now = int(match[1] or 1), today()
    match (match[2] or match[3]).lower():
        case "year":
            first = now.year - number
        case "month":
            first = (now.year * 12 + now.month - 1 - number) // 12
        case unit:
            first = (now - timedelta(days=number * (7 if unit == "week" else 1))).year
    return Years(max(first, 1), None)


def years_of(given: YearsLike | None) -> Years | None:
    """The range that a program means, however it is written.

    Args:
        given: See `YearsLike`; None is no range.

    Raises:
        UsageError: It is nothing of the kind, there is no such year, or the range ends before it
            begins.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return parse_years(given)
    if isinstance(given, Years):
        first, last = _year(given.first, given), _year(given.last, given)
    elif isinstance(given, (tuple, list)):
        if len(given) != 2:
            raise _no_years(given)
        first, last = (_year(part, given) for part in given)
    else:
        first = last = _year(given, given)
    if first is None and last is None:
        raise _no_years(given)
    if first is not None and last is not None and first > last:
        raise UsageError(
            message(
                "years: the range ends before it begins: {first}-{last}", first=first, last=last
            )
        )
    return Years(first, last)


def _year(given: Any, whole: Any) -> int | None:
    """One end of a range, be it an int or one of numpy's."""
    if given is None:
        return None
    try:
        year = index(given)
    except TypeError:
        raise _no_years(whole) from None
    if isinstance(given, bool) or not 1 <= year <= 9999:
        raise _no_years(whole)
    return year


def _no_years(given: Any) -> UsageError:
    advice = message(
        'Write Years(2018, 2020), (2018, 2020), (2018, None), 2018, "2018-2020" or "2018-".'
    )
    return UsageError(
        message("years: {given} is no range of years", given=repr(given)[:80]), advice=advice
    )


def years_text(years: Years) -> str:
    """The shortest form that `parse_years` reads back."""
    first, last = ("" if year is None else f"{year:04d}" for year in (years.first, years.last))
    return first if first == last else f"{first}-{last}"


def years_of_sign(operator: str, year: int) -> Years:
    """The years that are equal to one, or at least or at most this, as a sign says."""
    if operator == "=":
        return Years(year, year)
    if operator in (">=", "=>", "≥"):
        return Years(year, None)
    if operator in ("<=", "=<", "≤"):
        return Years(None, year)
    return Years(year + 1, None) if operator == ">" else Years(None, year - 1)


def _guess(plain: str) -> str | None:
    """A guess: "2019-24" -> "2019-2024", "2019-05-01" -> "2019", "from 2024 to 2019" ->
    "2019-2024".
    """
    if (short := _SHORT_END.fullmatch(plain)) and short[2] <= short[3] and short[1] != "00":
        return f"{short[1]}{short[2]}-{short[1]}{short[3]}"
    years = sorted(year for year in _FOUR_DIGITS.findall(plain) if year > "0000")
    if not years:
        return None
    return years[0] if years[0] == years[-1] else f"{years[0]}-{years[-1]}"


_DATE_MONTH, _DATE_DAY = "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12][0-9]|3[01])"
# The same sign between both, so that 1450-1012 is no day.
_DATE_FORM = (
    rf"[1-3][0-9]{{3}}(?:{_DATE_MONTH}(?:{_DATE_DAY})?|-{_DATE_MONTH}(?:-{_DATE_DAY})?"
    rf"|/{_DATE_MONTH}(?:/{_DATE_DAY})?|\.{_DATE_MONTH}(?:\.{_DATE_DAY})?)?"
)
_DATE_RANGE = re.compile(
    rf"({_DATE_FORM})?\s{{0,3}}(?:-|–|:|to|\.\.)\s{{0,3}}({_DATE_FORM}|9999|current|present)?",
    re.IGNORECASE,
)
_ONE = re.compile(rf"(>=|<=|>|<|=|is|aft|bef)?\s{{0,3}}({_DATE_FORM})", re.IGNORECASE)
#: A day with the year last: 31-12-2015, 12/31/2015; not the end of 2018-01-01-2020.
_YEAR_LAST = re.compile(
    r"(?<![0-9])(?<![0-9]-)([0-9]{1,2})-([0-9]{1,2})-([12][0-9]{3})(?![0-9])"
    r"|(?<![0-9])(?<![0-9][/.])([0-9]{1,2})[/.]([0-9]{1,2})[/.]([12][0-9]{3})(?![0-9])"
)
#: A date that is cut: any ending will do.
_STEM = re.compile(r"([12][0-9]{1,7})[*$]")


def years_in(text: str) -> tuple[Years, bool]:
    """The years that a date, a range or a comparison of a database says, and whether it says no
    more than years. Raises BadYears: it says none.
    """
    plain = _YEAR_LAST.sub(_year_first, months_as_digits(" ".join(text.split())))
    if stem := _STEM.fullmatch(plain):  # 201* is a decade, 202306* a month
        first = int(stem[1][:4].ljust(4, "0"))
        return Years(first, first + 10 ** (4 - min(len(stem[1]), 4)) - 1), len(stem[1]) <= 4
    if one := _ONE.fullmatch(plain):
        year, whole = int(one[2][:4]), len(one[2]) == 4
        match (one[1] or "").lower():
            case ">=":
                return Years(year, None), whole
            case ">" | "aft":
                return Years(year + whole, None), whole
            case "<=":
                return Years(None, year), whole
            case "<" | "bef":
                return Years(None, year - whole), whole
        return Years(year, year), whole
    ranged = _DATE_RANGE.fullmatch(plain)
    last = ranged[2] if ranged and (ranged[2] or "")[:1].isdigit() else None
    if ranged is None or not (ranged[1] or last):
        raise BadYears(message("Years are written with four digits, as 2015 or 2015-2020"))
    begin, end = (int(day[:4]) if day else None for day in (ranged[1], last))
    if begin is not None and end is not None and begin > end:
        raise BadYears(message("The range ends before it begins"), f"{end}-{begin}")
    if end is not None and end >= 2999:
        end = None
    exact = (not ranged[1] or _at_edge(ranged[1], "01", "01")) and (
        not last or _at_edge(last, "12", "31")
    )
    if begin is None and end is None:
        raise BadYears(message("A range of years has a year at one end"))
    return Years(begin, end), exact


def _year_first(day: re.Match[str]) -> str:
    first, second, year = (part for part in day.groups() if part)
    of_month, month = (first, second) if int(second) <= 12 else (second, first)
    return f"{year}-{month:0>2}-{of_month:0>2}"


def _at_edge(date: str, month: str, day: str) -> bool:
    digits = re.sub(r"\D", "", date)
    return len(digits) == 4 or digits[4:] in (month, month + day)


def publication_type(text: str) -> tuple[str | None, bool]:
    """The type that a publication type means, or None, and whether that holds more."""
    name = " ".join(text.split()).casefold()
    for known in (name, name.removesuffix("s")):
        if known in TYPES:
            return TYPES[known], known not in _SAME_TYPES
    return type_word(name), False


def limit_language(text: str) -> str | None:
    """ISO 639-1 of what a limit calls a language: "english language", "ENG"."""
    name = " ".join(text.split()).casefold().removesuffix(" language")
    return language_code(name)
