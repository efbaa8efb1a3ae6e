"""Tables and single rows that hold the lines of a strategy -> rows, each character in its place."""

from __future__ import annotations

import re
from collections import Counter

#: A row that parts others.
RULE = re.compile(r"[\s|:+=_*-]{3,}|\s{0,8}```\w{0,20}\s{0,8}")
_IN_ROW = re.compile(r"(?:\A|[;,]?\s)([0-9]{1,4})[.)]\s")


#: The most characters that a heading has before them.
_HEADING = 80


def in_rows(text: str) -> str:
    """A text of one row with the numbers 1, 2, 3 and so on in it, perhaps behind a heading, as
    rows of these numbers; any other text as it is.
    """
    if "\n" in text:
        return text
    starts: list[tuple[int, int]] = []
    for match in _IN_ROW.finditer(text):
        if int(match[1]) == len(starts) + 1:
            starts.append((match.start(), match.start(1)))
    if len(starts) < 3 or starts[0][1] > _HEADING:
        return text
    chars = list(text)
    for start, number in starts[starts[0][0] == 0 :]:
        chars[start:number] = " " * (number - start - 1) + "\n"
    return "".join(chars)


def blank(text: str) -> str:
    """As long a text, of blanks and tabs."""
    return "".join(char if char == "\t" else " " for char in text)


def has_bars(text: str) -> bool:
    """Whether nearly all rows have as many bars."""
    if "|" not in text:
        return False
    rows = [row for row in text.splitlines() if row.strip() and not RULE.fullmatch(row)]
    bars = Counter(row.count("|") for row in rows)
    most, same = next(iter(bars.most_common(1)), (0, 0))
    return most > 0 and same > 1 and same * 3 >= len(rows) * 2


#: A row of comma-separated values: a number, a query, in quotes where it has commas, and hits.
COMMA_ROW = re.compile(
    r"[ ]{0,8}\"?(?P<number>[#S]?[0-9]{1,4})\"?[,;][ ]?(?:\"(?P<quoted>(?:[^\"]|\"\"){1,5000})\""
    r"|(?P<query>[^\"].{0,5000}?))(?:[,;][ ]?\"?(?P<hits>[0-9][0-9,]{0,11})\"?)?[ ]{0,8}\Z",
    re.IGNORECASE,
)


def has_commas(text: str) -> bool:
    """Whether all rows are such, but for a first one of names."""
    rows = [row for row in text.splitlines() if row.strip()]
    if len(rows) < 2 or not all("," in row or ";" in row for row in rows):
        return False
    return all(map(COMMA_ROW.match, rows[1:]))


def in_tabs(row: str, cells: re.Match[str]) -> str:
    """The row with tabs between its cells, each where it was."""
    query = "quoted" if cells["quoted"] else "query"
    out = list(" " * len(row))
    for name in ("number", query, "hits"):
        if cells[name]:
            out[slice(*cells.span(name))] = cells[name]
    for name in (query, "hits"):
        if cells[name]:
            out[cells.start(name) - 1] = "\t"
    return "".join(out).replace('""', '" ')


# What platforms and people print beside the queries of a strategy: hits, moments, buttons,
# settings, labels, and the headings of columns.

#: How much of a line's end is looked at.
TAIL = 90

# Hits.

_DIGITS = r"[0-9][0-9,. ]{0,12}"
#: At the end of a line: in brackets with or without `n =`, or behind a tab or several blanks.
_LAST = re.compile(
    rf"[ \t]{{1,20}}\(\s?(?:n\s?=\s?)?({_DIGITS})(?:hits|results?|records?)?\s?\)\Z"
    r"|(?:\t[ \t]{0,20}|[ ]{3,60})([0-9][0-9,]{0,11})\Z",
    re.IGNORECASE,
)
_SAID = re.compile(rf"\s{{1,20}}(?:Results?|Hits|Items found)\s?:\s?({_DIGITS})\Z", re.IGNORECASE)
_SAID_BEHIND = re.compile(
    r"[ \t](?:document results?|results?|hits|documents?|records?)\Z", re.IGNORECASE
)
_CELL = re.compile(
    rf"(?:Results?:|Hits:)?[(~≈]?\s?(?:n\s?=\s?)?({_DIGITS})\s?"
    r"(?:(?:document )?results?|hits|documents?|records?|[*°])?\)?",
    re.IGNORECASE,
)
#: Behind a single blank or a sign, with thousands set apart or not.
_BEFORE_BARE = (
    r"(?<=\S)(?:[ \t]{1,20}(?:(?:[=:→-]|\.{2,9}|…)[ \t]{0,3})?"
    r"|[ \t]{0,20}(?:[=:;]|(?<![0-9]),)[ \t]{0,3})"
    r"(?:n\s?=\s?)?\[?"
)
_BARE = (
    re.compile(rf"{_BEFORE_BARE}([0-9]{{1,3}}(?:,[0-9]{{3}}){{1,3}})[\]*°]?\Z"),
    re.compile(rf"{_BEFORE_BARE}([0-9]{{1,3}}(?:[, .'][0-9]{{3}}){{1,3}})[\]*°]?\Z"),
    re.compile(rf"{_BEFORE_BARE}([0-9]{{1,9}})[\]*°]?\Z"),
)
#: What a number must stand behind that is no count: `or 3`, `to 2020`, `> 2010`.
_WANTS_NUMBER = re.compile(
    r"(?:\A|[\s(])(?:and|or|not|limit|from|to|keep|is|aft|bef|after|before|since|until|year|near"
    r"|next|adj|within)\Z|(?<!\w)(?:or|and)/\Z|[=:#(<>,-]\Z",
    re.IGNORECASE,
)
#: What no word of a query follows directly: a field, a bracket, a quote, a star.
_CLOSED = re.compile(r"(?:[.:/][a-z]{2,4}(?:,[a-z]{2}){0,20}|[.)\]}/\"'*$])\Z", re.IGNORECASE)


def count_of(text: str) -> int | None:
    """The number of hits that a text shows; None where it shows none."""
    digits = "".join(char for char in text if char.isascii() and char.isdigit())
    return int(digits) if 0 < len(digits) <= 12 else None


def hits_of_cell(cell: str) -> int | None:
    """The hits that all of a cell says, if it does."""
    match = _CELL.fullmatch(cell)
    return count_of(match[1]) if match else None


def without_tail(text: str, *, in_words: bool = False) -> tuple[str, int | None]:
    """The text without the moment, buttons and hits that end it, and these hits. `in_words`: only
    hits that a word calls so.
    """
    text = text.rstrip()
    for pattern in (_MOMENT_LAST, _MOMENT_LAST, _BUTTONS_LAST):
        if match := pattern.search(text[-TAIL:]):
            text = text[: len(text) - len(match[0])].rstrip()
    if match := _SAID.search(text[-TAIL:]):
        return text[: len(text) - len(match[0])].rstrip(), count_of(match[1])
    if said := _SAID_BEHIND.search(text[-TAIL:]):
        bare = text[: len(text) - len(said[0])].rstrip()
        if number := last_number(bare):
            return bare[: number.start()].rstrip(), count_of(number[1])
    if not in_words and (match := _LAST.search(text[-TAIL:])):
        hits = count_of(next(filter(None, match.groups())))
        return text[: len(text) - len(match[0])].rstrip(), hits
    return text, None


def last_number(text: str) -> re.Match[str] | None:
    """A number that ends a text and may be a count of hits."""
    for pattern in _BARE:
        match = pattern.search(text, max(0, len(text) - TAIL))
        if match and not _WANTS_NUMBER.search(text[max(0, match.start() - 12) : match.start()]):
            return match
    return None


def is_count(text: str, number: re.Match[str]) -> bool:
    """Whether a last number can hardly be a word of the query."""
    before = text[max(0, number.start() - TAIL) : number.start()]
    return "," in number[1] or _CLOSED.search(before) is not None


# Moments and buttons.

_MOMENT = (
    r"(?:[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?[AP]M)?|[0-9]{1,2}[ -][A-Z][a-z]{2,8}[ -][0-9]{4}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4})"
)
_MOMENT_CELL = re.compile(_MOMENT)
_MOMENT_LAST = re.compile(rf"\s{{1,20}}{_MOMENT}\Z")
_BUTTONS = frozenset(
    "add actions advanced basic edit delete details view rerun save more expand contract display "
    "query select search share copy".split()
) | {
    "view results", "view details", "display results", "add to builder", "create alert",
    "save search", "…", "...", ">",
}  # fmt: skip
_BUTTONS_LAST = re.compile(
    r"(?<=[0-9])(?:\s{1,5}(?:Advanced|Basic|Display Results|Display|Delete|Save|More|Contract"
    r"|Expand)){1,6}\Z"
)

# Settings, labels and headings.

#: What stands below a query in the histories of EBSCO and Web of Science. Where years are part of
#: that, they narrow the query, and its reader reads them.
_SETTING = re.compile(
    r"\s{0,20}(?:Expanders|Search modes|Interface|Search Screen|Database(?:s|\(s\))?|Indexes|"
    r"Editions|Collections?|Exact search|Last Run Via|View Results|Edit|Save|Date Run)\b\s?"
    r"(?:[-–=:(]|\Z).{0,2000}",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")
#: The same where it narrows the query, which its reader reads.
_NARROWS = re.compile(
    r"\s{0,20}(?:Limiters|Narrow(?:ed)? by|Refined by|Limited (?:by|to)|(?:Additional )?Limits?|"
    r"Filters?|Timespan)\s?[-–=:]",
    re.IGNORECASE,
)
#: What stands above, between or below the lines: who searched what and when.
_LABEL = re.compile(
    r"\s{0,20}(?:Database(?:s|\(s\))?(?: name| searched)?|Platform|Provider|Host|Source|"
    r"Search (?:strategy|name|history|terms|date)|Strategy|Date (?:run|searched|of search)|"
    rf"Searched(?: on| by)?|Date(?=\s?:\s?{_MOMENT}\s?\Z)|Last saved|Comments?|Notes?|Key|"
    r"Legend|Description|Total|Results?|ID)\s?:.{0,500}",
    re.IGNORECASE,
)
_LABEL_ALONE = re.compile(
    r"\s{0,20}(?:(?:Ovid )?(?:PubMed|MEDLINE|Embase|CENTRAL|Scopus|CINAHL|PsycINFO|LILACS|"
    r"(?:The )?Cochrane Library|Web of Science)(?:\.com)?"
    r"(?: ?\([^()\n]{1,60}\)| via \w{2,20})?"
    r"|Search (?:strategy|history)|ID[ \t]{1,9}Search[ \t]{1,9}Hits"
    r"|[^\n<>]{3,200}<[12][0-9]{3} to [^\n<>]{3,40}>"
    r"|(?:[A-Z][a-z]{2,6}day, )[A-Z][a-z]{2,8} [0-9]{1,2}, [12][0-9]{3}(?: [0-9:]{4,8} [AP]M)?"
    r"|(?:ID|No\.?|#|Set|Line)[ \t]{1,9}(?:Search(?:es)?|Query|Terms?)(?:[ \t]{1,9}\w{1,20}){0,3})",
    re.IGNORECASE,
)
#: What explains the signs of the lines above: `:ti = title`.
_LEGEND = re.compile(r"\s{0,20}[-*`]{0,3}[\[/:.$?][\w ,:/\].-]{1,40}`?\s?=\s.{0,300}")
#: In files that platforms write: `# Searches:`, `- WOS.SCI: 1900 to 2023`.
_OF_FILE = re.compile(
    r"\s{0,8}(?:#{1,3}\s{1,3}(?![^\n]{0,200}\s(?:AND|OR|NOT)\s)[A-Za-z][^\n=\"*]{0,200}"
    r"|-\s[A-Z][A-Z.-]{2,20}: [0-9]{4} (?:to|-) .{1,20})"
)
_SECTION = re.compile(
    r"\s{0,20}(?:#{1,6} |\*\*)?(?!Refined [Bb]y)"
    r"([^\W\d_][\w ,&()'/-]{0,80})(:?)(?:\*\*)?(:?)\s{0,20}"
)
_OPERATOR = re.compile(r"(?:\A|\s)(?:AND|OR|NOT)(?:\s|\Z)")


def is_setting(row: str) -> bool:
    """Whether a row or cell says how the platform searched."""
    return _SETTING.fullmatch(row) is not None and not _YEAR.search(row)


def narrows(row: str) -> bool:
    """Whether a row or cell says what the platform narrowed the query to."""
    return _NARROWS.match(row) is not None


def is_label(row: str) -> bool:
    """Whether a row says who searched what and when, or heads a list."""
    return any(pattern.fullmatch(row) for pattern in (_LABEL, _LABEL_ALONE, _LEGEND, _OF_FILE))


def is_section(row: str, *, colon: bool = False) -> bool:
    """Whether a row without a number is a few words alone, with a capital (not where a `colon` is
    wanted) or a colon.
    """
    match = _SECTION.fullmatch(row)
    if match is None or _OPERATOR.search(match[1]) or len(match[1].split()) > 8:
        return False
    return bool(match[2] or match[3]) or (not colon and match[1][0].isupper())


def is_beside(cell: str) -> bool:
    """Whether a cell of a table is no query: empty, a count, moment, button, setting or limit."""
    return (
        not cell
        or cell.casefold() in _BUTTONS
        or _CELL.fullmatch(cell) is not None
        or _MOMENT_CELL.fullmatch(cell) is not None
        or is_setting(cell)
        or narrows(cell)
    )


# Tables.

#: What columns of queries, and of hits, may be called.
QUERY_HEADS = frozenset(
    "query|queries|search|searches|searched for|search term|search terms|search string|"
    "search strings|terms|search strategy|search query|search statement|strategy|statement|string|"
    "keywords|检索式|检索词".split("|")
)  # fmt: skip
_HITS_HEADS = frozenset(
    "results|result|hits|records|articles|citations|count|n|items found|no. of results|number of "
    "results|number of hits|no. of hits|results (n)|hits (n)|结果|结果数|命中数".split("|")
)
_HEAD = re.compile(r"[^\W0-9_](?:[^\W0-9_]|[ .,()/&'#-]){0,39}|# ?[▲▼]?")


def column_names(cells: list[str], *, known: bool = False) -> list[str] | None:
    """The names of the columns of a table, in small letters, if a row consists of them. `known`:
    one of them is a usual one of queries or hits.
    """
    names = [cell.strip().casefold() for cell in cells]
    shown = [name for name in names if name]
    if len(shown) < 2 or not all(map(_HEAD.fullmatch, shown)):
        return None
    usual = any(name in QUERY_HEADS or name in _HITS_HEADS for name in shown)
    return names if usual or not known else None
