"""A strategy as platforms print it and people copy it -> its lines: number, query, hits.

Lists (`1`, `1.`, `#1`, `S1:`, `(1)`, `1、`, `Set 1`), tables with tabs, and pipe tables, the first
line first or last. Beside the query stand hits, dates, buttons, settings, further columns, and the
headings of sections. All that is cut away, and `Lines.losses` says what. A line without a number
goes on with the one above it, unless that one is whole and this one a mere heading.

What is cut away inside a line becomes blanks, so that places stay what they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metasearch.query.combinations import is_combination, with_blanks
from metasearch.query.strategy_rows import (
    COMMA_ROW,
    QUERY_HEADS,
    RULE,
    TAIL,
    blank,
    column_names,
    count_of,
    has_bars,
    has_commas,
    hits_of_cell,
    in_rows,
    in_tabs,
    is_beside,
    is_count,
    is_label,
    is_section,
    is_setting,
    last_number,
    narrows,
    without_tail,
)
from metasearch.query.tree import MAX_LINES

#: Rows of a text that is cut, which are more than its lines.
MOST_ROWS = 20 * MAX_LINES

# Numbers of lines.

_NUMBER = re.compile(
    r"[ \t\ufeff]{0,8}(?:[-*•·>][ \t]{1,3}){0,3}(?:\*\*)?(?:"
    r"(?P<sign>[#Ss])?(?P<plain>[0-9]{1,4})"
    r"(?:[.):]?(?:\*\*[.):]?)?(?:[ \t]{1,20}(?:-[ \t]{1,5})?|$)|[、．：，][ \t]{0,20}"
    r"|[.):](?=[A-Za-z\u3400-\u9fff(\[{\"'*#]|[0-9]{1,3}\s?(?:and|or|not)[\s0-9]))"
    r"|\#[ \t]{1,4}(?P<sharp>[0-9]{1,4})(?=[\s:.])[:.]?[ \t]{0,20}"
    r"|\((?P<inside>[0-9]{1,4})\)(?=\s|[^\W\d]|[(\"'])[ \t]{0,20}"
    r"|(?:(?:set|search|step|line|query)[ \t]{0,4}(?:\#?:[ \t]{0,4}|(?<=[ \t])\#?)"
    r"|(?:检索式?|步骤)[ \t]{0,4}\#?)"
    r"(?P<set>S)?(?P<named>[0-9]{1,4})(?:[:.)]?(?=\s|$)|[:：、])[ \t]{0,20}"
    r"|\[(?P<box>[#S])?(?P<boxed>[0-9]{1,4})\](?=\s)[ \t]{0,20}"
    r")",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"(?:^|[\s(\[])(?:(?:or|and)/\s?#?[0-9]|[#Ss][0-9]{1,4}\b|[0-9]{1,4}\)?\s{1,3}(?:and|or|not)\s"
    r"|(?:and|or|not)\s{1,3}\(?[0-9]{1,4}(?:[\s)]|$)|limit\s[0-9]|from\s[0-9]"
    r"|[0-9]{1,3}\)?\s?[*+]\s?\(?[0-9]|\.\.l/\s?[0-9]|dedup(?:licate)?\s[0-9])",
    re.IGNORECASE,
)
_REFERS_PLAINLY = re.compile(
    r"(?<!\w)(?:or|and)/\s?#?[0-9]|(?:^|[\s(\[])[#S][0-9]{1,4}\b|^\(?[0-9]{1,4}\)?\s{1,3}(?:and|or|not)\s{1,3}\(?[0-9]{1,4}(?:[\s)]|$)",
    re.IGNORECASE,
)
_FURTHEST = 25

# Tables.

#: Signs that queries have, and labels have not.
_SIGNS = re.compile(r"[*/\[\]()=\"'.#:+]|[0-9]\s?(?:and|or|not)\s?[0-9]", re.IGNORECASE)
#: What a query begins with that stands below the name of its line.
_BEGINS = re.compile(r"\s{0,20}(?:[(\"'\[]|#[0-9]|[A-Z][A-Za-z-]{1,15}\s?[=(])")
_GOES_ON = re.compile(r"(?:and|or|not)(?=[\s(]|\Z)", re.IGNORECASE)
_BREAK = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_SEARCH = re.compile(r"Search(?:ed for)?:\s{0,3}", re.IGNORECASE)
_SEARCH_BARE = re.compile(r"(?:Add\s{1,3})?Search\s{1,3}(?=\S)")
#: What names a line beside its number: `Line 1 AND Line 2`.
_NAMES = re.compile(
    r"(?<!\w)(?:sets?|search(?:es)?|steps?|lines?|quer(?:y|ies)|检索式?|步骤)[ \t]{0,3}(?=#?[0-9])",
    re.IGNORECASE,
)
#: What a last row without a number may be called: `Final: #1 AND #2`.
_CALLED = re.compile(r"\s{0,20}[^\W\d_][^\W\d_ /-]{0,30}[^\W\d_ ](?::|\t)\s{0,20}|")
_JOINED = re.compile(r"(?:and|or|not)(?=[\s(#])", re.IGNORECASE)
#: Bars part the cells of a table, as tabs do.
_TABBED = str.maketrans("|\t`", "\t  ")


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line of a strategy.

    Attributes:
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
class StrategyText:
    """A text that was cut.

    Attributes:
        text: That places are in: as it was, but for the escapes of a pipe table.
        lines: Those that were first in the search first.
        losses: What was cut away: (kind of loss, what stood there).
    """

    text: str
    lines: tuple[NumberedLine, ...]
    losses: tuple[tuple[str, str], ...] = ()

    def refer(self) -> bool:
        """Whether a line may name others."""
        return any(_REFERS.search(line.text) for line in self.lines)

    def plainly_refer(self) -> bool:
        """Whether a line names others in a way that no list of titles does."""
        return any(_REFERS_PLAINLY.search(line.text) for line in self.lines)

    def twice(self) -> NumberedLine | None:
        """The first line with a number that another had."""
        numbers: set[int] = set()
        for line in self.lines:
            if line.number in numbers:
                return line
            numbers.add(line.number)
        return None


def numbered_lines(text: str) -> StrategyText | None:
    """The lines of a strategy; None where the text is none: too few have a number, or none names
    another.
    """
    text = in_rows(text)
    if not 1 < len(text.splitlines()) <= MOST_ROWS:
        return None
    lines = _Cutter(text).lines_by_numbers()
    if lines is None:
        # A sentence may stand above them: where and when somebody searched.
        lines = _Cutter(text).lines_by_numbers(rest=True)
        if lines is None or not _count_up(lines.lines):
            return _lines_by_rows(text)
    return lines if lines.refer() else None


#: What histories print behind a query, in its row or the next.
_BESIDE_QUERY = re.compile(
    r"\s(?:Date Run|Editions?|Indexes|Databases?|Timespan|Limiters|Expanders|Search modes)\s?[:=-]"
)


def lines_apart(text: str) -> StrategyText | None:
    """Lines with numbers, though none names another; None where the text is none. Where the last
    holds what all others say, it is the search, as histories print it; otherwise a line is added
    that joins them.
    """
    if not 1 < len(text.splitlines()) <= MOST_ROWS:
        return None
    cut = _Cutter(text).lines_by_numbers()
    if cut is None:
        return None
    first, *rest = cut.lines
    if first.number != 1 and not first.sign:
        return None
    *others, last = [
        "".join(filter(str.isalnum, _BESIDE_QUERY.split(line.text)[0])) for line in cut.lines
    ]
    if all(other in last for other in others):
        return cut
    joins = " and ".join(str(line.number) for line in cut.lines)
    end = len(cut.text)
    added = NumberedLine(cut.lines[-1].number + 1, first.sign, joins, end, end)
    told = [("joined lines", line.text) for line in rest]
    return replace(cut, lines=(*cut.lines, added), losses=(*cut.losses, *told))


#: The number of one line alone, where nothing can be meant but a number: S100 is a protein, (18) F
#: an isotope, and 2020 a year.
_SURE_NUMBER = re.compile(
    r"\s{0,8}(?:#[ \t]?[0-9]{1,3}|[0-9]{1,3}[.:)]|\[[#S][0-9]{1,3}\]|S[0-9]{1,2}\s{1,3}\()"
)


def whole_text(text: str) -> StrategyText:
    """A text that is one query, without the settings, labels and headings in it: a single line,
    whose number is 0 where it has none.
    """
    cutter = _Cutter(text)
    rows = list(cutter.rows())
    if len(rows) > MOST_ROWS:
        return StrategyText(text, ())
    while rows and (is_label(rows[0].text) or is_section(rows[0].text, colon=True)):
        cutter.leave("section", rows.pop(0).text)
    rows = [cutter.without_frame(row) for row in rows]
    number, sign = _own_number(rows)
    lines = [cutter.line(number, sign, rows)] if rows else []
    return StrategyText(cutter.text, tuple(lines), tuple(cutter.losses))


def _own_number(rows: list[_Row]) -> tuple[int, str]:
    """The number that the only line had in a history, and its sign, which its first row loses; 0
    and "" where it has none.
    """
    match = _NUMBER.match(rows[0].text) if rows and _SURE_NUMBER.match(rows[0].text) else None
    rest = rows[0].text[match.end() :] if match else ""
    if match is None or not rest.strip() or _GOES_ON.match(rest):
        return 0, ""
    rows[0] = _Row(rows[0].start, blank(match[0]) + rest)
    return _number_and_sign(match)


def has_numbers(text: str) -> bool:
    """Whether a text is a strategy whose lines have numbers of their own."""
    lines = numbered_lines(text)
    return lines is not None and not any(kind == "counted" for kind, _ in lines.losses)


def all_lines(text: str) -> StrategyText:
    """The lines of a text that is known to be copied from a history: each row where they have no
    numbers.
    """
    text = in_rows(text)
    cutter = _Cutter(text)
    numbered = cutter.lines_by_numbers(rest=True)
    return numbered or _Cutter(text).lines_by_rows()


@dataclass(slots=True)
class _Row:
    """A row: where it begins, and its text without the end of the line."""

    start: int
    text: str


class _LineRows:
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
        heads = self.is_whole and self.last[-1] in _ENDS and is_section(row.text)
        if not heads:
            self.goes_on(row.text)

    def goes_on(self, text: str) -> None:
        self._open += text.count("(") - text.count(")")
        self._quotes += text.count('"')
        self.last = text.rstrip()[-TAIL:] or self.last

    @property
    def is_name(self) -> bool:
        """Whether they only name what the line looks for."""
        return len(self.rows) == 1 and _is_name(self.rows[0].text)

    @property
    def is_whole(self) -> bool:
        closed = self._open <= 0 and self._quotes % 2 == 0
        return closed and self.last != "" and not _UNFINISHED.search(self.last)


class _Cutter:
    def __init__(self, text: str) -> None:
        self.piped, self.parted = has_bars(text), has_commas(text)
        self.text = _ESCAPED.sub("", text) if self.piped else text
        self.losses: list[tuple[str, str]] = []
        self.columns: frozenset[int] = frozenset()
        self.column: int | None = None

    def rows(self) -> Iterator[_Row]:
        at = 0
        for whole in self.text.splitlines(keepends=True):
            row = whole.splitlines()[0]
            if self.piped:
                row = _BREAK.sub(lambda match: " " * len(match[0]), row)
                row = row.translate(_TABBED)
            if self.parted and (cells := COMMA_ROW.match(row)):
                row = in_tabs(row, cells)
            if row.strip("\ufeff \t") and not RULE.fullmatch(row):
                yield _Row(at, row)
            at += len(whole)

    def without_frame(self, row: _Row) -> _Row:
        """A row without the name of a part of the question, which no reader knows as a field."""
        frame = _FRAME.match(row.text)
        if frame is None:
            return row
        self.leave("section", frame[0])
        return _Row(row.start, blank(frame[0]) + row.text[frame.end() :])

    def lines_by_numbers(self, *, rest: bool = False) -> StrategyText | None:
        """Lines by their numbers; None where there are not two, or text stands above them that is
        no heading. `rest`: a little text may stand there.
        """
        found: list[_LineRows] = []
        above: list[_Row] = []
        step = 0
        for row in self.rows():
            match = _NUMBER.match(row.text)
            if match is not None and self.begins(match, row, found, step):
                line = _LineRows(*_number_and_sign(match))
                if found and not step:
                    step = (line.number > found[0].number) - (line.number < found[0].number)
                line.add(_Row(row.start, blank(match[0]) + row.text[match.end() :]))
                found.append(line)
            elif found and (last := self.last_row(row, found)):
                found.append(last)
            elif found:
                found[-1].add(row)
            elif not self.heads(row):
                above.append(row)
        if len(found) < 2 or (above and not (rest and len(found) > 2 * len(above))):
            return None
        for row in above:
            self.leave("section", row.text)
        self.find_column(found)
        lines = [self.line(one.number, one.sign, one.rows) for one in found]
        return self.cut(lines if step >= 0 else lines[::-1])

    def begins(
        self, match: re.Match[str], row: _Row, found: Sequence[_LineRows], step: int
    ) -> bool:
        """Whether a row with a number begins a line."""
        number, sign = _number_and_sign(match)
        alone = not row.text[match.end() :].strip()
        if not found:
            return not alone or bool(sign) or number == 1
        last = found[-1]
        if sign != last.sign or _is_joined(match, row):
            return False
        away = number - last.number
        if alone and not sign:  # cells of a table, each in a row of its own
            return away == 1 and last.is_whole
        if 0 < away * (step or away) <= _FURTHEST:
            return True
        # A number that was there is one again, where nothing is to be gone on with.
        if is_combination(row.text.strip()):
            return False
        return last.is_whole and (away == 0 or last.last[-1] in _ENDS)

    def last_row(self, row: _Row, found: Sequence[_LineRows]) -> _LineRows | None:
        """The line that a row without a number, below the last line, is where it combines lines
        above.
        """
        last = found[-1]
        called = _CALLED.match(row.text)
        name = called[0] if called else ""
        text = without_tail(_without_names(row.text[len(name) :]).strip())[0]
        if _GOES_ON.match(text) or not last.is_whole or last.is_name:
            return None
        if not is_combination(text) or not _are_earlier(text, last.number + 1):
            return None
        line = _LineRows(last.number + 1, last.sign)
        line.add(_Row(row.start, blank(name) + row.text[len(name) :]))
        self.leave("unnumbered", row.text)
        return line

    def heads(self, row: _Row) -> bool:
        """Whether a row above the lines is a heading; note what it says."""
        if self.heads_table(row):
            return True
        if is_label(row.text.strip("\ufeff")) or is_section(row.text):
            self.leave("section", row.text)
            return True
        return False

    def heads_table(self, row: _Row, *, known: bool = False) -> bool:
        """Whether a row names the columns of a table. `known`: by usual names."""
        names = column_names(row.text.split("\t"), known=known)
        if names is None:
            return False
        self.columns = frozenset(at for at, name in enumerate(names) if name in QUERY_HEADS)
        return True

    def lines_by_rows(self) -> StrategyText:
        """Lines without numbers: each row that does not go on with the one above."""
        found: list[_LineRows] = []
        for row in self.rows():
            if not found and self.heads_table(row, known=True):
                continue
            if is_label(row.text) or is_section(row.text, colon=True):
                self.leave("section", row.text)
                continue
            row = self.without_frame(row)
            if not row.text.strip():
                continue
            if not found or not self.belongs(row.text, found[-1]):
                found.append(_LineRows(len(found) + 1))
            found[-1].add(row)
        if len(found) == 1:
            _own_number(found[0].rows)
        self.find_column(found)
        return self.cut([self.line(one.number, "", one.rows) for one in found])

    @staticmethod
    def belongs(row: str, above: _LineRows) -> bool:
        """Whether a row without a number goes on with the line above."""
        beside = is_setting(row) or narrows(row) or hits_of_cell(row.strip()) is not None
        return beside or not above.is_whole or _GOES_ON.match(row.lstrip()) is not None

    def find_column(self, found: Sequence[_LineRows]) -> None:
        """Find the column of a table that holds queries: of those that are called so, or of all,
        that with the most signs.
        """
        signs: Counter[int] = Counter()
        for line in found:
            for place, cell in enumerate(line.rows[0].text.split("\t")):
                if _SIGNS.search(cell) and not is_beside(cell.strip()):
                    signs[place] += 1 + len(found) * (place in self.columns)
        self.column = max(signs, key=lambda place: (signs[place], -place), default=None)

    def leave(self, kind: str, shown: str) -> None:
        self.losses.append((kind, shown.strip().rstrip(":")))

    def cut(self, lines: list[NumberedLine]) -> StrategyText:
        lines = _without_bare_hits(_without_hits_first(lines))
        if all(_SEARCH_BARE.match(line.text) for line in lines):
            lines = [_from(line, _SEARCH_BARE) for line in lines]
        return _with_blanks(StrategyText(self.text, tuple(lines), tuple(self.losses)))

    # ---------------------------------------------------------------- one line

    def line(self, number: int, sign: str, rows: Sequence[_Row]) -> NumberedLine:
        """A line without what stands beside its query."""
        start = rows[0].start
        end = rows[-1].start + len(rows[-1].text)
        pieces: list[str] = []
        hits: int | None = None
        at = start
        so_far = _LineRows(number, sign)
        if number and len(rows) > 1 and _is_name(rows[0].text) and _BEGINS.match(rows[1].text):
            self.leave("section", rows[0].text)
            rows = [_Row(rows[0].start, blank(rows[0].text)), *rows[1:]]
        for row in rows:
            pieces.append(("\n" + " " * (row.start - at - 1)) if row.start > at else "")
            body, count = self.body(row, so_far, first=row is rows[0])
            hits = count if hits is None else hits
            pieces.append(body)
            so_far.goes_on(body)
            at = row.start + len(row.text)
        text, last = without_tail("".join(pieces), in_words=not number)
        hits = last if hits is None else hits
        text = _without_names(text)
        lead = len(text) - len(text.lstrip("\ufeff \t\n"))
        skipped = len(rows[0].text) - len(rows[0].text.lstrip())
        printed = self.text[start + skipped : end].strip()
        line = NumberedLine(
            number, sign, text[lead:], start + lead, start + len(text), hits, printed
        )
        return _from(_without_stop(line), _SEARCH)

    def body(self, row: _Row, so_far: _LineRows, *, first: bool) -> tuple[str, int | None]:
        """A row with blanks in place of what is no query, and its hits."""
        if so_far.number and "\t" in row.text.strip("\t "):
            return self.cells(row.text, goes_on=not first and so_far.is_whole)
        if first:
            return row.text, None
        blank = " " * len(row.text)
        if is_label(row.text) and (hits := hits_of_cell(row.text.strip())) is not None:
            return blank, hits
        if is_setting(row.text) or is_label(row.text):
            self.leave("settings", row.text)
            return blank, None
        if so_far.is_whole:
            hits = hits_of_cell(row.text.strip())
            if hits is not None:
                return blank, hits
            if is_section(row.text, colon=not so_far.number or so_far.last[-1] not in _ENDS):
                self.leave("section", row.text)
                return blank, None
        return row.text, None

    def cells(self, row: str, *, goes_on: bool) -> tuple[str, int | None]:
        """A row of a table with blanks in place of all but its query, and its hits. `goes_on`: the
        query is in a row above, and may go on in its column.
        """
        cells = row.split("\t")
        own = [at for at, cell in enumerate(cells) if not is_beside(cell.strip())]
        main = self.column if self.column in own else next(iter(own), None)
        if goes_on and main != self.column:
            main = None
        hits, query = None, _LineRows()
        for at, cell in enumerate(cells):
            shown = cell.strip()
            more = at in own and query.last != "" and not query.is_whole
            if at == main or more or narrows(shown):
                query.goes_on(shown)
                continue
            if hits is None:
                hits = hits_of_cell(shown)
            if at in own or is_setting(shown):
                self.leave("settings" if is_setting(shown) else "section", shown)
            cells[at] = " " * len(cell)
        return " ".join(cells), hits


def _is_name(row: str) -> bool:
    """Whether a row names what a line looks for; a word in capitals is rather a field."""
    return is_section(row) and not row.isupper()


#: Names of parts of a question, as PICO has them, and of platforms, before what is searched for.
_FRAME = re.compile(
    r"\s{0,20}(?:(?:Population|Patients?|Participants?|Problem|Condition|Disease|Interventions?"
    r"|Exposure|Comparators?|Comparison|Controls?|Outcomes?|Study (?i:designs?|types?)|Setting"
    r"|Context|Concept|(?:Concept|Group|Block|Facet|Component) ?[0-9A-D])(?: ?\([PICOSET]\))?"
    r"|(?:PubMed|M(?:EDLINE|edline)|Ovid|E(?:MBASE|mbase)|Scopus|Web of Science|W[oO]S|CINAHL"
    r"|Cochrane(?: Library)?|CENTRAL|PsycI(?:NFO|nfo)|ProQuest|EBSCO(?:host)?|IEEE(?: Xplore)?"
    r"|Europe PMC|ACM(?: Digital Library)?|LILACS|SinoMed|ERIC)"
    r"(?:[ ]?[(,/][\w ,./-]{1,40}\)?| (?:via|search|Core Collection)[\w ]{0,30})?)"
    r"[ ]{0,3}(?::[ ]{1,5}|:?[ ]{0,5}\Z)"
)


def _number_and_sign(match: re.Match[str]) -> tuple[int, str]:
    names = ("plain", "sharp", "inside", "named", "boxed")
    sign = match["sign"] or match["set"] or match["box"] or ("#" if match["sharp"] else "")
    return int(next(match[name] for name in names if match[name])), sign.upper()


def _is_joined(match: re.Match[str], row: _Row) -> bool:
    """Whether an operator follows the number that begins a row of numbers: `1 and 2`."""
    return bool(_JOINED.match(row.text, match.end())) and is_combination(
        _without_names(without_tail(row.text)[0])
    )


def _without_names(text: str) -> str:
    """Numbers of lines and operators without the words that name lines."""
    bare = _NAMES.sub(lambda match: blank(match[0]), text)
    return bare if bare != text and is_combination(bare) else text


#: What may end a query that is more than words.
_ENDS = frozenset(".)]}/\"'*$?0123456789")
_UNFINISHED = re.compile(
    r"(?:(?:\A|[\s)])(?:and|or|not|adj[0-9]{0,2}|(?:near|onear|next|pre)(?:/[0-9]{1,3})?"
    r"|[wn]/?[0-9]{1,3}|exp|(?:or|and)/)|[,=(+&])\Z",
    re.IGNORECASE,
)


# Hits.


_HITS_FIRST = re.compile(
    r"([0-9][0-9,]{0,11})[ \t]{1,20}(?=[^\s0-9])(?!(?:and|or|not)\b)", re.IGNORECASE
)


def _without_hits_first(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The lines without a number before the query, where all have one, as Web of Science prints
    them.
    """
    first = [_HITS_FIRST.match(line.text) for line in lines]
    if len(lines) < 2 or not all(first):
        return lines
    return [
        replace(
            line,
            text=line.text[match.end() :],
            start=line.start + match.end(),
            hits=count_of(match[1]),
        )
        for line, match in zip(lines, first, strict=True)
        if match
    ]


def _without_bare_hits(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The lines without a last number behind a blank, where nearly all have one and most can hardly
    be meant otherwise.
    """
    open_lines = [line for line in lines if line.hits is None]
    found = [(line, number) for line in open_lines if (number := last_number(line.text))]
    combined = [is_combination(line.text[: number.start()]) for line, number in found]
    sure = sum(
        one or is_count(line.text, number)
        for one, (line, number) in zip(combined, found, strict=True)
    )
    enough = any(combined) or (sure * 2 >= len(found) and sure + len(lines) > len(open_lines) + 1)
    without = len(open_lines) - len(found)
    one_may_lack = sure == len(found) and (len(lines) > 4 or any(combined))
    if not enough or without > one_may_lack:
        return lines
    bare = {line.number: _without_number(line, number) for line, number in found}
    return [bare.get(line.number, line) for line in lines]


def _without_number(line: NumberedLine, number: re.Match[str]) -> NumberedLine:
    text = line.text[: number.start()].rstrip()
    return replace(line, text=text, end=line.start + len(text), hits=count_of(number[1]))


# Single lines.


def _with_blanks(cut: StrategyText) -> StrategyText:
    """The lines with blanks between the numbers and operators of combinations: `1 or3`."""
    spaced = {
        line.start: text
        for line in cut.lines
        if is_combination(line.text) and (text := with_blanks(line.text)) != line.text
    }
    if not spaced:
        return cut
    pieces: list[str] = []
    moved: dict[int, NumberedLine] = {}
    at = end = 0
    for line in sorted(cut.lines, key=lambda line: line.start):
        text = spaced.get(line.start, line.text)
        pieces += [cut.text[at : line.start], text]
        at = line.end
        end += len(pieces[-2]) + len(text)
        moved[line.start] = replace(line, text=text, start=end - len(text), end=end)
    lines = tuple(moved[line.start] for line in cut.lines)
    return replace(cut, text="".join((*pieces, cut.text[at:])), lines=lines)


def _without_stop(line: NumberedLine) -> NumberedLine:
    """A combination without the sign of a sentence at its end: `1 or 2.`"""
    bare = line.text.rstrip(" .;,")
    if bare == line.text or not is_combination(bare):
        return line
    return replace(line, text=bare, end=line.start + len(bare))


def _from(line: NumberedLine, sign: re.Pattern[str]) -> NumberedLine:
    """The line without a word of the platform before its query."""
    match = sign.match(line.text)
    if match is None:
        return line
    return replace(line, text=line.text[match.end() :], start=line.start + match.end())


def _lines_by_rows(text: str) -> StrategyText | None:
    """The lines of a strategy without numbers, one of which combines others by their places; None
    where the text is none.
    """
    if _NUMBER.match(text):
        return None
    lines = _Cutter(text).lines_by_rows()
    named = [
        line.number
        for line in lines.lines
        if is_combination(line.text) and _are_earlier(line.text, line.number)
    ]
    if not named or named[0] < 3:
        return None
    return replace(lines, losses=(("counted", f"1-{len(lines.lines)}"), *lines.losses))


def _count_up(lines: Sequence[NumberedLine]) -> bool:
    """Whether the numbers of lines are 1, 2, 3: in `1 or 2` the 1 is none."""
    numbers = [line.number for line in lines]
    goes_on = any(_GOES_ON.match(line.text) for line in lines)
    return numbers == list(range(1, len(lines) + 1)) and not goes_on


def _are_earlier(text: str, number: int) -> bool:
    return all(0 < int(digits) < number for digits in re.findall(r"[0-9]{1,4}", text))
