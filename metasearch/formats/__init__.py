"""Every form an answer can be written in: one closed table, one file a format.

Importing this package loads no format, and so neither orjson nor lxml: a format's module is
imported by its first use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast

from metasearch.errors import FormatError

if TYPE_CHECKING:
    from metasearch.events import Answer

#: What one call of a format's writer is given.
Unit = Literal["event", "hits", "answer"]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write an answer.

    Attributes:
        name: What `--format` and `format=` call it.
        media_type: Without parameters; every format is UTF-8.
        extension: Of a file that holds it, without the dot.
        unit: "event" is written while the search runs, "hits" from any hits, "answer" from the
            finished answer.
        module: The module of this package that writes it.
    """

    name: str
    media_type: str
    extension: str
    unit: Unit
    module: str

    @property
    def whole(self) -> bool:
        """Whether nothing can be written before the search is finished."""
        return self.unit != "event"


FORMATS: dict[str, Format] = {
    it.name: it
    for it in (
        Format("table", "text/plain", "txt", "hits", "table"),
        Format("json", "application/json", "json", "answer", "answer"),
        Format("ndjson", "application/x-ndjson", "ndjson", "event", "events"),
        Format("sse", "text/event-stream", "sse", "event", "events"),
        Format("csv", "text/csv", "csv", "hits", "csv.write"),
        Format("ris", "application/x-research-info-systems", "ris", "hits", "ris.write"),
        Format("bibtex", "application/x-bibtex", "bib", "hits", "bibtex.write"),
        Format("atom", "application/atom+xml", "atom", "answer", "atom"),
    )
}


def get(name: str) -> Format:
    """The format of that name.

    Raises:
        FormatError: There is none; the message names those that there are.
    """
    try:
        return FORMATS[name]
    except KeyError:
        raise FormatError(
            f"there is no format {name[:40]!r}", advice=f"Use one of {', '.join(FORMATS)}."
        ) from None


def write(name: str, answer: Answer, *, bom: bool = False, provenance: bool = False) -> bytes:
    """A finished answer in a format, with the format's defaults; call its module for other options.

    Args:
        name: Of the format.
        answer: What it holds.
        bom: CSV begins with a byte order mark, by which Excel knows UTF-8.
        provenance: RIS says in N1 which source gave which field.

    Raises:
        FormatError: No such format, or one that is written event by event
            (`metasearch.formats.events`).
    """
    found = get(name)
    if not found.whole:
        whole = ", ".join(it.name for it in FORMATS.values() if it.whole)
        raise FormatError(
            f"{name} is written while a search runs, not from its answer",
            advice=f"Use one of {whole}.",
        )
    writer = cast("Callable[..., bytes]", import_module(f"{__name__}.{found.module}").write)
    options = {"csv": {"bom": bom}, "ris": {"provenance": provenance}}.get(name, {})
    return writer(answer.hits if found.unit == "hits" else answer, **options)
