"""What pages, reports and e-mails say is said in the language of the reader: nothing has been
forgotten, and a language is one PO file.

They are made in an invented language, whose sentences all stand in marks and have accents. What
stands outside of such a sentence must come from records, databases or the reader.
"""

from __future__ import annotations

import datetime as dt
import email
import re
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import docx
import pytest
from babel import Locale
from babel.messages.pofile import read_po, write_po
from lxml import html

import metasearch
from metasearch import language
from metasearch.language import CODES, ReaderLanguage
from metasearch.message import message
from metasearch.review.alerts import email_writer
from metasearch.review.alerts.email_outbox import Mail
from metasearch.review.reports import document, prisma_flow, prisma_s, render, searches
from metasearch.review.store.database import Database
from metasearch.review.users.addresses import AddressProof
from metasearch.server import visit
from tests.review.pages.every_page import every_page
from tests.review.pages.filled import FilledWorkspace, filled

#: Esperanto as far as Babel is concerned: numbers, and names of languages.
TAG = "eo"
BEGIN, END = "[!!", "!!]"
_ACCENTS = str.maketrans("aeiouyAEIOUYcnsz", "áéíóúýÁÉÍÓÚÝçñšž")
_PLACES = re.compile(r"(%\(\w+\)[sd]|\{\w*\}|%%)")
#: Names that are the same in every language, or that Babel writes in that of the page.
NAMES = frozenset(
    "metasearch PDF DOI RIS BibTeX CSV JSON Atom 中文 arXiv Crossref OpenAIRE Graph DataCite CNKI "
    "kaj AND title author doi NoteExpress NBIB PubMed RefWorks MARC MARCXML EndNote XML MODS CSL "
    "LD Excel Parquet HTML SVG Word Markdown ISBN ISSN PMID PMCID Ovid Scopus Web of Science "
    "EBSCOhost Embase Cochrane Library ProQuest IEEE Xplore Europe PMC ACM Digital SinoMed wanfang "
    "Rayyan EPPI Reviewer Covidence ASReview".split()
) | {word for name in Locale(TAG).languages.values() for word in name.split()}
#: Words that a reader sees, or that the script says.
ATTRIBUTES = ("aria-label", "placeholder", "alt", "title", "data-words", "data-done", "data-one",
              "data-many", "data-order", "data-shown", "data-sorted")  # fmt: skip
#: Elements whose text is no word of the interface.
_OTHERS = frozenset(
    {"script", "style", "code", "pre", "textarea", "kbd", "samp", "q", "cite", "svg"}
)
_LETTERS = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"(?:https?://|10\.\d+/)\S+")
_GREEK = re.compile("[\u0370-\u03ff]")


def invented(text: str) -> str:
    """The text in the invented language; its places stay."""
    parts = _PLACES.split(text)
    accented = (part if place % 2 else part.translate(_ACCENTS) for place, part in enumerate(parts))
    return f"{BEGIN}{''.join(accented)}{END}"


def write_catalogue(folder: Path) -> None:
    """Write the PO file of the invented language."""
    chinese = language.CATALOGUES / "zh_Hans" / "LC_MESSAGES" / "metasearch.po"
    catalogue = read_po(BytesIO(chinese.read_bytes()), locale=TAG)
    for text in catalogue:
        if text.id:
            text.string = tuple(map(invented, text.id)) if text.pluralizable else invented(text.id)
    file = folder / TAG / "LC_MESSAGES" / "metasearch.po"
    file.parent.mkdir(parents=True)
    with file.open("wb") as out:
        write_po(out, catalogue)


@pytest.fixture(scope="module")
def pseudo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReaderLanguage]:
    """The invented language."""
    folder = tmp_path_factory.mktemp("pseudo") / "locale"
    write_catalogue(folder)
    (folder / "zh_Hans").symlink_to(str(language.CATALOGUES / "zh_Hans"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language, "CATALOGUES", folder)
        patch.setitem(language._OF_PRIMARY, TAG, TAG)
        patch.setattr(document, "CODES", (*CODES, TAG))
        yield language.language(TAG)
    language.language.cache_clear()


def forgotten(text: str) -> list[str]:
    """The words of a page that are neither in a sentence of the invented language nor data."""
    tree = html.document_fromstring(text)
    found = []
    depth = 0
    for piece in _texts(tree):
        outside = ""
        for part in re.split(r"(\[!!|!!\])", piece):
            if part == BEGIN:
                depth += 1
            elif part == END:
                depth -= 1
            elif depth == 0:
                outside += part
        found += [outside.strip()] if _is_word(outside) else []
    assert depth == 0
    for element in tree.iter(html.etree.Element):
        for name in ATTRIBUTES:
            value = element.get(name)
            of_programs = element.get("class") in ("Z3988", "unapi-id") or element.tag == "link"
            if value and not of_programs:
                bare = re.sub(r"\[!!.*!!\]", "", value, flags=re.DOTALL)
                found += [f"{name}={value}"] if _is_word(bare) else []
    return found


def _texts(element: html.HtmlElement) -> Iterator[str]:
    """The texts of an element in their order."""
    if isinstance(element.tag, str) and not _is_other(element):
        yield element.text or ""
        for child in element:
            yield from _texts(child)
            yield child.tail or ""


def _is_other(element: html.HtmlElement) -> bool:
    return (
        element.tag in _OTHERS
        or "citation" in element.get("class", "").split()
        or "caret" in element.get("class", "").split()
        or element.get("lang") in ("en", "zh-Hans")
    )


def _is_word(text: str) -> bool:
    words = _LETTERS.findall(_ADDRESS.sub(" ", text))
    return any(word not in NAMES and not _GREEK.search(word) for word in words)


def test_the_check_finds_what_is_forgotten():
    """In texts and attributes; data, names and finished sentences pass."""
    good = (
        f'<body><p>{invented("Add %(x)s")} αβγ 12 PDF</p><p title="{invented("Save")}">'
        "[!!á <a>Crossref</a> b!!]</p><code>x:y</code></body>"
    )
    bad = '<body><p>[!!á!!] Add</p><input placeholder="Year"><p>Save <b>[!!á!!]</b> all</p></body>'

    assert forgotten(good) == []
    assert forgotten(bad) == ["Add", "Save", "all", "placeholder=Year"]


def test_places_stay(pseudo: ReaderLanguage):
    """So that values can be put in."""
    assert invented("%(works)s works of {n}, 5%%") == "[!!%(works)s wórkš óf {n}, 5%%!!]"
    assert pseudo.phrase(message("{source} ranks it {position}", source="α", position=1)) == (
        "[!!α ráñkš ít 1!!]"
    )
    assert pseudo.phrase("{number} sources agree", number=1000) == "[!!1,000 šóúrçéš ágréé!!]"


async def test_nothing_is_forgotten(serve, pseudo: ReaderLanguage, monkeypatch: pytest.MonkeyPatch):
    """On every page, in every state."""
    monkeypatch.setattr(visit, "language", lambda tag: pseudo)
    pages = await every_page(serve)

    assert all(BEGIN in text for text in pages.values())
    faults = [f"{name}: {word}" for name, text in pages.items() for word in forgotten(text)]
    assert not faults, "\n".join(faults)


@pytest.fixture
def workspace(tmp_path: Path) -> FilledWorkspace:
    """What reports and e-mails are made of."""
    return filled(tmp_path / "workspace.sqlite3")


#: What reports name beside their sentences: formats, methods and programs.
OF_REPORTS = frozenset(
    "OR AND auto ris GET UTC metasearch study error example org default separate doi".split()
)


def left_in_english(text: str) -> set[str]:
    """The words of a text that lack an accent where the invented language has one."""
    words = _LETTERS.findall(_ADDRESS.sub(" ", text))
    return {
        word
        for word in words
        if word.isascii() and word.translate(_ACCENTS) != word and word not in OF_REPORTS
    }


@pytest.mark.parametrize("module", [prisma_flow, prisma_s, searches])
def test_nothing_of_a_report_is_forgotten(
    module, pseudo: ReaderLanguage, workspace: FilledWorkspace
):
    """In each of its forms."""
    with Database(workspace.path) as db:
        made: document.Document = module.document(workspace.review.at(db), language=TAG)
    text = render.write(made, "md").decode()

    in_html = forgotten(render.write(made, "html").decode())
    assert left_in_english(" ".join(in_html)) == set()
    assert f'lang="{TAG}"' in render.write(made, "html").decode()
    assert left_in_english(text) == set()
    word = docx.Document(BytesIO(render.write(made, "docx")))
    cells = [cell.text for table in word.tables for row in table.rows for cell in row.cells]
    shown = "\n".join([*(each.text for each in word.paragraphs), *cells])
    assert left_in_english(shown) == set()
    if module is prisma_flow:
        drawn = html.document_fromstring(render.write(made, "svg"))
        assert left_in_english(drawn.text_content()) == set()


def test_nothing_of_an_e_mail_is_forgotten(pseudo: ReaderLanguage, workspace: FilledWorkspace):
    """In its subject, its text and its HTML."""
    now = dt.datetime(2026, 11, 23, 6, tzinfo=dt.UTC)
    sender = workspace.settings.mail
    with Database(workspace.path) as db:
        db.run("DELETE FROM mail_told")
        digest = email_writer.compose(db, "", TAG)
        assert digest is not None
    mail = Mail(1, "<1@1.1>", "", "1@1.1", TAG, "1", 0)
    proof = AddressProof(1, "α", "1@1.1", f'{{"language": "{TAG}"}}', "1")
    sent = [
        email_writer.write_news_email(digest, mail, sender, "https://1.1", now),
        email_writer.write_proof_email(proof, sender, "https://1.1", now),
    ]
    for content in sent:
        read = email.message_from_bytes(content, policy=email.policy.default)
        assert left_in_english(read["Subject"]) == set()
        for part in read.walk():
            if part.get_content_type() == "text/plain":
                assert left_in_english(part.get_content()) == set()
            if part.get_content_type() == "text/html":
                assert forgotten(part.get_content()) == []


@pytest.mark.slow
def test_a_language_is_one_po_file(tmp_path: Path):
    """With it, pages, accounts and reports offer the language."""
    package = tmp_path / "metasearch"
    package.mkdir()
    for each in Path(metasearch.__file__).parent.iterdir():
        if each.name != "locale":
            (package / each.name).symlink_to(each)
    write_catalogue(package / "locale")
    program = (
        "from metasearch.language import CODES, TAGS, language_of as of;"
        "print(*CODES, *TAGS, of('eo').name, of('eo').phrase('Records screened'))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert shown.stdout == "en eo en eo Esperanto [!!Réçórdš šçrééñéd!!]\n"
