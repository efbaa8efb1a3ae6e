"""What stands in the fields of reference managers' files -> the values of a record.

Every function takes whatever the fields hold, raises on nothing, and gives None, "" or () where
there is nothing to read. Values come with the remains of many programs: "NA" of R, TeX escapes,
`<br />`, "2019//", "12-12".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from metasearch.bib import bylines, converters, normalise, trials
from metasearch.bib import identifiers as identifier_forms
from metasearch.bib import names as byline
from metasearch.bib import texts as markup
from metasearch.bib.bylines import Role, role_of
from metasearch.bib.field_limits import MOST_GIVEN
from metasearch.bib.names import person, suffix_of
from metasearch.bib.names_in_field import authors_in_field, body_with_mark, is_surely_inverted
from metasearch.bib.numbering import without_pii
from metasearch.record import Author

#: Characters that are looked at of a value which cannot be long: a number, a date, a name, an
#: identifier.
SHORT = 2_000

_SEMICOLON = re.compile(r"[;；]")
#: Names of a field that are looked at one by one for roles.
_MOST_ROLES = 1_000


def text(value: str) -> str:
    """Plain text for display; "" for what programs write for nothing."""
    value = markup.plain_text(value[:MOST_GIVEN])
    if "\\&" in value:  # files that were BibTeX once
        value = value.replace("\\&", "&")
    return "" if value in markup.NOTHING_ANYWHERE else value


def first_text(values: Iterable[str]) -> str | None:
    """The first of the values that has a text."""
    return next((found for value in values if (found := text(value))), None)


def texts(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once."""
    return tuple(dict.fromkeys(found for value in values if (found := text(value))))


def titles(values: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The others are not the same in another spelling."""
    found: dict[str, str] = {}
    for value in values:
        shown = text(value)
        if shown:
            found.setdefault(normalise.compact(shown) or shown, shown)
    first, *others = found.values() or ("",)
    return first, tuple(others)


def behind_mark(mark: str | None, values: Iterable[str]) -> list[str]:
    """What stands behind a mark of our writers, where values begin with it."""
    return [value.removeprefix(mark) for value in values if mark and value.startswith(mark)]


def abstract(values: Iterable[str]) -> str | None:
    """All values as one text; databases add one about the copyright."""
    said = [
        found
        for value in values
        if (found := markup.without_placeholder("abstract", text(value)))
        and not found.startswith("Copyright of ")
    ]
    return markup.abstract(" ".join(said).removeprefix("<正>")) if said else None


def keywords(values: Iterable[str]) -> tuple[str, ...]:
    """Each keyword once; a value may hold several, apart by ";" (or "；"), and a star marks those
    of most weight.
    """
    return texts(part.strip().lstrip("*") for value in values for part in _SEMICOLON.split(value))


def authors(values: Iterable[str], *, several: bool = False) -> tuple[Author, ...]:
    """The authors in fields that hold one name each by their format, and may hold several.

    `several`: by its format a field holds all names, as the cell of a table does.
    """
    shown = [_name(value) for value in values]
    one = len(shown) > 1 and any(is_surely_inverted(name) for name in shown if not name.isascii())
    found: list[Author] = []
    for name in shown:
        if found and (behind := suffix_of(name)) and not found[-1].suffix:
            # A program took "Jr." for an author of its own.
            found[-1] = replace(found[-1], name=f"{found[-1].name} {behind}", suffix=behind)
        else:
            found += _of_field(name, several=several, one=one)
    return tuple(found)


_of_field = byline.remember(authors_in_field)


def people(
    authors_: Iterable[str], editors: Iterable[str] = (), translators: Iterable[str] = ()
) -> dict[str, tuple[Author, ...]]:
    """The people of a record, by their fields, each where the word behind the name says what the
    person did, else where the field belongs: "Falk, Greta (Hrsg.)" is an editor.
    """
    by_part: dict[str, list[Role]] = {"author": [], "editor": [], "translator": []}
    for part, fields in (("author", authors_), ("editor", editors), ("translator", translators)):
        for value in fields:
            for role in _with_roles(value[: bylines.LONGEST_BYLINE].strip()):
                by_part[role.part or part].append(role)
    return {
        f"{part}s": authors((one.names for one in roles), several=any(one.several for one in roles))
        for part, roles in by_part.items()
    }


def _with_roles(value: str) -> Iterator[Role]:
    """The names of a field with their roles, apart where several have one each; the last one's is
    that of all where no other has one: "Falk, Greta; Osei, Kofi (eds.)".
    """
    whole = role_of(value)
    if ";" in value and len(parts := value.split(";")) <= _MOST_ROLES:
        each = [role_of(part.strip()) for part in parts]
        if any(one.part for one in each[:-1]):
            yield from each
            return
    yield whole


def _name(value: str) -> str:
    shown = text(value[: bylines.LONGEST_BYLINE])
    return shown.strip("[] ") if value[:1] == "[" and "]" not in shown[1:-1] else shown


def one_author(value: str) -> Author | None:
    """The author of a field that is known to hold one name, "Family, Given"."""
    shown = text(value[:SHORT])
    body = body_with_mark(shown)
    return person(shown) if body is None else Author(body)


_NUMBER = re.compile(r"[0-9][0-9Xx\u2010-\u2015-]{6,}[0-9Xx]")
_ISSN = re.compile(r"\d{4}[-\u2010-\u2015]?\d{3}[\dXx]")


def standard_numbers(values: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """ISBNs and ISSNs, each once, of fields with any number; a wrong ISBN stays."""
    isbn: dict[str, None] = {}
    issn: dict[str, None] = {}
    for value in values:
        if identifier_forms.is_patent_number(value):
            continue
        whole = identifier_forms.isbn(
            re.sub(r"(?<=\d)[ \u2010-\u2015-]+(?=[\dXx])", "", value[:40])
        )
        if whole and len(_NUMBER.findall(value[:SHORT])) < 2:
            isbn[whole] = None
            continue
        for number in _NUMBER.findall(value[:SHORT]):
            if _ISSN.fullmatch(number):
                issn[identifier_forms.issn(number) or number] = None
            elif sum(c in "0123456789Xx" for c in number) >= 10:
                isbn[identifier_forms.isbn(number) or number] = None
    return tuple(isbn), tuple(issn)


def numbers_of_work(
    kind: str | None, values: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """ISBNs and ISSNs, as `standard_numbers`, and the number of a patent, which EndNote and Zotero
    write into the same field; None for other works.
    """
    if kind != "patent":
        return *standard_numbers(values), None
    shown = [text(part) for value in values for part in _SEMICOLON.split(value[:SHORT])]
    patent = next((one for one in shown if one and not _is_standard_number(one)), None)
    return *standard_numbers(one for one in shown if one != patent), patent


def _is_standard_number(value: str) -> bool:
    is_issn = "-" in value and _ISSN.fullmatch(value) is not None  # "10123456" is a patent's
    return is_issn or identifier_forms.isbn(value) is not None


def is_number_of(value: str, ids: Mapping[str, str]) -> bool:
    """Whether a field for standard numbers has one, or the number of the patent in `ids`, or
    nothing.
    """
    shown = text(value[:SHORT])
    return not shown or shown == ids.get("patent") or any(standard_numbers([value]))


#: A SICI in a DOI, which some exports break before its bracket: "10.1639/0044-7447(2000)029 [
#: 0126:FITEOT]2.0.CO;2".
_BROKEN_SICI = re.compile(r"(?<=\d)\s*\[\s*(?=\d+:)")
_DOI_ALONE = re.compile(
    r"(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:?\s*)?10\.\d{4,9}(?:\.\d+)*/\S+(?: \[doi\])?",
    re.IGNORECASE,
)


def doi(values: Iterable[str]) -> str | None:
    """The first DOI in fields that should hold one."""
    for value in values:
        value = (
            value[:SHORT] if value.isascii() else normalise.normalize("NFKC", value[:SHORT])
        )  # "10.3969／j.issn"
        if "[" in value:
            value = _BROKEN_SICI.sub("[", value)
        found = identifier_forms.doi(value)
        if found:
            return found
    return None


def doi_alone(values: Iterable[str]) -> str | None:
    """The first DOI in fields of any content that have nothing else in them."""
    return doi(value for value in values if _DOI_ALONE.fullmatch(value[:SHORT].strip()))


def doi_of_links(values: Iterable[str]) -> str | None:
    """The DOI of the first link to a DOI resolver."""
    return doi(
        word for value in values for word in value[:SHORT].split() if "doi.org/10." in word.lower()
    )


def is_doi_alone(value: str, known: str | None) -> bool:
    """Whether a field for DOIs says no more than the one that was taken of it, or nothing."""
    words = text(value[:SHORT]).split()
    rest = [word for word in words if "10." not in word]
    is_bare = len(words) - len(rest) == 1 and all(w.strip("[]():.").lower() == "doi" for w in rest)
    return not words or (is_bare and known is not None and doi([value]) == known)


_DASHES = re.compile(r"\s*[-\u2010-\u2015\u2212\uff0d]+\s*")
#: "37 to 64", "37～64", "37至64".
_UNTIL = re.compile(
    r"(?<=\d)\s*(?:[~\uff5e\u301c至]|(?<=\s)(?:to|bis|à|al?|até|по)(?=\s))\s*"
    r"(?=[a-z]{0,8}[.:]?\s?\d)",
    re.IGNORECASE,
)
_NO_PAGES = re.compile(
    r"(?:no|n)\.?\s?pag(?:ination)?\.?|no|unpaginated|many(?: pages)?|\?+|\(.*\)|suppl\w*"
    r"|pp?|pages?",
    re.IGNORECASE,
)
#: Words for a page or an article before the number, in the languages of databases. One letter is a
#: word where a full stop or a blank stands behind it: "S12" is a page of a supplement, "p123" the
#: number of an article.
_PAGE_WORD = re.compile(
    r"(?:pages?|pgs?|pp|p\.\s?p|p[aá]g(?:s|inas?)?|pagine|seiten?|sid(?:or|er|an)?|sivut?"
    r"|str(?:ony|any)?|стр(?:аниц[аы])?|页码?|頁碼?|第|p(?=[.:\s])|[sс](?=[.:])|(?-i:s)(?=\s)"
    r"|artn|unsp|art(?:icle|\.)\s?(?:no|nr|id|number)?(?=[.:\s]))[.:：]?\s*"
    r"(?=[^\W\d_]{0,8}-?\d|[ivxlcdm]{1,12}(?:$|\W))",
    re.IGNORECASE,
)
#: The same behind a range.
_PAGE_WORD_BEHIND = re.compile(r"(?:\s+(?:pp?|pages|s|seiten|с)\.?|\s*[页頁])$", re.IGNORECASE)
#: How many pages there are, behind their numbers.
_EXTENT = re.compile(r"(?<=[\d页頁])[\s,，;；]*共\s*\d{1,6}\s*[页頁]$")
_GLUED_WORD = re.compile(r"p(?=\d)")


def pages(first: str, last: str = "") -> str | None:
    """Without the word for them; the first field may have both, the last repeat the first."""
    start, end = _page(first), _page(last)
    if not start or not end or start == end or "-" in start:
        return start or end or None
    return f"{start}-{end}"


def pages_of_fields(values: Sequence[str], last: str = "") -> str | None:
    """The pages in fields that hold pages, or how many there are: a range, where one does."""
    found = [shown for value in values if (shown := pages(value, last))]
    return next((shown for shown in found if "-" in shown), next(iter(found), None))


_PLAIN_PAGES = re.compile(r"[0-9]{1,9}(?:-[0-9]{1,9})?")


def _page(value: str) -> str:
    if _PLAIN_PAGES.fullmatch(value):  # as most fields have them
        first, _, last = value.partition("-")
        return first if first == last else value
    shown = text(without_pii(value[:SHORT])).strip(" ;,.")
    shown = _UNTIL.sub("-", _EXTENT.sub("", _bare_page(shown)))
    parts = [bare for part in _DASHES.split(shown) if (bare := part.rstrip(" ."))]
    if len(parts) == 2 and " " not in parts[0]:
        parts[1] = _PAGE_WORD_BEHIND.sub("", _bare_page(parts[1]))
        if _GLUED_WORD.match(parts[0]):
            parts = [_GLUED_WORD.sub("", part) for part in parts]
    if len(parts) == 2 and parts[0] == parts[1]:
        parts.pop()
    shown = "-".join(parts)
    return "" if not parts or _NO_PAGES.fullmatch(parts[0]) else shown


def _bare_page(shown: str) -> str:
    """Without the word before the number."""
    hit = _PAGE_WORD.match(shown)
    if hit is None:
        return shown
    behind = shown[hit.end() :]
    return behind.rstrip("页頁 ") if hit[0].startswith("第") else behind


_VOLUME_WORD = re.compile(r"(?:v(?:ol(?:ume)?)?\b\.?\s*)+(?=\d)", re.IGNORECASE)


def volume(value: str) -> str | None:
    """Without "v." or "Vol." before the number."""
    return _VOLUME_WORD.sub("", text(value[:SHORT])) or None


def place(values: Iterable[str]) -> str | None:
    """The place of publication, without the brackets of catalogues."""
    shown = first_text(values)
    if shown is None:
        return None
    shown = shown.rstrip(" :;,")
    inner = shown[1:-1]
    bracketed = shown[:1] == "[" and shown[-1:] == "]" and not {"[", "]"} & set(inner)
    return (inner.strip() if bracketed else shown) or None


_YEAR_FIRST = re.compile(r"((?:1\d|20)\d\d)(?:[/.-](\d{0,2})(?:[/.-](\d{0,2}))?)?(?!\d)", re.ASCII)
_MONTH_DAY = re.compile(r"([A-Za-z]{3,9})\.?(?: (\d{1,2}))?(?![-\w])")


def year(values: Iterable[str]) -> int | None:
    return converters.year([value[:SHORT] for value in values])


def year_text(value: str) -> str:
    """What stands in a field for the year; "" for words that say that there is none."""
    return markup.without_placeholder("year", text(value))


def date(values: Iterable[str], known: int | None) -> str | None:
    """The date of publication in ISO 8601, as precise as it is known.

    `values`: "2019/03/12/", "2019-03-12", "2019//", "Mar 12", "2019 Mar 12", "20190312". `known`:
    the year of publication: a month alone belongs to it, and a date of another year is not this
    date.
    """
    for value in values:
        found = _date(value[:SHORT].strip(), known)
        if found and len(found) > 4 and (known is None or found.startswith(str(known))):
            return found
    return None


def _date(value: str, known: int | None) -> str | None:
    hit = _YEAR_FIRST.match(value)
    if hit and (hit[2] or len(value) == 4):
        return converters.date([hit[1], *(part for part in hit.groups()[1:] if part)])
    if value.isdecimal() and len(value) == 8:
        return converters.date([value[:4], value[4:6], value[6:]])
    if hit and value[4:5] == " ":
        return converters.date_words(value)
    hit = _MONTH_DAY.match(value)
    return converters.date([str(known), hit[1], hit[2] or ""]) if hit and known else None


def edition(values: Iterable[str]) -> str | None:
    """The edition; EndNote's field for it holds the day of an article's electronic publication."""
    return first_text(value for value in values if not _is_day(value))


def _is_day(value: str) -> bool:
    hit = _YEAR_FIRST.fullmatch(value.strip())
    return hit is not None and bool(hit[3])


def is_date_alone(value: str, known: int | None, taken: str | None) -> bool:
    """Whether a field for the year or the date says no more than the year and the date that were
    taken of a record, or nothing. "2019/03/12/Spring" says more.
    """
    shown = year_text(value[:SHORT])
    if not shown or shown.strip(" /.,;[]()©c") == str(known):
        return True
    found = date([value], known) or converters.date_printed(shown.rstrip("."))
    is_more = shown.count("/") > 2 and not shown.endswith("/")
    return not is_more and found is not None and (taken or "").startswith(found)


_LANGUAGES = {
    "中文": "zh",
    "汉语": "zh",
    "英文": "en",
    "英语": "en",
    "日文": "ja",
    "日语": "ja",
    "chs": "zh",
    "cht": "zh",
}


def language(values: Iterable[str]) -> str | None:
    """As `markup.language`, with Chinese words; what is too long says nothing."""
    for value in values:
        word = text(value[:SHORT].partition("<!--")[0]).strip(" ;；")
        if word and len(word) <= 40:
            return _LANGUAGES.get(word.lower()) or markup.language(word)
    return None


#: Mendeley writes line breaks between addresses as "%5Cn" or "\\n".
_BETWEEN_LINKS = re.compile(r"\s+|(?:%5C|\\)[nr]|;(?=https?:)", re.IGNORECASE)


def links(values: Iterable[str]) -> list[str]:
    """The web addresses in fields that hold one or many, in order."""
    return [
        url
        for value in values
        for word in _BETWEEN_LINKS.split(value[: 10 * SHORT])
        if (url := identifier_forms.web_url(word))
    ]


def thesis_venue(institution: str | None, given: str | None = None) -> str | None:
    """What contains a thesis: "institution + 学位论文", as the four-tuple algorithm wants it, for
    Chinese ones.
    """
    if not institution or not normalise.has_cjk(institution) or given:
        return given
    return institution if institution.endswith("学位论文") else f"{institution}学位论文"


# Which database a record came from, and under which number: what names, links and accession numbers
# give away. An identifier gets a scheme only where its form or the link beside it says whose it is:
# a bare number may be the running number of a private library.

#: How names of databases begin whose numbers are PMIDs: "Ovid MEDLINE(R) ALL".
_MEDLINE = ("pubmed", "medline", "ovid medline")
#: Characters of a link that are looked at: what tells its database stands at its beginning.
_OF_LINK = 500
#: Ovid's names of its files, as they stand in its links ("&D=med1"), by their beginnings.
_OVID = (
    (re.compile(r"med|prem|ppez|pmnm|mesx|mepd|dowd"), "MEDLINE"),
    (re.compile(r"em[ec]|emed|oemez"), "Embase"),
    (re.compile(r"cctr"), "Cochrane CENTRAL"),
    (re.compile(r"psy"), "APA PsycInfo"),
)
_OVID_LINK = re.compile(r"\bovid\w*\.[^?\s]*\?(?:\S*?&)?D=([a-z0-9]+)", re.IGNORECASE)
_EBSCO_LINK = re.compile(r"\bebscohost\.com/\S*?[?&]db=([a-z0-9]+)", re.IGNORECASE)
_HOSTS = (
    (re.compile(r"//(?:www\.)?scopus\.com/"), "Scopus"),
    (re.compile(r"//(?:www\.|gateway\.)?webof(?:science|knowledge)\.com/"), "Web of Science"),
    (re.compile(r"//(?:www\.)?lens\.org/"), "Lens"),
    (re.compile(r"//(?:www\.|search\.)?proquest\.com/"), "ProQuest"),
    (re.compile(r"//(?:www\.)?embase\.com/"), "Embase"),
    (re.compile(r"//(?:www\.)?cochranelibrary\.com/"), "Cochrane Library"),
    (re.compile(r"//(?:www\.)?clinicaltrials\.gov/"), "ClinicalTrials.gov"),
    (re.compile(r"//[\w.]*cnki\.net/"), "CNKI"),
    (re.compile(r"//[\w.]*wanfangdata\.com(?:\.cn)?/"), "Wanfang"),
    (re.compile(r"//[\w.]*cqvip\.com/"), "VIP"),
)
_CODE = re.compile(r"[a-z0-9]{2,8}")

_WOS = re.compile(
    r"(WOS|ISI|MEDLINE|CSCD|KJD|SCIELO|RSCI|BCI|BIOSIS|CABI|ZOOREC|PPRN|DIIDW|CCC):\s?(\S+)"
)
_PSYCINFO = re.compile(r"\d{4}-\d{5}-\d{3}")
_CENTRAL = re.compile(r"CN-\d{8}")
_EMBASE = re.compile(r"L(\d{6,})")
_LENS = re.compile(r"lens\.org/(?:lens/)?((?:\d{3}-){4}\d{2}[\dX])")
_SCOPUS = re.compile(r"\beid=(2-s2\.0-\d+)")
_PUBMED = re.compile(r"(?:ncbi\.nlm\.nih\.gov/pubmed|pubmed\.ncbi\.nlm\.nih\.gov)/(\d{1,8})\b")
_PMC = re.compile(r"/PMC(\d{1,9})\b")
_CNKI = re.compile(r"cnki\.net/\S*?[?&]filename=([\w.]+)", re.IGNORECASE)
_WANFANG = re.compile(r"wanfangdata\.com(?:\.cn)?/\S*?[?&]id=([\w-]+)", re.IGNORECASE)
_LABELLED = re.compile(
    r"(PMID|PubMed|PMC(?:ID)?|Embase)(?: ID)?[:\s]*(?:PMC)?(\d{1,10})", re.IGNORECASE
)
#: "PubMed PMID: 123; PubMed Central PMCID: PMC456.", "PUBMED 123,EMBASE 456" of Cochrane, and
#: PubMed Central's "123[pmid]".
_LABELLED_ALONE = re.compile(
    rf"(?:(?:PubMed(?: Central)?\s)?{_LABELLED.pattern}[\s;,.]*)+", re.IGNORECASE
)
_LABEL_BEHIND = re.compile(r"(?:PMC)?(\d{1,9})\s?\[(pmc?id)\]", re.IGNORECASE)
_LONGEST_LABELLED = 120
_OF_LABELS = {
    "pmid": "pmid", "pubmed": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "embase": "embase"
}  # fmt: skip
_OURS = re.compile(r"[a-z][a-z0-9_-]*:[^\s:;][^\s;]*(?:; [a-z][a-z0-9_-]*:[^\s:;][^\s;]*)*")


def database(
    said: Sequence[str], provider: Sequence[str], links: Iterable[str], numbers: Iterable[str]
) -> str | None:
    names = list(dict.fromkeys(shown for name in said if (shown := text(name[:SHORT]))))
    hosts = list(dict.fromkeys(shown for name in provider if (shown := text(name[:SHORT]))))
    are_codes = bool(names) and all(_CODE.fullmatch(name) for name in names)
    if are_codes and hosts and names != hosts:
        return f"{'; '.join(names)} ({hosts[0]})"  # EBSCOhost names its databases by codes
    if names or hosts:
        return "; ".join(names or hosts[:1])
    for number in numbers:
        if _WOS.match(number):
            return "Web of Science"
    return _of_links(links)


def _of_links(links: Iterable[str]) -> str | None:
    for link in links:
        link = link[:_OF_LINK]
        code = ovid_file(link)
        if code:
            return next((name for known, name in _OVID if known.match(code)), f"Ovid {code}")
        hit = _EBSCO_LINK.search(link)
        if hit:
            return f"{hit[1].lower()} (EBSCOhost)"
        found = next((name for host, name in _HOSTS if host.search(link)), None)
        if found:
            return found
    return None


def ovid_file(link: str) -> str:
    """Ovid's name of the file that a link leads to ("med1", "emexb"); "" for other links."""
    hit = _OVID_LINK.search(link[:_OF_LINK])
    return hit[1].lower() if hit else ""


def identifiers(
    numbers: Iterable[str],
    links: Sequence[str] = (),
    remarks: Iterable[str] = (),
    database: str | None = None,
) -> dict[str, str]:
    """Identifiers by scheme: "pmid", "pmcid", "wos", "scopus", "embase", "psycinfo", "central",
    "lens", "cnki", ...; registration numbers of trials anywhere in them.

    `remarks`: fields for anything; only what consists of labelled identifiers is taken.
    `database`: as `database` tells it: says whose a bare number is.
    """
    found: dict[str, str] = {}
    others: list[str] = []
    codes = [code for link in links if (code := ovid_file(link))]
    name = (database or "").lower()
    for number in numbers:
        number = number[:SHORT].strip()
        if _OURS.fullmatch(number):
            pairs = (part.partition(":") for part in number.split("; "))
            of_ours = trials.merge_ids(*[{scheme: value} for scheme, _, value in pairs])
            found = trials.merge_ids(of_ours, found)
        elif number.isascii() and number.isdecimal() and len(number) < 12:
            ovid = next((name for known, name in _OVID if codes and known.match(codes[0])), "")
            if ovid == "MEDLINE" or name == "nlm" or name.startswith(_MEDLINE):
                found.setdefault("pmid", number.lstrip("0") or "0")
            elif ovid == "Embase" or name.startswith("embase"):
                found.setdefault("embase", number)
        else:
            others.append(number)
            for scheme, value in _by_form(number, name):
                found.setdefault(scheme, value)
    for remark in remarks:
        for scheme, value in _by_labels(remark.strip()):
            found.setdefault(scheme, value)
    for scheme, value in _by_links(links):
        found.setdefault(scheme, value)
    return trials.merge_ids(found, *map(trials.registrations, (*others, *links)))


def _by_labels(text: str) -> Iterator[tuple[str, str]]:
    """The identifiers of a text that consists of them, each with its label."""
    if len(text) > _LONGEST_LABELLED or text[-1:].strip("0123456789;,.]"):
        return
    if _LABELLED_ALONE.fullmatch(text):
        pairs = [(hit[1], hit[2]) for hit in _LABELLED.finditer(text)]
    else:
        hit = _LABEL_BEHIND.fullmatch(text)
        pairs = [(hit[2], hit[1])] if hit else []
    for label, number in pairs:
        scheme = _OF_LABELS[label.lower()]
        yield scheme, f"PMC{number}" if scheme == "pmcid" else number


def _by_form(number: str, database: str) -> Iterable[tuple[str, str]]:
    if hit := _WOS.fullmatch(number):
        yield "wos", hit[2].upper() if hit[1] in ("WOS", "ISI") else f"{hit[1]}:{hit[2]}"
        if hit[1] == "MEDLINE" and hit[2].isdecimal():
            yield "pmid", hit[2]
    elif _PSYCINFO.fullmatch(number):
        yield "psycinfo", number
    elif _CENTRAL.fullmatch(number):
        yield "central", number
    elif (hit := _EMBASE.fullmatch(number)) and database.startswith("embase"):
        yield "embase", hit[1]
    elif number.startswith("2-s2.0-"):
        yield "scopus", number
    else:
        yield from _by_labels(number)


def _by_links(links: Sequence[str]) -> Iterable[tuple[str, str]]:
    for link in links:
        link = link[:_OF_LINK]
        for scheme, known in (
            ("pmid", _PUBMED),
            ("scopus", _SCOPUS),
            ("lens", _LENS),
            ("wanfang", _WANFANG),
        ):
            if hit := known.search(link):
                yield scheme, hit[1]
        if hit := _PMC.search(link):
            yield "pmcid", f"PMC{hit[1]}"
        if hit := _CNKI.search(link):
            yield "cnki", hit[1].upper()
    arxiv = identifier_forms.arxiv_url([link for link in links if "arxiv.org/" in link.lower()])
    if arxiv:
        yield "arxiv", arxiv


def is_ours(number: str) -> bool:
    """Whether this is our writers' list of identifiers: "pmid:123; wos:000"."""
    return _OURS.fullmatch(number[:SHORT].strip()) is not None


def landing_page(links: Sequence[str]) -> str | None:
    """The first link that is no DOI, else the first: a DOI is compared as one anyway."""
    pages = [link for link in links if identifier_forms.url_key(link)]
    return next(iter(pages or links), None)
