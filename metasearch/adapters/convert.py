"""The closed list of converters: what a selector finds -> the value of a record's field.

Each takes whatever the selector found (a string, a number, a list, an element's text, None) and gives a value or None;
none raises on odd input, so that one odd field costs neither its record nor its page. `CONVERTERS` is the list that a
spec may name with `as = "..."`; `DEFAULTS` says which converter a field has when its spec names none. The converters
themselves stand in texts.py, dates.py, identifiers.py, numbering.py and people.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from metasearch.adapters import marc_names, people
from metasearch.adapters.dates import (
    date,
    date_parts,
    date_words,
    padded_date,
    year,
)
from metasearch.adapters.identifiers import (
    arxiv,
    arxiv_url,
    doi,
    doi_url,
    identifier,
    isbns,
    issns,
    last_segment,
    lccn,
    oclc,
    pdf_url,
    pmcid,
    url,
)
from metasearch.adapters.numbering import (
    citation_issue,
    citation_pages,
    citation_volume,
    integer,
    page_range,
)
from metasearch.adapters.spec import Converter
from metasearch.adapters.texts import (
    abstract,
    bracketed,
    commas,
    inverted_index,
    isbd,
    isbd_list,
    isbd_title,
    joined,
    labelled,
    language,
    no_final_stop,
    sole_language,
    split_list,
    text,
    text_list,
    words,
)

__all__ = [
    "CONVERTERS",
    "DEFAULTS",
    "NAME_CONVERTERS",
    "NODE_CONVERTERS",
    "abstract",
    "arxiv",
    "arxiv_url",
    "bracketed",
    "citation_issue",
    "citation_pages",
    "citation_volume",
    "commas",
    "date",
    "date_parts",
    "date_words",
    "doi",
    "doi_url",
    "identifier",
    "integer",
    "inverted_index",
    "isbd",
    "isbd_list",
    "isbd_title",
    "isbns",
    "issns",
    "joined",
    "labelled",
    "language",
    "last_segment",
    "lccn",
    "no_final_stop",
    "oclc",
    "padded_date",
    "page_range",
    "pdf_url",
    "pmcid",
    "sole_language",
    "split_list",
    "text",
    "text_list",
    "url",
    "words",
    "year",
]

CONVERTERS: Mapping[str, Converter] = {
    "text": text,
    "joined": joined,
    "commas": commas,
    "list": text_list,
    "split-list": split_list,
    "words": words,
    "abstract": abstract,
    "inverted-index": inverted_index,
    "no-final-stop": no_final_stop,
    "isbd": isbd,
    "isbd-list": isbd_list,
    "isbd-title": isbd_title,
    "labelled": labelled,
    "bracketed": bracketed,
    "year": year,
    "date": date,
    "date-parts": date_parts,
    "date-words": date_words,
    "padded-date": padded_date,
    "pages": page_range,
    "doi": doi,
    "doi-url": doi_url,
    "url": url,
    "isbn": isbns,
    "issn": issns,
    "arxiv": arxiv,
    "arxiv-url": arxiv_url,
    "pmcid": pmcid,
    "lccn": lccn,
    "oclc": oclc,
    "citation-volume": citation_volume,
    "citation-issue": citation_issue,
    "citation-pages": citation_pages,
    "last-segment": last_segment,
    "identifier": identifier,
    "integer": integer,
    "language": language,
    "sole-language": sole_language,
    "names": people.names,
    "names-semicolon": people.names_semicolon,
    "names-comma": people.names_comma,
    "names-and": people.names_and,
    "names-initials": people.names_initials,
    "names-homonym": people.names_homonym,
    "names-catalogue": people.names_catalogue,
}

#: What the names of authors that are objects may go through.
NAME_CONVERTERS: Mapping[str, Callable[[str], str]] = {
    "names-homonym": people.without_homonym,
    "names-catalogue": marc_names.personal,
}

#: Converters that take XML elements, because they need more than the texts.
NODE_CONVERTERS = frozenset({"labelled"})

DEFAULTS: Mapping[str, Converter] = {
    "source_id": identifier,
    "url": url,
    "pdf_url": pdf_url,
    "title": text,
    "subtitle": text,
    "authors": people.names,
    "year": year,
    "date": date,
    "venue": text,
    "publisher": text,
    "edition": text,
    "volume": text,
    "issue": text,
    "pages": page_range,
    "doi": doi,
    "isbn": isbns,
    "issn": issns,
    "type": text,
    "language": language,
    "abstract": abstract,
    "keywords": text_list,
    "citations": integer,
}
