"""The tables of a staged job: which columns the Parquet parts of each stage have.

A record is named by its number: the place of its file times 2**32, plus its own place in the file,
from 0. So numbers are in the order of all records, and every file can be read without knowing how
many records the files before it hold.
"""

from __future__ import annotations

import pyarrow as pa

#: Bits of a number below the place of the file.
FILE_BITS = 32

_NUMBER = pa.field("number", pa.int64(), nullable=False)

#: What the files say: a row a record, in the order of `number` within a part; parts sorted by
#: name are in the order of all records.
RECORDS = pa.schema(
    [
        _NUMBER,
        # `Record.key`, before names are made different.
        pa.field("key", pa.string(), nullable=False),
        # `Record.source_id`, which rows of a labelled set are called by; "" for none.
        pa.field("id", pa.string(), nullable=False),
        # `entries.encoded`.
        pa.field("entry", pa.binary(), nullable=False),
    ]
)

#: A row a record and a key of it: records that share a key may be one work.
KEYS = pa.schema(
    [
        _NUMBER,
        # `key_numbers.place`.
        pa.field("key", pa.int64(), nullable=False),
        # Whether the matcher is exact, or the key that of a pin.
        pa.field("exact", pa.bool_(), nullable=False),
    ]
)

#: Where and when each title of a journal stood: the facts of `dedup/columns.TitleFacts`.
TITLES = pa.schema(
    [
        # `key_numbers.title_place`.
        pa.field("title", pa.int64(), nullable=False),
        _NUMBER,
        pa.field("year", pa.int32()),
        pa.field("volume", pa.string(), nullable=False),
        # The first page.
        pa.field("page", pa.string(), nullable=False),
        # Whether the record names no author.
        pa.field("unsigned", pa.bool_(), nullable=False),
    ]
)

#: The 64 bits of each record of which a `Signed` matcher finds neighbours.
SIGNATURES = pa.schema(
    [
        pa.field("matcher", pa.string(), nullable=False),
        _NUMBER,
        # The 64 bits as a number, less 2**63.
        pa.field("signature", pa.int64(), nullable=False),
    ]
)

#: What is asked of every record without loading it.
TRAITS = pa.schema(
    [
        _NUMBER,
        pa.field("year", pa.int32()),
        # `naming.base_of` of the record alone: the first twelve hexadecimal digits as a number.
        pa.field("base", pa.int64(), nullable=False),
        # See dedup/sketches.py.
        pa.field("sketch", pa.int64(), nullable=False),
        # A hash of `entries.content_from`: records that have the same say the same.
        pa.field("content", pa.int64(), nullable=False),
        # `apart.told`.
        pa.field("title", pa.string(), nullable=False),
        pa.field("pages", pa.int64(), nullable=False),
    ]
)

#: Two records that may be one work though they share no key: near signatures, and pairs that
#: were compared already. An engine joins them as it joins those that share a key.
EDGES = pa.schema(
    [pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.int64(), nullable=False)]
)

#: A row a record that shares a component with another one; `component` is the smallest number of
#: its records. Records that are alone are not listed. A component may lie in several parts.
COMPONENTS = pa.schema([_NUMBER, pa.field("component", pa.int64(), nullable=False)])

#: The records of whole components, a part a chunk; what `judging.judge` takes. Sorted by
#: component and number.
CHUNKS = pa.schema(
    [
        pa.field("component", pa.int64(), nullable=False),
        _NUMBER,
        # The place of the record in the order of all, from 0: numbers have gaps, places have none.
        pa.field("place", pa.int64(), nullable=False),
        # The key by which matches name the record, and its id in the list of clusters.
        pa.field("key", pa.string(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("entry", pa.binary(), nullable=False),
    ]
)

#: A row a work of several records; works of one record are not listed.
WORKS = pa.schema(
    [
        # The smallest number of its records.
        pa.field("first", pa.int64(), nullable=False),
        # All of them, ascending; the lists beside have as many items.
        pa.field("numbers", pa.list_(pa.int64()), nullable=False),
        pa.field("keys", pa.list_(pa.string()), nullable=False),
        pa.field("ids", pa.list_(pa.string()), nullable=False),
        pa.field("entries", pa.list_(pa.binary()), nullable=False),
        # `formats/hits.write` without the records, under the base of its name.
        pa.field("hit", pa.binary(), nullable=False),
        pa.field("base", pa.int64(), nullable=False),
    ]
)
