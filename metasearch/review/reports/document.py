"""A report as data: a `Document` of blocks, which every format of `render` writes.

Texts are plain: nothing in them is markup. A text that is partly bold, italic, raised or a link is
a tuple of `Span`s.
"""

from __future__ import annotations

import hashlib
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import orjson

from metasearch.errors import UsageError
from metasearch.formats.text import clean
from metasearch.language import CODES, language_of
from metasearch.message import Message, message, message_in

#: The language of a report: one of `CODES`.
Language: TypeAlias = Annotated[str, "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of a text. `link`: an http(s) address; anything else is no link. `code`: what is typed
    in a search.
    """

    text: str
    bold: bool = False
    italic: bool = False
    superscript: bool = False
    code: bool = False
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
class FieldRows:
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
class SignatureLines:
    """Lines to sign on: a label, and what stands on the line ("" leaves it open)."""

    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle of a `Figure`.

    Attributes:
        lines: What stands in it; the first is bold.
        x, y, width, height: In the units of the figure, from its upper left corner.
        role: "box"; "stage" is a narrow band with its text turned by 90 degrees; "label" is text
            without a rectangle; "count" the same, in the middle of its width. Of a plot: "bar" is a
            filled rectangle without text, "dot" a filled circle, "ring" one of a place without it.
        row, column: Where it stands in the grid by which formats without drawings show the figure,
            from 0.
        rows: How many rows of the grid it takes.
    """

    lines: tuple[str, ...]
    x: int
    y: int
    width: int
    height: int
    role: Literal["box", "stage", "label", "count", "bar", "dot", "ring"] = "box"
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
    """A diagram of boxes and arrows, or a plot, with a table that says all of it. `description`:
    the same in a sentence, for who cannot see it.
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
    | FieldRows
    | Table
    | Items
    | Code
    | Quote
    | Remark
    | PageBreak
    | SignatureLines
    | Figure
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A report.

    Attributes:
        kind: Which report: "prisma-s", "prisma-flow", "included", "chaxin", "appendix".
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
    return text if isinstance(text, str) else "".join(part.text for part in text)


# What reports say, in the language of the report: that of its readers, and not that of the pages.

#: `metasearch.language.ReaderLanguage.phrase` of that language.
Phrase: TypeAlias = Callable[..., str]


def speaker(language: Language) -> Phrase:
    """What says the texts of a report, by the name of its language."""
    return language_of(language).phrase


def in_words(text: str, phrase: Phrase) -> str:
    """What a run has noted, in the language of the report; what a database said as it is."""
    return phrase(text) if isinstance(text, Message) else text


def number(value: int | None, phrase: Phrase) -> str:
    """A count as people read it; what is not known is "not known", never 0."""
    return phrase("not known") if value is None else f"{value:,}"


def moment(text: str) -> str:
    """A moment for people: "2026-11-20 10:00 UTC"; a day stays one."""
    if len(text) >= 16 and text[10] == "T":
        return f"{text[:10]} {text[11:16]} UTC"
    return text


#: Names that a sentence lists.
_MOST_NAMES = 12


def name_list(names: Iterable[str], phrase: Phrase) -> str:
    """Names in a sentence; of many the first ones, and how many there are."""
    known = list(names)
    more = len(known) - _MOST_NAMES
    shown = phrase(message_in("report", ", ")).join(known[:_MOST_NAMES])
    return phrase("{names} and {more} more", names=shown, more=more) if more > 0 else shown


# A `Document` as JSON and back, and its digest. The JSON is canonical: keys in order, UTF-8, no
# blanks, and what is as usual left out; the same document has the same bytes everywhere.

#: Bytes of the JSON of a document that is read.
MOST_BYTES = 100_000_000
#: The name of each block in JSON.
_BLOCKS: dict[str, type[Block]] = {
    "heading": Heading,
    "paragraph": Paragraph,
    "fields": FieldRows,
    "table": Table,
    "items": Items,
    "code": Code,
    "quote": Quote,
    "remark": Remark,
    "page break": PageBreak,
    "signatures": SignatureLines,
    "figure": Figure,
}
_NAMES = {block: name for name, block in _BLOCKS.items()}
#: What has fields of its own; a text is a tuple of `Span`s.
_CLASSES = (Document, Span, Box, Arrow, *_BLOCKS.values())
_LARGEST = 2**53
#: Bounds of a diagram: boxes or arrows, rows or columns of its grid, points of an arrow, units.
_MOST_BOXES, _MOST_ROWS, _MOST_POINTS, _WIDEST = 500, 100, 20, 100_000
_Reader: TypeAlias = Callable[[Any, str], Any]


def block_name(block: Block) -> str:
    """What a block is called in JSON and in templates."""
    return _NAMES[type(block)]


def to_json(document: Document) -> bytes:
    """The canonical JSON of a document, with what no format can hold (control characters) removed
    from its texts.
    """
    return orjson.dumps(_plain(document), option=orjson.OPT_SORT_KEYS)


def digest(document: Document) -> str:
    """SHA-256 of its canonical JSON, in hexadecimal."""
    return hashlib.sha256(to_json(document)).hexdigest()


def from_json(content: bytes | str) -> Document:
    """The document of some JSON. Raises UsageError: it is too large, is no JSON, or no document;
    with the place.
    """
    if len(content) > MOST_BYTES:
        raise UsageError(
            message("The report is larger than {most} MB", most=MOST_BYTES // 1_000_000),
            advice=message("Check that the file is a report of metasearch."),
        )
    try:
        data = orjson.loads(content)
    except ValueError as exc:  # orjson's error, which also tells of bad UTF-8 and of depth
        raise _wrong("", message("it is no JSON")) from exc
    document: Document = _of_class(Document)(data, "")
    return document


def check_document(document: Document) -> Document:
    """The document as it would be read again: its texts hold what every format can hold."""
    return from_json(to_json(document))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, _CLASSES):
        data = {
            field.name: _plain(own)
            for field in fields(value)
            if (own := getattr(value, field.name)) != field.default
        }
        if type(value) in _NAMES:
            data["block"] = _NAMES[type(value)]  # type: ignore[index]
        return data
    return value


def _wrong(place: str, reason: str) -> UsageError:
    return UsageError(
        message("{place} of the report: {reason}", place=place or "the start", reason=reason),
        advice=message("Check that the file is a report of metasearch, and not changed."),
    )


@cache
def _of_class(kind: type[Any]) -> _Reader:
    """The reader of a dataclass, made of the types of its fields."""
    hints = typing.get_type_hints(kind, include_extras=True)
    readers = {field.name: (_of_type(hints[field.name]), field.default) for field in fields(kind)}
    known = readers.keys() | ({"block"} if kind in _NAMES else set())

    def read(data: Any, place: str) -> Any:
        if not isinstance(data, dict):
            raise _wrong(place, message("it must be an object"))
        if strange := sorted(data.keys() - known):
            raise _wrong(place, message("unknown: {names}", names=", ".join(strange)[:100]))
        values = {}
        for name, (reader, default) in readers.items():
            if name in data:
                values[name] = reader(data[name], f"{place}.{name}")
            elif default is MISSING:
                raise _wrong(place, message("{name} is missing", name=name))
        return _build(kind, values, place)

    return read


def _build(kind: type[Any], values: dict[str, Any], place: str) -> Any:
    made = kind(**values)
    if isinstance(made, Table):
        _check_table(made, place)
    if isinstance(made, Figure):
        _check_figure(made, place)
    if isinstance(made, Items) and not 0 <= made.start <= _WIDEST:
        raise _wrong(place, message("there is no such number"))
    if isinstance(made, Heading) and not 1 <= made.level <= 4:
        raise _wrong(place, message("a level is 1 to 4"))
    return made


def _check_table(table: Table, place: str) -> None:
    columns = len(table.head)
    if not columns or any(len(row) != columns for row in table.rows):
        raise _wrong(place, message("each row must have as many cells as the head"))
    if table.widths and (len(table.widths) != columns or min(table.widths) <= 0):
        raise _wrong(place, message("each column must have a width above 0"))
    if any(not 0 <= number < columns for number in table.numbers):
        raise _wrong(place, message("there is no such column"))


def _check_figure(figure: Figure, place: str) -> None:
    boxes, arrows = figure.boxes, figure.arrows
    if not 1 <= len(boxes) <= _MOST_BOXES or len(arrows) > _MOST_BOXES:
        raise _wrong(place, message("it has no boxes, or too many"))
    grid = [number for box in boxes for number in (box.row, box.column, box.rows)]
    grid += [number for arrow in arrows for cell in arrow.cells for number in cell]
    units = [number for box in boxes for number in (box.x, box.y, box.width, box.height)]
    units += [number for arrow in arrows for point in arrow.points for number in point]
    if any(not 0 <= number <= _MOST_ROWS for number in grid) or any(
        not 0 <= number <= _WIDEST for number in (*units, figure.width, figure.height)
    ):
        raise _wrong(place, message("a box or an arrow is outside of the diagram"))
    if any(not 2 <= len(arrow.points) <= _MOST_POINTS for arrow in arrows):
        raise _wrong(place, message("an arrow has 2 to {most} points", most=_MOST_POINTS))


def _of_type(hint: Any) -> _Reader:
    """The reader of a type: str, int, float, bool, a literal, a tuple, a union, a class."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _one_of(args)
    if origin is tuple:
        return _tuple(args)
    if origin in (Union, types.UnionType):
        return _text if str in args else _block
    return _of_class(hint)


def _tuple(args: tuple[Any, ...]) -> _Reader:
    readers = [_of_type(arg) for arg in args if arg is not Ellipsis]
    any_length = Ellipsis in args

    def read(data: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(data, list):
            raise _wrong(place, message("it must be an array"))
        if any_length:
            reader = readers[0]
            return tuple(reader(each, f"{place}[{n}]") for n, each in enumerate(data))
        if len(data) != len(readers):
            raise _wrong(place, message("it must have {count} items", count=len(readers)))
        pairs = zip(readers, data, strict=True)
        return tuple(reader(each, f"{place}[{n}]") for n, (reader, each) in enumerate(pairs))

    return read


def _one_of(choices: tuple[Any, ...]) -> _Reader:
    def read(data: Any, place: str) -> Any:
        if not isinstance(data, str) or data not in choices:
            raise _wrong(place, message("it must be one of {names}", names=", ".join(choices)))
        return data

    return read


def _text(data: Any, place: str) -> Any:
    return clean(data) if isinstance(data, str) else _SPANS(data, place)


def _block(data: Any, place: str) -> Any:
    name = data.get("block") if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in _BLOCKS:
        raise _wrong(place, message("there is no such block"))
    return _BLOCK_READERS[name](data, place)


def _str(data: Any, place: str) -> str:
    if not isinstance(data, str):
        raise _wrong(place, message("it must be a string"))
    return clean(data)


def _code(data: Any, place: str) -> Any:
    return _one_of(CODES)(data, place)


def _bool(data: Any, place: str) -> bool:
    if not isinstance(data, bool):
        raise _wrong(place, message("it must be true or false"))
    return data


def _int(data: Any, place: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or abs(data) > _LARGEST:
        raise _wrong(place, message("it must be a whole number"))
    return data


def _float(data: Any, place: str) -> float:
    if not isinstance(data, int | float) or isinstance(data, bool) or abs(data) > _LARGEST:
        raise _wrong(place, message("it must be a number"))
    return data


_PLAIN: dict[Any, _Reader] = {
    Language: _code,
    str: _str,
    bool: _bool,
    int: _int,
    float: _float,
}
_SPANS = _tuple((Span, Ellipsis))
_BLOCK_READERS = {name: _of_type(block) for name, block in _BLOCKS.items()}
