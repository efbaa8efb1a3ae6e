"""Every format of records and answers; `registry.py` has the one table of them.

Importing this package loads no format, and so neither orjson nor lxml: a format's module is
imported by its first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from metasearch.errors import FormatError
from metasearch.formats.citations import DEFAULT_STYLE
from metasearch.formats.registry import FORMATS, READABLE, WRITABLE, Format

if TYPE_CHECKING:
    from metasearch.events import Answer

__all__ = ["FORMATS", "READABLE", "WRITABLE", "Format", "extras_note", "get", "write"]


def get(name: str) -> Format:
    """The format of that name, which can be written.

    Raises:
        FormatError: There is none; the message names those that there are.
        UsageError: The library that writes it is not installed.
    """
    try:
        form = WRITABLE[name]
    except KeyError:
        raise FormatError(
            f"there is no format {name[:40]!r}", advice=f"Use one of {', '.join(WRITABLE)}."
        ) from None
    form.require()
    return form


def extras_note(names: Iterable[str]) -> str:
    """A sentence for descriptions: which of these formats need an extra, whatever is installed."""
    formats = [FORMATS[name] for name in names if name in FORMATS and FORMATS[name].extra]
    needs = (f"`{format_.name}` needs the extra `{format_.extra}`" for format_ in formats)
    return f"{', '.join(needs)}." if formats else ""


def write(
    name: str,
    answer: Answer,
    *,
    bom: bool = False,
    provenance: bool = False,
    style: str = DEFAULT_STYLE,
) -> bytes:
    """A finished answer in a format, with the format's defaults; call its module for other options.

    Args:
        name: Of the format.
        answer: What it holds.
        bom: CSV begins with a byte order mark, by which Excel knows UTF-8.
        provenance: RIS says in N1 which source gave which field.
        style: Of citations, one of `metasearch.formats.citations.STYLES`.

    Raises:
        FormatError: No such format, or one that is written event by event
            (`metasearch.formats.hits`).
        UsageError: No such style.
    """
    format_ = get(name)
    if not format_.whole:
        whole = ", ".join(other.name for other in WRITABLE.values() if other.whole)
        raise FormatError(
            f"{name} is written while a search runs, not from its answer",
            advice=f"Use one of {whole}.",
        )
    own: Mapping[str, dict[str, Any]] = {
        "csv": {"bom": bom},
        "ris": {"provenance": provenance},
        "table": {"answer": answer},
        "citations": {"style": style},
    }
    options = own.get(name, {})
    return format_.write(answer.hits if format_.unit == "hits" else answer, **options)
