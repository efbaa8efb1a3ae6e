"""A `Document` as Markdown with the tables of GitHub; every text is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metasearch.bib.identifiers import web_url
from metasearch.review.reports.document import (
    Block,
    Code,
    Document,
    FieldRows,
    Figure,
    Heading,
    Items,
    PageBreak,
    Paragraph,
    Phrase,
    Quote,
    Remark,
    SignatureLines,
    Table,
    Text,
    spans,
    speaker,
)

#: What may begin markup anywhere.
_MARKUP = re.compile(r"([\\`*_\[\]<>|~#&])")
#: What does so at the start of a line only: "1. ", "- ", "+ ", "===".
_AT_START = re.compile(r"(?m)^(\s*)(?:(\d{1,9})([.)])|([-+=]))")
_IN_ADDRESS = str.maketrans({"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "|": "%7C"})


def text(document: Document) -> str:
    return "\n\n".join(_parts(document)) + "\n"


def _parts(document: Document) -> Iterator[str]:
    phrase = speaker(document.language)
    yield f"# {_flat(document.title)}"
    if document.subtitle:
        yield _flat(document.subtitle)
    if document.cover:
        yield _fields(document.cover, phrase)
    if document.draft:
        title = phrase("Draft: this report is not finished")
        yield "\n>\n".join([f"> **{title}**", *(f"> - {_flat(each)}" for each in document.draft)])
    for block in document.blocks:
        yield from _block(block, phrase)


def _block(block: Block, phrase: Phrase) -> Iterator[str]:
    match block:
        case Heading():
            number = f"{escape_markup(block.number)} " if block.number else ""
            yield f"{'#' * (block.level + 1)} {number}{_flat(block.text)}"
        case Paragraph():
            yield _lines(block.text)
        case FieldRows():
            if block.rows:
                yield _fields(block.rows, phrase)
        case Table():
            yield from _table(block)
        case Items():
            marks = (f"{block.start + n}." if block.ordered else "-" for n in range(10**9))
            lines = [
                f"{mark} {_inline(each, '<br>')}"
                for mark, each in zip(marks, block.items, strict=False)
            ]
            if lines:
                yield "\n".join(lines)
        case Code():
            if block.label:
                yield _flat(block.label)
            longest = max(map(len, re.findall("`+", block.text)), default=0)
            fence = "`" * max(3, longest + 1)
            yield f"{fence}\n{block.text}\n{fence}"
        case Quote() | Remark():
            warning = "**!** " if isinstance(block, Remark) and block.warning else ""
            yield f"> {warning}{_inline(block.text, '<br>')}"
        case PageBreak():
            yield "---"
        case SignatureLines():
            colon = phrase(": ")
            lines = [
                f"{_flat(label)}{colon}{_flat(value) or '________'}" for label, value in block.lines
            ]
            yield "  \n".join(lines)
        case Figure():
            yield f"**{_flat(block.title)}**"
            yield _flat(block.description)
            yield from _table(block.table)


def escape_markup(value: str) -> str:
    """A text in which nothing is markup; line ends stay."""
    value = _MARKUP.sub(r"\\\1", value)
    return _AT_START.sub(_not_a_list, value)


def _not_a_list(match: re.Match[str]) -> str:
    blank, number, point, sign = match.groups()
    return f"{blank}{number}\\{point}" if number else f"{blank}\\{sign}"


def _flat(value: str) -> str:
    return escape_markup(" ".join(value.split()))


def _lines(value: Text) -> str:
    return _inline(value, "  \n")


def _inline(value: Text, line_end: str) -> str:
    out = []
    for part in spans(value):
        if part.code:
            shown = _code(part.text)
        else:
            lines = part.text.split("\n")
            shown = line_end.join(escape_markup(line.strip("\r")) for line in lines)
        if part.superscript:
            shown = f"<sup>{shown}</sup>"
        mark = "*" * (part.italic + 2 * part.bold)
        if mark and (inner := shown.strip()):
            blank = len(shown) - len(shown.lstrip())
            after = shown[blank + len(inner) :]
            shown = f"{shown[:blank]}{mark}{inner}{mark}{after}"
        if address := web_url(part.link):
            shown = f"[{shown}]({address.translate(_IN_ADDRESS)})"
        out.append(shown)
    return "".join(out)


def _code(value: str) -> str:
    """A text on one line in which nothing is markup; in a table, "|" alone has to be escaped."""
    flat = " ".join(value.split()).replace("|", r"\|")
    longest = max(map(len, re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if longest else ""
    return f"{fence}{blank}{flat}{blank}{fence}" if flat else ""


def _fields(rows: tuple[tuple[str, Text], ...], phrase: Phrase) -> str:
    colon = phrase(": ")
    return "\n".join(
        f"- **{_flat(label)}**{colon}{_inline(value, '<br>')}" for label, value in rows
    )


def _table(table: Table) -> Iterator[str]:
    if table.caption:
        yield f"**{_flat(table.caption)}**"
    rule = ["---:" if column in table.numbers else "---" for column in range(len(table.head))]
    rows = [_row([_flat(each) for each in table.head]), _row(rule)]
    rows += [_row([_inline(cell, "<br>") for cell in row]) for row in table.rows]
    yield "\n".join(rows)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
