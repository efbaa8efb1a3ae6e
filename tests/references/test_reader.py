"""Lists of references in files of every kind, hostile ones among them."""

from __future__ import annotations

import io
import time
import zipfile

import pytest

from metasearch.errors import FileFormatError
from metasearch.references.reader import ReferenceList, read_references

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
ITEM = "Volberg RA. Banking transactions and gambling harms. Nat Hum Behav. 2021;5(3):303-4."


def docx(*paragraphs: str, part: str = "word/document.xml") -> bytes:
    """A Word document; a paragraph that begins with "#" is a heading."""
    texts = "".join(
        "<w:p>"
        + ('<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' if text.startswith("#") else "")
        + f"<w:r><w:t>{text.lstrip('# ')}</w:t></w:r></w:p>"
        for text in paragraphs
    )
    return archive(part, f'<w:document xmlns:w="{W}"><w:body>{texts}</w:body></w:document>')


def archive(part: str, text: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", "<Types/>")
        file.writestr(part, text)
    return out.getvalue()


def titles(found: ReferenceList) -> list[str]:
    return [one.record.title for one in found.references]


def test_an_entry_keeps_its_own_key() -> None:
    bib = b"@article{kites, title={A}}\n@article{kites, title={B}}\n@article{tides, title={C}}"
    found = read_references(bib, "refs.bib")
    assert [one.key for one in found.references] == ["kites", "2", "tides"]
    assert found.format == "bibtex"
    assert [one.line for one in found.references] == [1, 2, 3]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"@article{a, author={Byron, Ada and others}, title={A}}", "a.bib"),
        (b"TY  - JOUR\nTI  - A\nAU  - Byron, Ada\nAU  - et al.\nER  - \n", "a.ris"),
        ((b'[{"id":"a","title":"A","author":[{"family":"Byron","given":"Ada"},'
         b'{"literal":"others"}]}]'), "a.json"),
    ],
)  # fmt: skip
def test_others_at_the_end_of_authors_are_told(data: bytes, name: str) -> None:
    (one,) = read_references(data, name).references
    assert [author.family for author in one.record.authors] == ["Byron"]
    assert not one.all_authors


def test_of_a_word_document_the_references_are_read() -> None:
    data = docx("Intro. 2020.", "# References", ITEM, "Deep learning", "# Appendix", "More.")
    found = read_references(data, "paper.docx")
    assert titles(found) == ["Banking transactions and gambling harms", "Deep learning"]
    assert [one.line for one in found.problems] == [1, 5, 6]


def test_a_word_document_without_a_heading_is_a_list() -> None:
    found = read_references(docx(f"[1] {ITEM}", "[2] 10.1000/abc"), "paper.docx")
    assert titles(found) == ["Banking transactions and gambling harms", ""]
    assert found.format == "docx"


def test_an_encoding_is_found() -> None:
    text = "[1] 刘国钧, 陈绍业. 图书馆目录[M]. 北京: 高等教育出版社, 1957.\n" * 3
    for encoding in ("gb18030", "utf-16", "utf-8-sig"):
        assert titles(read_references(text.encode(encoding), "a.txt")) == ["图书馆目录"] * 3


def test_two_numbers_alike_make_two_keys() -> None:
    found = read_references(f"[1] {ITEM}\n[1] Another title\n".encode(), "a.txt")
    assert [one.key for one in found.references] == ["1", "2"]


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "data",
    [
        b"7" * MEGABYTE,
        b"[" * MEGABYTE,
        b"et al " * (MEGABYTE // 6),
        b"Smith J, " * (MEGABYTE // 9),
        b"J. " * (MEGABYTE // 3),
        b"10.1000/" * (MEGABYTE // 8),
        b'A. "' * (MEGABYTE // 4),
        "王，".encode() * (MEGABYTE // 6),
        b"\\bibitem{" * (MEGABYTE // 9),
        b"\n" * 100_000,
        b"A title of it. " * (5 * MEGABYTE // 15),
        b"{([" * (MEGABYTE // 3),
        b"Smith,J.2020.Title.Journal12(3)45-67." * 2_000,
        b"*_" * (MEGABYTE // 2),
        b"Smith\0 J. A title. Nature. 2020;1:2.\n" * 100,
        b"@article{a, title={" + b"x" * MEGABYTE,
    ],
    ids=range(16),
)
def test_hostile_text_is_read_in_linear_time(data: bytes) -> None:
    start = time.process_time()
    found = read_references(data, "a.txt")
    assert time.process_time() - start < 3
    assert found.problems or all(one.record.title or one.problem for one in found.references)


@pytest.mark.parametrize(
    "line",
    ["Smith J, " * 2_000, "1, 2(3), p. " * 1_500, "J. " * 6_000, "(2020) vol. 1 " * 1_400,
     "Ab. " * 4_900, "A and " * 3_000, "王五，" * 6_000, 'A. "In: ' * 2_200],
    ids=range(8),
)  # fmt: skip
def test_a_long_reference_costs_little(line: str) -> None:
    start = time.process_time()
    read_references(f"{line}\n".encode() * 3, "a.txt")
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (archive("word/document.xml", " " * 40_000_000), "more than 30,000,000 bytes"),
        (docx("a", part="word/other.xml"), "word/document.xml is not in it"),
        (docx("a")[:-30], "damaged"),
        (archive("word/document.xml", "<w:document><w:p>"), "damaged"),
        (archive("word/document.xml", f'<w:p xmlns:w="{W}">' * 10_000), "Excessive depth"),
        (archive("a.txt", "a"), "a ZIP archive"),
        (b"%PDF-1.7", "a PDF"),
        (b"<html><body>References</body></html>", "a web page"),
        (b"".join(b"[%d] a\n" % n for n in range(1, 20_100)), "more than 20,000 references"),
    ],
    ids=range(9),
)
def test_what_cannot_be_read_says_why_and_what_to_do(data: bytes, why: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_references(data, "refs.docx" if data.startswith(b"PK") else "refs.txt")
    assert why in str(caught.value)
    assert caught.value.advice


def test_a_reference_beyond_the_limit_is_told_and_not_lost() -> None:
    found = read_references(f"[1] {'x' * 30_000}\n[2] {ITEM}\n".encode(), "a.txt")
    assert [one.problem for one in found.references] == [
        "it has more than 20,000 characters; nothing of it was read",
        "",
    ]


def test_an_empty_file_has_no_references() -> None:
    found = read_references(b"", "a.txt")
    assert found.references == ()
    assert [one.message for one in found.problems] == ["the file is empty"]
