"""How the works of a catalogue that somebody gives are spread over the databases, and how each
spells its copies: names, venues, years, DOIs and titles as they are in the wild.

Whatever a copy lacks or has otherwise, another copy of the work has right; where a database holds
the only copy, all of it is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from metasearch.demo.catalogue import CatalogueWork, dice
from metasearch.demo.databases.database import SimulatedDatabase, initials

#: Most copies of a work.
MOST_COPIES = 4
#: What is left out of abbreviated names of journals, and words that have an abbreviation of their
#: own; all others end before a vowel, after at least four letters (ISO 4 has a list of 56,000).
_SMALL = frozenset(
    "a an and at de der des die du e en et for für in la le les of on the to und with y".split()
)
_OWN = {"journal": "J", "international": "Int", "research": "Res", "advances": "Adv"}
_OWN |= {"science": "Sci", "sciences": "Sci", "review": "Rev", "reviews": "Rev"}
_CUT = re.compile(r".{3,}?[^\W\d_aeiouyà-ü](?=[aeiouyà-ü])", re.IGNORECASE)
_CHINESE = re.compile(r"[\u3040-\u9fff\uac00-\ud7a3]")  # and its neighbours
_SUBTITLE = re.compile(r"\s*(?::\s|：).*$")


def spread(
    works: Sequence[CatalogueWork], databases: Sequence[SimulatedDatabase]
) -> Mapping[str, Collection[CatalogueWork]]:
    """Database name -> its copies."""
    holders: dict[str, list[str]] = {}
    copies: dict[str, dict[str, CatalogueWork]] = {database.name: {} for database in databases}
    for work in works:
        chosen = _holders(work, databases)
        holders[work.id] = [database.name for database in chosen]
        for database in chosen:
            copies[database.name][work.id] = database.tell(work)
    right = {work.id: work for work in works}
    for fact, share, change in _HABITS:
        for database in databases:
            name, own = database.name, copies[database.name]
            changed = {
                key: spelled
                for key, copy in own.items()
                if getattr(right[key], fact)
                and not (database.extends == "crossref" and fact == "doi")  # it names records
                and (spelled := change(copy)) != copy
            }
            left = round(share * len(changed))
            for key in sorted(changed, key=lambda key: dice(name, key, fact)):
                if left and any(
                    getattr(copies[other][key], fact) == getattr(right[key], fact)
                    for other in holders[key]
                    if other != name
                ):
                    own[key] = changed[key]
                    left -= 1
    return {name: own.values() for name, own in copies.items()}


def _holders(
    work: CatalogueWork, databases: Sequence[SimulatedDatabase]
) -> Sequence[SimulatedDatabase]:
    """One to four of those that can hold it, by hash; arXiv alone only for preprints, because it
    tells neither the venue nor the year of what was published elsewhere.
    """
    able = [database for database in databases if database.fits(work)]
    able.sort(key=lambda database: dice(database.name, work.id, "held"))
    chosen = able[: 1 + int(dice(work.id, "copies") * MOST_COPIES)]
    if [database.extends for database in chosen] == ["arxiv"] and work.type != "preprint":
        return able[:2]
    return chosen


def _with_initials(work: CatalogueWork) -> CatalogueWork:
    return work._replace(
        authors=tuple(
            (family, given if _CHINESE.search(given) else initials(given))
            for family, given in work.authors
        )
    )


def _with_short_venue(work: CatalogueWork) -> CatalogueWork:
    return work._replace(venue=work.abbrev or short_venue(work.venue)) if work.venue else work


def short_venue(venue: str) -> str:
    """As ISO 4 abbreviates: "Journal of Gambling Studies" -> "J. Gambl. Stud."; a single word, an
    acronym and a Chinese name stay.
    """
    words = [word for word in venue.split() if word.lower() not in _SMALL]
    if len(words) == 1 or _CHINESE.search(venue):
        return venue
    return " ".join(map(_short_word, words))


def _short_word(word: str) -> str:
    if word.isupper() or not word.isalpha() or len(word) < 6:
        return word
    if own := _OWN.get(word.lower()):
        return f"{own}."
    cut = _CUT.match(word)
    return f"{cut[0]}." if cut else word


def _without_subtitle(work: CatalogueWork) -> CatalogueWork:
    return work._replace(title=_SUBTITLE.sub("", work.title) or work.title, subtitle="")


#: What a copy may have otherwise, in which part of the records that can, and how.
_HABITS: tuple[tuple[str, float, Callable[[CatalogueWork], CatalogueWork]], ...] = (
    ("authors", 1 / 3, _with_initials),
    ("venue", 1 / 3, _with_short_venue),
    ("year", 0.1, lambda work: work._replace(year=work.year - 1, date="")),  # it was online
    ("doi", 0.2, lambda work: work._replace(doi="")),
    ("full_title", 0.1, _without_subtitle),
)
