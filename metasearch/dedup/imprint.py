"""Books: bodies that publish many alike, editions with several ISBNs, imprints and the houses that
own them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from metasearch.bib import normalise
from metasearch.bib.names.words import BODIES, BODIES_OR_NAMES, HAN_BODY_ENDINGS
from metasearch.dedup.resemblance import SMALL_WORDS, one_word, unmatched
from metasearch.dedup.titles import numeral
from metasearch.record import Author

if TYPE_CHECKING:
    from metasearch.dedup.evidence import Evidence
    from metasearch.dedup.fingerprint import Fingerprint

#: Words that the name of a body holds, folded as names are compared. Words that may be family names
#: count too: an author whose source gives no family name apart is more likely a body.
_BODY_WORDS = frozenset(map(normalise.compact, BODIES | BODIES_OR_NAMES))
#: Shorter words that differ in a letter are two words: "east" and "last".
SHORTEST_MISSPELT = 5
#: Letters of an ending: "teacher" and "teachers", "fishery" and "fisherys".
LONGEST_ENDING = 2

#: Houses and the imprints under which they publish, as title pages name them; folded.
_HOUSES = {
    "oxford university": ("oxford university press", "clarendon", "oup"),
    "cambridge university": ("cambridge university press", "cup"),
    "elsevier": (
        "elsevier", "academic press", "morgan kaufmann", "butterworth heinemann", "north holland",
        "pergamon",
        "saunders", "mosby", "churchill livingstone", "newnes",
    ),
    "springer": ("springer", "birkhauser", "apress", "physica verlag", "plenum", "kluwer",
    "humana press"),
    "macmillan": ("macmillan", "palgrave", "st martins press", "farrar straus and giroux",
    "picador"),
    "wiley": ("wiley", "jossey bass", "blackwell", "vch", "interscience"),
    "taylor and francis": (
        "taylor and francis", "routledge", "crc press", "chapman and hall", "garland science",
        "psychology press",
        "ashgate",
    ),
    "pearson": ("pearson", "prentice hall", "addison wesley", "longman", "allyn and bacon",
    "benjamin cummings"),
    "penguin random house": (
        "penguin", "random house", "viking", "puffin", "dutton", "knopf", "vintage", "doubleday",
        "bantam",
        "pantheon", "ballantine", "allen lane", "jonathan cape",
    ),
    "harpercollins": ("harpercollins", "harper and row", "harper and brothers", "william morrow",
    "collins"),
    "simon and schuster": ("simon and schuster", "scribner", "scribners", "free press",
    "pocket books"),
    "hachette": ("hachette", "little brown", "basic books", "grand central", "hodder and stoughton",
    "orion"),
    "bloomsbury": ("bloomsbury", "continuum", "t and t clark", "methuen drama", "berg"),
    "brill": ("brill", "nijhoff", "schoningh", "wilhelm fink"),
    "de gruyter": ("de gruyter", "mouton", "niemeyer", "oldenbourg", "k g saur"),
    "mcgraw hill": ("mcgraw hill", "osborne"),
    "mit": ("mit press", "bradford"),
    "sage": ("sage", "corwin"),
}  # fmt: skip
_PHRASES = tuple((f" {phrase} ", house) for house, phrases in _HOUSES.items() for phrase in phrases)


@lru_cache(maxsize=2_000)
def houses(publisher: tuple[str, ...]) -> frozenset[str]:
    """The houses that a publisher's folded name tells of, by its own name or an imprint's; none
    where nobody knows.
    """
    said = f" {' '.join(publisher)} "
    return frozenset(house for phrase, house in _PHRASES if phrase in said)


def is_body(author: Author) -> bool:
    """Whether an author is a body: its source says so, or its name, which nobody split, has a word
    of bodies.
    """
    if author.collective:
        return True
    if author.family and author.given:
        return False
    return author.name.endswith(HAN_BODY_ENDINGS) or not _BODY_WORDS.isdisjoint(
        normalise.words(author.name)
    )


def siblings(a: Fingerprint, b: Fingerprint, facts: Evidence) -> str:
    """What tells two works of one body apart, "" where nothing does.

    Bodies publish a row of titles in a year that differ in one word, a level or a numeral, so
    likeness proves nothing; only a misspelt or inflected word is no other word. The same place in
    print or an identifier in common decides otherwise.
    """
    if (
        facts.title not in ("near", "within", "reworded")
        or facts.place
        or facts.page_range
        or facts.isbn
    ):
        return ""
    if not (a.authors and b.authors and all(map(is_body, (*a.authors, *b.authors)))):
        return ""
    if not a.ids.isdisjoint(b.ids):
        return ""
    left, right = (_content(words) for words in unmatched(a.words, b.words))
    if "".join(left) == "".join(right) or (
        len(left) == len(right) and all(map(_one_spelling, left, right))
    ):
        return _other_numerals(a, b)
    return (
        " ".join(left) + " against " + " ".join(right)
        if left and right
        else " ".join(left or right)
    )


def _content(words: list[str]) -> list[str]:
    return [word for word in words if word not in SMALL_WORDS and not numeral(word)]


def _other_numerals(a: Fingerprint, b: Fingerprint) -> str:
    """Numbers of one title that the other has not, but for the year of publication, which the other
    record gives.
    """
    one, other = (
        {numeral(word) for word in fingerprint.words} - {"", str(fingerprint.year)}
        for fingerprint in (a, b)
    )
    return "/".join(sorted(one ^ other))


def _one_spelling(x: str, y: str) -> bool:
    """Whether a letter is wrong in a word, or its ending is another."""
    short, long = (x, y) if len(x) <= len(y) else (y, x)
    if long.startswith(short):
        return len(long) - len(short) <= LONGEST_ENDING
    return (
        len(short) >= SHORTEST_MISSPELT
        and one_word(x, y)
        and OSA.distance(x, y, score_cutoff=1) <= 1
    )


def another_binding(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    """Whether other ISBNs are those of the print and electronic editions of one book.

    Title, first author and edition are one; then a year that is missing, or with the same publisher
    one that is one apart, contradicts nothing. An edition that only one record names is another
    one, unless it is the first.
    """
    if facts.title != "equal" or not facts.first_author or facts.publisher is False:
        return False
    if a.edition != b.edition and not {a.edition, b.edition} <= {"", "1"}:
        return False
    return facts.gap is None or (facts.gap == 1 and facts.publisher is True)
