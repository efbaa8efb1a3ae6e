"""Ovid's own formats, read: tags of two letters below "VN  - Ovid Technologies", and its print with
the names of the fields written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from metasearch.bib import converters, identifiers, texts, trials
from metasearch.bib.names import is_degree, suffix_of
from metasearch.formats.reading import tagged, values, worktypes
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import (
    Draft,
    EntryCollector,
    FileReading,
    field_problem,
)
from metasearch.record import Author

# "<1. >", then a line for each value: "TI  - Iron in lakes." (exports for reference managers), or
# "Title", and below it, indented, "Iron in lakes." (print, e-mail). Each database has its own
# fields; labels are explained in https://ospguides.ovid.com. Here IS is the ISSN, IP the issue, ED
# the date of entry, CN in Embase the number of a trial.

#: The number of a record; text stands behind it where the end of its line is lost.
_NUMBER = re.compile(r"\s{0,9}<\s{0,3}\d{1,7}\.?\s{0,3}>\s*$|<\d{1,40}\. >(.*)", re.DOTALL)
#: Further in stand the lines that go on with a value.
_LINE = re.compile(r"[ \t]{0,2}([A-Z][A-Z0-9]{1,5}) {0,2}-(?: (.*)|$)", re.DOTALL)
_VENDOR = re.compile(
    rf"(?:^|[\r\n])[{tagged.BLANKS}]{{0,9}}VN {{0,2}}- Ovid Technologies", re.IGNORECASE
)
#: Names of fields as they are printed, in small letters -> their labels.
NAMES: Mapping[str, str] = {
    "accession number": "AN", "unique identifier": "UI", "author": "AU", "authors": "AU",
    "author(s)": "AU", "authors full name": "FA", "author full name": "FA", "title": "TI",
    "original title": "OT", "book title": "BT", "source": "SO", "journal name": "JN",
    "abstract": "AB", "institution": "IN", "language": "LG", "publication type": "PT",
    "document type": "DT", "issn": "IS", "issn print": "IS", "issn electronic": "ES",
    "issn linking": "IL", "isbn": "IB", "doi number": "DO", "digital object identifier": "DO",
    "author keywords": "KW", "keywords": "KW", "keyword heading": "KW", "year of publication": "YR",
    "publication year": "YR", "date of publication": "DP", "publisher": "PB",
    "country of publication": "CP", "mesh subject headings": "MH", "subject headings": "SH",
    "subject heading": "SH", "descriptors": "DE", "identifiers": "ID", "heading words": "HW",
    "volume": "VO", "issue": "IP", "issue/part": "IP", "page": "PG", "pages": "PG",
    "database": "DB", "status": "ST", "pubmed id": "PM", "secondary source id": "SI",
    "link to the ovid full text or citation": "XL", "score": "SC",
}  # fmt: skip
#: A number, and behind it a field, none with which records of other formats begin.
_NUMBERED = re.compile(
    rf"(?:^|[\r\n])[{tagged.BLANKS}]{{0,9}}<\s?\d{{1,7}}\.?\s?>\s{{0,9}}[\r\n]+[ \t]{{0,2}}"
    rf"(?:(?:{'|'.join(map(re.escape, NAMES))})[{tagged.BLANKS}]{{0,9}}[\r\n]"
    r"|(?!TY|PT|RT)[A-Z]{2} {0,2}- )",
    re.IGNORECASE,
)

#: What a record holds all of.
_HELD = frozenset(
    """
    VN DB UI AN AU FA TI TT OT FT JN NJ JA BT YR DP VO IP PG DO DI IS ES IL IB LG AB KW ID MH SH
    DE PT DT PM ET
    """.split()
)
#: Of these a record holds the first value alone.
_SINGLE = frozenset("VO IP LG ET".split())
#: Labels of the guides to the databases that stay beside a record.
_KNOWN = _HELD | frozenset(
    """
    AA AC AD AF AG AI AO AR AS AX BA BC BF BR BT CA CB CC CD CE CF CI CK CL CM CN CO CP CQ CR CS
    CY DC DD DG DJ DS ED EM EP EZ FO FS GE GI GN GR GS HW IA IC IN IO IR IT IU JC JL JW KF KP LC
    LI LO MA MC MD MF MI MJ MK MN MO MQ MR MV NC NM NO NR NS NT NW OA OB OD OL ON OR OS OU OX PA
    PB PC PD PE PH PI PL PN PO PP PR PS PU PY RD RE RF RL RN RO RP RR RS RT RX SA SB SC SCORE SD
    SF SI SL SM SN SO SP SQ SR ST SU SY TB TC TD TF TG TK TL TM TN TS TX UP UR VI XL XP XS YL ZB
    """.split()
)


def looks_like(head: str) -> bool:
    return _VENDOR.search(head) is not None or _NUMBERED.search(head) is not None


def read(text: FileText, reading: FileReading) -> None:
    grammar = tagged.TagGrammar(
        _Splitter().split,
        starts=frozenset(("<>", "<VN>")),
        bears=frozenset(("TI", "AU", "SO")),
        once=frozenset(("TI",)),
    )
    found = tagged.tell_strange_tags(
        tagged.blocks(text, grammar, reading), _KNOWN | {"<>", "<VN>"}, "Ovid", reading
    )
    collector = EntryCollector(reading)
    for block in found:
        if block.value("<>"):
            what = "text behind the number of a record; kept beside the record"
            reading.count_strange(what, block.tags["<>"][0].line)
        collector.put(block.line, partial(_draft, block, reading))


class _Splitter:
    """Tells lines of one file. A record begins with its number, or else with the name of the
    vendor; the names of fields are written out where none but them stand behind the number.
    """

    def __init__(self) -> None:
        self._vendor = True
        self._printed = False

    def split(self, line: str, open_tag: str) -> tuple[str, str] | None:
        number = _NUMBER.match(line) if "<" in line[:10] else None
        if number is not None:
            self._vendor = self._printed = False
            return "<>", number[1] or ""
        hit = None if self._printed else _LINE.match(line.lstrip("\ufeff"))
        if hit is not None:
            if hit[1] == "XP":  # "XP  - XL  - http://..."
                hit = _LINE.match(hit[2] or "") or hit
            if hit[1] != "VN":
                return hit[1], hit[2] or ""
            begins, self._vendor = self._vendor, True
            return "<VN>" if begins else "VN", hit[2] or ""
        name = line.strip(tagged.BLANKS)
        if not name or line[0] in tagged.BLANKS or not (self._printed or open_tag == "<>"):
            return None
        self._printed = True
        return NAMES.get(name.lower(), name[:60]), ""


def _draft(block: tagged.Block, reading: FileReading) -> Draft:
    book = block.value("BT")  # of Zoological Record: a whole citation where it has editors
    book = book if "[Ed" in book or "Chapter pagination" in book else ""
    said = source(block.value("SO") or book, block.value("PB"))
    held = _HELD | ({"SO"} if said.is_whole else set())
    if block.value("SO") and said == Source(is_whole=False):
        what = "SO in a form that is not known; kept beside the record"
        reading.count_strange(what, block.tags["SO"][0].line)
    database = values.first_text(block.values("DB"))
    links = list(dict.fromkeys(values.links(block.lines("XL", "UR"))))
    held |= {"XL", "UR"} if len(links) == 1 else set()
    year = values.year([*block.values("YR", "DP"), said.year])
    authors, editors = _people(block, said)
    kind = _kind(block, said)
    title, titles = _titles(block)
    isbn, issn = values.standard_numbers(block.values("IS", "ES", "IL", "IB"))
    numbers = [_number(value) for value in block.values("UI", "AN")]
    publisher, place = _imprint(block, said)
    venue = [said.venue] if said.is_book else [*block.values("JN", "NJ"), said.venue]
    if kind != "book":
        venue += block.values("JA", "BT")
    fields: dict[str, Any] = {
        "source_id": next(iter(numbers), ""),
        "url": values.landing_page(links),
        "title": title,
        "titles": titles,
        "authors": authors,
        "editors": editors,
        "year": year,
        "date": _date([*block.values("DP"), said.date], year),
        "venue": texts.no_final_stop(values.first_text(venue)),
        "publisher": publisher,
        "place": place,
        "edition": values.first_text(block.values("ET")),
        "volume": values.volume(block.value("VO") or said.volume),
        "issue": values.first_text([*block.values("IP"), said.issue]),
        "pages": _pages(block.value("PG")) or values.pages(said.pages),
        "doi": values.doi(block.values("DO", "DI")),
        "ids": _ids(block, numbers, links, database),
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(value.rstrip(" .") for value in block.values("LG")),
        "abstract": values.abstract(block.values("AB")),
        "keywords": values.keywords(_apart(block, "KW", "ID")),
        "subjects": values.texts(map(texts.mesh_heading, _apart(block, "MH", "SH", "DE"))),
        "retracted": worktypes.says_retracted(block.values("PT", "DT")),
    }
    problems = []
    for tag, known, what in (("YR", year, "year"), ("DO", fields["doi"], "DOI")):
        if known is None and (given := block.value(tag)):
            problems.append(field_problem(tag, given, what))
    said_beside = tagged.remainder(
        block, held | {"<VN>"}, fields, single=_SINGLE, years=("YR", "DP"), dois=("DO", "DI"),
        numbers=("IS", "ES", "IL", "IB"), pages=("PG",),
    )  # fmt: skip
    return Draft(fields, database, problems, given=said_beside)


def _ids(
    block: tagged.Block, numbers: Iterable[str], links: list[str], database: str | None
) -> dict[str, str]:
    pmid = re.match(r"\d{1,8}(?!\d)", block.value("PM"))
    own = {"pmid": pmid[0]} if pmid else {}
    registered = (trials.registrations(value, alone=True) for value in block.values("CN"))
    return trials.merge_ids(values.identifiers(numbers, links, (), database), own, *registered)


def _number(value: str) -> str:
    """ "Peer Reviewed Journal: 2015-12345-012." without the kind, and without the stop."""
    return values.text(value[: values.SHORT]).rpartition(": ")[2].rstrip(" .")


_KIND_BEHIND = re.compile(r"(?:^|(?<=[\s.]))\[([A-Z][A-Za-z ]{2,40})\]\.?\s*$")
#: What stands in brackets behind a title, and is no part of it; so do names of languages.
_KINDS_BEHIND = frozenset(
    "references article review miscellaneous report abstract editorial letter comment erratum "
    "correspondence announcement news".split()
)


def _titles(block: tagged.Block) -> tuple[str, tuple[str, ...]]:
    return values.titles(
        texts.bracketed(_without_kind(title)) or ""
        for title in block.values("TI", "TT", "OT", "FT")
    )


def _without_kind(title: str) -> str:
    title = title.strip()
    hit = _KIND_BEHIND.search(title, max(0, len(title) - 60))
    if hit is None or not hit.start():
        return title
    word = hit[1].lower()
    is_language = len(values.language([word]) or word) == 2
    known = word.partition(" ")[0] in _KINDS_BEHIND
    return title[: hit.start()].rstrip() if known or is_language else title


# Names: "Byron A.B.", "Byron, Ada", with degrees, marks of affiliations and roles behind them.

_ROLE = re.compile(r"\s?\[([^\[\]]{0,200})\]\.?")
_IS_EDITOR = re.compile(r"ed(?:s?\.?|itors?)\b", re.IGNORECASE)
_ORCID = re.compile(
    r"\(?(?:orcid:?\s?)?(?:https?://orcid\.org/)?(?:\d{4}-){3}\d{3}[\dX]\)?", re.IGNORECASE
)
#: Between names on one line, in the print.
_BETWEEN = re.compile(r";\s{0,9}|\s{2,9}(?=\S)")
_MARKS = " 0123456789,+*#†‡§¶"
#: Characters of a name.
_LONGEST = 300


def _people(block: tagged.Block, said: Source) -> tuple[tuple[Author, ...], tuple[Author, ...]]:
    """Authors and editors: names in full where there are as many of them as of the others."""
    short, full = (list(_names_with_role(block.lines(tag))) for tag in ("AU", "FA"))
    named = full if len(full) >= len(short) else short
    editors = [author for author, edits in named if edits]
    if not editors:
        # ED of most databases is the date of entry.
        names = [line for line in block.lines("ED") if "," in line] or said.editors
        editors = [author for author, _ in _names_with_role(names)]
    bodies = (
        Author(name, collective=True)
        for value in block.values("CA")
        if "@" not in value and len(value) < _LONGEST and (name := values.text(value).rstrip(" ."))
    )
    return (*(author for author, edits in named if not edits), *bodies), tuple(editors)


def _names_with_role(lines: Iterable[str]) -> Iterator[tuple[Author, bool]]:
    """Each with whether an editor's role stands behind it."""
    for line in lines:
        shown = values.text(line[: 10 * values.SHORT])
        orcid = identifiers.orcid(shown[: values.SHORT])
        roles = [hit[1] for hit in _ROLE.finditer(shown)]
        edits = any(_IS_EDITOR.match(role) for role in roles)
        plain = _ROLE.sub("", _ORCID.sub("", shown) if orcid else shown)
        for name in _BETWEEN.split(plain):
            for author in values.authors([_bare(name[:_LONGEST])]):
                yield replace(author, orcid=author.orcid or orcid), edits


def _bare(name: str) -> str:
    """The name alone: "Peterson, James A. Ph.D., FACSM 1,2*" -> "Peterson, James A."."""
    name = name.strip().rstrip(_MARKS)
    family, comma, rest = name.partition(", ")
    if comma:
        given, *behind = rest.split(", ")
        words = given.split()
        while len(words) > 1 and is_degree(words[-1]):
            words.pop()
        suffix = [part for part in behind if suffix_of(part)]
        name = ", ".join([family, " ".join(words), *suffix[:1]])
    # The stop of a line is no part of a name, that of an initial is.
    last = name.rpartition(" ")[2]
    is_word = len(last) > 2 and last.count(".") == 1 and not suffix_of(last)
    return name.rstrip(".") if is_word else name


def _date(printed: Iterable[str], year: int | None) -> str | None:
    for value in printed:
        value = value[: values.SHORT].strip(" .")
        found = converters.date_words(value) if value[:4].isdecimal() else None
        if found is None or len(found) == 4:
            found = converters.date_printed(value)
        if found and len(found) > 4 and year is not None and found.startswith(str(year)):
            return found
    return None


def _pages(printed: str) -> str | None:
    return None if printed.lower().startswith("no pag") else values.pages(printed)


def _imprint(block: tagged.Block, said: Source) -> tuple[str | None, str | None]:
    """Publisher and place: "Shore Press; US" has the place behind, Embase the whole address."""
    named, _, behind = block.value("PU").partition("; ")
    publisher = values.first_text([*block.values("PB"), named, said.publisher])
    if publisher and publisher.endswith(")") and (at := publisher.find(" (")) > 0:
        publisher = publisher[:at]
    town = (value.rstrip(" .") for value in block.values("LC") if len(value) < 60)
    place = values.first_text([said.place, behind, *town, *block.values("PL", "CP")])
    return publisher, place


def _apart(block: tagged.Block, *tags: str) -> Iterator[str]:
    """Terms, which stand a line each, or apart by semicolons, else by commas."""
    for tag in tags:
        shown = block.values(tag)
        for value in shown:
            value = value.strip().rstrip(".")
            one_field = len(shown) == 1 and tag in ("ID", "DE", "KW") and "," in value
            mark = ";" if ";" in value or not one_field else ","
            yield from (part.strip() for part in value.split(mark))


def _kind(block: tagged.Block, said: Source) -> str | None:
    """Of DT before PT, because PT may tell where the work stands: "Journal: Article"."""
    words = [word.strip(" .") for word in block.values("DT", "PT")]
    kind = worktypes.of_words([*words, *(part for word in words for part in _halves(word))])
    if said.is_book or kind == "book":
        in_book = bool(said.venue or (block.value("BT") and said.pages))
        return "chapter" if (in_book and kind != "book") or said.venue else kind or "book"
    if kind is None and not said.venue and block.value("IB") and not block.value("JN", "IS"):
        return "book"
    return kind or ("article" if words and (said.venue or block.value("JN")) else None)


def _halves(word: str) -> list[str]:
    before, colon, behind = word.partition(":")
    return [behind.strip(), before.strip()] if colon else []


# SO: one text for journal, volume, issue, pages and date, or for the book of a chapter, in as many
# forms as Ovid has databases.
#
# "Journal of Mud. 7(2):11-29, 2019 Mar." (MEDLINE, BIOSIS, CENTRAL)
# "Journal of Mud. 7 (2) (pp 11-29), 2019. Date of Publication: March 2019." (Embase)
# "Journal of Mud. Vol.7(2),Mar 2019, pp. 11-29." (PsycINFO)
# "Journal of Mud; 2019. 7(2):11-29. 20 ref." (CAB Abstracts, Global Health)
# "Journal of Mud March 2019;7(2):11-29" (Journals@Ovid)
# "Journal of Mud 7(2), March 2019: 11-29." (International Political Science Abstracts)
# "Journal of Mud. 2019 15 June; 11-29." (Zoological Record)
# "Byron, Ada [Ed]. (2019). The mud book. (pp. 11-29). xi, 200 pp. Oxford: Shore Press." (PsycINFO)


@dataclass(slots=True)
class Source:
    """What a SO says; "" for what it does not say.

    Attributes:
        year: Digits.
        date: As it is printed.
        editors: Each as it is printed.
        is_book: It tells of a book or of the book of a chapter.
        is_whole: All of the text is in these fields.
    """

    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    year: str = ""
    date: str = ""
    editors: tuple[str, ...] = ()
    place: str = ""
    publisher: str = ""
    is_book: bool = False
    is_whole: bool = True


_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")
#: In brackets, in which brackets may stand once more: "(2-A(E))".
_NESTED = r"\(([^()]{0,60}(?:\([^()]{0,20}\)[^()]{0,20})?)\)"
_WORDS = r"(?:Suppl|Pt|Part|Spec|Special|Supplement)"
#: At the end of what stands before the pages.
_VOLUME = re.compile(
    rf"(?:^|(?<=\s))((?:[A-Z]{{0,4}}\d[^\s().,;:]{{0,30}}|{_WORDS}\b)"
    rf"(?: {_WORDS}\b[^().,;:]{{0,20}})?)?"
    rf"\s?(?:{_NESTED})?$"
)
#: Characters at the end of a text in which volume and issue stand.
_LONGEST_VOLUME = 200
_EMBASE_PAGES = re.compile(
    r"\((?:pp?\.? ?([^()]{1,60})|[^()]{0,20}paging|no pagination|unpaginated)\), ?(\d{4})$",
    re.IGNORECASE,
)
_PSYCINFO = re.compile(
    rf"\s?([^\s(),]{{1,30}})?\s?(?:{_NESTED})?,?\s?([^,]{{0,40}}\d{{4}})"
    r"(?:, ?(?:pp?\. ?|(?:Art(?:icle)?\.?(?: ?ID| no\.?)?|ArtID)\.? ?)(.{1,60}))?"
)
_BOOK = re.compile(r"(?:^|(?<=\s))\((\d{4})\)\.\s")
_BOOK_PAGES = re.compile(r"\(pp?\. ?([^()]{1,60})\)\.?")
_EXTENT = re.compile(r"(?:^|\s)(?:[ivxlc]+, )?\d+ pp\.\s")
_EDITOR = re.compile(r"\s?\[Ed(?:s?\.?|itors?)(?:,[^\[\]]{0,100})?\]", re.IGNORECASE)
#: How many pages there are: "9pp".
_COUNT = re.compile(r"\d{1,5} ?pp?\.?")
_REFERENCES = re.compile(r"\.?\s*(?:\d{1,5}|many)\s+ref(?:s|erences)?\.?$")


def source(text: str, publisher: str = "") -> Source:
    """Of a form that is not known nothing is taken, and `is_whole` is false. `publisher`: as
    another field says; what stands before the name is the title of a book.
    """
    text = " ".join(text[: values.SHORT].split())
    text, _, date = text.partition("Date of Publication:")
    text, _, article = text.partition("Article Number:")
    text, _, conference = text.partition(" Conference: ")
    if conference:  # volume and pages stand behind the conference, its place and its date
        text, conference = _around(text, conference)
    text, _, series = text.partition("Series Information:")
    text = _REFERENCES.sub("", text.strip()).rstrip(" .")
    found = _of_book(text, publisher) or _of_journal(text) or Source(is_whole=False)
    found.pages = found.pages or article.strip(" .")
    found.date = date.strip(" .") or found.date
    found.year = found.year or _year(found.date)
    found.is_whole = found.is_whole and not conference and not series
    if found.pages.lower().startswith("no pag") or _COUNT.fullmatch(found.pages):
        found.pages = ""
    return found


def _around(venue: str, conference: str) -> tuple[str, str]:
    """The journal with what is behind the conference; the conference."""
    name, mark, rest = conference.rpartition(". ")
    shown = _EMBASE_PAGES.search(conference.rstrip(" ."))
    if shown is None or not mark:
        return f"{venue} {rest}", name
    before = conference[: shown.start()].rstrip()
    hit = _VOLUME.search(before, max(0, len(before) - _LONGEST_VOLUME))
    at = hit.start() if hit else len(before)
    return f"{venue} {conference[at:]}", before[:at].rstrip(" .")


def _year(text: str) -> str:
    hit = _YEAR.search(text)
    return hit[0] if hit else ""


def _of_journal(text: str) -> Source | None:
    forms = (_of_embase, _of_psycinfo, _of_colon, _of_date, _without_pages)
    return next((found for form in forms if (found := form(text)) is not None), None)


def _of_embase(text: str) -> Source | None:
    hit = _EMBASE_PAGES.search(text, max(0, len(text) - _LONGEST_VOLUME))
    if hit is None:
        return None
    return _with_volume(text[: hit.start()], Source(pages=hit[1] or "", year=hit[2]))


def _of_psycinfo(text: str) -> Source | None:
    venue, mark, rest = text.partition(" Vol.")
    hit = _PSYCINFO.fullmatch(rest) if mark else None
    if hit is None:
        return None
    volume, issue, date, pages = (part or "" for part in hit.groups())
    return Source(venue.rstrip(" ."), volume, issue, pages, _year(date), date)


def _of_colon(text: str) -> Source | None:
    """Pages, or issue and pages, stand behind the last colon, and the date behind them, or before
    the volume, or behind it.
    """
    head, mark, rest = text.rpartition(":")
    if not mark:
        return None
    pages, comma, date = rest.strip().partition(", ")
    if comma and _YEAR.search(date) and len(pages) <= 60 and not pages.startswith("//"):
        return _with_volume(head, Source(pages=pages, date=date))
    if len(rest) > 60 or not _page(rest) or (comma and not pages.isdecimal()):
        return None
    found = Source(pages=date or pages, issue=pages if comma else "")
    before, semicolon, numbers = head.rpartition(";")
    if semicolon and (hit := _DATE_BEHIND.search(before, max(0, len(before) - 60))):
        return _with_volume(f"{before[: hit.start()]} {numbers}", _with_date(found, hit[0]))
    before, comma, date = head.rpartition(", ")
    if comma and _YEAR.search(date) and not date.endswith(")"):
        return _with_volume(before, _with_date(found, date))
    return _with_volume(head, found)


#: A date at the end: "January/February 2010", "15 Mar 2010", "2010 Mar 15".
_DATE_BEHIND = re.compile(
    r"(?:(?:\b\d{1,2} )?\b[A-Z][a-z]{2,8}(?:[/-][A-Z][a-z]{2,8})? )?(?:\d{1,2}, )?\b\d{4}$"
    r"|\b\d{4} [A-Z][a-z]{2,8}(?:[/-][A-Z][a-z]{2,8})?(?: \d{1,2})?$"
)


def _of_date(text: str) -> Source | None:
    """ "Journal of Mud. 2019 15 June; 11-29", without a volume."""
    head, mark, pages = text.rpartition("; ")
    venue, stop, date = head.rpartition(". ")
    if not mark or not stop or not _YEAR.match(date) or len(pages) > 60 or not _page(pages):
        return None
    return Source(venue, pages=pages, year=_year(date), date=date)


def _without_pages(text: str) -> Source | None:
    """ "Journal of Mud. 7(2), Nov. 16, 2004", "Journal of Mud. , 2019 Mar 12"."""
    at = len(text)
    for _ in range(2):  # the date may hold a comma
        at = text.rfind(", ", 0, at)
        if at < 0:
            return None
        head, date = text[:at], text[at + 2 :]
        if _YEAR.search(date) and len(date) <= 40 and head.rstrip().endswith((")", ".")):
            return _with_volume(head, Source(date=date))
    return None


def _page(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _with_date(found: Source, date: str) -> Source:
    found.date = date
    return found


def _with_volume(head: str, found: Source) -> Source | None:
    """With the venue, the volume and the issue that stand before the pages; None where no number
    does.
    """
    head = head.rstrip(" ,.")
    hit = _VOLUME.search(head, max(0, len(head) - _LONGEST_VOLUME))
    if hit is not None and (hit[1] or hit[2]):
        found.volume, head = (hit[1] or "").strip(), head[: hit.start()]
        found.issue = (hit[2] or found.issue).strip()
    elif not found.date and not found.year:
        return None
    venue = head.rstrip(" ,.;")
    before, _, date = venue.rpartition("; " if "; " in venue else ". ")
    if before and _YEAR.fullmatch(date):  # CAB has the year between
        venue, found.date = before.rstrip(" ,.;"), found.date or date
    if not venue:
        return None
    found.venue = venue
    found.year = found.year or _year(found.date) or _year(found.volume)
    return found


def _of_book(text: str, publisher: str) -> Source | None:
    """Editors before the title tell a book; so does a year in brackets before all but them."""
    *edited, rest = _EDITOR.split(text)
    editors = tuple(filter(None, (name.lstrip(" .,;&").rstrip() for name in edited)))
    rest = rest.lstrip(" .")
    if (hit := _BOOK.search(f"{rest} ")) is not None:
        found = _of_psycinfo_book(rest[hit.end() :], hit[1])
        found.is_whole = not rest[: hit.start()].strip(" .")
    elif editors:
        rest, _, pages = rest.partition("Chapter pagination:")
        title, named, _ = rest.partition(publisher) if publisher else (rest, "", "")
        found = Source(title.strip(" .")) if named else _of_colon(rest) or Source(rest.strip(" ."))
        found.pages = pages.strip(" .") or found.pages
        found.is_whole = False  # an imprint may stand there, and the pages of the book
    else:
        return None
    found.editors, found.is_book = editors, True
    return found


def _of_psycinfo_book(text: str, year: str) -> Source:
    """ "The mud book. (pp. 11-29). xi, 200 pp. Oxford: Shore Press", or without title and pages."""
    found = Source(year=year, date=year)
    if pages := _BOOK_PAGES.search(text):
        found.venue, found.pages = text[: pages.start()].rstrip(" ."), pages[1].strip()
        text = text[pages.end() :]
    extent = _EXTENT.search(f"{text} ")
    if extent and not found.venue:
        found.venue = text[: extent.start()].rstrip(" .")
    imprint = text[extent.end() :] if extent else text
    found.place, _, found.publisher = (part.strip(" .") for part in imprint.rpartition(": "))
    return found
