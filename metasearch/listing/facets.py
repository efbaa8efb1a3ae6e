"""Facets: how the works of a list divide by source, type, year, language and so on.

Works are counted after they were merged. A work with several values counts in each of them, once.
Values that mean the same are one value: languages by ISO 639, venues, authors and subjects by their
folded words, and the commonest spelling is shown. `FACETS` is the one table of what there is; the
filters read it, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from metasearch.bib.languages import language_code
from metasearch.bib.normalise import words
from metasearch.errors import UsageError
from metasearch.record import TYPES, Author, Hit

#: Values of a facet that are shown where a request does not say how many, and at most.
DEFAULT_VALUES, MOST_VALUES = 10, 500
#: Values of one work that count in a facet.
MOST_OF_A_WORK = 100


@dataclass(frozen=True, slots=True)
class FacetField:
    """One facet, and the filter of the same name.

    Attributes:
        name: As in `facets=year` and `filter=year:2020`.
        help: What it counts.
        values: The values of a work, as they are shown.
        key: Value -> what two spellings of it have in common; "" for what is no value.
        by_value: Whether the values are shown in their own order, the largest first, and all of
            them; else the most frequent first.
        choices: All values, where they are few.
    """

    name: str
    help: str
    values: Callable[[Hit], Iterable[str]]
    key: Callable[[str], str]
    by_value: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet.

    Attributes:
        value: As it is shown.
        count: Works that have it.
        filter: What narrows the list to these works, for `filter=`.
    """

    value: str
    count: int
    filter: str


@dataclass(frozen=True, slots=True)
class Facet:
    """One facet of a list.

    Attributes:
        name: One of `FACETS`.
        values: The first values.
        more: Values that are not among them.
        missing: Works that have no value.
    """

    name: str
    values: tuple[FacetValue, ...]
    more: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """The facets of a list.

    Attributes:
        works: Works that were seen; the counts speak of these.
        facets: In the order in which they were asked for.
    """

    works: int
    facets: tuple[Facet, ...]


# --------------------------------------------------------------------------- values and keys


def _sources(hit: Hit) -> Iterable[str]:
    return hit.sources


def _only(hit: Hit) -> Iterable[str]:
    return hit.sources if len(hit.sources) == 1 else ()


def _type(hit: Hit) -> Iterable[str]:
    return (hit.record.type,) if hit.record.type else ()


def _year(hit: Hit) -> Iterable[str]:
    return (str(hit.record.year),) if hit.record.year else ()


def _language(hit: Hit) -> Iterable[str]:
    code = hit.record.language
    return ((language_code(code) or code),) if code else ()


def _open_access(hit: Hit) -> Iterable[str]:
    colour = hit.record.open_access
    return ("no" if colour == "closed" else "yes",) if colour else ()


def _venue(hit: Hit) -> Iterable[str]:
    return (hit.record.venue,) if hit.record.venue else ()


def _author(hit: Hit) -> Iterable[str]:
    return [_inverted(author) for author in hit.record.authors[:MOST_OF_A_WORK]]


def _subject(hit: Hit) -> Iterable[str]:
    return (*hit.record.subjects, *hit.record.keywords)[:MOST_OF_A_WORK]


def _retracted(hit: Hit) -> Iterable[str]:
    return ("yes",) if hit.record.retracted else ()


def _inverted(author: Author) -> str:
    if author.family and author.given:
        return f"{author.family}, {author.given}"
    return author.name


def _lower(value: str) -> str:
    return value.strip().lower()


def _language_key(value: str) -> str:
    return language_code(value.strip().lower()) or _lower(value)


@lru_cache(maxsize=4_000)
def _folded(value: str) -> str:
    return " ".join(words(value))


@lru_cache(maxsize=4_000)
def _venue_key(value: str) -> str:
    kept = [word for word in words(value) if word not in ("the", "a", "an", "and", "of")]
    return " ".join(kept or words(value))


@lru_cache(maxsize=4_000)
def _author_key(value: str) -> str:
    """Family name and first initial: "Smith, John A." and "Smith, J." are one value."""
    family, comma, given = value.partition(",")
    if not comma:
        return " ".join(words(value))
    return f"{' '.join(words(family))}, {''.join(words(given))[:1]}"


#: All facets by name.
FACETS: Mapping[str, FacetField] = {
    field.name: field
    for field in (
        FacetField("source", "sources that hold the work", _sources, _lower),
        FacetField("only", "the source of a work that no other source holds", _only, _lower),
        FacetField("type", "kind of work", _type, _lower, choices=TYPES),
        FacetField("year", "year of publication", _year, str.strip, by_value=True),
        FacetField("language", "language, as ISO 639 code", _language, _language_key),
        FacetField(
            "oa", "open access, as the sources say", _open_access, _lower, choices=("yes", "no")
        ),
        FacetField("venue", "journal, proceedings or book", _venue, _venue_key),
        FacetField("author", "family name and first initial", _author, _author_key),
        FacetField("subject", "subject headings and keywords", _subject, _folded),
        FacetField(
            "retracted", "works that a source calls retracted", _retracted, _lower, choices=("yes",)
        ),
    )
}


def facet_names(value: str | Iterable[str] | None) -> tuple[str, ...]:
    """The names of facets in a list or a text with commas, each once; "all" means all.

    Raises:
        UsageError: There is no such facet.
    """
    if not value:
        return ()
    listed = value.split(",") if isinstance(value, str) else value
    names: dict[str, None] = {}
    for name in (each.strip().lower() for each in listed):
        if name == "all":
            names.update(dict.fromkeys(FACETS))
        elif name in FACETS:
            names.setdefault(name)
        elif name:
            raise UsageError(
                f"there is no facet {name[:40]!r}; facets are {', '.join(FACETS)}, or all"
            )
    return tuple(names)


# --------------------------------------------------------------------------- counting


class FacetCounts:
    """Counts facets of a list that grows: the values of a hit that has not changed are read once.

    Args:
        names: Of `FACETS`.
        limit: Values of each facet that are shown.
    """

    def __init__(self, names: Iterable[str], limit: int = DEFAULT_VALUES) -> None:
        self._fields = tuple(FACETS[name] for name in names)
        self._limit = limit
        self._read: dict[str, tuple[Hit, tuple[dict[str, str], ...]]] = {}

    def count(
        self, hits: Iterable[Hit], passes: Callable[[str], Callable[[Hit], bool]] | None = None
    ) -> Facets:
        """The facets of these hits; the order of the hits has no effect.

        Args:
            hits: All works that were seen.
            passes: Name of a facet -> which works count in it; None where all do.
        """
        seen = [(hit, self._values(hit)) for hit in hits]
        facets = []
        for place, field in enumerate(self._fields):
            shown = passes(field.name) if passes is not None else None
            read = [values[place] for hit, values in seen if shown is None or shown(hit)]
            facets.append(self._facet(field, read))
        return Facets(len(seen), tuple(facets))

    def _values(self, hit: Hit) -> tuple[dict[str, str], ...]:
        """For each facet, key -> value as this hit spells it."""
        known = self._read.get(hit.id)
        if known is not None and known[0] is hit:
            return known[1]
        values = tuple(keyed(field, hit) for field in self._fields)
        self._read[hit.id] = hit, values
        return values

    def _facet(self, field: FacetField, read: list[dict[str, str]]) -> Facet:
        spellings: dict[str, Counter[str]] = {}
        for values in read:
            for key, value in values.items():
                spellings.setdefault(key, Counter())[value] += 1
        counted = [
            (count.total(), min(count, key=lambda value: (-count[value], value)))
            for count in spellings.values()
        ]
        if field.by_value:
            counted.sort(key=lambda each: each[1], reverse=True)
            limit = MOST_VALUES
        else:
            counted.sort(key=lambda each: (-each[0], each[1]))
            limit = self._limit
        return Facet(
            field.name,
            tuple(
                FacetValue(value, count, filter_text(field.name, value))
                for count, value in counted[:limit]
            ),
            more=max(0, len(counted) - limit),
            missing=sum(not values for values in read),
        )


def keyed(field: FacetField, hit: Hit) -> dict[str, str]:
    """Key -> value of one hit in one facet, without what is no value."""
    values: dict[str, str] = {}
    for value in field.values(hit):
        key = field.key(value)
        if key:
            values.setdefault(key, value)
    return values


def filter_text(name: str, value: str) -> str:
    """A filter as it is written: `type:article`, `venue:"Nature, London"`."""
    if any(char in value for char in ',":') or value != value.strip() or not value:
        value = '"' + value.replace('"', '""') + '"'
    return f"{name}:{value}"
