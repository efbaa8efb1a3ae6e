"""What a file format is, and the one table of formats: what each is called, and which module reads
or writes it.

Importing this module loads no format, and so neither orjson nor lxml: a format's module is imported
by its first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
        writer: The module of `metasearch.formats` that writes it; None where none does. Of a file
            of works (`download`), it has `parts`.
        function: Of the writer, where it is not `write`.
        unit: What the writer takes: "event" is written while the search runs, "hits" from any hits,
            "answer" from the finished answer.
        media_type: Of what is written, without parameters; every format is UTF-8.
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
    function: str = "write"
    unit: Unit = "hits"
    media_type: str = ""
    library: str = ""
    extra: str = ""
    magic: bytes = b""

    @property
    def extension(self) -> str:
        return self.endings[0]

    @property
    def download(self) -> bool:
        """Whether it is a file of works, which a browser saves and does not show."""
        return self.unit == "hits" and self.name != "table"

    @property
    def whole(self) -> bool:
        """Whether nothing can be written before the search is finished."""
        return self.unit != "event"

    @property
    def usable(self) -> bool:
        return not self.library or is_installed(self.library)

    def require(self) -> None:
        """Raises UsageError: what reads and writes it is not installed; the advice is the command
        that installs it.
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
        """The writer's `write(answer or hits, ...)`, or else all of its `parts`; the module of
        events has neither.
        """
        own = getattr(_module(self.writer), self.function, None)
        return own or (lambda hits, **options: b"".join(self.parts(hits, **options)))

    @property
    def parts(self) -> Callable[..., Iterator[bytes]]:
        """The `parts(hits, beside=...)` of the writer of a file of works: in UTF-8, a record after
        another, in the order given. `beside`: what files say beside the records, by `Hit.id`
        or in the order of the hits.
        """
        return _function(self.writer, "parts")


def _module(name: str | None) -> Any:
    return import_module(f"metasearch.formats.{name}")


def _function(module: str | None, name: str) -> Callable[..., Any]:
    return cast("Callable[..., Any]", getattr(_module(module), name))


#: Readable ones in the order in which they are tried on a file: tags are quickly seen and need no
#: library; a comma proves least.
FORMATS: Mapping[str, Format] = {
    format_.name: format_
    for format_ in (
        Format(
            name="table",
            about="a table for the terminal",
            endings=("txt",),
            writer="table",
            media_type="text/plain",
        ),
        Format(
            name="json",
            about="the answer as one document",
            endings=("json",),
            writer="answer",
            unit="answer",
            media_type="application/json",
        ),
        Format(
            name="wos",
            about="Web of Science, plain text or tab-delimited",
            endings=("ciw", "txt", "isi"),
            reader="wos",
        ),
        Format(
            name="cnki",
            about="CNKI E-Study and CNKI's own fields",
            endings=("txt", "eln", "net"),
            reader="cnki",
        ),
        Format(
            name="noteexpress",
            about="NoteExpress: CNKI, Wanfang, VIP",
            endings=("net", "txt", "nol"),
            reader="noteexpress",
            writer="noteexpress",
            media_type="application/x-noteexpress",
        ),
        Format(
            name="ovid",
            about="Ovid's own export, tagged or printed",
            endings=("ovd", "txt"),
            reader="ovid",
        ),
        Format(
            name="nbib",
            about="PubMed, MEDLINE, ERIC",
            endings=("nbib", "txt", "medline"),
            reader="nbib",
            writer="nbib",
            media_type="application/nbib",
        ),
        Format(
            name="ris",
            about="RIS: nearly every database and reference manager",
            endings=("ris", "txt"),
            reader="ris",
            writer="ris",
            media_type="application/x-research-info-systems",
        ),
        Format(
            name="refworks",
            about="RefWorks, CNKI, Wanfang",
            endings=("txt", "rwk"),
            reader="refworks",
            writer="refworks",
            media_type="application/x-refworks-tagged",
        ),
        Format(
            name="endnote-tagged",
            about="EndNote's tagged format (refer), CNKI",
            endings=("enw", "txt", "refer"),
            reader="endnote_tagged",
            writer="endnote_tagged",
            media_type="application/x-endnote-refer",
        ),
        Format(
            name="marc",
            about="MARC 21 and UNIMARC (ISO 2709)",
            endings=("mrc", "marc", "iso"),
            reader="iso2709",
            binary=True,
            writer="iso2709",
            media_type="application/marc",
        ),
        Format(
            name="marcxml",
            about="MARCXML",
            endings=("xml", "marcxml"),
            reader="marc",
            binary=True,
            writer="marc",
            media_type="application/marcxml+xml",
        ),
        Format(
            name="pubmed-xml",
            about="XML of PubMed: efetch, the files of the whole of PubMed",
            endings=("xml",),
            reader="pubmed_xml",
            binary=True,
        ),
        Format(
            name="endnote-xml",
            about="XML of EndNote",
            endings=("xml",),
            reader="endnote_xml",
            binary=True,
            writer="endnote_xml",
            media_type="application/x-endnote+xml",
        ),
        Format(
            name="mods",
            about="MODS",
            endings=("mods", "xml"),
            reader="mods_reader",
            binary=True,
            writer="mods",
            media_type="application/mods+xml",
        ),
        Format(
            name="zotero-rdf",
            about="RDF of Zotero",
            endings=("rdf", "xml"),
            reader="zotero_rdf",
            binary=True,
        ),
        Format(
            name="ndjson",
            about="our own: records, events of a search or the JSON answer",
            endings=("ndjson", "jsonl", "json"),
            reader="own",
            writer="events",
            unit="event",
            media_type="application/x-ndjson",
        ),
        Format(
            name="sse",
            about="events of a search for a browser",
            endings=("sse",),
            writer="events",
            unit="event",
            media_type="text/event-stream",
        ),
        Format(
            name="csl-json",
            about="CSL-JSON of Zotero, Crossref and others",
            endings=("json",),
            reader="csl_json",
            writer="csl_json",
            media_type="application/vnd.citationstyles.csl+json",
        ),
        Format(
            name="bibtex",
            about="BibTeX and BibLaTeX",
            endings=("bib", "bibtex"),
            reader="bibtex",
            writer="bibtex",
            media_type="application/x-bibtex",
        ),
        Format(
            name="csv",
            about="a table with a heading: CSV, TSV",
            endings=("csv", "tsv", "txt"),
            reader="csv",
            writer="csv",
            media_type="text/csv",
        ),
        Format(
            name="xlsx",
            about="Excel; needs the extra xlsx",
            endings=("xlsx",),
            reader="xlsx",
            binary=True,
            writer="xlsx",
            media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            library="openpyxl",
            extra="xlsx",
            magic=b"PK\x03\x04",
        ),
        Format(
            name="parquet",
            about="Apache Parquet, typed columns; needs the extra bulk",
            endings=("parquet", "pq"),
            reader="parquet",
            binary=True,
            writer="parquet",
            media_type="application/vnd.apache.parquet",
            library="pyarrow",
            extra="bulk",
            magic=b"PAR1",
        ),
        Format(
            name="citations",
            about="formatted citations as text",
            endings=("txt",),
            writer="citations",
            media_type="text/x-bibliography",
        ),
        Format(
            name="atom",
            about="an Atom feed",
            endings=("atom",),
            writer="feeds",
            function="write_atom",
            unit="answer",
            media_type="application/atom+xml",
        ),
        Format(
            name="rss",
            about="an RSS feed",
            endings=("rss",),
            writer="feeds",
            function="write_rss",
            unit="answer",
            media_type="application/rss+xml",
        ),
        Format(
            name="jsonfeed",
            about="a JSON Feed",
            endings=("jsonfeed",),
            writer="feeds",
            function="write_json_feed",
            unit="answer",
            media_type="application/feed+json",
        ),
    )
}

#: Those that can be read, and those that can be written.
READABLE: Mapping[str, Format] = {
    name: format_ for name, format_ in FORMATS.items() if format_.reader
}
WRITABLE: Mapping[str, Format] = {
    name: format_ for name, format_ in FORMATS.items() if format_.writer
}
