"""How long the fields of a record may be; docs/decisions/0018 says why, `cuts.py` cuts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """What is kept of a field.

    Attributes:
        name: One value of the field, in words, for notes: "title".
        text: Characters of the text, or of each text in a list.
        items: Texts or people in the list; 1 where the field is no list.
        whole: Whether a longer text is left out, because a part of it would be another one: of a
            DOI, an address.
    """

    name: str
    text: int
    items: int = 1
    whole: bool = False

    @property
    def names(self) -> str:
        """Several values, in words."""
        return f"{self.name}{'es' if self.name.endswith('s') else 's'}"

    @property
    def given(self) -> int:
        """Characters of a text before conversion: markup, entities and labels may be most of it."""
        return MARKUP * self.text


#: Characters of a value before conversion for each one that is kept. Of real abstracts, markup is a
#: fifth at most.
MARKUP = 4
#: Characters, and texts, of all that is found for one field before it is converted.
MOST_GIVEN, MOST_FOUND = 400_000, 10_000
#: A larger number is no year and no count, and takes long to write down.
LARGEST_NUMBER = 10**15

# catalogues copy whole title pages; the longest in 26,000 real records has 725 characters
_TITLE = 4_000
_NAME = 1_000  # bodies with all that they belong to; 134
_BODY = 1_000  # journals, publishers, universities; 221
#: The longest real values stand behind; measured in the answers of 60 databases, in catalogue
#: records and in exports.
LIMITS: Mapping[str, Limit] = {
    "source": Limit("source name", 500),  # of a file, its name
    "title": Limit("title", _TITLE),
    "subtitle": Limit("subtitle", _TITLE),
    "original_title": Limit("original title", _TITLE),
    "translated_title": Limit("translated title", _TITLE),
    "titles": Limit("further title", _TITLE, 200),  # 27 of one work
    "authors": Limit(
        "author", _NAME, 20_000
    ),  # ATLAS and CMS together are 5,154; the longest list known has 15,025
    "editors": Limit("editor", _NAME, 2_000),
    "affiliation": Limit("affiliation", 2_000),  # 286
    "venue": Limit("venue", _BODY),
    "publisher": Limit("publisher", _BODY),
    "institution": Limit("institution", _BODY),
    "edition": Limit("edition", 500),  # 78
    "volume": Limit("volume", 500),  # 108
    "issue": Limit("issue", 500),  # 159: "Suppl. 1" with its title
    "pages": Limit("page range", 500),  # 50
    "version": Limit("version", 200),  # 7
    "type": Limit(
        "type", 10_000
    ),  # only what is looked up in a table: 26,745 characters were found for one
    "language": Limit("language", 500),  # 65: a sentence
    "date": Limit("date", 500),
    "year": Limit("year", 500),
    "open_access": Limit("open access statement", 2_000),  # 573 before conversion
    "retracted": Limit("retraction statement", 2_000),
    "citations": Limit("citation count", 100),
    "licence": Limit("licence", 2_000),  # 394: the licence itself
    "abstract": Limit("abstract", 50_000),  # 23,675: the notes of a software release
    "keywords": Limit("keyword", 1_000, 2_000),  # 237 characters, 195 keywords
    "subjects": Limit("subject", 1_000, 2_000),  # 308 characters
    "isbn": Limit("ISBN", 200, 2_000),  # 111 editions of one book
    "issn": Limit("ISSN", 200, 200),
    "doi": Limit("DOI", 2_048, whole=True),  # what Crossref registers at most; 64
    "ids": Limit("identifier", 1_000, 200, whole=True),  # 64 characters
    "source_id": Limit("record number", 1_000, whole=True),  # 149
    "url": Limit("address", 4_000, whole=True),  # 798; as `web_addresses.web_url` takes
    "pdf_url": Limit("file address", 4_000, whole=True),
    "given": Limit(
        "other field", 50_000, 1_000
    ),  # what a file says beside: notes, addresses; 157 cited works
}
#: No text of so few characters is beyond its limit.
SHORT = min(limit.text for limit in LIMITS.values())
