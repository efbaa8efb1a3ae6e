"""Keys as numbers, the same in every process: what tables have in the place of a text."""

from __future__ import annotations

import hashlib

from metasearch.dedup.columns import journal_title
from metasearch.dedup.fingerprint import Fingerprint

#: Beside the names of matchers.
_TITLES = "journal title"


def place(matcher: str, value: str) -> int:
    """The number of a key, the same in every process: 64 bits with a sign, as SQLite and Parquet
    keep them. A collision costs one comparison more.
    """
    return digest(f"{matcher}\x1f{value}".encode("utf-8", "surrogatepass"))


def digest(text: bytes) -> int:
    """A number of 64 bits with a sign, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), signed=True)


def title_place(fingerprint: Fingerprint) -> int | None:
    """The number of a title in its journal; None of a record that has none."""
    title = journal_title(fingerprint)
    return None if title is None else place(_TITLES, "\x1f".join((title[0], *title[1])))
