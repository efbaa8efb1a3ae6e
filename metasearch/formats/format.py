"""What a file format is: its name, its endings, and the modules that read and write it.

A format's module is imported by its first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, cast

from metasearch.errors import UsageError
from metasearch.extras import how_to_install, is_installed

#: What one call of a format's writer takes.
Unit = Literal["event", "hits", "answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format, read, written or both.

    Attributes:
        name: What `--format`, `--from` and `format=` call it.
        about: In one line: what it is and who writes it.
        endings: Of files that may hold it, without the dot; the first one is the usual one.
        reader: The module of `metasearch.formats` that reads it; None where none does.
        binary: Its reader takes bytes, because the encoding stands in them.
        writer: The module of `metasearch.formats` that writes it; None where none does.
        unit: What the writer takes: "event" is written while the search runs, "hits" from any hits,
            "answer" from the finished answer.
        media_type: Of what is written, without parameters; every format is UTF-8.
        download: A browser saves what is written, it does not show it.
        in_parts: The writer has `parts(hits, beside=...)`, the bytes of one record after another,
            in place of `write`; RIS, BibTeX and CSV have both.
        library: Its writer needs it, and its reader, where it has one; "" for none.
        extra: What the library comes with; "" for none.
        magic: Bytes that every file of it begins with; b"" for a format that is told by its text.
    """

    name: str
    about: str
    endings: tuple[str, ...]
    reader: str | None = None
    binary: bool = False
    writer: str | None = None
    unit: Unit = "hits"
    media_type: str = ""
    download: bool = False
    in_parts: bool = False
    library: str = ""
    extra: str = ""
    magic: bytes = b""

    @property
    def extension(self) -> str:
        """The usual ending of a file that holds it, without the dot."""
        return self.endings[0]

    @property
    def whole(self) -> bool:
        """Whether nothing can be written before the search is finished."""
        return self.unit != "event"

    @property
    def usable(self) -> bool:
        """Whether what reads and writes it is installed."""
        return not self.library or is_installed(self.library)

    def require(self) -> None:
        """Check that what reads and writes it is installed.

        Raises:
            UsageError: It is not; the advice is the command that installs it.
        """
        if not self.usable:
            done = "read and written" if self.reader else "written"
            raise UsageError(
                f"{self.name} is {done} by {self.library}, which is not installed",
                advice=how_to_install(self.extra),
            )

    def looks_like(self, head: str) -> bool:
        """Whether a file with this beginning holds this format; never for one with `magic`."""
        return not self.magic and bool(_function(self.reader, "looks_like")(head))

    @property
    def read(self) -> Callable[[Any, Any], None]:
        """The reader's `read(text or bytes, reading)`."""
        return _function(self.reader, "read")

    @property
    def write(self) -> Callable[..., bytes]:
        """The writer's `write(answer or hits, ...)`; the module of events has none."""
        if self.in_parts:
            return lambda hits, **options: b"".join(self.parts(hits, **options))
        return _function(self.writer, "write")

    @property
    def parts(self) -> Callable[..., Iterator[bytes]]:
        """The writer's `parts(hits, beside=...)`, where it has one."""
        return _function(self.writer, "parts")


def _function(module: str | None, name: str) -> Callable[..., Any]:
    return cast("Callable[..., Any]", getattr(import_module(f"metasearch.formats.{module}"), name))
