"""The one table of formats: what each is called, and which module reads or writes it.

Importing this module loads no format, and so neither orjson nor lxml.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.formats.format import Format

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
            reader="noteexpress.read",
            writer="noteexpress.write",
            media_type="application/x-noteexpress",
            download=True,
            in_parts=True,
        ),
        Format(
            name="nbib",
            about="PubMed and MEDLINE",
            endings=("nbib", "txt", "medline"),
            reader="nbib.read",
            writer="nbib.write",
            media_type="application/nbib",
            download=True,
            in_parts=True,
        ),
        Format(
            name="ris",
            about="RIS: nearly every database and reference manager",
            endings=("ris", "txt"),
            reader="ris.read",
            writer="ris.write",
            media_type="application/x-research-info-systems",
            download=True,
        ),
        Format(
            name="refworks",
            about="RefWorks, CNKI, Wanfang",
            endings=("txt", "rwk"),
            reader="refworks.read",
            writer="refworks.write",
            media_type="application/x-refworks-tagged",
            download=True,
            in_parts=True,
        ),
        Format(
            name="endnote-tagged",
            about="EndNote's tagged format (refer), CNKI",
            endings=("enw", "txt", "refer"),
            reader="endnote.tagged",
            writer="endnote.write_tagged",
            media_type="application/x-endnote-refer",
            download=True,
            in_parts=True,
        ),
        Format(
            name="marc",
            about="MARC 21 and UNIMARC (ISO 2709)",
            endings=("mrc", "marc", "iso"),
            reader="marc.iso2709",
            binary=True,
            writer="marc.write_iso2709",
            media_type="application/marc",
            download=True,
            in_parts=True,
        ),
        Format(
            name="marcxml",
            about="MARCXML",
            endings=("xml", "marcxml"),
            reader="marc.marcxml",
            binary=True,
            writer="marc.write_xml",
            media_type="application/marcxml+xml",
            download=True,
            in_parts=True,
        ),
        Format(
            name="endnote-xml",
            about="XML of EndNote",
            endings=("xml",),
            reader="endnote.xml",
            binary=True,
            writer="endnote.write_xml",
            media_type="application/x-endnote+xml",
            download=True,
            in_parts=True,
        ),
        Format(
            name="mods",
            about="MODS",
            endings=("mods", "xml"),
            writer="mods",
            media_type="application/mods+xml",
            download=True,
            in_parts=True,
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
            reader="csl_json.read",
            writer="csl_json.write",
            media_type="application/vnd.citationstyles.csl+json",
            download=True,
            in_parts=True,
        ),
        Format(
            name="bibtex",
            about="BibTeX and BibLaTeX",
            endings=("bib", "bibtex"),
            reader="bibtex.read",
            writer="bibtex.write",
            media_type="application/x-bibtex",
            download=True,
        ),
        Format(
            name="csv",
            about="a table with a heading: CSV, TSV",
            endings=("csv", "tsv", "txt"),
            reader="csv.read",
            writer="csv.write",
            media_type="text/csv",
            download=True,
        ),
        Format(
            name="xlsx",
            about="Excel; needs the extra xlsx",
            endings=("xlsx",),
            writer="xlsx",
            media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            download=True,
            in_parts=True,
            library="openpyxl",
            extra="xlsx",
        ),
        Format(
            name="parquet",
            about="Apache Parquet, typed columns; needs the extra bulk",
            endings=("parquet", "pq"),
            reader="parquet.read",
            binary=True,
            writer="parquet.write",
            media_type="application/vnd.apache.parquet",
            download=True,
            in_parts=True,
            library="pyarrow",
            extra="bulk",
            magic=b"PAR1",
        ),
        Format(
            name="citations",
            about="formatted citations as text",
            endings=("txt",),
            writer="citations.write",
            media_type="text/x-bibliography",
            download=True,
            in_parts=True,
        ),
        Format(
            name="atom",
            about="an Atom feed",
            endings=("atom",),
            writer="atom",
            unit="answer",
            media_type="application/atom+xml",
        ),
        Format(
            name="rss",
            about="an RSS feed",
            endings=("rss",),
            writer="rss",
            unit="answer",
            media_type="application/rss+xml",
        ),
        Format(
            name="jsonfeed",
            about="a JSON Feed",
            endings=("jsonfeed",),
            writer="json_feed",
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
