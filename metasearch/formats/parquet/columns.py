"""The columns of our Parquet files: the names of the JSON answer, each with a type of its own.

Texts, numbers and lists stand in columns of their own type, people as structs, `ids` and
`provenance` as maps, so that DuckDB, Spark, Polars and pandas need no parsing. What the JSON answer
has as null is null, and an empty list is an empty list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

#: Key and value in the metadata of a file: that its rows are works of ours.
MARK = {"metasearch": "works"}
#: Columns that are no text.
NUMBERS = ("rank", "year", "citations")
TEXT_LISTS = ("titles", "isbn", "issn", "keywords", "subjects")
PEOPLE = ("authors", "editors")
MAPS = ("ids", "provenance")
#: All of them, in the order of the JSON answer.
COLUMNS = tuple(
    "id rank score reasons title subtitle original_title translated_title titles authors editors "
    "year date venue publisher institution edition volume issue pages doi ids version isbn issn "
    "url pdf_url type language abstract keywords subjects citations open_access licence retracted "
    "sources provenance matches versions".split()
)
#: Behind those, of works that were made of files.
OF_FILES = ("origins", "given")


def schema(*, of_files: bool) -> pa.Schema:
    """The schema of a file. `of_files`: whether it has `OF_FILES`, too. Raises ImportError: pyarrow
    is not installed; `metasearch.formats.get` checks that before.
    """
    import pyarrow as pa

    text = pa.string()
    person = pa.struct(
        [
            ("name", text),
            ("family", text),
            ("given", text),
            ("orcid", text),
            ("affiliation", text),
            ("collective", pa.bool_()),
        ]
    )
    source = pa.struct([("source", text), ("position", pa.int64()), ("id", text), ("url", text)])
    match = pa.struct(
        [
            ("matcher", text),
            ("verdict", text),
            ("score", pa.float64()),
            ("because", text),
            ("left", text),
            ("right", text),
        ]
    )
    reason = pa.struct([("text", text), ("points", pa.float64()), ("source", text)])
    types = {
        "score": pa.float64(),
        "retracted": pa.bool_(),
        "reasons": pa.list_(reason),
        "sources": pa.list_(source),
        "matches": pa.list_(match),
        "versions": pa.list_(pa.struct([("kind", text), ("records", pa.list_(text))])),
        "origins": pa.list_(pa.struct([("file", text), ("database", text)])),
        "given": pa.list_(pa.struct([("tag", text), ("value", text)])),
        **dict.fromkeys(NUMBERS, pa.int64()),
        **dict.fromkeys(TEXT_LISTS, pa.list_(text)),
        **dict.fromkeys(PEOPLE, pa.list_(person)),
        **dict.fromkeys(MAPS, pa.map_(text, text)),
    }
    names = (*COLUMNS, *(OF_FILES if of_files else ()))
    return pa.schema([(name, types.get(name, text)) for name in names])
