"""Where a work appeared: its journal or conference, edition, volume, issue, pages and publisher;
how records write them, and whether two records name the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol

from metasearch.bib import normalise, numbering
from metasearch.late_pattern import late_pattern
from metasearch.record import Record

# Journals and conferences: their words, their kind, whether two names mean one, and the form in
# which a record was published. Abbreviations follow ISO 4 (each word a beginning of the full one's
# word) or are initialisms ("JAMA", "VLDB").

#: "journal", "conference", or "" where the name does not tell.
VenueKind = Literal["", "journal", "conference"]

_STOP = frozenset(
    "the a an of and for in on de la le les des du der die das und fur et y e el".split()
)
# What surrounds the name of a conference: "Proceedings of the 25th Annual International Conference
# on ... 1999".
_SURROUNDS = frozenset(
    """
    proc proceedings conference conf international intl int annual symposium symp workshop meeting
    congress acm ieee ieeecomputersociety assoc mach comput association computing machinery th st nd
    rd first second third fourth fifth sixth seventh eighth ninth tenth hellip ed eds press vol
""".split()
)
_CONFERENCES = frozenset(
    "conference conf symposium symp workshop workshops congress meeting kongress tagung "
    "colloquium colloque".split()
)
_JOURNALS = frozenset(
    "journal j transactions trans magazine zeitschrift revista revue rivista 学报 杂志".split()
)
# What a series of conferences calls its periodical, beside those: "SIGMOD Record".
_PERIODICALS = _JOURNALS | frozenset("record bulletin newsletter".split())
#: Names that are remembered, with what was made of them: those of a search, and the frequent ones
#: of a file.
KEPT = 2_000
#: An acronym is looked for in names of up to this many words.
_LONGEST_NAME = 14


@lru_cache(maxsize=KEPT)
def venue_words(venue: str) -> tuple[str, ...]:
    """Folded words without articles and prepositions."""
    return tuple(w for w in normalise.words(venue) if w not in _STOP)


@lru_cache(maxsize=KEPT)
def venue_kind(venue: tuple[str, ...]) -> VenueKind:
    """Whether the name speaks of a conference or of a journal; "Proceedings" alone says neither."""
    conference, journal = not _CONFERENCES.isdisjoint(venue), not _JOURNALS.isdisjoint(venue)
    if conference and journal:  # "Journal of Physics: Conference Series"
        return ""
    return "conference" if conference else "journal" if journal else ""


def venue_relation(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    """Whether two names mean one journal or conference.

    None where one is missing, is nothing but "Proceedings of the International Conference", or is
    an acronym that the other one does not spell out: nobody can tell then.
    """
    if not a or not b:
        return None
    return a == b or _names_relation(a, b)


@lru_cache(maxsize=KEPT)
def is_series_and_journal(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether one name is a word and the other its journal: "VLDB", "VLDB J."."""
    if _PERIODICALS.isdisjoint(a) == _PERIODICALS.isdisjoint(b):
        return False
    one, other = (
        tuple(word for word in _core(fingerprint) if word not in _PERIODICALS)
        for fingerprint in (a, b)
    )
    return len(one) == 1 and one == other


@lru_cache(maxsize=KEPT)
def _names_relation(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    if not (a[0].isascii() and b[0].isascii()) and (
        normalise.has_cjk(a[0]) or normalise.has_cjk(b[0])
    ):
        return _are_one_in_characters(a, b)
    if "".join(a) == "".join(b) or _is_abbreviation(a, b):
        return True
    a, b = _core(a), _core(b)
    if not a or not b:
        return None
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) == 1:
        if short[0] in long:
            return True
        if _initialism(short[0], long):
            return True
        return None if _acronym(short[0]) else False
    if len(long) == 1:
        return None if _acronym(long[0]) or _acronym(short[0]) else False
    return _is_abbreviation(a, b) or (False if not _one_in_common(short, long) else None)


def same_name(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether two names are one word by word, spelt out or not; "VLDB" and "VLDB J." are not."""
    return bool(a) and (a == b or (len(a) == len(b) and all(map(_abbreviates, a, b))))


def _one_in_common(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether most words of the shorter name are in the longer: a series, a section."""
    found = [
        word
        for word in short
        if any(_abbreviates(word, other) for other in long if other[0] == word[0])
    ]
    return 2 * len(found) > len(short)


@lru_cache(maxsize=KEPT)
def _core(venue: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(w for w in venue if w not in _SURROUNDS and not w[0].isdigit())
    return kept[:_LONGEST_NAME]


def _acronym(word: str) -> bool:
    return len(word) <= 7 and word.isascii()


def _initialism(word: str, long: tuple[str, ...]) -> bool:
    """Whether a word is made of the others' first letters: "pnas", "vldb"."""
    initials = "".join(w[0] for w in long)
    if len(word) < 3:
        return False
    if word in initials:
        return True
    # A name that was cut off ("International Conference on Very Large ...") spells the beginning.
    return len(initials) > 1 and word.startswith(initials) and len(word) <= 2 * len(initials)


def _is_abbreviation(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether each word of the shorter name begins one of the longer, in order (ISO 4)."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) == 1 and len(long) > 1:
        return long[0] == short[0] or short[0] == "".join(word[0] for word in long)
    at = 0
    for word in short:
        while at < len(long) and not (long[at][0] == word[0] and _abbreviates(word, long[at])):
            at += 1
        if at == len(long):
            return False
        at += 1
    return True


def _abbreviates(a: str, b: str) -> bool:
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if long.startswith(short):
        return True
    # "Intl" for "International", "Natl" for "National": first letter, then letters in order, then
    # the last one.
    if len(short) < 4 or short[0] != long[0]:
        return False
    rest = iter(long)
    return all(letter in rest for letter in short)


_PREPRINT_DOIS = (
    "10.48550/",
    "10.1101/",
    "10.2139/",
    "10.31219/",
    "10.31234/",
    "10.20944/preprints",
    "10.21203/",
    "10.26434/",
    "10.36227/",
)
_PREPRINT_VENUES = frozenset(
    "arxiv corr biorxiv medrxiv chemrxiv psyarxiv socarxiv ssrn ssrnelectronicjournal "
    "researchsquare preprints "
    "preprintsorg techrxiv osfpreprints eartharxiv arxivorg corrabs".split()
)
_ABSTRACTS = frozenset(("abstracts", "abstract"))
# Embase: "Pediatric Transplantation.Conference: 6th Congress of ...", for the abstracts in a
# journal's supplement.
_SUPPLEMENT = late_pattern(r"[.,;]? ?Conference: .*", re.IGNORECASE | re.DOTALL)
#: In what form a record's work is published; "" where that cannot be known.
Form = Literal["", "preprint", "abstract", "conference", "journal"]


def record_form(record: Record, venue: tuple[str, ...], mark: str) -> Form:
    """The form of a work's publication. `mark`: what a title's affix tells; `affixes.Mark`."""
    if is_preprint(record, venue):
        return "preprint"
    if (
        mark == "abstract"
        or not _ABSTRACTS.isdisjoint(venue)
        or (record.venue and ": " in record.venue and _SUPPLEMENT.search(record.venue))
    ):
        return "abstract"
    paper = record.type == "conference-paper"
    if (
        paper
        and record.volume
        and record.pages
        and len(set(numbering.pages_key(record.pages))) == 1
    ):
        return "abstract"  # on a page of a journal
    kind = venue_kind(venue)
    if (
        paper
    ):  # the record's own word; a journal that prints it makes it no article of another publication
        return "" if kind == "journal" else "conference"
    return kind


def is_preprint(record: Record, venue: tuple[str, ...]) -> bool:
    if record.type == "preprint" or (record.doi and record.doi.startswith(_PREPRINT_DOIS)):
        return True
    return "".join(venue) in _PREPRINT_VENUES


def record_venue(record: Record) -> tuple[str, ...]:
    """The venue's folded words, as `venue_words`; empty where the record names none."""
    if record.type == "thesis" or (record.venue and not record.venue.isascii()):
        said = f"{record.venue or ''}{record.publisher or ''}"
        if normalise.has_cjk(said):
            return _venue_in_characters(record)
    if not record.venue:
        return ()
    venue = record.venue
    return venue_words((_SUPPLEMENT.sub("", venue) or venue) if ": " in venue else venue)


def _venue_in_characters(record: Record) -> tuple[str, ...]:
    """(name, edition) of a journal, (university + 学位论文,) of a thesis."""
    from metasearch.bib.chinese_venues import journal, thesis_container

    if record.type == "thesis" and (container := thesis_container(record.venue, record.publisher)):
        return (normalise.simplify(container),)
    if not record.venue:
        return ()
    found = journal(normalise.simplify(record.venue))
    return tuple(filter(None, (found.name, found.edition)))


def _are_one_in_characters(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    """Whether two venues are one, of which at least one is in characters."""
    if normalise.has_cjk(a[0]) != normalise.has_cjk(b[0]):
        return None  # the journal's own English name, perhaps
    if a[0] != b[0] and not (
        min(len(a[0]), len(b[0])) > 3 and (a[0].startswith(b[0]) or b[0].startswith(a[0]))
    ):
        return False
    return None if len(a) != len(b) else a[1:] == b[1:]


# Edition, volume, issue, pages and publisher: how records write them, and whether two records name
# the same. Relations are three-valued, as those of evidence.py: True, False, or None where one side
# does not say.


# Months and seasons, as files in the languages of most journals name the issue by them; three
# letters are enough.
_MONTHS = tuple(
    """
    january february march april may june july august september october november december spring
    summer autumn winter fall januar februar marz mai juni juli oktober dezember janvier fevrier
    mars avril juin juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo
    junio julio agosto septiembre noviembre diciembre
""".split()
)
_ADDITION = late_pattern(r"[(\[].*")
# "e0143396" is the number of an article; no journal has ten thousand issues a volume.
_ARTICLE_NUMBER = re.compile(r"\s*e\d{3,}|\D*\d{5,}", re.IGNORECASE)
_EDITION = late_pattern(r"(\d{1,3})\s*(?:st|nd|rd|th|e|\.)?\s*(?:ed|aufl|uitg|版)|^(\d{1,3})$")
_EDITION_WORDS = {
    "second": "2",
    "third": "3",
    "fourth": "4",
    "fifth": "5",
    "sixth": "6",
    "zweite": "2",
    "deuxieme": "2",
}


def read_imprint(record: Record) -> tuple[tuple[str, ...], str, str, tuple[str, str]]:
    """Venue, volume, issue and pages of a record, as in `Fingerprint`."""
    return (
        record_venue(record),
        volume(record.volume) if record.volume else "",
        issue(record.issue) if record.issue else "",
        numbering.pages_key(record.pages),
    )


def edition_in_characters(record: Record) -> str:
    """The edition that a title names, and the degree of a thesis: both make another work."""
    from metasearch.bib.chinese_titles import edition as named
    from metasearch.bib.chinese_venues import thesis_degree

    degree = thesis_degree(record.venue, record.publisher) if record.type == "thesis" else ""
    return " ".join(sorted({*named(record.title), degree} - {""}))


@lru_cache(maxsize=2_000)
def edition(value: str) -> str:
    """The number of an edition: "2nd ed." -> "2"; "" where there is none."""
    text = normalise.fold(value).strip(" .[]")
    for word, number in _EDITION_WORDS.items():
        if word in text:
            return number
    found = _EDITION.search(text)
    return (found.group(1) or found.group(2)) if found else ""


@lru_cache(maxsize=5_000)
def issue(value: str) -> str:
    """A number, "suppl" with its number, or a word: "3-4" -> "3", "Suppl. 2" -> "suppl2".

    "" for a month, with or without a day, and for the number of an article.
    """
    text = normalise.compact(value)
    if "suppl" in text or text.startswith("sup"):
        return "suppl" + "".join(filter(str.isdecimal, text))
    return "" if _ARTICLE_NUMBER.match(value) or _is_dated(value) else numbering.number_key(value)


@lru_cache(maxsize=5_000)
def volume(value: str) -> str:
    """A number where it is one, else text (`numbering.number_key`); "" for a month."""
    return "" if _is_dated(value) else numbering.number_key(value)


def _is_dated(value: str) -> bool:
    """Whether a month or season is named, other than in brackets at the end: "5 May"."""
    if value.isdecimal():
        return False
    return any(map(_is_month, normalise.words(_ADDITION.sub("", value))))


def _is_month(word: str) -> bool:
    return len(word) > 2 and any(month.startswith(word) for month in _MONTHS)


def pages_relation(a: tuple[str, str], b: tuple[str, str]) -> bool | None:
    """The same first page.

    None where one side has none, where one was numbered from 1 ahead of print, where an article
    number stands against a page, where only the last pages agree (then a first one was mistyped),
    or where one gives a page of the other's.
    """
    if not a[0] or not b[0]:
        return None
    if a[0] == b[0]:
        return True
    if a[0].isdecimal() != b[0].isdecimal():
        # "S27" and "27" are one page; "e1001" and "17" are two ways of counting.
        return (
            True
            if a[0].lstrip("abcdefghijklmnopqrstuvwxyz")
            == b[0].lstrip("abcdefghijklmnopqrstuvwxyz")
            else None
        )
    if "1" in (a[0], b[0]):
        return None
    if a[1] == b[1] and a[0] != a[1] and b[0] != b[1]:
        return None
    return None if _overlap(a, b) else False


def _overlap(a: tuple[str, str], b: tuple[str, str]) -> bool:
    """Whether two ranges have more than a page in common: no two works have, so one of them is
    misprinted.

    Or whether one is a single page between the first and the last of the other: a citation may
    give the page cited. On the last page another text may begin.
    """
    if not all(page.isdecimal() and len(page) < 9 for page in (*a, *b)):
        return False
    start, end = max(int(a[0]), int(b[0])), min(int(a[1]), int(b[1]))
    return start < end or (start == end and end < max(int(a[1]), int(b[1])))


class PlaceInPrint(Protocol):
    """What is compared of a place in print; see `Fingerprint`."""

    record: Record
    year: int | None
    venue: tuple[str, ...]
    volume: str
    issue: str
    pages: tuple[str, str]

    @property
    def publisher(self) -> tuple[str, ...]: ...

    @property
    def form(self) -> Form: ...


_RANGES = late_pattern(r"[,;+]")


def have_same_ranges(a: PlaceInPrint, b: PlaceInPrint) -> bool:
    """Whether both list the same ranges, in any order: one article in three languages."""
    if not all(_RANGES.search(one.record.pages or "") for one in (a, b)):
        return False
    one, other = (
        {numbering.pages_key(part)[0] for part in _RANGES.split(fingerprint.record.pages or "")}
        for fingerprint in (a, b)
    )
    return len(one) > 1 and one == other


def volume_relation(a: PlaceInPrint, b: PlaceInPrint) -> bool | None:
    """The same volume; None where one has none, or has the year, or the supplement's number."""
    one, other = a.volume, b.volume
    if not one or not other:
        return None
    if one == other:
        return True
    if f"suppl{one}" == b.issue or f"suppl{other}" == a.issue:
        return None
    return None if _is_year(one, a, b) or _is_year(other, a, b) else False


def issue_relation(a: PlaceInPrint, b: PlaceInPrint) -> bool | None:
    """The same issue.

    None where one has none, where one is a number and the other a word ("suppl", "spring"), or
    where one is the year or the other's page.
    """
    one, other = a.issue, b.issue
    if not one or not other:
        return None
    if one == other:
        return True
    if not (one.isdecimal() and other.isdecimal()):
        return None
    if one == b.pages[0] or other == a.pages[0]:
        return None
    return None if _is_year(one, a, b) or _is_year(other, a, b) else False


def _is_year(number: str, a: PlaceInPrint, b: PlaceInPrint) -> bool:
    """Whether a number is the year in which two records appeared, or the one beside it.

    Of records of two years it is a volume: that of a yearbook, which counts by years.
    """
    if len(number) != 4 or not number.isdecimal():
        return False
    years = {year for year in (a.year, b.year) if year is not None}
    return len(years) == 1 and abs(int(number) - years.pop()) <= 1


# Words of many publishers' names.
_HOUSE = frozenset(
    """
    and book books co company de der edition editions editorial for in inc institute international
    limited ltd of press printed printer publications publisher publishers publishing sons the
    university verlag by et fils la les
""".split()
)


def publisher_relation(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    """The same house, also with "et Cie" or a town; None where half of the words agree."""
    if not a or not b:
        return None
    if a == b:
        return True
    one, other = "".join(a), "".join(b)
    if one in other or other in one:
        return True
    ours, theirs = set(a) - _HOUSE, set(b) - _HOUSE
    if 2 * len(ours & theirs) >= min(len(ours), len(theirs)):
        return None
    return False if houses(a).isdisjoint(houses(b)) else None  # an imprint and its publisher


class PlaceRelation(NamedTuple):
    """How the places in print of two records relate.

    Attributes:
        gap, venue, volume, issue, pages, page_range, publisher: As in `Evidence`.
        series: One name is that of a series of conferences, the other that of its journal.
        page: They stand on the same pages of the same volume and year.
        there: Nothing speaks against one journal and year.
        spot: Their venues are one in more than a guess.
    """

    gap: int | None
    venue: bool | None
    volume: bool | None
    issue: bool | None
    pages: bool | None
    page_range: bool
    publisher: bool | None
    series: bool
    page: bool
    there: bool
    spot: bool


def place_relation(a: PlaceInPrint, b: PlaceInPrint) -> PlaceRelation:
    """How the places in print of two records relate; symmetric in its arguments."""
    pages = pages_relation(a.pages, b.pages)
    if pages is not True and a.pages[0] and have_same_ranges(a, b):
        pages = True
    elif (
        pages is False
        and "abstract" in (a.form, b.form)
        and a.pages[0] == a.pages[1]
        and b.pages[0] == b.pages[1]
    ):
        pages = None  # one of them is the number of the abstract
    venue = venue_relation(a.venue, b.venue)
    volume = volume_relation(a, b)
    gap = abs(a.year - b.year) if a.year is not None and b.year is not None else None
    series = bool(venue and gap) and not volume and is_series_and_journal(a.venue, b.venue)
    if series:
        venue = False  # in one year, or with the volume, the journal may be meant
    # Whether one says "[abstract]" and the other does not means nothing in the same journal and
    # year.
    there = bool(venue) and gap == 0 and volume is not False and pages is not False
    page_range = bool(pages) and a.pages == b.pages and a.pages[0] != a.pages[1]
    page = bool(volume and page_range and gap == 0)
    return PlaceRelation(
        gap=gap,
        venue=venue,
        volume=volume,
        issue=issue_relation(a, b),
        pages=pages,
        page_range=page_range,
        publisher=publisher_relation(a.publisher, b.publisher),
        series=series,
        page=page,
        there=there,
        # One name, spelt out and abbreviated, or one page of a volume: what its words make us
        # guess contradicts nothing.
        spot=page or same_name(a.venue, b.venue) or bool(there and volume and pages),
    )


#: Houses and the imprints under which they publish, apart by "/"; folded, as title pages name them.
#: After what the houses say of their imprints (2025). An imprint that was sold stands in both.
_HOUSES = {
    "oxford university": """
        oxford university press/clarendon/oup
    """,
    "cambridge university": """
        cambridge university press/cup
    """,
    "elsevier": """
        elsevier/academic press/morgan kaufmann/butterworth heinemann/north holland/pergamon/
        saunders/mosby/churchill livingstone/newnes/cell press/woodhead/syngress/
        digital press/gulf professional/hanley and belfus/urban and fischer/masson
    """,
    "springer": """
        springer/birkhauser/apress/physica verlag/plenum/kluwer academic/humana press/
        biomed central/adis/steinkopff/vieweg/teubner/gabler/vs verlag/copernicus/
        bohn stafleu/spektrum/metzler/nature publishing/palgrave
    """,
    "macmillan": """
        macmillan/palgrave/st martins press/farrar straus and giroux/picador/henry holt/
        tor books/s fischer/fischer taschenbuch/rowohlt/kiepenheuer/droemer/knaur/
        w h freeman/worth publishers/bedford
    """,
    "wiley": """
        wiley/jossey bass/blackwell/vch/interscience/halsted/scrivener/ernst and sohn/sybex/
        pfeiffer/hindawi
    """,
    "taylor and francis": """
        taylor and francis/routledge/crc press/chapman and hall/garland science/
        psychology press/ashgate/focal press/earthscan/spon press/m e sharpe/
        transaction publishers/lawrence erlbaum/pickering and chatto/david fulton/brunner/
        kegan paul
    """,
    "pearson": """
        pearson/prentice hall/addison wesley/longman/allyn and bacon/benjamin cummings/
        scott foresman/peachpit/new riders/cisco press/ft press/merrill
    """,
    "penguin random house": """
        penguin/random house/viking/puffin/dutton/knopf/vintage/doubleday/bantam/pantheon/
        ballantine/allen lane/jonathan cape/anchor books/crown/delacorte/dial press/ebury/
        transworld/harvill/hutchinson/michael joseph/hamish hamilton/putnam/berkley/
        riverhead/signet/new american library/heyne/goldmann/siedler/luchterhand/alfaguara/
        taurus/grijalbo/plaza y janes/sudamericana/modern library
    """,
    "harpercollins": """
        harpercollins/harper and row/harper and brothers/william morrow/collins/avon books/
        ecco/harlequin/thorsons/fourth estate/zondervan/thomas nelson
    """,
    "simon and schuster": """
        simon and schuster/scribner/scribners/free press/pocket books/atria/touchstone/
        gallery books
    """,
    "hachette": """
        hachette/little brown/basic books/grand central/hodder and stoughton/orion/sceptre/
        john murray/quercus/gollancz/weidenfeld and nicolson/perseus/da capo/running press/
        publicaffairs/warner books/headline/virago/larousse/armand colin/dunod/fayard/
        grasset/calmann levy/anaya/alianza editorial/catedra/tecnos
    """,
    "bloomsbury": """
        bloomsbury/continuum/t and t clark/methuen drama/berg/a and c black/i b tauris/
        hart publishing/arden shakespeare/rowman and littlefield/lexington books/
        scarecrow press/abc clio/greenwood/praeger/libraries unlimited
    """,
    "brill": """
        brill/nijhoff/schoningh/wilhelm fink/rodopi/bohlau/vandenhoeck
    """,
    "de gruyter": """
        de gruyter/mouton/niemeyer/oldenbourg/k g saur/akademie verlag
    """,
    "mcgraw hill": """
        mcgraw hill/osborne/irwin/glencoe/open university press
    """,
    "mit": """
        mit press/bradford
    """,
    "sage": """
        sage/corwin/cq press/pine forge/learning matters
    """,
    "wolters kluwer": """
        wolters kluwer/lippincott/williams and wilkins/raven press/aspen publishers/
        little brown medical
    """,
    "cengage": """
        cengage/wadsworth/thomson learning/brooks cole/south western/delmar/gale/heinle
    """,
    "igi global": """
        igi global/idea group/information science reference/
        medical information science reference
    """,
    "world scientific": """
        world scientific/imperial college press
    """,
    "houghton mifflin": """
        houghton mifflin/harcourt/mariner books/clarion books
    """,
    "norton": """
        w w norton/liveright/countryman press
    """,
    "gallimard": """
        gallimard/flammarion/casterman/denoel/mercure de france
    """,
    "editis": """
        plon/robert laffont/nathan/bordas/la decouverte/julliard/presses de la cite
    """,
    "mondadori": """
        mondadori/einaudi/rizzoli/electa/piemme/sperling and kupfer
    """,
    "planeta": """
        planeta/seix barral/ediciones destino/ariel/critica/paidos/espasa
    """,
    "suhrkamp": """
        suhrkamp/insel verlag
    """,
    "beltz": """
        beltz/juventa
    """,
    "bonnier": """
        bonnier/piper/ullstein/carlsen
    """,
}
_PHRASES = tuple(
    (f" {phrase.strip()} ", house)
    for house, phrases in _HOUSES.items()
    for phrase in phrases.split("/")
)


@lru_cache(maxsize=2_000)
def houses(publisher: tuple[str, ...]) -> frozenset[str]:
    """The houses that a publisher's folded name contains, by their names or imprints."""
    said = f" {' '.join(publisher)} "
    return frozenset(house for phrase, house in _PHRASES if phrase in said)
