"""What people have at hand in place of an export that can be read: how each such file is told, and
what to do instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from metasearch.errors import FileFormatError

_UNPACK = "Unpack or export it first; of what is packed, only gzip is read."
_EXPORT = "Export the records as RIS, BibTeX or CSV instead."
_SEARCH = (
    "metasearch can search there itself; else let the service write RIS or BibTeX, or save the "
    "records from its web page."
)
_HTML = "html|head|body|table|tr|td|div|span|p|ul|ol|li|a|form|input|link|script|meta|style|center"
_AS_XLSX = "Open it in a spreadsheet, and save it as .xlsx or CSV."


@dataclass(frozen=True)
class Foreign:
    """A kind of file that is recognised and not read. Each sign that is given must be there.

    Attributes:
        what: What it is, in words.
        advice: What to do instead.
        magic: Bytes that the file begins with, one of these.
        member: Pattern of the name of a file that a ZIP archive holds.
        root: Pattern of the local name of the first element of XML or HTML.
        text: Pattern of what stands near the beginning.
        last: Its signs prove less than those of the formats that are read, which are tried before.
        endings: Of the name, for a file that says nothing else.
        has_references: `metasearch.references` reads it.
    """

    what: str
    advice: str
    magic: tuple[bytes, ...] = ()
    member: str = ""
    root: str = ""
    text: str = ""
    last: bool = False
    endings: tuple[str, ...] = ()
    has_references: bool = False

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        return re.compile(self.root), re.compile(self.text, re.MULTILINE | re.DOTALL)

    def matches(self, head: str, root: str) -> bool:
        """Whether a text begins as this does. `root`: what `first_element` gives for it."""
        if not self.root and not self.text:
            return False
        of_root, of_text = self._patterns
        named = not self.root or of_root.fullmatch(root.lower()) is not None
        return named and (not self.text or of_text.search(head) is not None)


#: In the order in which they are tried; the more general one stands behind.
FOREIGN: tuple[Foreign, ...] = (
    # ------------------------------------------------------------------ by their first bytes
    Foreign("packed with bzip2", _UNPACK, magic=(b"BZh",)),
    Foreign("packed with xz", _UNPACK, magic=(b"\xfd7zXZ\x00",)),
    Foreign("packed with Zstandard", _UNPACK, magic=(b"\x28\xb5\x2f\xfd",)),
    Foreign("a 7z archive", _UNPACK, magic=(b"7z\xbc\xaf\x27\x1c",)),
    Foreign("a RAR archive", _UNPACK, magic=(b"Rar!\x1a\x07",)),
    Foreign(
        "a file of an old Excel or Word (.xls, .doc), or one with a password",
        f"{_AS_XLSX} From a database, choose plain text, RIS or CSV in place of Excel.",
        magic=(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
    ),
    Foreign("a PDF", f"A PDF holds no records. {_EXPORT}", magic=(b"%PDF-",)),
    Foreign(
        "a database of SQLite, in which Zotero, Mendeley, EndNote, Citavi and NoteExpress keep "
        "libraries",
        "Open it in its program, and export the records as RIS or BibTeX.",
        magic=(b"SQLite format 3\x00",),
    ),
    Foreign(
        "a formatted text (RTF)",
        "Choose RIS or plain text where it was exported, not RTF or Word.",
        magic=(b"{\\rtf",),
    ),
    Foreign(
        "an image",
        f"An image holds no records. {_EXPORT}",
        magic=(b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8"),
    ),
    # ------------------------------------------------------------------ ZIP archives
    Foreign(
        "a Word document (.docx)",
        "References in a text are no records: export them from the reference manager that wrote "
        "them, as RIS or BibTeX.",
        member=r"word/.*",
    ),
    Foreign("a binary workbook of Excel (.xlsb)", _AS_XLSX, member=r"xl/workbook\.bin"),
    Foreign("a file of OpenOffice or LibreOffice (.ods, .odt)", _AS_XLSX, member=r"content\.xml"),
    Foreign(
        "a library of EndNote (.enl, .enlx)",
        "In EndNote, choose File > Export and the style RefMan (RIS) Export, or XML.",
        member=r"(?:.*/)?(?:[^/]*\.enl|sdb/.*)",
        endings=("enlx", "enl"),
    ),
    Foreign("an electronic book (.epub)", _EXPORT, member=r"META-INF/container\.xml"),
    Foreign("a ZIP archive", _UNPACK, member=r".*"),
    # ------------------------------------------------------------------ XML
    Foreign(
        "the text of an article or a book (JATS or BITS XML)",
        "It is no export of records: save the reference as RIS, BibTeX or, from PubMed, NBIB.",
        root="article|book|book-part-wrapper|pmc-articleset|articles",
        text=r"<(?:front|article-meta|journal-meta|book-meta)[\s/>]|//NLM//DTD|JATS",
    ),
    Foreign(
        "TEI XML", f"GROBID and Zotero also write BibTeX. {_EXPORT}", root="tei|teicorpus|listbibl"
    ),
    Foreign(
        "the list of sources of a Word document",
        "Import it into JabRef or Zotero, and export BibTeX or RIS there.",
        root="sources",
        text=r"schemas\.openxmlformats\.org/officeDocument|office/word/2004/10/bibliography",
    ),
    Foreign(
        "Dublin Core, as OAI-PMH and repositories write it",
        "Ask for metadataPrefix=marcxml or mods where the repository has it; metasearch can also "
        "search the repository itself (the family oai).",
        root="oai-pmh|oai_dc|dc|dcs|metadata|records?|repository",
        text=r"oai_dc|<dc:(?:title|creator|identifier)[\s>]",
    ),
    Foreign("the XML of Crossref", _SEARCH, root="crossref_result|crossref|doi_records?|doi_batch"),
    Foreign(
        "the XML of DataCite",
        _SEARCH,
        root="resource|resources|record",
        text=r"datacite\.org/schema",
    ),
    Foreign(
        "the XML of ERIC",
        "At ERIC, choose the format NBIB.",
        root="eric|records?|response",
        text=r"eric\.ed\.gov|<eric|EJ\d{6,7}<|ED\d{6}<",
    ),
    Foreign(
        "the XML of EBSCOhost",
        "At EBSCOhost, choose Export > RIS (Direct Export in RIS Format).",
        root="records|rec|ebscohost|searchresponse\\w*",
        text=r"(?:short|long)DbName=|uiTerm=|epnet|ebscohost",
    ),
    Foreign(
        "the XML of DBLP",
        f"DBLP exports BibTeX. {_SEARCH}",
        root="dblp|dblpperson|bht|result|article|inproceedings|www",
        text=r"dblp|\smdate=\"",
    ),
    Foreign(
        "an answer of PubMed's interface without records",
        "Ask efetch for the records, with rettype=medline or retmode=xml.",
        root="esearchresult|esummaryresult|documentsummaryset|elinkresult|efetchresult",
    ),
    Foreign(
        "PICA XML",
        "Ask the catalogue for MARCXML.",
        text=r"<[\w.:-]{0,40}datafield\s[^<>]{0,200}\"003@\"",
    ),
    Foreign(
        "a project of Citavi",
        "In Citavi, choose File > Export, as RIS or BibTeX.",
        root="citaviexchangedata",
    ),
    Foreign(
        "the XML of RefWorks",
        "In RefWorks, export RIS or Tagged Format.",
        root="refworks|refworksxml",
    ),
    Foreign("a feed", f"A feed names few fields. {_EXPORT}", root="feed|rss", last=True),
    Foreign("a workbook of Excel in XML", _AS_XLSX, root="workbook"),
    Foreign(
        "RDF of another kind than Zotero's",
        "In Zotero, choose the format Zotero RDF, or RIS.",
        root="rdf",
        last=True,
    ),
    # ------------------------------------------------------------------ JSON of services
    Foreign(
        "the JSON of Zotero's own interface or of Better BibTeX",
        "In Zotero, export CSL JSON, RIS or Zotero RDF; of its interface, ask for format=csljson.",
        text=r"\A\s*[\[{].*\"(?:itemType|creatorType)\"\s*:",
    ),
    Foreign(
        "the JSON of a service (OpenAlex, Europe PMC, Semantic Scholar, Lens, DataCite, DBLP, "
        "PubMed)",
        _SEARCH,
        text=(
            r"\A\s*(?:\[\s*)?\{\s*\"(?:meta\"\s*:\s*\{\s*\"count|id\"\s*:\s*\"https://openalex\.org/"
            r"|result\"\s*:\s*\{\s*\"query)|\A\s*[\[{].*\"(?:hitCount|paperId|lens_id|responseHeader"
            r"|esummaryresult|esearchresult)\"\s*:|\A\s*\{.*\"type\"\s*:\s*\"dois\""
        ),
    ),
    # ------------------------------------------------------------------ web pages and texts
    Foreign(
        "a page of Google Scholar",
        "Put the works into My library there and export BibTeX or CSV, or use Publish or Perish.",
        root=_HTML,
        text=r"<title>[^<]{0,200}Google (?:Scholar|Acad|Akad|学术)|class=\"gs_(?:r|ri|or)[ \"]",
        last=True,
    ),
    Foreign(
        "an HTML table under the name of an Excel file",
        _AS_XLSX,
        root=_HTML,
        text=r"schemas-microsoft-com:office:excel",
        last=True,
    ),
    Foreign(
        "a web page (HTML), no export",
        "Sites send such a page in place of an export when nobody is logged in, or for an error: "
        "open the export in a browser, and save it again as RIS, BibTeX or CSV; at CNKI as "
        "RefWorks, EndNote or NoteExpress.",
        root=_HTML,
        last=True,
    ),
    Foreign(
        "the XML of CNKI",
        "At CNKI, export as RefWorks, EndNote or NoteExpress.",
        root=".+",
        text=r"(?i:cnki)",
        last=True,
    ),
    Foreign(
        "an answer of a catalogue (SRU) without MARCXML or MODS",
        "Ask for recordSchema=marcxml or mods; metasearch can also search the catalogue itself "
        "(the family sru).",
        root="searchretrieveresponse|explainresponse|scanresponse",
        last=True,
    ),
    Foreign(
        "an answer of a repository (OAI-PMH) without MARCXML or MODS",
        "Ask for metadataPrefix=marcxml or mods; metasearch can also search the repository itself "
        "(the family oai).",
        root="oai-pmh",
        last=True,
    ),
    Foreign(
        "the XML of a service (ClinicalTrials.gov, Web of Science, Scopus, Espacenet, zbMATH)",
        f"{_EXPORT} {_SEARCH}",
        root="clinical_study|search_results|rec|records|search-results|world-patent-data|zbmath",
        text=r"clinicaltrials|<UID>|elsevier|scopus|espacenet|epo\.org|zbmath",
        last=True,
    ),
    Foreign(
        "a saved web page (MHTML)",
        _EXPORT,
        text=r"\A\s*(?:From: <Saved by|MIME-Version: 1)",
        last=True,
    ),
    Foreign(
        "a bibliography that LaTeX has set (.bbl, .tex)",
        "Give the .bib file that it was made of.",
        text=r"\\begin\{thebibliography\}|\\bibitem|\\datalist\[|\\documentclass",
        last=True,
        has_references=True,
    ),
    Foreign(
        "CSL YAML",
        "Export CSL JSON where it was exported, or turn it into that: pandoc FILE -t csljson.",
        text=r"\A\s*(?:---\s{1,9})?references:\s{1,9}-\s",
        last=True,
    ),
    Foreign(
        "the text of Scopus",
        "At Scopus, export RIS or CSV, not plain text.",
        text=r"\A\s*Scopus\s{1,9}EXPORT DATE:",
        last=True,
    ),
    Foreign(
        "the text that PubMed writes for people to read (Abstract or Summary)",
        "At PubMed, choose Save or Send to, and the format PubMed.",
        text=r"\A\s*1[.:] \S.*\bPMID:? ?\d",
        last=True,
    ),
    Foreign(
        "a list of PMIDs, DOIs or other numbers without records",
        "Paste PMIDs into the search field of PubMed, and save the format PubMed; reference "
        "managers add works by DOI.",
        text=(
            r"\A\s*(?:PMID:?\s{0,3})?(?:\d{5,9}|(?:https?://(?:dx\.)?doi\.org/|doi:\s?)?"
            r"10\.\d{4,9}/\S{1,200})[ \t,;]{0,9}(?:\r|\n|\Z)"
        ),
        last=True,
        has_references=True,
    ),
    Foreign(
        "a text for people to read, such as Embase, EBSCOhost, ProQuest, Cochrane and APA PsycNet "
        "write",
        "At the database, choose RIS in place of text or e-mail.",
        text=(
            r"Report Information from ProQuest"
            r"|^\s{0,9}(?:Record|Result|Document|Citation|RECORD)\s?[:#]?\s?1"
            r"(?: of [\d,]{1,9})?\s{0,9}$"
        ),
        last=True,
    ),
)

GZIPPED_TWICE = Foreign("gzipped twice", _UNPACK)


def is_workbook(name: str) -> bool:
    """Whether a ZIP archive with a file of this name is a workbook of Excel (.xlsx)."""
    return re.fullmatch(r"(?i:xl/workbook\d{0,2}\.xml)", name) is not None


def of_bytes(start: bytes) -> Foreign | None:
    """No ZIP archive is among them."""
    return next((one for one in FOREIGN if one.magic and start.startswith(one.magic)), None)


def of_archive(names: Iterable[str]) -> Foreign:
    listed = list(names)
    kinds = (one for one in FOREIGN if one.member)
    return next(
        one
        for one in kinds
        if one.member == ".*" or any(re.fullmatch(one.member, name) for name in listed)
    )


def of_text(head: str, *, last: bool) -> Foreign | None:
    """What a text that begins so is. `last`: of the kinds that are tried behind the formats that
    are read, else of the others.
    """
    root = first_element(head)
    known = next((one for one in FOREIGN if one.last == last and one.matches(head, root)), None)
    if known is None and last and root and _NO_RECORDS.search(head) is None:
        return Foreign(f"XML of an unknown kind: its first element is <{root}>", _EXPORT)
    return known


#: How files of formats that are read begin, though no record is in them.
_NO_RECORDS = re.compile(r"loc\.gov/MARC21/slim|<xml>\s{0,20}<records|<PubmedArticleSet")


def of_rest(head: str) -> Foreign | None:
    """What a text is that was tried in vain as the format that its name, or the user, says."""
    if re.match(r"\s*[\[{]\s*[\"{\[]", head.removeprefix("\ufeff")):
        return Foreign("JSON of an unknown kind", f"{_EXPORT} {_SEARCH}")
    return None


def of_name(name: str) -> Foreign | None:
    ending = PurePath(name.lower()).suffix.removeprefix(".")
    return next((one for one in FOREIGN if ending and ending in one.endings), None)


def error(name: str, found: Foreign, *, certain: bool) -> FileFormatError:
    verb = "is" if certain else "looks like"
    return FileFormatError(name, f"it {verb} {found.what}, which is not read", advice=found.advice)


#: What stands before the first element.
_BEFORE = re.compile(
    r"<\?[^>]{0,2000}>|<!--.{0,4000}?-->|<!DOCTYPE[^\[>]{0,2000}(?:\[[^\]]{0,4000}\]\s{0,20})?>",
    re.DOTALL | re.IGNORECASE,
)
_ELEMENT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,40}:)?([A-Za-z_][\w.-]{0,80})[\s/>]")


def first_element(head: str) -> str:
    """The local name of the first element of XML or HTML; "" for other texts."""
    place = _skip_blanks(head, 0)
    for _ in range(20):
        hit = _BEFORE.match(head, place)
        if hit is None:
            break
        place = _skip_blanks(head, hit.end())
    found = _ELEMENT.match(head, place)
    return found[1] if found else ""


def _skip_blanks(head: str, place: int) -> int:
    while place < len(head) and (head[place].isspace() or head[place] in "\ufeff\x00"):
        place += 1
    return place
