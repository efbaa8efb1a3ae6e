"""Citation keys of BibTeX: "vaswani2017attention"."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain, count

from metasearch.bib import unicode_forms
from metasearch.formats.reference import is_corporate
from metasearch.formats.romanised import romanised
from metasearch.record import Hit, Record

_key_word = re.compile(r"[a-z]{2,}[a-z0-9]*")
_ignored_word = re.compile(
    r"the|an|on|of|in|for|and|to|with|from|by|at|de|la|le|les|der|die|das|ein|eine|el|los", re.ASCII
)
#: Letters that decomposition does not take to ASCII.
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "œ": "oe", "đ": "d"}
)


def citation_keys(hits: Iterable[Hit]) -> list[str]:
    """A key for each hit, in ASCII and unique among them: "vaswani2017attention".

    Hits that would share a key all get a hash of their id behind it, so that a key depends on which
    hits there are but not on their order, and the same search gives the same keys tomorrow.
    """
    chosen = list(hits)
    bases = [_base_key(hit.record) for hit in chosen]
    shared = Counter(bases)
    keys = [""] * len(chosen)
    taken: set[str] = set()
    for index in sorted(range(len(chosen)), key=lambda i: chosen[i].id):
        base = bases[index]
        keys[index] = base if shared[base] == 1 else _distinct(base, chosen[index].id, taken)
        taken.add(keys[index])
    return keys


def _distinct(base: str, hit_id: str, taken: set[str]) -> str:
    """The base with as much behind it as sets it apart; the hyphen occurs in no base."""
    digest = hashlib.sha256(hit_id.encode("utf-8", "replace")).hexdigest()
    suffixes = chain((digest[:6],), (f"{digest[:6]}-{n}" for n in count(2)))
    return next(key for suffix in suffixes if (key := f"{base}-{suffix}") not in taken)


def _base_key(record: Record) -> str:
    author = record.authors[0] if record.authors else None
    family = ""
    if author is not None:
        family = author.family or (
            author.name if "," not in author.name else author.name.partition(",")[0]
        )
        family = (
            family
            if author.family or is_corporate(author, record.authors)
            else family.rpartition(" ")[2]
        )
    name = re.sub(r"[^a-z0-9]", "", _ascii(family))[:24]
    if family and not name[:1].isalpha():
        name = romanised(family, family=bool(author and author.family))[:24]
    words = _key_word.findall(_ascii(record.title))
    word = next((w for w in words if not _ignored_word.fullmatch(w)), "")[:24]
    year = str(record.year) if record.year is not None and 0 < record.year < 10_000 else ""
    # A key that begins with a digit trips some tools.
    return f"{name if name[:1].isalpha() else 'anon' + name}{year}{word}"


def _ascii(text: str) -> str:
    decomposed = unicode_forms.normalize("NFKD", text[:300].translate(_LETTERS))
    return "".join(c for c in decomposed if c.isascii()).lower()
