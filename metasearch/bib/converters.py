"""The closed list of converters: what a selector finds -> the value of a record's field.

Each takes whatever the selector found (a string, a number, a list, an element's text, None) and
gives a value or None; none raises on odd input, so that one odd field costs neither its record nor
its page. `CONVERTERS` is the list that a spec may name with `as = "..."`; `DEFAULTS` says which
converter a field has when its spec names none. The converters themselves stand in texts.py,
dates.py, identifiers.py, numbering.py and names/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from metasearch.bib.dates import (
    date,
    date_parts,
    date_printed,
    date_words,
    day_first_date,
    earliest_date,
    padded_date,
    precise_date,
    whole_date_parts,
    year,
)
from metasearch.bib.identifiers import (
    arxiv,
    arxiv_url,
    arxiv_version,
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
    pmid,
    url,
)
from metasearch.bib.names import byline, headings, person
from metasearch.bib.names import converters as people
from metasearch.bib.numbering import (
    article_number,
    citation_issue,
    citation_pages,
    citation_venue,
    citation_volume,
    integer,
    page_range,
    plain_integer,
    size_pages,
)
from metasearch.bib.strings import Converter
from metasearch.bib.texts import (
    abstract,
    bracketed,
    commas,
    inverted_index,
    isbd,
    isbd_list,
    isbd_publisher,
    isbd_title,
    joined,
    labelled,
    language,
    no_final_stop,
    open_access,
    plain_text_list,
    said_true,
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
    "article_number",
    "arxiv",
    "arxiv_url",
    "arxiv_version",
    "bracketed",
    "citation_issue",
    "citation_pages",
    "citation_venue",
    "citation_volume",
    "commas",
    "date",
    "date_parts",
    "date_printed",
    "date_words",
    "day_first_date",
    "doi",
    "doi_url",
    "earliest_date",
    "identifier",
    "integer",
    "inverted_index",
    "isbd",
    "isbd_list",
    "isbd_publisher",
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
    "open_access",
    "padded_date",
    "page_range",
    "pdf_url",
    "pmcid",
    "pmid",
    "precise_date",
    "said_true",
    "size_pages",
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
    "true": said_true,
    "open-access": open_access,
    "arxiv-version": arxiv_version,
    "abstract": abstract,
    "inverted-index": inverted_index,
    "no-final-stop": no_final_stop,
    "isbd": isbd,
    "isbd-list": isbd_list,
    "isbd-title": isbd_title,
    "isbd-publisher": isbd_publisher,
    "labelled": labelled,
    "bracketed": bracketed,
    "year": year,
    "date": date,
    "date-parts": date_parts,
    "date-words": date_words,
    "date-printed": date_printed,
    "day-first-date": day_first_date,
    "padded-date": padded_date,
    "precise-date": precise_date,
    "earliest-date": earliest_date,
    "pages": page_range,
    "doi": doi,
    "doi-url": doi_url,
    "url": url,
    "isbn": isbns,
    "issn": issns,
    "arxiv": arxiv,
    "arxiv-url": arxiv_url,
    "pmcid": pmcid,
    "pmid": pmid,
    "lccn": lccn,
    "oclc": oclc,
    "article-number": article_number,
    "citation-venue": citation_venue,
    "citation-volume": citation_volume,
    "citation-issue": citation_issue,
    "citation-pages": citation_pages,
    "last-segment": last_segment,
    "size-pages": size_pages,
    "identifier": identifier,
    "integer": integer,
    "language": language,
    "sole-language": sole_language,
    "names": people.names,
    "names-semicolon": people.names_semicolon,
    "names-comma": people.names_comma,
    "names-and": people.names_and,
    "names-initials": people.names_initials,
    "names-initials-and": people.names_initials_and,
    "names-homonym": people.names_homonym,
    "names-catalogue": people.names_catalogue,
    "names-bracketed": people.names_bracketed,
    "names-statement": byline.statement,
}

#: Converters that give several values, and the fields that hold several; neither goes with any of
#: the others.
PLURAL = frozenset({"list", "split-list", "words", "isbd-list", "isbn", "issn"})
PLURAL_FIELDS = frozenset({"titles", "authors", "editors", "isbn", "issn", "keywords", "subjects"})
#: What the names of authors that are objects may go through.
NAME_CONVERTERS: Mapping[str, Callable[[str], str]] = {
    "names-homonym": person.without_homonym,
    "names-degrees": person.without_degrees,
    "names-catalogue": headings.personal,
}

#: Converters to which a list of one text is as good as the text.
OF_ONE_TEXT = frozenset({
    abstract, article_number, arxiv, arxiv_version, citation_issue, citation_pages, citation_volume,
    commas, date, doi, doi_url, identifier, integer, isbd, isbd_list, isbns, issns, joined,
    language, last_segment, lccn, oclc, page_range, pdf_url, people.names, pmcid, pmid, text,
    text_list, url, year,
})  # fmt: skip

#: What some converters make of what is ordinary and no larger than a number of characters, which
#: comes second; None of all else. Of that the converter gives the same.
ORDINARY: Mapping[Converter, Callable[[Any, int], Any]] = {
    date_parts: whole_date_parts,
    integer: plain_integer,
    text_list: plain_text_list,
}

#: Converters that take XML elements, because they need more than the texts.
NODE_CONVERTERS = frozenset({"labelled"})

DEFAULTS: Mapping[str, Converter] = {
    "source_id": identifier,
    "url": url,
    "pdf_url": pdf_url,
    "title": text,
    "subtitle": text,
    "original_title": text,
    "translated_title": text,
    "titles": text_list,
    "authors": people.names,
    "editors": people.names,
    "year": year,
    "date": date,
    "venue": text,
    "publisher": text,
    "institution": text,
    "version": text,
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
    "subjects": text_list,
    "citations": integer,
    "open_access": open_access,
    "licence": text,
    "retracted": said_true,
}
