"""Every format that can be read: one closed table, one file a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One format of files.

    Attributes:
        module: The module of `metasearch.formats` that reads it.
        about: In one line: what it is and who writes it.
        endings: Of files that may hold it, without the dot; the first one is the usual one.
        binary: Its module takes bytes, because the encoding stands in them.
    """

    module: str
    about: str
    endings: tuple[str, ...]
    binary: bool = False

    def looks_like(self, head: str) -> bool:
        """Whether a file that begins so holds this format."""
        return bool(self._function("looks_like")(head))

    @property
    def read(self) -> Callable[[Any, Any], None]:
        """The module's `read(text or bytes, reading)`."""
        return cast("Callable[[Any, Any], None]", self._function("read"))

    def _function(self, name: str) -> Callable[..., Any]:
        return cast(
            "Callable[..., Any]", getattr(import_module(f"metasearch.formats.{self.module}"), name)
        )


#: In the order in which they are tried on a file: tags are quickly seen and need no library; a
#: comma proves least.
FORMATS: Mapping[str, FileFormat] = {
    "wos": FileFormat("wos", "Web of Science, plain text or tab-delimited", ("ciw", "txt", "isi")),
    "cnki": FileFormat("cnki", "CNKI E-Study and CNKI's own fields", ("txt", "eln", "net")),
    "noteexpress": FileFormat("noteexpress", "NoteExpress: CNKI, Wanfang, VIP", ("net", "txt",
    "nol")),
    "nbib": FileFormat("nbib", "PubMed and MEDLINE", ("nbib", "txt", "medline")),
    "ris": FileFormat("ris.read", "RIS: nearly every database and reference manager", ("ris",
    "txt")),
    "refworks": FileFormat("refworks", "RefWorks, CNKI, Wanfang", ("txt", "rwk")),
    "endnote-tagged": FileFormat("endnote.tagged", "EndNote's tagged format (refer), CNKI", ("enw",
    "txt", "refer")),
    "marc": FileFormat("marc.iso2709", "MARC 21 and UNIMARC (ISO 2709)", ("mrc", "marc", "iso"),
    binary=True),
    "marcxml": FileFormat("marc.marcxml", "MARCXML", ("xml", "marcxml"), binary=True),
    "endnote-xml": FileFormat("endnote.xml", "XML of EndNote", ("xml",), binary=True),
    "ndjson": FileFormat("own", "our own: records, events of a search or the JSON answer",
    ("ndjson", "jsonl", "json")),
    "csl-json": FileFormat("csl_json", "CSL-JSON of Zotero, Crossref and others", ("json",)),
    "bibtex": FileFormat("bibtex.read", "BibTeX and BibLaTeX", ("bib", "bibtex")),
    "csv": FileFormat("csv.read", "a table with a heading: CSV, TSV", ("csv", "tsv", "txt")),
}  # fmt: skip
