"""What is checked of a Parquet file before anything of it is unpacked: what its directory claims,
and what the headers of its pages say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

from metasearch.errors import FileFormatError
from metasearch.formats.parquet.pages import page_at

#: Bytes of the directory at the end of a file.
MOST_DIRECTORY = 64_000_000
#: Entries of a list in it: row groups, columns; characters of a text in it; levels of the schema.
MOST_ENTRIES, LONGEST_TEXT, DEEPEST = 100_000, 10_000_000, 12
#: Columns, those in structs and lists counted one by one.
MOST_COLUMNS = 2_000
#: Bytes of a page, and of all that is read of a row group, both unpacked.
LARGEST_PAGE, LARGEST_GROUP = 256_000_000, 1_000_000_000
#: Values of one column in a row group, and pages of all its columns.
MOST_VALUES, MOST_PAGES = 50_000_000, 200_000
#: Of a batch of rows: bytes and values, on average; rows.
BATCH_BYTES, BATCH_VALUES, BATCH_ROWS = 32_000_000, 1_000_000, 1_000
_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
_ADVICE = "Write it again, with smaller row groups, or as CSV."


def checked_end(file: IO[bytes], name: str) -> None:
    """Check that the file has a directory at its end, and how large it is. Raises FileFormatError:
    it has none that can be read.
    """
    size = file.seek(0, 2)
    file.seek(max(0, size - 8))
    end = file.read(8)
    if end[4:] == _ENCRYPTED:
        raise FileFormatError(name, "the file is encrypted", advice="Decrypt it first.")
    if size < 12 or end[4:] != _MAGIC:
        what = "the file breaks off: its directory, which stands at its end, is not there"
        raise FileFormatError(name, what, advice="Fetch it again.")
    length = int.from_bytes(end[:4], "little")
    if length > size - 12:
        what = "the file is damaged: its directory is not in it"
        raise FileFormatError(name, what, advice="Fetch it again.")
    if length > MOST_DIRECTORY:
        what = f"its directory has more than {MOST_DIRECTORY:,} bytes"
        raise FileFormatError(name, what, advice=_ADVICE)


def checked_directory(metadata: Any, name: str, most_rows: int) -> None:
    """Check what the directory claims. `metadata`: a `pyarrow.parquet.FileMetaData`. Raises
    FileFormatError: it is too much.
    """
    for what, claimed, most in (
        ("columns", metadata.num_columns, MOST_COLUMNS),
        ("records", metadata.num_rows, most_rows),
    ):
        if claimed > most:
            raise FileFormatError(
                name,
                f"the file holds more than {most:,} {what}",
                advice="Divide it into several files.",
            )


def batch_rows(file: IO[bytes], group: Any, leaves: Sequence[int]) -> int:
    """How many rows of a row group are read at once.

    `group`: a `pyarrow.parquet.RowGroupMetaData`. Raises ValueError: more than is taken of one
    group, or its pages are not where they should be.
    """
    unpacked = values = pages = 0
    for leaf in leaves:
        column = group.column(leaf)
        offsets = (column.dictionary_page_offset, column.data_page_offset)
        place = min(offset for offset in offsets if offset)
        end = place + column.total_compressed_size
        of_column = 0
        while place < end:
            page = page_at(file, place)
            place += page.header + page.packed
            pages += 1
            unpacked += page.unpacked
            of_column += 0 if page.is_dictionary else page.values
            if page.unpacked > LARGEST_PAGE:
                raise ValueError(f"a page in it has {page.unpacked:,} bytes, unpacked")
            if unpacked > LARGEST_GROUP or of_column > MOST_VALUES or pages > MOST_PAGES:
                raise ValueError(
                    f"unpacked, they have more than {LARGEST_GROUP:,} bytes, {MOST_VALUES:,} "
                    f"values in a column, or {MOST_PAGES:,} pages"
                )
        values = max(values, of_column)
    rows: int = group.num_rows
    fitting = min(
        rows * BATCH_BYTES // max(unpacked, 1), rows * BATCH_VALUES // max(values, 1), BATCH_ROWS
    )
    return max(1, fitting)
