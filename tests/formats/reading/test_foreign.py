"""What is recognised and not read is named, with what to do instead; never is it taken for another
format."""

from __future__ import annotations

import io
import zipfile

import pytest

from metasearch.errors import FileFormatError
from metasearch.formats.reading import foreign, read_bytes
from tests.cases import each
from tests.formats.exported import written

RIS = "TY  - JOUR\nTI  - Mud in wells\nER  - \n"
DC = "xmlns:dc='http://purl.org/dc/elements/1.1/'"


def archive(*names: str) -> bytes:
    """A ZIP archive with files of these names."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name in names:
            packed.writestr(name, RIS)
    return out.getvalue()


#: What a user has -> how the error names it, and a word of the advice.
KINDS: dict[str, tuple[bytes | str, str, str]] = {
    "a.bz2": (b"BZh91AY&SY" + b"\0" * 50, "packed with bzip2", "gzip"),
    "a.xz": (b"\xfd7zXZ\x00" + b"\0" * 50, "packed with xz", "gzip"),
    "a.zst": (b"\x28\xb5\x2f\xfd" + b"\0" * 50, "packed with Zstandard", "gzip"),
    "a.7z": (b"7z\xbc\xaf\x27\x1c" + b"\0" * 50, "a 7z archive", "gzip"),
    "a.rar": (b"Rar!\x1a\x07\x00" + b"\0" * 50, "a RAR archive", "gzip"),
    "savedrecs.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 50, "an old Excel", ".xlsx"),
    "paper.pdf": (b"%PDF-1.7\n", "a PDF", "RIS"),
    "zotero.sqlite": (b"SQLite format 3\x00" + b"\0" * 50, "a database of SQLite", "export"),
    "refs.rtf": (rb"{\rtf1\ansi 1. Byron A.}", "RTF", "plain text"),
    "scan.ris": (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "an image", "RIS"),
    "paper.docx": (archive("[Content_Types].xml", "word/document.xml"), "a Word document", "RIS"),
    "a.xlsb": (archive("[Content_Types].xml", "xl/workbook.bin"), ".xlsb", ".xlsx"),
    "a.ods": (archive("mimetype", "content.xml"), "OpenOffice or LibreOffice", ".xlsx"),
    "lib.enlx": (archive("lib.enl", "sdb/pdb.eni"), "a library of EndNote", "Export"),
    "lib.enl": ("\x00\x08 nothing that is known", "a library of EndNote", "Export"),
    "a.epub": (archive("mimetype", "META-INF/container.xml"), "an electronic book", "RIS"),
    "a.ris.zip": (archive("a.ris"), "a ZIP archive", "Unpack"),
    "1.nxml": (("<?xml version='1.0'?><!DOCTYPE article PUBLIC '-//NLM//DTD JATS 1.2//EN' 'x.dtd'>"
               "<article><front/></article>"), "JATS", "NBIB"),
    "2.xml": ("<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader/></TEI>", "TEI", "BibTeX"),
    "3.xml": (("<b:Sources xmlns:b='http://schemas.openxmlformats.org/officeDocument/2006/"
              "bibliography'/>"), "the list of sources of a Word document", "JabRef"),
    "4.xml": ((f"<OAI-PMH><ListRecords><record><metadata><oai_dc:dc {DC}><dc:title>Mud</dc:title>"
              "<dc:contributors/></oai_dc:dc></metadata></record></ListRecords></OAI-PMH>"),
              "Dublin Core", "marcxml"),
    "5.xml": ("<!-- of a\nservice --><crossref_result><query_result/></crossref_result>",
              "Crossref", "search"),
    "6.xml": (("<resource xmlns='http://datacite.org/schema/kernel-4'><contributors></contributors>"
              "</resource>"), "DataCite", "search"),
    "7.xml": ("<records><record><accno>EJ1234567</accno></record></records>", "ERIC", "NBIB"),
    "8.xml": ("<records><rec resultID='1'><header shortDbName='a9h'/></rec></records>",
              "EBSCOhost", "RIS"),
    "9.xml": ("<dblp><article key='journals/x/Y' mdate='2020-01-01'/></dblp>", "DBLP", "BibTeX"),
    "10.xml": ("<eSearchResult><Count>1</Count></eSearchResult>", "PubMed's interface", "efetch"),
    "11.xml": (("<collection><record><datafield tag=\"003@\"><subfield code='0'>1</subfield>"
               "</datafield></record></collection>"), "PICA", "MARCXML"),
    "12.xml": ("<CitaviExchangeData/>", "Citavi", "Export"),
    "13.xml": ("<refworks><reference/></refworks>", "RefWorks", "RIS"),
    "14.xml": ("<feed xmlns='http://www.w3.org/2005/Atom'><entry/></feed>", "a feed", "RIS"),
    "15.xls": (("<?xml version='1.0'?>\n<?mso-application progid='Excel.Sheet'?>\n<Workbook "
               "xmlns='urn:schemas-microsoft-com:office:spreadsheet'/>"),
               "a workbook of Excel in XML", ".xlsx"),
    "16.rdf": ("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
               "RDF of another kind", "Zotero RDF"),
    "17.xml": ("<Export><Source>CNKI</Source></Export>", "the XML of CNKI", "RefWorks"),
    "18.xml": ("<zs:searchRetrieveResponse xmlns:zs='http://www.loc.gov/zing/srw/'/>",
               "a catalogue (SRU)", "mods"),
    "19.xml": ("<OAI-PMH><Identify/></OAI-PMH>", "a repository (OAI-PMH)", "marcxml"),
    "20.xml": ("<clinical_study><url>https://clinicaltrials.gov/</url></clinical_study>",
               "ClinicalTrials.gov", "CSV"),
    "21.ris": ("<?xml version='1.0'?><inventory><item/></inventory>",
               "its first element is <inventory>", "RIS"),
    "22.json": ('[{"key": "ABCD2345", "version": 3, "data": {"itemType": "book", "DOI": ""}}]',
                "Zotero's own interface", "CSL JSON"),
    "23.json": ('{"meta": {"count": 1}, "results": [{"doi": "10.1/x", "DOI": 1}]}',
                "the JSON of a service", "BibTeX"),
    "24.json": ('{"hitCount": 3, "resultList": {"result": []}}', "the JSON of a service", "search"),
    "25.html": ("<!DOCTYPE html><html><head><title>mud - Google Scholar</title></head></html>",
                "Google Scholar", "My library"),
    "26.xls": (('<html xmlns:x="urn:schemas-microsoft-com:office:excel"><table><tr><td>Title</td>'
               "</tr></table></html>"), "an HTML table under the name of an Excel file", ".xlsx"),
    "27.ris": ("\ufeff\n<!doctype html>\n<html lang='en'><head><title>Sign in</title></head>",
               "a web page (HTML), no export", "logged in"),
    "28.nbib": ("<div>429 Too Many Requests</div>", "a web page (HTML), no export", "logged in"),
    "29.mht": ("MIME-Version: 1.0\nContent-Type: multipart/related\n", "a saved web page", "RIS"),
    "30.bbl": ("\\begin{thebibliography}{9}\n\\bibitem{a} A. Byron, Mud, 2019.\n", ".bbl", ".bib"),
    "31.txt": ("Scopus\nEXPORT DATE: 12 March 2020\n\nByron A.\nMud\n", "Scopus", "CSV"),
    "32.txt": (("1. J Mud. 2020 Jan;3(2):4-5. doi: 10.1000/mud.\n\nMud in wells.\n\nByron A(1).\n\n"
               "PMID: 123456\n"), "PubMed writes for people", "the format PubMed"),
    "33.txt": ("1: Byron A, Smith J. Mud in wells. J Mud. 2020;3(2):4-5. PMID: 123456.\n",
               "PubMed writes for people", "the format PubMed"),
    "34.txt": ("12345678\n23456789\n", "a list of PMIDs", "PubMed"),
    "35.csv": ("10.1000/mud\nhttps://doi.org/10.1000/clay\n", "a list of PMIDs", "PubMed"),
    "36.txt": ("RECORD 1\n\nTITLE\nMud in wells\nAUTHOR NAMES\nByron A.\n", "Embase", "RIS"),
    "37.txt": ("Record: 1\n\nTitle:\nMud in wells\nAuthors:\nByron, A.\n", "EBSCOhost", "RIS"),
    "38.txt": ("_" * 60 + "\n\nReport Information from ProQuest\n", "ProQuest", "RIS"),
    "40.yaml": ("---\nreferences:\n- id: mud\n  title: Mud\n...\n", "CSL YAML", "CSL JSON"),
    "39.txt": ("Record #1 of 23\nID: CN-01234567\nAU: Byron A\nTI: Mud\n", "Cochrane", "RIS"),
}  # fmt: skip


@each("name", KINDS)
def test_what_is_not_read_is_named_with_advice(name: str) -> None:
    content, what, advice = KINDS[name]
    data = content if isinstance(content, bytes) else content.encode()

    with pytest.raises(FileFormatError) as caught:
        read_bytes(data, name)

    assert what in str(caught.value)
    assert advice in (caught.value.advice or "")


def test_every_kind_of_the_table_is_tried() -> None:
    named = []
    for name, (content, _, _) in KINDS.items():
        data = content if isinstance(content, bytes) else content.encode()
        with pytest.raises(FileFormatError) as caught:
            read_bytes(data, name)
        named.append(str(caught.value))

    untried = [one.what for one in foreign.FOREIGN if not any(one.what in text for text in named)]
    assert untried == []


@each(
    ("name", "text"),
    [
        ("a.html", f"<html><body><pre>\n{RIS}</pre></body></html>"),
        ("a.txt", f"Record #1 of 2\nProvider: X\n\n{RIS}"),
        ("a.xml", ('<OAI-PMH><record><metadata><mods xmlns="http://www.loc.gov/mods/v3"><titleInfo>'
         "<title>Mud in wells</title></titleInfo></mods></metadata></record></OAI-PMH>")),
        ("a.json", '[{"id": "1", "type": "book", "title": "Mud in wells"}]'),
        ("a.txt", "Title,PMID\nMud in wells,123456\n"),
    ],
)  # fmt: skip
def test_records_are_read_whatever_stands_around_them(name: str, text: str) -> None:
    """The formats that are read are tried before the signs that prove less."""
    reading = read_bytes(text.encode(), name)

    assert [record.title for record in reading.records] == ["Mud in wells"]


@each("form", ["ris", "csv", "bibtex", "csl-json"])
def test_the_format_that_the_user_names_is_tried_and_what_it_seems_to_be_is_told(form: str) -> None:
    page = "<!doctype html><html><body>Please sign in</body></html>"

    reading = read_bytes(page.encode(), "a.ris", format=form)

    assert not reading.records
    assert any("a web page (HTML)" in problem.message for problem in reading.problems)


def test_json_that_holds_no_work_is_told_to_be_of_an_unknown_kind() -> None:
    reading = read_bytes(b'{"response": {"docs": [{"wells": 3}]}}', "a.json")

    assert not reading.records
    assert any("JSON of an unknown kind" in problem.message for problem in reading.problems)


@each("name", ["marcxml", "endnote-xml", "mods"])
def test_a_file_of_ours_without_records_is_no_file_of_another_kind(name: str) -> None:
    reading = read_bytes(written(name, []), "a.xml")

    assert [problem.message for problem in reading.problems] == ["no record was found in it"]
