"""What records and works are called: DOIs and other identifiers, keys of records, ids of hits; and
who is meant by one.

A hit's id is made from what its records say (`metasearch.dedup.hits`); here is only how such an
id is written and which further ids a work may bear in another answer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from metasearch.bib import identifiers as identifier_forms
from metasearch.bib import trials
from metasearch.late_pattern import late_pattern
from metasearch.record import Hit, Record

_DOI = late_pattern(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*|(?=10\.)", re.IGNORECASE)
_CONTROL = late_pattern("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_HIT_ID = late_pattern(r"(?:urn:metasearch:hit:)?(h[0-9a-f]{12})", re.IGNORECASE)
#: Keys of one work's records of which all further ids are made; of a work that has more, the others
#: alone are known.
MOST_KEYS = 16
#: What is added to the key of a work that is shown beside its article: the preprint, where versions
#: are separate.
PREPRINT = "preprint"


def read_name(text: str) -> str:
    """A name as it is compared: "https://doi.org/10.1000/ABC" -> "doi:10.1000/abc", "PMID:1" ->
    "pmid:1".

    The id of a hit comes without the prefix that it has in feeds. Raises ValueError: it is neither
    a DOI nor "source:id" nor "scheme:id" nor the id of a hit.
    """
    text = text.strip()
    own = _HIT_ID.fullmatch(text)
    if own is not None:
        return own.group(1).lower()
    prefix = _DOI.match(text)
    if prefix is not None:
        doi = (
            identifier_forms.doi(text[prefix.end() :])
            if text.startswith("10.", prefix.end())
            else None
        )
        if doi is None:
            raise ValueError(f"{text!r} is not a whole DOI such as 10.1000/abc")
        return f"doi:{doi}"
    scheme, colon, value = text.partition(":")
    scheme, value = scheme.rstrip(), value.strip()
    if text.lower().startswith(("http://", "https://")):
        raise ValueError(f"{text!r} is an address; only those of doi.org are names")
    if not (colon and scheme and value) or _CONTROL.search(text):
        raise ValueError(
            f"{text!r} is neither a DOI (10.1000/abc) nor source:id nor scheme:id (pmid:123)"
        )
    match scheme.lower():
        case "isbn":
            return f"isbn:{identifier_forms.isbn(value) or value}"
        case "arxiv" if identifier_forms.arxiv_id(value):
            return f"arxiv:{identifier_forms.arxiv_id(value)}"
        case "pmid" | "pmcid" as known:
            return f"{known}:{value.lower()}"
    return f"{scheme}:{value}"


def is_hit_id(name: str) -> bool:
    """Whether a name that was read is the id of a hit."""
    return _HIT_ID.fullmatch(name) is not None


def identifiers(record: Record) -> list[str]:
    """What a work is identified by, in lower case: "pmid:1", "doi:10.1000/abc"; no registration
    numbers of trials, for many articles report one.
    """
    found = [
        f"{scheme}:{value.lower()}"
        for scheme, value in record.ids.items()
        if scheme not in trials.SCHEMES
    ]
    found += [f"isbn:{number.lower()}" for number in record.isbn]
    if record.doi:
        found.append(f"doi:{record.doi}")
    return found


def _registrations(record: Record) -> Iterator[str]:
    """The registration numbers of a record, which may be those of other works, too."""
    for scheme, number in trials.each_identifier(record.ids):
        if scheme in trials.SCHEMES:
            yield f"{scheme}:{number.lower()}"


# --------------------------------------------------------------------------- ids of hits


def hit_id(key: str) -> str:
    """The id for the key of a work: "h" and twelve hexadecimal digits, alike in every process."""
    return "h" + _digest(key).hex()


def key_number(key: str) -> int:
    """`id_number` of the id for a key."""
    return int.from_bytes(_digest(key))


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=6).digest()


def id_number(name: str) -> int:
    """The id of a hit as a number, for where very many are kept."""
    return int(name[1:], 16)


def id_of_number(number: int) -> str:
    return f"h{number:012x}"


def distinct_id(base: str, said: str) -> str:
    """The id of a work that shares `base` with another one, and is told from it by `said`."""
    return hit_id(f"{base}\n{said}")


def distinctions(record: Record) -> Iterator[str]:
    """What may tell a record's work from another of its id, the most telling first; some ""."""
    yield f"year {record.year}" if record.year else ""
    yield f"id {min(found)}" if (found := identifiers(record)) else ""
    yield f"volume {record.volume} pages {record.pages}" if record.volume and record.pages else ""
    yield f"its own id {record.source_id}" if record.source_id else f"place {record.position}"


def other_ids(ids: Iterable[str], records: Iterable[Record]) -> Iterator[str]:
    """The ids that a work of these records may have in other answers, beside its own. `ids`: its
    own id, and those that its records have alone.
    """
    ids = tuple(ids)
    yield from ids
    bases = [
        base for name in islice(ids, MOST_KEYS) for base in (name, distinct_id(name, PREPRINT))
    ]
    yield from bases
    for record in records:
        yield hit_id(record.key)  # a name of its record alone (docs/decisions/0002)
        for base in bases:
            for said in distinctions(record):
                if said:
                    yield distinct_id(base, said)


def find(name: str, hits: Iterable[Hit]) -> list[Hit]:
    """The hits that a name may mean, the likeliest first.

    Args:
        name: The id that a hit has in this answer, or in another one;
            the key of a record ("source:id", to the letter); an identifier (DOI in any form,
            "pmid:1", "isbn:...").
        hits: Of an answer.

    Raises:
        ValueError: It is no name.
    """
    wanted = read_name(name)
    hits = list(hits)
    if is_hit_id(wanted):
        for called in (_name, _earlier_names, _possible_names):
            found = [hit for hit in hits if wanted in called(hit)]
            if found:
                return found
        return []
    keyed = [hit for hit in hits if any(record.key == wanted for record in hit.records)]
    lower = wanted.lower()
    return keyed or [
        hit
        for hit in hits
        if any(lower in (*identifiers(record), *_registrations(record)) for record in hit.records)
    ]


def find_each(names: Iterable[str], hits: Iterable[Hit]) -> dict[str, Hit]:
    """The likeliest hit for each of several ids, in one pass over the hits for all of them.

    `names`: ids of hits, as `read_name` returns them. Returns id -> hit; without those that no hit
    bears.
    """
    hits = list(hits)
    likeliest: dict[str, Hit] = {}
    wanted = set(names)
    for called in (_name, _earlier_names, _possible_names):
        wanted -= likeliest.keys()
        if not wanted:
            break
        for hit in hits:
            for name in wanted.intersection(called(hit)):
                likeliest.setdefault(name, hit)
    return likeliest


def _name(hit: Hit) -> Iterable[str]:
    return (hit.id,)


def _earlier_names(hit: Hit) -> Iterable[str]:
    return hit.also


def _possible_names(hit: Hit) -> Iterable[str]:
    return other_ids((hit.id, *hit.also), hit.records)
