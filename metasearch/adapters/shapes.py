"""How the bodies of one database are read: `Shape`, its `Selector`s and its rules of fields.

A shape is compiled from the tables [parse], [fields], [ids] and [[also]] of a spec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from metasearch.bib.strings import Converter

#: Takes a node of a parsed body, and returns what it finds there; None or an empty list if nothing.
Finder = Callable[[Any], Any]
#: The kinds of bodies; "marcxml" is an XML envelope whose records are MARC 21.
BodyKind = Literal["json", "xml", "html", "marcxml"]


@dataclass(frozen=True, slots=True)
class Selector:
    """A compiled selector. Code that runs for each record calls `find`, which is faster.

    Attributes:
        find: Takes a node, and returns what the selector finds in it.
        name: The name of a JSON member or XML child, if the selector is no more than this name.
        needs: Names, of which a record must have at least one: without any of them the selector
            finds nothing. None if no such names are known.
        every: As `find`, but for a list of items of which only some have what is selected: with
            None for each of the others. None if `find` does the same.
        tree: The syntax tree of a JMESPath expression, if `find` is made of closures for its nodes;
            None of every other selector.
    """

    find: Finder
    name: str | None = None
    needs: tuple[str, ...] | None = None
    every: Finder | None = None
    tree: Any = field(default=None, repr=False, compare=False)

    def __call__(self, node: Any) -> Any:
        """Calls `find`."""
        return self.find(node)


class Always:
    """A finder that finds the same value in every record."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, _: Any) -> Any:
        """Returns the value."""
        return self.value


@dataclass(frozen=True, slots=True)
class People:
    """How authors or editors are read that are objects, see `bib.names.converters.people`.

    `parts`: select "family", "given" and the other parts of each. `tidied`: whether each name is
    cleaned in a way of its own.
    """

    each: Selector
    parts: Mapping[str, Selector]
    tidied: bool = False


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field of a record is read.

    The first selector that finds something is used, and the converter makes the value of what it
    found. `nodes`: whether the converter takes the elements that were found, and not their texts.
    `people`: what the converter of people who are objects is made of; None of all others.
    """

    field: str
    selectors: tuple[Selector, ...]
    convert: Converter
    nodes: bool = False
    people: People | None = None


class Attempt(NamedTuple):
    """One selector of a rule, prepared for many records (see parse/records.py).

    Attributes:
        field: A field of the record, or the scheme of an identifier.
        find: As in `Selector`; None if the converter takes the record's node itself.
        texts: Makes strings of the nodes that `find` returned; None if the converter takes them as
            they are.
        convert: Makes the value of the field.
    """

    field: str
    name: str | None
    needs: tuple[str, ...] | None
    find: Finder | None
    texts: Callable[[Any], Any] | None
    convert: Converter


#: Records of a shape after which a function is written of its fields.
WORTH = 300


class RecordReader:
    """How the records of a shape are read: by its attempts, or by the function that is written of
    them once that is worth while (parse/written.py).

    `read`: the function; None as long as there is none. `left`: how many records more are read
    without it, before it is written; none once that was tried.
    """

    __slots__ = ("left", "read")

    def __init__(self) -> None:
        self.read: Callable[..., Any] | None = None
        self.left = WORTH

    def becomes_worth(self, records: int) -> bool:
        """Counts the records of a page, and says once that the function is worth to be written: it
        takes some milliseconds, for which the first hits of a process do not wait.
        """
        before, self.left = self.left, max(0, self.left - records)
        return before > 0 and self.left == 0


@dataclass(frozen=True, slots=True)
class Shape:
    """One form that the bodies of a database have.

    Attributes:
        records: Finds the nodes of the records in the body.
        when: Finds something only in bodies of this shape; None accepts every body of the kind.
        error: Finds an error message in the body.
        warning: Finds a message that is not an error.
        next: Finds the next cursor or link.
        unescape: XPath of elements whose text is escaped XML.
        bare: Whether namespaces are removed first, for formats that change theirs with every
            version.
        rules: How each field is read, in order.
        attempts: The same, selector by selector; those of one field follow one another.
        id_attempts: The same for identifiers, by scheme.
        promises: Fields that nearly every record has; if they are missing, the site has changed.
        reader: How its records are read at present.
        told_by: The tag of the MARC field by which `when` knows the shape, "" for none; None where
            selectors of the envelope may look into the records (select/outside.py).
        by_tag: Takes the tags of a MARC record, and returns the attempts at fields and at
            identifiers that may find something in it (select/by_tag.py); None for other bodies.
    """

    body: BodyKind
    records: Selector
    total: Selector | None
    when: Selector | None
    error: Selector | None
    warning: Selector | None
    next: Selector | None
    unescape: Selector | None
    rules: tuple[FieldRule, ...]
    attempts: tuple[Attempt, ...]
    id_attempts: tuple[Attempt, ...] = ()
    bare: bool = False
    promises: tuple[str, ...] = ("title",)
    reader: RecordReader = field(default_factory=RecordReader, repr=False, compare=False)
    told_by: str | None = None
    by_tag: Callable[[Iterable[str]], tuple[list[Attempt], list[Attempt]]] | None = None


class LateShape:
    """A shape that is compiled when the first body of its kind arrives.

    To compile selectors takes most of the time in which a spec is loaded. `compiled`: returns the
    shape; called once. `ready`: the shape, once it is compiled; None before.
    """

    __slots__ = ("_compiled", "body", "ready")

    def __init__(self, body: BodyKind, compiled: Callable[[], Shape]) -> None:
        self.body = body
        self._compiled = compiled
        self.ready: Shape | None = None

    @classmethod
    def of(cls, shape: Shape) -> LateShape:
        """Returns a shape that is compiled already."""
        late = cls(shape.body, lambda: shape)
        late.ready = shape
        return late

    def shape(self) -> Shape:
        """The shape. Raises SpecError: with every problem, if the spec was loaded unchecked."""
        if self.ready is None:
            self.ready = self._compiled()
        return self.ready
