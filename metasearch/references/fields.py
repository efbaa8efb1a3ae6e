"""The fields of one reference in plain text, in whatever style it is written.

What stands where is told by a mark that a style has and others have not: the letters of GB/T 7714
behind the title, quotation marks around it, the year before it; else by where the names end. What
is not certain stays empty: whoever checks references would take a field that was divided in the
wrong place for an error of the author's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from metasearch.bib.isbd import place_and_publisher
from metasearch.bib.normalise import has_cjk
from metasearch.references.bylines import End, names_of, opening_names
from metasearch.references.numbers import Numbers, numbers_at, read_numbers

#: Letters of GB/T 7714 -> `Record.type`; of the others, the type is not certain.
_TYPES = {
    "J": "article", "N": "article", "M": "book", "D": "thesis", "R": "report", "P": "patent",
    "S": "standard", "DS": "dataset", "CP": "software", "PP": "preprint", "CM": "map",
}  # fmt: skip
_MARK = re.compile(
    r"\s?[\[［【]\s?(J|M|C|D|R|P|S|N|G|Z|A|K|EB|DB|CP|DS|PP|CM)(?:\s?/\s?(?:OL|CD|MT|DK))?\s?[\]］】]"
)
#: What stands in brackets behind a title -> `Record.type`.
_DESCRIBED = {
    "preprint": "preprint", "data set": "dataset", "dataset": "dataset", "thesis": "thesis",
    "dissertation": "thesis", "computer software": "software", "software": "software",
    "computer program": "software", "audio recording": "audio", "audio": "audio",
    "video": "video", "map": "map", "letter to the editor": "letter", "editorial": "editorial",
    "internet": "", "online": "", "image": "image", "musical score": "score",
}  # fmt: skip
_BRACKETS = re.compile(r"\s*\[([^\[\]]{1,120})\]$")
_DETAILS = re.compile(
    r"\s*[(（](?:(\d{1,3})(?:st|nd|rd|th) edn?\.?|(?:Version|Vol\.|Report No\.|Publication No\.|"
    r"Patent No\.)[^()（）]{0,80}|[^()（）]{1,200}, Trans\.)[)）]$"
)
_EDITION = re.compile(
    r"(?:[(（]?(\d{1,3})(?:st|nd|rd|th) ed(?:n|ition)?\.?[)）]?|第?\s?(\d{1,3})\s?版)",
    re.IGNORECASE,
)
#: The number of a patent or a standard behind a title: "：CN1234567A", ": 中国, 881056073".
_NUMBERED = re.compile(
    r"[:：]\s?(?:([A-Z]{2}[A-Z/ ]{0,6}\s?\d[\w .,/-]{3,30})"
    r"|[\u4e00-\u9fff]{2,8}[,，]\s?[\d.X-]{5,20})$"
)
#: The year of APA, Harvard and others, before the title.
_YEAR = r"(?:1[5-9]|20)\d\d"
_DATED = re.compile(
    rf"[(（]\s?(?:(?P<year>{_YEAR})[a-z]?(?:[,，]\s?[^()（）]{{1,40}})?|n\.\s?d\.(?:-[a-z])?|"
    r"no date|in press|forthcoming)\s?[)）]",
    re.IGNORECASE,
)
_BARE_YEAR = re.compile(rf"(?<=[.,])\s(?P<year>{_YEAR})[a-z]?\.\s")
_ENDS = {"“": "”", "‘": "’", '"': '"', "「": "」", "„": "“", "«": "»"}
_OPENS = re.compile(r"(?:(?<=[\s.,，)）])|^)([“‘\"「„«])(?=\S)")
#: Where one element ends and the next begins.
_CUT = re.compile(
    r"(?<=[.?!？！])[\"”’)]?\s+(?=[\w“\"‘'(（\[【《«¿¡])|[。．]\s*(?=\S)|(?<=[\u3400-\u9fff）】》\]])\.\s*(?=[^\s\d])"
)
#: A word with a full stop that ends no element.
_NO_END = re.compile(
    r"(?:^|[\s(.])(?:[^\W\d_]|vs|cf|St|Dr|Mr|Mrs|[Nn]os?|[Vv]ols?|etc|e\.g|i\.e|ca"
    r"|pp|Art|Univ|Inst|Dept|Tech|Co|Corp|Inc|Ltd|Publ?|[Ee]ds?|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec)\.$"
)
_ABBREVIATED = re.compile(r"(?:[A-Z][^\s.]{0,9}\.|&|of|and|(?:[A-Z]\.){2,4}|der|für|de)")
#: Words that names of journals have, shortened as ISO 4 has them.
_OF_ISO_4 = re.compile(
    r"(?:Acad|Agric|Am|Anal|Anat|Ann|Appl|Arch|Assoc|Astron|Astrophys|Autom|Behav|Biochem|Biol|Biomed|Biophys"
    r"|Bot|Br|Bull|Bus|Can|Cardiol|Case|Chem|Circ|Clin|Commun|Comput|Conf|Cybern|Dev|Diagn|Dis|Earth|Ecol|Econ"
    r"|Ed|Educ|Electron|Endocrinol|Eng|Environ|Epidemiol|Ergon|Eur|Exp|Food|Gastroenterol|Genet|Geogr"
    r"|Geophys|Geol|Hered|Hist|Hum|Hydrol|Immunol|Ind|Inf|Infect|Innov|Int|Intell|Interact|Knowl|Lang|Learn"
    r"|Lett|Linguist|Mach|Mag|Manag|Manuf|Mar|Mater|Math|Mech|Med|Metab|Methods|Microbiol|Mol|Nanomed|Nat|Natl"
    r"|Netw|Neurobiol|Neurol|Neurosci|Nucl|Numer|Nutr|Oncol|Oper|Opt|Org|Pattern|Pediatr|Pharm|Pharmacol"
    r"|Philos|Phys|Physiol|Plant|Polit|Policy|Pract|Prev|Proc|Process|Prod|Prog|Promot|Psychiatr|Psychiatry|Psychol"
    r"|Psychopharmacol|Pure|Q|Quant|Radiol|Relat|Rep|Report|Res|Resour|Rev|Robot|Scand|Sci|Sens|Signal|Soc|Softw|Soil"
    r"|Stat|Stud|Supercomput|Surg|Surv|Sustain|Symp|Syst|Technol|Theor|Ther|Top|Toxicol|Trans|Transp|Trop|Vet|Vis"
    r"|Vol|Zool)\."
)
#: Words of publishers and universities.
_PUBLISHER = re.compile(
    r"\b(?:press|presses|publish\w*|verlag|springer|elsevier|wiley|books|universit\w+|ieee|acm|pmlr"
    r"|aaai|sage|routledge|crc|usenix|siam|association for|inc|ltd|gmbh|llc|editions?|éditions|"
    r"editorial|openreview\.net|curran|academic|pearson|mcgraw-hill|o['’]reilly|birkhäuser|cengage"
    r"|blackwell|society|organi[sz]ation|foundation|ministry|agency|institute|college|school)\b|出版|书局|書局|印书馆|大学$|大學$|书店$|书社$|院$|研究所$|中心$",
    re.IGNORECASE,
)
_SERVERS = re.compile(
    r"(?:arXiv|bioRxiv|medRxiv|ChemRxiv|PsyArXiv|SSRN|Research Square|Preprints(?:\.org)?|OSF|"
    r"SocArXiv|TechRxiv|EarthArXiv|CoRR)\b.{0,60}",
    re.IGNORECASE,
)
_IN = re.compile(r"(?:In|in)(?:\s?[:：]\s?|\s(?=\S))")
_EDITORS = re.compile(
    r"^(.{2,600}?)(?:,\s*(?:editors?|eds?\.?,?)|\s*[(（](?:eds?|hrsg)\.?[)）],?)[.,]?\s+",
    re.IGNORECASE,
)
_AROUND = " \t,，;；:：.。．"
_UNSURE = "the end of its title is not certain"
_NOT_READ = "no style of references was recognised; its title is a guess"
#: Ends of elements that are looked at.
_MOST_CUTS = 40


@dataclass(slots=True)
class Draft:
    """What was read of a reference. `fields`: of `Record`."""

    fields: dict[str, Any] = field(default_factory=dict)
    all_authors: bool = True
    problem: str = ""

    def set(self, **found: Any) -> None:
        self.fields.update({name: value for name, value in found.items() if value})

    def set_names(self, text: str) -> bool:
        """Whether the text is a list of names, which then are the authors."""
        found = names_of(text)
        if found is None:
            return False
        self.set(authors=found.people)
        self.all_authors = found.whole
        return True

    def set_numbers(self, found: Numbers, *, of_part: bool = True) -> None:
        """`of_part`: the pages are those of the work, and not the ones that somebody means."""
        self.set(volume=found.volume, issue=found.issue, edition=found.edition)
        self.set(year=self.fields.get("year") or found.year)
        if of_part:
            self.set(pages=found.pages)


def fields_of(text: str) -> Draft:
    """The fields of a reference without its number and its identifiers, on one line."""
    for read in (_marked, _quoted, _dated, _by_names):
        draft = Draft()
        if read(text, draft):
            return _finished(draft)
    title = text.strip(_AROUND)
    is_title = not re.search(rf"\b{_YEAR}\b", text) and len(_cuts(text)) < 2
    return Draft({"title": title} if title else {}, problem="" if is_title else _NOT_READ)


def _finished(draft: Draft) -> Draft:
    fields = draft.fields
    title = _bare(fields.get("title", ""))
    for _ in range(3):
        if found := _BRACKETS.search(title):
            words = found[1].partition(",")[0].strip().lower()
            words = words.removeprefix("doctoral ").removeprefix("master's ")
            if words not in _DESCRIBED and not words.endswith(("thesis", "dissertation")):
                break
            draft.set(type=_DESCRIBED.get(words, "thesis"))
            if fields.get("type") == "thesis" and "," in found[1]:
                draft.set(publisher=found[1].partition(",")[2].strip())
        elif found := _DETAILS.search(title):
            draft.set(edition=found[1])
        else:
            break
        title = title[: found.start()]
    fields["title"] = _bare(title)
    if not any(map(str.isalpha, fields["title"])):
        del fields["title"]
        draft.problem = draft.problem or "it has no title that could be told from the rest"
    return draft


def _bare(title: str) -> str:
    """A title without the marks that divide it from what stands beside; a stop stays behind an
    abbreviation: "U.S.", "et al.".
    """
    title = title.strip().rstrip(",，;；:：。．").lstrip(_AROUND)
    if title.endswith(".") and not title.endswith("..") and not _NO_END.search(title):
        title = title[:-1].rstrip()
    return title


# The styles.


def _marked(text: str, draft: Draft) -> bool:
    """GB/T 7714: "Names. Title[J]. Journal, 2020, 12(3): 45-67"."""
    mark = _MARK.search(text)
    if mark is None or mark.start() == 0:
        return False
    before, behind = text[: mark.start()], text[mark.end() :]
    letters = mark[1]
    end = opening_names(before, End.ANY_STOP)
    if end and draft.set_names(before[: end[0]]):
        before = before[end[1] :]
    elif end is None and len(_cuts(before)) == 1 and not has_cjk(before):
        draft.problem = _UNSURE
    draft.set(title=before, type=_TYPES.get(letters))
    behind = behind.lstrip(_AROUND)
    if behind.startswith("//") or (letters == "C" and behind.startswith("／／")):
        draft.set(type={"C": "conference-paper", "M": "chapter"}.get(letters, ""))
        host = behind[2:].strip()
        end = opening_names(host, End.ANY_STOP)
        editors = names_of(host[: end[0]]) if end else None
        if end and editors and editors.certain:
            draft.set(editors=editors.people)
            host = host[end[1] :]
        _host(host, draft)
        return True
    if letters in ("J", "N"):
        _journal(behind, draft, is_journal=True)
        if letters == "N":  # behind the day, the page stands in brackets
            draft.set(pages=draft.fields.pop("issue", None))
    elif letters in ("P", "S"):
        if number := _NUMBERED.search(draft.fields["title"]):
            draft.set(title=draft.fields["title"][: number.start()])
            if number[1]:
                draft.set(
                    ids={"patent" if letters == "P" else "standard": number[1].strip(_AROUND)}
                )
        if year := re.search(rf"(?<!\d){_YEAR}(?!\d)", behind):
            draft.set(year=int(year[0]))
    else:
        _imprint(behind, draft, online=letters in ("EB", "DB", "PP"))
    return True


def _quoted(text: str, draft: Draft) -> bool:
    """IEEE, Chicago, MLA, Harvard: the title in quotation marks."""
    opening = _OPENS.search(text)
    if opening is None:
        return False
    before, start = text[: opening.start()], opening.end()
    end = _closing(text, start, _ENDS[opening[1]])
    if end is None:
        return False
    names = before.rstrip()
    if dated := _DATED.search(before):
        if before[dated.end() :].strip(_AROUND):
            return False
        names = before[: dated.start()].rstrip()
        draft.set(year=int(dated["year"] or 0))
    elif year := re.search(rf"[.,]\s({_YEAR})[a-z]?[.,]?$", names):
        names = names[: year.start() + 1]
        draft.set(year=int(year[1]))
    if names.strip(_AROUND) and not draft.set_names(names.strip().rstrip(",:，：")):
        return False
    draft.set(title=text[start:end].strip().rstrip(","))
    rest = text[end + 1 :].lstrip(_AROUND)
    if brackets := re.match(r"\[([^\[\]]{1,40})\][.,]?\s*", rest):
        draft.set(type=_DESCRIBED.get(brackets[1].lower()))
        rest = rest[brackets.end() :]
    thesis = re.match(
        r"(?:(?:M\.?\s?[SAP]h?\.?c?\.?|Ph\.?\s?D\.?|doctoral|master[’']?s?) )?"
        r"(?:thesis|diss(?:ertation|\.))[,.]\s*",
        rest, re.IGNORECASE,
    )  # fmt: skip
    if thesis:
        draft.set(type="thesis")
        _imprint(rest[thesis.end() :], draft)
    elif hit := _IN.match(rest):
        _host(rest[hit.end() :], draft)
    else:
        _journal(rest, draft)
    return True


def _closing(text: str, start: int, mark: str) -> int | None:
    """Where the quotation ends: best before or behind a comma or a stop."""
    places = [hit.start() for hit in re.finditer(re.escape(mark), text[start:])][:_MOST_CUTS]
    for sure in (True, False):
        for place in places:
            at = start + place
            before, behind = text[at - 1], text[at + 1 : at + 2]
            if (before in ",.?!，。" or behind in (",", "，", ".", "")) and (
                behind.isspace() or behind in ",.，，"
            ):
                return at
            if not sure and (mark != "’" and behind in (" ", "")):
                return at
    return start + places[-1] if places and mark == "’" else None


def _dated(text: str, draft: Draft) -> bool:
    """APA, Harvard, ACL: the year before the title."""
    hits = filter(None, (_DATED.search(text), _BARE_YEAR.search(text)))
    found = min(hits, key=lambda hit: hit.start(), default=None)
    if found is None:
        return False
    year = found["year"]
    names, rest = text[: found.start()].strip(), text[found.end() :].lstrip(" .,:，。：")
    if not re.search(r"\b[^\W\d_]{2,}\b|[\u3400-\u9fff]", rest):
        return False
    is_bare = found.re is _BARE_YEAR
    role = re.search(r"[,\s]*[(（]?\b(?:eds?|editors?)\b\.?[)）]?[.,]?$", names, re.IGNORECASE)
    listed = Draft()
    if not names or not listed.set_names(names[: role.start()] if role else names):
        if is_bare or len(_cuts(names)) > 2 or re.search(rf"(?<!\d){_YEAR}(?!\d)", rest):
            return False
        draft.set(title=names, year=int(year or 0))  # a work without authors
        _source(rest, draft)
        return True
    people = listed.fields.get("authors", ())
    draft.set(**{"editors" if role else "authors": people}, year=int(year or 0))
    draft.all_authors = listed.all_authors
    _title_and_source(rest, draft)
    return True


def _by_names(text: str, draft: Draft) -> bool:
    """Vancouver, the styles of BibTeX, LNCS, books in IEEE: the names end where no name follows."""
    for end in (End.STOP, End.COLON, End.COMMA):
        found = opening_names(text, end)
        if not found or not any(map(str.isalpha, text[found[1] :])):
            continue
        rest = text[found[1] :].strip()
        if end is End.COMMA and not _has_imprint(rest):
            # In characters, a title cannot be told from one more name.
            if has_cjk(text[: found[0]]) or not draft.set_names(text[: found[0]]):
                continue
            if _behind_commas(rest, draft):
                return True
            draft.fields.clear()
            continue
        if draft.set_names(text[: found[0]]):
            _title_and_source(rest, draft)
            return True
    cuts = _cuts(text)
    found_numbers = numbers_at(text, cuts[0][1]) if cuts else None
    if found_numbers is None or not found_numbers[1].volume:
        return False
    _title_and_source(text, draft)  # no authors, but surely a reference
    return True


def _has_imprint(rest: str) -> bool:
    """Whether a title is divided from the place or the publisher by a full stop."""
    cuts = [
        (start, end)
        for start, end in _cuts(rest)
        if "." in rest[start - 1 : end]
        and (not rest[end].isdigit() or re.fullmatch(_YEAR, rest[end:].strip(_AROUND)))
    ]
    return bool(cuts) and numbers_at(rest, cuts[0][1]) is not None


def _behind_commas(rest: str, draft: Draft) -> bool:
    """Elsevier: "A title, Journal 12 (2020) 45-67"."""
    comma = rest.find(", ")
    found = numbers_at(rest, comma + 2) if comma > 0 else None
    if found is None:
        return False
    head, numbers = rest[: found[0]].strip(_AROUND + "(（"), found[1]
    title, comma_behind, venue = head.rpartition(", ")
    if hit := _IN.match(venue):
        venue = venue[hit.end() :]
    elif not numbers.volume and not numbers.pages:  # a book
        parts = head.split(", ")
        at = next((at for at, part in enumerate(parts) if at and _PUBLISHER.search(part)), 0)
        title, venue = ", ".join(parts[:at]) or title, ""
        draft.set(publisher=parts[at] if at else "")
        draft.problem = "" if at == 1 else _UNSURE
    elif ", " in title or not comma_behind:
        draft.problem = _UNSURE
        venue = ""
    draft.set(title=title or head)
    draft.set_numbers(numbers)
    if numbers.volume or numbers.pages:
        _set_venue(venue, draft)
    return True


# What stands behind the names.


def _title_and_source(text: str, draft: Draft) -> None:
    title, slashes, host = text.partition(" // ")  # GOST
    if slashes:
        draft.set(title=title)
        _journal(host, draft)
        return
    cuts = _cuts(text)
    for start, end in cuts:
        hit = _IN.match(text, end)
        if hit and (":" in hit[0] or "：" in hit[0] or text[end] == "I"):
            draft.set(title=text[:start])
            _host(text[hit.end() :], draft)
            return
    if not cuts:
        draft.set(title=text)
        return
    found = numbers_at(text, cuts[0][1])
    if found is None:
        title, rest = _divided(text, cuts)
        if rest.strip(_AROUND) and not _is_source(rest):
            # A name of a publisher or a journal that is not known, or more of the title.
            draft.problem = _UNSURE
        draft.set(title=title)
        _source(rest, draft)
        return
    place, numbers = found
    head = text[:place].rstrip(" ,，;；:：(（")
    if not numbers.volume and not numbers.pages and not numbers.issue:  # a book: year alone
        inner = [cut for cut in cuts if cut[1] < len(head)]
        title, rest = _divided(head, inner) if inner else (head, "")
        draft.set(title=title)
        if text[:place].rstrip().endswith(".") and not _PUBLISHER.search(rest):
            draft.set_numbers(numbers)  # a journal or a publisher
            draft.problem = draft.problem or (_UNSURE if rest else "")
            return
        _source(rest, draft, numbers)
        return
    inner = [cut for cut in cuts if cut[1] < len(head)]
    if not inner:
        draft.set(title=head)
        draft.problem = _UNSURE
        draft.set_numbers(numbers)
        return
    title, venue = _divided(head, inner)
    draft.set(title=title)
    last = _cuts(title.strip())[-1:]
    words = title[last[0][1] :].split() if last else []
    # What may be of an abbreviated name: "A title. ACM Trans. Asian Low Resour. Lang."
    sure = not words or len(words) > 4 or not all(word[:1].isupper() for word in words)
    if not sure:
        draft.problem = _UNSURE
    _set_venue(venue, draft, sure=sure)
    draft.set_numbers(numbers)


def _divided(text: str, cuts: list[tuple[int, int]]) -> tuple[str, str]:
    """Title and what follows, at the last end of an element that is not one of an abbreviation:
    "A title. J. Clin. Med.".
    """
    at = len(cuts) - 1
    while at > 0:
        words = text[cuts[at - 1][1] : cuts[at][0]].split()
        if len(words) > 4 or not (
            all(map(_ABBREVIATED.fullmatch, words))
            or (
                _OF_ISO_4.fullmatch(words[-1])
                and all(word[:1].isupper() or word in "of and &" for word in words)
            )
        ):
            break
        at -= 1
    start, end = cuts[at]
    return text[:start], text[end:]


def _is_source(text: str, *, has_year: bool = False) -> bool:
    """`has_year`: the year stands behind it, as behind an imprint."""
    return bool(
        _PUBLISHER.search(text)
        or _SERVERS.fullmatch(text.strip(_AROUND))
        or (has_year and place_and_publisher(text)[0])
    )


def _source(text: str, draft: Draft, numbers: Numbers | None = None) -> None:
    """What is behind the title of a work that stands in no journal, as far as that is certain."""
    if numbers is None:
        found = numbers_at(text, 0)
        if found:
            if found[1].volume or found[1].pages:
                _set_venue(text[: found[0]], draft)
                draft.set_numbers(found[1])
                return
            text, numbers = text[: found[0]], found[1]
    if numbers is not None:
        draft.set_numbers(numbers, of_part=False)
    bare = text.strip(_AROUND)
    if hit := _EDITION.match(bare):
        draft.set(edition=hit[1] or hit[2])
        bare = bare[hit.end() :].strip(_AROUND)
    if _SERVERS.fullmatch(bare):
        draft.set(venue=bare.removesuffix("[Preprint]").strip(_AROUND), type="preprint")
        return
    if bare.lower() == "[preprint]":
        draft.set(type="preprint")
        return
    if bare.lower().startswith(("thesis. ", "thesis, ")):
        draft.set(type="thesis")
        bare = bare[8:]
    if not bare or not _is_source(bare, has_year=numbers is not None):
        return
    bare = bare.rpartition(". ")[2] if not place_and_publisher(bare)[0] else bare
    place, publisher = place_and_publisher(bare)
    first, comma, city = publisher.partition(", ")
    if comma and not place and _PUBLISHER.search(first) and not _PUBLISHER.search(city):
        publisher = first  # LNCS: "Springer, Cham"
    draft.set(place=place, publisher=publisher)


def _set_venue(text: str, draft: Draft, *, sure: bool = True) -> None:
    venue = re.sub(r"\s*\[(?:Internet|Online)\]$", "", text.strip(_AROUND + "(（"))
    if sure and 1 < len(venue) <= 300 and any(map(str.isalpha, venue)):
        draft.set(venue=venue)


def _journal(text: str, draft: Draft, *, is_journal: bool = False) -> None:
    """ "Journal, 2020, 12(3): 45-67" """
    found = numbers_at(text, 0)
    if found is None:
        _source(text, draft)
        if not draft.fields.keys() & {"venue", "publisher"} and len(_cuts(text)) == 0:
            _set_venue(text, draft, sure="," not in text and "，" not in text)
        return
    place, numbers = found
    head = text[:place].strip(_AROUND)
    if (
        is_journal
        or numbers.volume
        or numbers.issue
        or numbers.pages
        or not _is_source(head, has_year=True)
    ):
        _set_venue(head, draft, sure=is_journal or not place_and_publisher(head)[0])
        draft.set_numbers(numbers)
        return
    _source(head, draft, numbers)


def _host(text: str, draft: Draft) -> None:
    """What contains the work: "A. Rossi (Ed.), Book (2nd ed., pp. 1-9). Publisher"."""
    if hit := _EDITORS.match(text):
        editors = names_of(hit[1])
        if editors is None:
            return
        draft.set(editors=editors.people)
        text = text[hit.end() :]
    cuts = _cuts(text)
    if cuts and (editors := names_of(text[: cuts[0][0]])) and editors.certain:
        draft.set(editors=editors.people)
        text = text[cuts[0][1] :]
        cuts = _cuts(text)
    details = re.search(
        r"\s[(（]((?:\d{1,3}(?:st|nd|rd|th) ed|Vol\.|pp?\.|Article)[^()（）]{0,80})[)）]", text
    )
    if details:
        venue, behind = text[: details.start()], text[details.end() :]
        if numbers := read_numbers(details[1]):
            draft.set_numbers(numbers)
        _set_venue(venue, draft)
        _source(behind, draft)
        return
    if not cuts:
        found = numbers_at(text, 0)
        head = text[: found[0]] if found else text
        if found:
            draft.set_numbers(found[1])
        _in_commas(head.strip(_AROUND), draft)
        return
    found = numbers_at(text, cuts[0][1])
    if found:
        cuts = [cut for cut in cuts if cut[1] < found[0]] or cuts[:1]
    venue, rest = text[: cuts[0][0]], text[cuts[0][1] :]
    last = venue.split()[-1]
    if len(last) < 8 and _ABBREVIATED.fullmatch(last) and last[-1] == ".":
        venue, rest = _divided(text[: found[0]] if found else text, cuts)
        if not _is_source(rest):
            if found:
                draft.set_numbers(found[1])
            return
    ends = numbers_at(venue, 0)
    if ends:
        draft.set_numbers(ends[1])
        venue = venue[: ends[0]]
    _in_commas(venue.strip(_AROUND), draft)
    numbers = found[1] if found else None
    head = text[len(text) - len(rest) : found[0]] if found else rest
    if numbers:
        draft.set_numbers(numbers)
    _source(head, draft, Numbers())


def _in_commas(text: str, draft: Draft) -> None:
    """A host and, behind a comma, its publisher: "in Advances in Kites, Springer"."""
    head, comma, last = text.rpartition(", ")
    if not comma or has_cjk(text):
        _set_venue(text, draft)
    elif _PUBLISHER.search(last) and not _PUBLISHER.search(head):
        place, publisher = place_and_publisher(last)
        draft.set(place=place, publisher=publisher)
        if ", " not in head or not place:
            _set_venue(head, draft)
    elif place_and_publisher(last)[0]:
        pass  # "Host, Knoxville, TN: Press"
    elif ", " not in head and not _PUBLISHER.search(head) and last[:1].islower():
        _set_venue(text, draft)


def _imprint(text: str, draft: Draft, *, online: bool = False) -> None:
    """GB/T 7714: "2 版. 北京: 科学出版社, 2017: 12-20", "arXiv (2022-12-31)"."""
    if hit := _EDITION.match(text):
        draft.set(edition=hit[1] or hit[2])
        text = text[hit.end() :].lstrip(_AROUND)
    found = numbers_at(text, 0)
    head = text[: found[0]] if found else text
    if found:
        draft.set_numbers(found[1], of_part=False)
        draft.fields.pop("volume", None)
        draft.fields.pop("issue", None)
    head = head.strip(_AROUND + "(（")
    if cuts := _cuts(head):  # translators, a version
        head = head[cuts[-1][1] :]
    if not any(map(str.isalpha, head)):
        return
    if online:
        if not re.fullmatch(r"V?\d[\d.]*", head) and len(head) <= 100:
            draft.set(venue=head)
        return
    place, publisher = place_and_publisher(head)
    draft.set(place=place, publisher=publisher)


def _cuts(text: str) -> list[tuple[int, int]]:
    """Where elements end, and where the next ones begin."""
    found: list[tuple[int, int]] = []
    initials: list[tuple[int, int]] = []
    for hit in _CUT.finditer(text):
        start, end = hit.span()
        if _NO_END.search(text, max(0, start - 8), start):
            before = text[max(0, start - 40) : start - 2].rstrip().rpartition(" ")[2]
            is_word = len(before) > 2 and (before[0].islower() or text[start - 2] in "XV")
            if is_word and text[end + 1 : end + 2] != ".":
                initials.append((start, end))  # "hepatitis C."
            continue
        found.append((start, end))
        if len(found) == _MOST_CUTS:
            break
    return sorted([*found, *initials])
