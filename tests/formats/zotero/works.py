"""A work of each type, as databases describe one, and works that are hard for programs."""

from __future__ import annotations

from typing import Any

from metasearch.formats.origins import Beside, Origin
from metasearch.record import Author, Hit, Record

_DOE = Author("Jane Doe", "Doe", "Jane")
_MUELLER = Author("K. J. Müller", "Müller", "K. J.")
_EDITOR = Author("Ann Åkesson", "Åkesson", "Ann")

#: What every work has.
_COMMON: dict[str, Any] = {
    "authors": (_DOE, _MUELLER),
    "year": 2020,
    "date": "2020-03-05",
    "doi": "10.1000/{name}",
    "url": "https://example.org/works/{name}",
    "language": "en",
    "abstract": "What {name} is about: dams & rivers, 100 % of them.",
    "keywords": ("dam removal", "rivers"),
}
_IN_JOURNAL: dict[str, Any] = {
    "venue": "Journal of Hydrology",
    "volume": "87",
    "issue": "7",
    "pages": "1208-1227",
    "issn": ("0018-9219",),
    "publisher": "Elsevier",
}
_IN_BOOK: dict[str, Any] = {
    "venue": "Handbook of Rivers",
    "editors": (_EDITOR,),
    "pages": "12-34",
    "isbn": ("9783161484100",),
    "publisher": "Springer",
    "edition": "2",
}
_IN_PROCEEDINGS: dict[str, Any] = {
    "venue": "Proceedings of the 9th Dam Conference",
    "pages": "12-34",
    "isbn": ("9783161484100",),
    "publisher": "IEEE",
}
_BOOK: dict[str, Any] = {"publisher": "Springer", "isbn": ("9783161484100",), "edition": "2"}

#: `Record.type` -> what such a work has beside `_COMMON`.
_OF_TYPES: dict[str, dict[str, Any]] = {
    "article": _IN_JOURNAL | {"ids": {"pmid": "123456", "pmcid": "PMC7654"}},
    "preprint": {"venue": "bioRxiv", "ids": {"arxiv": "2001.01234"}, "version": "v2"},
    "conference-paper": _IN_PROCEEDINGS,
    "proceedings": _BOOK | {"authors": (), "editors": (_EDITOR,)},
    "book": _BOOK | {"venue": "Lecture Notes in Rivers", "volume": "12"},
    "chapter": _IN_BOOK,
    "thesis": {"institution": "Uppsala University"},
    "report": {"institution": "Geological Survey", "isbn": ("9783161484100",)},
    "dataset": {"publisher": "Zenodo", "version": "1.0.3"},
    "software": {"publisher": "Zenodo", "version": "1.0.3"},
    "patent": {"ids": {"patent": "US1234567B2"}},
    "standard": {"publisher": "ISO"},
    "review": _IN_JOURNAL,
    "editorial": _IN_JOURNAL,
    "letter": _IN_JOURNAL,
    "erratum": _IN_JOURNAL,
    "retraction": _IN_JOURNAL,
    "reference-entry": _IN_BOOK,
    "journal": {"authors": (), "publisher": "Elsevier", "issn": ("0018-9219",)},
    "map": {"publisher": "Geological Survey"},
    "score": {"publisher": "Breitkopf"},
    "audio": {"publisher": "Deutsche Grammophon"},
    "video": {"publisher": "BBC"},
    "image": {"publisher": "Getty"},
    "webpage": {"venue": "Rivers of the World"},
    "other": {"publisher": "Elsevier"},
}
#: Name -> a work that programs are known to get wrong. No type of its own is needed to see that.
_HARD: dict[str, dict[str, Any]] = {
    "untyped-article": _IN_JOURNAL | {"type": None},
    "untyped": {"type": None, "publisher": "Elsevier"},
    "chinese": _IN_JOURNAL
    | {
        "type": "article",
        "title": "大坂拆除 chinese",
        "authors": (Author("王小明"), Author("欧阳修")),
        "venue": "科学通报",
        "language": "zh",
        "titles": ("Dam removal",),
    },
    "body": _IN_JOURNAL
    | {
        "type": "article",
        "authors": (Author("World Health Organization", collective=True), _DOE),
    },
    "retracted": _IN_JOURNAL | {"type": "article", "retracted": True},
    "year-only": _IN_JOURNAL | {"type": "article", "date": None},
    "merged": _IN_JOURNAL | {"type": "article", "pdf_url": "https://example.org/merged.pdf"},
    "of-files": _IN_JOURNAL | {"type": "article"},
}


def _record(name: str, fields: dict[str, Any]) -> Record:
    said = {
        field: value.format(name=name) if isinstance(value, str) else value
        for field, value in _COMMON.items()
    }
    return Record(
        **{"source": "crossref", "source_id": name, "position": 1, "title": f"Dams: {name}"}
        | said
        | fields
    )


def _hit(name: str, fields: dict[str, Any]) -> Hit:
    record = _record(name, fields)
    others = (
        (Record(source="pubmed", source_id="1", position=2, title=record.title),)
        if name == "merged"
        else ()
    )
    return Hit(f"h{name}", record, (record, *others), {"title": "crossref"})


#: Name of a work -> the hit; the types first, by their names.
HITS: dict[str, Hit] = {
    name: _hit(name, {"type": name} | fields) for name, fields in _OF_TYPES.items()
} | {name: _hit(name, fields) for name, fields in _HARD.items()}

#: What stands beside the work of files, as `metasearch dedup` finds it.
BESIDE = {
    HITS["of-files"].id: Beside((Origin("medline.nbib", "MEDLINE"), Origin("scopus.ris", "Scopus")))
}
