"""A strategy as platforms print it and people copy it -> its lines: number, query, hits.

Lists (`1`, `1.`, `#1`, `S1:`, `(1)`, `1、`, `Set 1`), tables with tabs, and pipe tables, the first
line first or last. Beside the query stand hits, dates, buttons, settings, further columns, and the
headings of sections. All that is cut away, and `Lines.left` says what. A line without a number goes
on with the one above it, unless that one is whole and this one a mere heading.

What is cut away inside a line becomes blanks, so that places stay what they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

# Numbers of lines.

_NUMBER = re.compile(
    r"[ \t\ufeff]{0,8}(?:"
    r"(?P<sign>[#Ss])?(?P<plain>[0-9]{1,4})"
    r"(?:[.):]?(?:[ \t]{1,20}|$)|[.):](?=[A-Za-z(\[{\"'*#]|[0-9]{1,3}\s?(?:and|or|not)[\s0-9]))"
    r"|\#[ \t]{1,4}(?P<sharp>[0-9]{1,4})(?=[\s:.])[:.]?[ \t]{0,20}"
    r"|[（(](?P<inside>[0-9]{1,4})[)）](?=\s|[^\W\d]|[(（\"'“])[ \t]{0,20}"
    r"|(?P<comma>[0-9]{1,4})[、．：][ \t]{0,20}"
    r"|(?:set|search|step|line)[ \t]{1,4}\#?(?P<named>[0-9]{1,4})[:.)]?(?=\s)[ \t]{0,20}"
    r")",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"(?:^|[\s(])(?:(?:or|and)/\s?#?[0-9]|[#Ss][0-9]{1,4}\b|[0-9]{1,4}\)?\s{1,3}(?:and|or|not)\s"
    r"|(?:and|or|not)\s{1,3}\(?[0-9]{1,4}(?:[\s)]|$)|limit\s[0-9]|from\s[0-9])",
    re.IGNORECASE,
)
_REFERS_PLAINLY = re.compile(
    r"(?:or|and)/\s?#?[0-9]|(?:^|[\s(])[#S][0-9]{1,4}\b|^\(?[0-9]{1,4}\)?\s{1,3}(?:and|or|not)\s{1,3}\(?[0-9]{1,4}(?:[\s)]|$)",
    re.IGNORECASE,
)
_FURTHEST = 25

# What stands beside a query.

_COUNT = r"[0-9][0-9,. ]{0,12}"
#: Hits at the end of a line: in brackets, behind a tab or several blanks, or with a word.
_HITS = re.compile(
    rf"[ \t]{{1,20}}\(\s?(?:n\s?=\s?)?({_COUNT})\)\Z"
    r"|(?:\t[ \t]{0,20}|[ ]{3,60})([0-9][0-9,]{0,11})\Z"
    rf"|\s{{1,20}}(?:Results?|Hits|Items found)\s?:\s?({_COUNT})\Z"
    rf"|\s{{1,20}}({_COUNT})\s(?:results?|hits|documents?|document results|records)\Z",
    re.IGNORECASE,
)
_HITS_CELL = re.compile(
    rf"[(~≈]?\s?(?:n\s?=\s?)?({_COUNT})\s?"
    r"(?:(?:document )?results?|hits|documents?|records?|[*°])?\)?",
    re.IGNORECASE,
)
#: Hits behind a single blank, with thousands set apart or not.
_BARE_HITS = (
    re.compile(r"(?<=\S)[ \t]{1,20}([0-9]{1,3}(?:[, .][0-9]{3}){1,3})\Z"),
    re.compile(r"(?<=\S)[ \t]{1,20}([0-9]{1,9})\Z"),
)
#: What a number must stand behind that is no count: `or 3`, `to 2020`, `> 2010`.
_WANTS_NUMBER = re.compile(
    r"(?:\A|[\s(])(?:and|or|not|limit|from|to|keep|is|aft|bef|after|before|since|until|year|near"
    r"|next|adj|within)\Z|(?:or|and)/\Z|[=:#(<>,-]\Z",
    re.IGNORECASE,
)
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
    "save search", "…", "...",
}  # fmt: skip
#: What stands below a query in the histories of EBSCO and Web of Science.
_SETTING = re.compile(
    r"\s{0,20}(?:Expanders|Search modes|Interface|Search Screen|Databases?|Indexes|Timespan|"
    r"Editions|Collections?|Exact search|Last Run Via|View Results|Edit|Save|Date Run)\b\s?"
    r"(?:[-–=:(]|\Z).{0,2000}",
    re.IGNORECASE,
)
#: The same where it narrows the query, which its reader reads.
_NARROWS = re.compile(
    r"\s{0,20}(?:Limiters|Narrow by|Refined by|Filters?|Limits?)\s?[-–:]", re.IGNORECASE
)
_SEARCH = re.compile(r"Search:\s{0,3}", re.IGNORECASE)
_SEARCH_BARE = re.compile(r"Search\s{1,3}(?=\S)")
#: What stands above, between or below the lines: who searched what and when.
_LABEL = re.compile(
    r"\s{0,20}(?:Databases?(?: name| searched)?|Platform|Provider|Host|Source|Search (?:strategy|"
    r"name|history|terms|date)|Strategy|Date(?: run| searched| of search)?|Searched(?: on| by)?|"
    r"Last saved|Comments?|Notes?|Description|Total|Results?|ID)\s?(?:[:=].{0,500}|\Z)",
    re.IGNORECASE,
)
_HEAD_OF_LIST = re.compile(
    r"(?:ID|No\.?|#|Set|Line)[ \t]{1,9}(?:Search(?:es)?|Query|Term).{0,60}", re.IGNORECASE
)
_RULE = re.compile(r"[\s|:+=_-]{3,}")
_SECTION = re.compile(r"\s{0,20}([^\W\d_][\w ,&()'/-]{0,80})(:?)\s{0,20}")

# Tables.

_QUERY_HEADS = frozenset(
    "query|queries|search|searches|search term|search terms|search string|search strings|terms|"
    "search strategy|search query|search statement|strategy|statement|string|keywords|检索式|检索词"
    .split("|")
)  # fmt: skip
_HITS_HEADS = frozenset(
    "results|result|hits|records|articles|citations|count|n|items found|no. of results|no of "
    "results|number of results|number of hits|no. of hits|# of results|results (n)|hits (n)|"
    "retrieved|references|结果|结果数|命中数".split("|")
)
_OTHER_HEADS = frozenset(
    "#|no|no.|nr|nr.|number|line|set|step|id|search number|search id|type|actions|action|date|time|"
    "database|details|annotations|limiters|last run via|序号|编号|".split("|")
)
#: Signs that queries have, and labels have not.
_SIGNS = re.compile(r"[*/\[\]()=\"'.#:+]|[0-9]\s?(?:and|or|not)\s?[0-9]", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:and|or|not)(?=[\s(])(?!/)", re.IGNORECASE)
_BREAK = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
#: How much of a line's end is looked at.
_TAIL = 90


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line of a strategy.

    Attributes:
        number: Its number.
        sign: The sign before it: "#", "S" or "".
        text: Its query. What stood between its parts is blank.
        start: Where the query begins in the text that was cut.
        end: Where it ends there.
        hits: What the database said then, if the line shows that.
        printed: All that stood there.
    """

    number: int
    sign: str
    text: str
    start: int
    end: int
    hits: int | None = None
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """A text that was cut.

    Attributes:
        text: That places are in: as it was, but for the escapes of a pipe table.
        lines: Those that were first in the search first.
        left: What was cut away: (kind of loss, what stood there).
    """

    text: str
    lines: tuple[NumberedLine, ...]
    left: tuple[tuple[str, str], ...] = ()

    def plainly_refer(self) -> bool:
        """Whether a line names others in a way that no list of titles does."""
        return any(_REFERS_PLAINLY.search(it.text) for it in self.lines)

    def twice(self) -> NumberedLine | None:
        """The first line with a number that another had."""
        numbers: set[int] = set()
        for line in self.lines:
            if line.number in numbers:
                return line
            numbers.add(line.number)
        return None


def numbered_lines(text: str) -> Lines | None:
    """The lines of a strategy; None where the text is none: too few have a number, or none names
    another.
    """
    if "\n" not in text and len(text.splitlines()) < 2:
        return None
    lines = _Cutter(text).numbered()
    if lines is None:
        return _counted(text)
    return lines if any(_REFERS.search(it.text) for it in lines.lines) else None


def has_numbers(text: str) -> bool:
    """Whether a text is a strategy whose lines have numbers of their own."""
    lines = numbered_lines(text)
    return lines is not None and not any(kind == "counted" for kind, _ in lines.left)


def all_lines(text: str) -> Lines:
    """The lines of a text that is known to be copied from a history: each row where they have no
    numbers.
    """
    cutter = _Cutter(text)
    numbered = cutter.numbered(rest=True)
    return numbered or _Cutter(text).counted()


@dataclass(slots=True)
class _Row:
    """A row: where it begins, and its text without the end of the line."""

    start: int
    text: str


class _Rows:
    """The rows of one line so far, and whether a query may end with them: its brackets and quotes
    are closed, and no operator is last.
    """

    def __init__(self, number: int = 0, sign: str = "") -> None:
        self.number, self.sign = number, sign
        self.rows: list[_Row] = []
        self.last = ""
        self._open = self._quotes = 0

    def add(self, row: _Row) -> None:
        self.rows.append(row)
        self.goes_on(row.text)

    def goes_on(self, text: str) -> None:
        self._open += text.count("(") - text.count(")")
        self._quotes += text.count('"')
        self.last = text.rstrip()[-_TAIL:] or self.last

    @property
    def is_whole(self) -> bool:
        closed = self._open <= 0 and self._quotes % 2 == 0
        return closed and self.last != "" and not _UNFINISHED.search(self.last)


class _Cutter:
    """One text."""

    def __init__(self, text: str) -> None:
        self.piped = _is_piped(text)
        self.text = _ESCAPED.sub("", text) if self.piped else text
        self.left: list[tuple[str, str]] = []
        self.column: int | None = None

    def rows(self) -> Iterator[_Row]:
        at = 0
        for whole in self.text.splitlines(keepends=True):
            row = whole.splitlines()[0]
            if self.piped:
                row = _BREAK.sub(lambda match: " " * len(match[0]), row)
                row = row.replace("|", "\t").replace("`", " ")
            if row.strip("\ufeff \t") and not _RULE.fullmatch(row):
                yield _Row(at, row)
            at += len(whole)

    def numbered(self, *, rest: bool = False) -> Lines | None:
        """Lines by their numbers; None where there are not two, or text stands above them that is
        no heading. `rest`: a little text may stand there.
        """
        found: list[_Rows] = []
        above: list[_Row] = []
        step = 0
        for row in self.rows():
            match = _NUMBER.match(row.text)
            if match is not None and self.begins(match, row, found, step):
                line = _Rows(*_named(match))
                if found and not step:
                    step = (line.number > found[0].number) - (line.number < found[0].number)
                line.add(_Row(row.start, _blank(match[0]) + row.text[match.end() :]))
                found.append(line)
            elif found:
                found[-1].add(row)
            elif not self.heads(row):
                above.append(row)
        if len(found) < 2 or (above and not (rest and len(found) > 3 * len(above))):
            return None
        for row in above:
            self.leave("section", row.text)
        self.find_column(found)
        lines = [self.line(one.number, one.sign, one.rows) for one in found]
        return self.cut(lines if step >= 0 else lines[::-1])

    def begins(
        self,
        match: re.Match[str],
        row: _Row,
        found: Sequence[_Rows],
        step: int,
    ) -> bool:
        """Whether a row with a number begins a line."""
        number, sign = _named(match)
        alone = not row.text[match.end() :].strip()
        if not found:
            return not alone or bool(sign) or number == 1
        last = found[-1]
        if sign != last.sign:
            return False
        away = number - last.number
        if alone and not sign:  # cells of a table, each in a row of its own
            return away == 1 and last.last != ""
        if 0 < away * (step or away) <= _FURTHEST:
            return True
        # A number that was there is one again, where nothing is to be gone on with.
        return last.is_whole and (away == 0 or last.last[-1] in _ENDS)

    def heads(self, row: _Row) -> bool:
        """Whether a row above the lines is a heading; note what it says."""
        shown = row.text.strip("\ufeff \t")
        if self.heads_table(row) or _HEAD_OF_LIST.fullmatch(shown):
            return True
        if _LABEL.fullmatch(shown) or _is_section(shown):
            self.leave("section", shown)
            return True
        return False

    def heads_table(self, row: _Row) -> bool:
        """Whether a row names the columns of a table."""
        cells = [cell.strip().casefold() for cell in row.text.split("\t")]
        known = _QUERY_HEADS | _HITS_HEADS | _OTHER_HEADS
        names = [cell for cell in cells if cell]
        if sum(name in known for name in names) < 2 or any(len(name) > 40 for name in names):
            return False
        self.column = next((at for at, cell in enumerate(cells) if cell in _QUERY_HEADS), None)
        return True

    def counted(self) -> Lines:
        """Lines without numbers: each row that does not go on with the one above."""
        found: list[_Rows] = []
        for row in self.rows():
            shown = row.text.strip("\ufeff \t")
            if not found and self.heads_table(row):
                continue
            if _LABEL.fullmatch(shown) or (shown[-1] == ":" and _is_section(shown)):
                self.leave("section", shown)
                continue
            if not found or (found[-1].is_whole and not _GOES_ON.match(shown)):
                found.append(_Rows(len(found) + 1))
            found[-1].add(row)
        self.find_column(found)
        return self.cut([self.line(one.number, "", one.rows) for one in found])

    def find_column(self, found: Sequence[_Rows]) -> None:
        """Find the column of a table that holds queries, if no row has named the columns: that with
        the most signs.
        """
        if self.column is not None:
            return
        signs: Counter[int] = Counter()
        for line in found:
            for place, cell in enumerate(line.rows[0].text.split("\t")):
                if _SIGNS.search(cell) and not _is_beside(cell.strip()):
                    signs[place] += 1
        self.column = max(signs, key=lambda place: (signs[place], -place), default=None)

    def leave(self, kind: str, shown: str) -> None:
        self.left.append((kind, shown.strip().rstrip(":")))

    def cut(self, lines: list[NumberedLine]) -> Lines:
        lines = _without_bare_hits(lines)
        if all(_SEARCH_BARE.match(line.text) for line in lines):
            lines = [_from(line, _SEARCH_BARE) for line in lines]
        return Lines(self.text, tuple(map(_spaced, lines)), tuple(self.left))

    # ---------------------------------------------------------------- one line

    def line(self, number: int, sign: str, rows: Sequence[_Row]) -> NumberedLine:
        """A line without what stands beside its query."""
        start = rows[0].start
        end = rows[-1].start + len(rows[-1].text)
        pieces: list[str] = []
        hits: int | None = None
        at = start
        so_far = _Rows()
        for row in rows:
            pieces.append(("\n" + " " * (row.start - at - 1)) if row.start > at else "")
            body, count = self.body(row, so_far, first=row is rows[0])
            hits = count if hits is None else hits
            pieces.append(body)
            so_far.goes_on(body)
            at = row.start + len(row.text)
        text = "".join(pieces).rstrip()
        text, hits = _without_tail(text, hits)
        lead = len(text) - len(text.lstrip("\ufeff \t\n"))
        skipped = len(rows[0].text) - len(rows[0].text.lstrip())
        printed = self.text[start + skipped : end].strip()
        line = NumberedLine(
            number, sign, text[lead:], start + lead, start + len(text), hits, printed
        )
        return _from(line, _SEARCH)

    def body(self, row: _Row, so_far: _Rows, *, first: bool) -> tuple[str, int | None]:
        """A row with blanks in place of what is no query, and its hits."""
        blank = " " * len(row.text)
        if not first:
            if _SETTING.fullmatch(row.text) or _LABEL.fullmatch(row.text):
                self.leave("settings", row.text)
                return blank, None
            if so_far.is_whole and (match := _HITS_CELL.fullmatch(row.text.strip())):
                return blank, count_of(match[1])
            if so_far.is_whole and so_far.last[-1] in _ENDS and _is_section(row.text):
                self.leave("section", row.text)
                return blank, None
        if "\t" not in row.text.strip("\t "):
            return row.text, None
        return self.cells(row.text)

    def cells(self, row: str) -> tuple[str, int | None]:
        """A row of a table with blanks in place of all but its query, and its hits."""
        cells = row.split("\t")
        own = [at for at, cell in enumerate(cells) if not _is_beside(cell.strip())]
        main = self.column if self.column in own else next(iter(own), None)
        hits, query = None, _Rows()
        for at, cell in enumerate(cells):
            shown = cell.strip()
            if (
                at == main
                or _NARROWS.match(shown)
                or (at in own and query.last and not query.is_whole)
            ):
                query.goes_on(shown)
                continue
            if hits is None and (match := _HITS_CELL.fullmatch(shown)):
                hits = count_of(match[1])
            elif at in own or _SETTING.fullmatch(shown):
                self.leave("settings" if _SETTING.fullmatch(shown) else "section", shown)
            cells[at] = " " * len(cell)
        return " ".join(cells), hits


def _is_beside(cell: str) -> bool:
    """Whether a cell is no query: a count, moment, button, setting or limit."""
    return not cell or any(
        (
            cell.casefold() in _BUTTONS,
            _HITS_CELL.fullmatch(cell),
            _MOMENT_CELL.fullmatch(cell),
            _SETTING.fullmatch(cell),
            _NARROWS.match(cell),
        )
    )


def _blank(text: str) -> str:
    """As long a text, of blanks and tabs."""
    return "".join(char if char == "\t" else " " for char in text)


def _is_piped(text: str) -> bool:
    """Whether nearly all rows have as many bars."""
    if "|" not in text:
        return False
    bars = Counter(row.count("|") for row in text.splitlines() if row.strip())
    (most, rows), *_ = bars.most_common(1)
    return most > 0 and rows > 1 and rows * 3 >= bars.total() * 2


def _named(match: re.Match[str]) -> tuple[int, str]:
    names = ("plain", "sharp", "inside", "comma", "named")
    sign = match["sign"] or ("#" if match["sharp"] else "")
    return int(next(match[name] for name in names if match[name])), sign.upper()


#: What may end a query that is more than words.
_ENDS = frozenset(".)]}/\"'*$?0123456789")
_UNFINISHED = re.compile(
    r"(?:(?:\A|[\s)])(?:and|or|not|adj[0-9]{0,2}|(?:near|onear|next|pre)(?:/[0-9]{1,3})?"
    r"|[wn]/?[0-9]{1,3}|exp|(?:or|and)/)|[,=(+&])\Z",
    re.IGNORECASE,
)


def _is_section(row: str) -> bool:
    """Whether a row without a number is words alone, with a capital or a colon."""
    match = _SECTION.fullmatch(row)
    if match is None or re.search(r"(?:\A|\s)(?:AND|OR|NOT)(?:\s|\Z)", match[1]):
        return False
    return len(match[1].split()) <= 8 and bool(match[2] or match[1][0].isupper())


# Hits.


def _without_tail(text: str, hits: int | None) -> tuple[str, int | None]:
    """The text without the moment and the hits that end it."""
    while match := _MOMENT_LAST.search(text[-_TAIL:]):
        text = text[: len(text) - len(match[0])].rstrip()
    if hits is None and (match := _HITS.search(text[-_TAIL:])):
        hits = count_of(next(filter(None, match.groups())))
        text = text[: len(text) - len(match[0])].rstrip()
    return text, hits


def _without_bare_hits(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The lines without a last number behind a blank, where nearly all have one and most cannot be
    meant otherwise.
    """
    open_lines = [line for line in lines if line.hits is None]
    found = {id(line): match for line in open_lines if (match := _bare_hits(line.text))}
    plain = sum(_iscount_of(line.text, found[id(line)]) for line in open_lines if id(line) in found)
    without = len(open_lines) - len(found)
    others = len(lines) - len(open_lines)
    combined = any(
        is_combination(line.text[: found[id(line)].start()])
        for line in open_lines
        if id(line) in found
    )
    enough = combined or (plain * 2 >= len(found) and plain + others > 1)
    if not enough or without > (len(lines) > 4 and plain == len(found)):
        return lines
    return [
        replace(
            line,
            text=(bare := line.text[: match.start()].rstrip()),
            end=line.start + len(bare),
            hits=count_of(match[1]),
        )
        if (match := found.get(id(line)))
        else line
        for line in lines
    ]


def _bare_hits(text: str) -> re.Match[str] | None:
    for pattern in _BARE_HITS:
        match = pattern.search(text, max(0, len(text) - _TAIL))
        if match and not _WANTS_NUMBER.search(text[max(0, match.start() - 12) : match.start()]):
            return match
    return None


def _iscount_of(text: str, match: re.Match[str]) -> bool:
    """Whether a last number can be nothing but hits."""
    before = text[: match.start()]
    return "," in match[1] or _FIELD_LAST.search(before) is not None or is_combination(before)


#: What no word of a query follows directly: a field, a bracket, a quote, a star.
_FIELD_LAST = re.compile(r"(?:[.:/][a-z]{2,4}(?:,[a-z]{2}){0,20}|[.)\]}/\"'*$])\Z", re.IGNORECASE)


def count_of(text: str) -> int | None:
    """The number of hits that a text shows; None where it shows none."""
    digits = "".join(char for char in text if char.isascii() and char.isdigit())
    return int(digits) if 0 < len(digits) <= 12 else None


# Combinations of other lines.

_PIECE = re.compile(
    r"(?:or|and)/|[#S]?[0-9]{1,4}(?:\s?[-,]\s?[#S]?(?=[0-9]))?|(?:and|or|not)|[\s()]", re.IGNORECASE
)
_GLUED = re.compile(
    r"(?<=[0-9)])(?=(?:and|or|not)\b)|(?<=[0-9)])(?=(?:and|or|not)[#S]?[0-9(])"
    r"|(?<=\b(?:and|not))(?=[#S]?[0-9(])|(?<=\bor)(?=[#S]?[0-9(])"
    r"|(?<=[0-9](?:and|not))(?=[#S]?[0-9(])|(?<=[0-9]or)(?=[#S]?[0-9(])",
    re.IGNORECASE,
)


def is_combination(text: str) -> bool:
    """Whether a text consists of numbers of lines and operators."""
    return (
        re.search(r"[0-9]", text) is not None
        and re.search(r"(?:and|or|not)", text, re.IGNORECASE) is not None
        and not _PIECE.sub("", text)
    )


def _spaced(line: NumberedLine) -> NumberedLine:
    """A combination whose operators stand directly at numbers, with blanks: `1 or3`."""
    return line if not is_combination(line.text) else replace(line, text=_GLUED.sub(" ", line.text))


def _from(line: NumberedLine, sign: re.Pattern[str]) -> NumberedLine:
    """The line without a word of the platform before its query."""
    match = sign.match(line.text)
    if match is None:
        return line
    return replace(line, text=line.text[match.end() :], start=line.start + match.end())


def _counted(text: str) -> Lines | None:
    """The lines of a strategy without numbers, one of which combines others by their places; None
    where the text is none.
    """
    if _NUMBER.match(text):
        return None
    lines = _Cutter(text).counted()
    named = [
        line.number
        for line in lines.lines
        if is_combination(line.text) and _are_earlier(line.text, line.number)
    ]
    if not named or named[0] < 3:
        return None
    return replace(lines, left=(("counted", f"1-{len(lines.lines)}"), *lines.left))


def _are_earlier(text: str, number: int) -> bool:
    return all(0 < int(it) < number for it in re.findall(r"[0-9]{1,4}", text))
