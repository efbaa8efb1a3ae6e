"""A report as data: a `Document` of blocks, which every format of `render` writes.

Texts are plain: nothing in them is markup. A text that is partly bold, italic, raised or a link is
a tuple of `Span`s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

#: The languages that reports are written in.
Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of a text. `link`: an http(s) address; anything else is no link."""

    text: str
    bold: bool = False
    italic: bool = False
    superscript: bool = False
    link: str = ""


#: What a block says: plain, or in parts.
Text: TypeAlias = str | tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading. `level`: 1 for a section of the report, to 4. `number`: as it is shown: "三、",
    "2.1", "Item 8"; "" for none.
    """

    text: str
    level: int = 1
    number: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph; line ends in it stay."""

    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Labels, each with its value."""

    rows: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table.

    Attributes:
        rows: As many texts each as the head has.
        caption: Above it; "" for none.
        numbers: Columns, from 0, whose cells are numbers and stand at the right.
        widths: Share of the width of each column, in any unit; none: by what is in them.
        row_heads: Whether the first column says what its row is about.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    caption: str = ""
    numbers: tuple[int, ...] = ()
    widths: tuple[float, ...] = ()
    row_heads: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list; `ordered` ones are numbered from `start`."""

    items: tuple[Text, ...]
    ordered: bool = False
    start: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A search string, exactly as it was sent: every blank stays, long lines wrap. `label`: what it
    is, above it; "" for nothing.
    """

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What another text says: an abstract."""

    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What the reader should know beside the text; a `warning` where a number may be wrong."""

    text: Text
    warning: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBreak:
    """What follows begins a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatures:
    """Lines to sign on: a label, and what stands on the line ("" leaves it open)."""

    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle of a `Figure`.

    Attributes:
        lines: What stands in it; the first is bold.
        x, y, width, height: In the units of the figure, from its upper left corner.
        role: "box"; "stage" is a narrow band with its text turned by 90 degrees; "label" is text
            without a rectangle.
        row, column: Where it stands in the grid by which formats without drawings show the figure,
            from 0.
        rows: How many rows of the grid it takes.
    """

    lines: tuple[str, ...]
    x: int
    y: int
    width: int
    height: int
    role: Literal["box", "stage", "label"] = "box"
    row: int = 0
    column: int = 0
    rows: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A line through points, with a head at the last one. `cells`: row and column of the two boxes
    of the grid that it joins.
    """

    points: tuple[tuple[int, int], ...]
    cells: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A diagram of boxes and arrows, with a table that says all of it. `description`: the same in a
    sentence, for who cannot see it.
    """

    title: str
    description: str
    width: int
    height: int
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    table: Table


Block: TypeAlias = (
    Heading
    | Paragraph
    | Fields
    | Table
    | Items
    | Code
    | Quote
    | Remark
    | PageBreak
    | Signatures
    | Figure
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A report.

    Attributes:
        kind: Which report: "prisma-s", "prisma-flow", "chaxin", "appendix".
        subtitle: Below it; "" for none.
        cover: Labels and values that stand first.
        cover_page: Whether title and cover fill a page of their own.
        draft: Why the report is not finished yet, a sentence each; none: it is.
    """

    kind: str
    title: str
    subtitle: str = ""
    language: Language = "en"
    cover: tuple[tuple[str, Text], ...] = ()
    cover_page: bool = False
    blocks: tuple[Block, ...] = ()
    draft: tuple[str, ...] = ()


def spans(text: Text) -> Sequence[Span]:
    """The parts of a text; those that are empty are left out."""
    parts = (Span(text=text),) if isinstance(text, str) else text
    return [part for part in parts if part.text]


def plain(text: Text) -> str:
    """The words of a text."""
    return text if isinstance(text, str) else "".join(part.text for part in text)
