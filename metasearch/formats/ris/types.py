"""The reference types of RIS, for the writer and for the readers that know codes of RIS."""

from __future__ import annotations

#: `Record.type` -> TY.
RIS_TYPES = {
    "article": "JOUR",
    # No type says preprint. UNPB, the usual one, is a journal article to Zotero; UNPD is not known
    # to citation-js and rispy. MANSCPT is a manuscript to all of them, of the kind in M3.
    "preprint": "MANSCPT",
    "conference-paper": "CPAPER",
    "proceedings": "CONF",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
    "dataset": "DATA",
    "software": "COMP",
    "patent": "PAT",
    "standard": "STAND",
    "review": "JOUR",
    "editorial": "JOUR",
    "letter": "JOUR",
    "erratum": "JOUR",
    "retraction": "JOUR",
    "reference-entry": "ENCYC",
    "journal": "JFULL",
    "map": "MAP",
    "score": "MUSIC",
    "audio": "SOUND",
    "video": "VIDEO",
    "image": "ART",
    "webpage": "ELEC",
    "other": "GEN",
}
