"""EndNote XML: <xml><records><record>..., plain text in every element.

EndNote puts text into <style>; Zotero drops what stands outside of one as soon as there is any, so
that there is none here. No accession number either: Zotero makes a note of it beside the record,
and of a label the citation key. So identifiers are foreign keys, which both leave out, besides
those that have a field of their own: PMCID and the numbers of patents. EndNote reads an address in
related-urls, Zotero in web-urls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metasearch.formats.endnote.write_tagged import TYPES as WORDS
from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reference import (
    date_parts,
    full_title,
    identifiers,
    inverted,
    is_corporate,
    issuing_body,
    link,
    page_range,
    standard_numbers,
)
from metasearch.formats.tagged_lines import (
    databases,
    four_digits,
    further_titles,
    general_type,
    second_type,
)
from metasearch.formats.text import line, web_url
from metasearch.formats.xml_elements import nested, one
from metasearch.record import Author, Hit

#: What wrote the file, in <source-app>.
APP = "metasearch"
#: Where the name of a type is another one than in the tagged format: "Conference Paper" becomes a
#: presentation in Zotero.
_OWN_WORDS = {"conference-paper": "Conference Proceedings"}
_NUMBERS = {
    "Journal Article": 17,
    "Unpublished Work": 34,
    "Conference Proceedings": 10,
    "Book": 6,
    "Book Section": 5,
    "Thesis": 32,
    "Report": 27,
    "Dataset": 59,
    "Computer Program": 9,
    "Patent": 25,
    "Standard": 58,
    "Encyclopedia": 53,
    "Serial": 57,
    "Map": 20,
    "Music": 61,
    "Audiovisual Material": 3,
    "Film or Broadcast": 21,
    "Artwork": 2,
    "Web Page": 12,
    "Generic": 13,
}
_IN_JOURNALS = frozenset({"Journal Article"})
#: Types whose second custom field is the PMCID.
_WITH_PMCID = frozenset({"Journal Article", "Book", "Book Section"})


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """The file in UTF-8, a record after another, in the order given.

    `hits`: in the order of the records. `beside`: what files say beside the records, by `Hit.id`;
    their origins are written.
    """
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<xml><records>\n'
    for number, (hit, found) in enumerate(with_beside(hits, beside), 1):
        inner = "".join(_elements(hit, number, found))
        yield f"<record>{inner}</record>\n".encode()
    yield b"</records></xml>\n"


def _elements(hit: Hit, number: int, beside: Beside | None) -> Iterator[str]:
    record = hit.record
    kind = general_type(record)
    word = _OWN_WORDS.get(kind, WORDS[kind])
    is_part = bool(record.authors or line(record.venue) or line(record.pages))
    venue = line(record.venue)
    yield one("source-app", APP, name=APP)
    yield one("rec-number", str(number))
    yield nested("foreign-keys", one("key", "; ".join(identifiers(record)), app=APP))
    yield one("ref-type", str(_NUMBERS[word]), name=word)
    yield nested(
        "contributors",
        _names("authors", record.authors),
        _names("secondary-authors", record.editors),
    )
    yield nested(
        "titles",
        one("title", full_title(record)),
        one("secondary-title", venue),
        *(one("translated-title", title) for title in further_titles(record)),
    )
    if word in _IN_JOURNALS:
        yield nested("periodical", one("full-title", venue))
    yield one("pages", "-".join(filter(None, page_range(record.pages))))
    yield one("volume", line(record.volume))
    yield one("number", line(record.issue))
    yield one("edition", line(record.edition))
    keywords = dict.fromkeys(record.keywords + record.subjects)
    yield nested("keywords", *(one("keyword", line(keyword)) for keyword in keywords))
    date = "-".join(filter(None, date_parts(record.date)))
    yield nested(
        "dates",
        one("year", four_digits(record.year)),
        nested("pub-dates", one("date", date)),
    )
    yield one("publisher", issuing_body(record))
    yield one("isbn", "; ".join(standard_numbers(record)))
    yield one("electronic-resource-num", line(record.doi))
    if word in _WITH_PMCID:
        yield one("custom2", line(record.ids.get("pmcid")))
    yield one("abstract", line(record.abstract))
    made_of = texts(beside.origins) if beside is not None else []
    yield one("notes", "\n".join([*(["Retracted"] if record.retracted else []), *made_of]))
    yield one("work-type", second_type(kind, word, is_part=is_part))
    yield nested(
        "urls",
        nested("web-urls", one("url", link(record) or "")),
        nested("related-urls", one("url", link(record) or "")),
        nested("pdf-urls", one("url", web_url(record.pdf_url) or "")),
    )
    yield one("remote-database-name", "; ".join(databases(hit, beside)))
    yield one("language", line(record.language))


def _names(group: str, people: tuple[Author, ...]) -> str:
    return nested(group, *(one("author", _name(author)) for author in people))


def _name(author: Author) -> str:
    """Inverted; a comma behind the name of a body keeps EndNote from taking it apart."""
    name = inverted(author)
    return f"{name}," if is_corporate(author, (author,)) and "," not in name else name
