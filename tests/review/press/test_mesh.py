"""NLM's headings: their files, and the rules that know them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from metasearch.errors import UsageError
from metasearch.review.press.findings import Finding
from metasearch.review.press.mesh import Mesh, MeshHeading, installed_mesh, read_mesh
from metasearch.review.press.mesh_rules import mesh_rules
from metasearch.review.press.reading import read
from metasearch.review.press.rules import review
from tests.cases import each

ASCII = """\
*NEWRECORD
RECTYPE = D
MH = Myocardial Infarction
PRINT ENTRY = Myocardial Infarct|T047|NON|NRW|NLM (1990)
ENTRY = Heart Attack|T047|NON|EQV
ENTRY = Infarction, Myocardial
MN = C14.280.647.500
MN = C14.907.585.500
UI = D009203

*NEWRECORD
RECTYPE = D
MH = Anterior Wall Myocardial Infarction
MN = C14.280.647.500.093
UI = D056988

*NEWRECORD
RECTYPE = D
MH = Asthma
ENTRY = Bronchial Asthma|T047
MN = C08.127.108
UI = D001249
"""
XML = """\
<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "desc.dtd">
<DescriptorRecordSet LanguageCode="eng">
<DescriptorRecord DescriptorClass="1">
 <DescriptorName><String>Myocardial Infarction</String></DescriptorName>
 <TreeNumberList><TreeNumber>C14.280.647.500</TreeNumber>
  <TreeNumber>C14.907.585.500</TreeNumber></TreeNumberList>
 <ConceptList><Concept><TermList>
  <Term><String>Myocardial Infarction</String></Term>
  <Term><String>Myocardial Infarct</String></Term>
  <Term><String>Heart Attack</String></Term>
 </TermList></Concept></ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass="1">
 <DescriptorName><String>Anterior Wall Myocardial Infarction</String></DescriptorName>
 <TreeNumberList><TreeNumber>C14.280.647.500.093</TreeNumber></TreeNumberList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass="1">
 <DescriptorName><String>Asthma</String></DescriptorName>
 <TreeNumberList><TreeNumber>C08.127.108</TreeNumber></TreeNumberList>
 <ConceptList><Concept><TermList>
  <Term><String>Bronchial Asthma</String></Term>
 </TermList></Concept></ConceptList>
</DescriptorRecord>
</DescriptorRecordSet>
"""
CSV = "id,scheme,subject\nhttps://id.nlm.nih.gov/mesh/D001249,MeSH,Asthma\n"


def file_of(folder: Path, text: str) -> Path:
    path = folder / "headings"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def mesh(tmp_path: Path) -> Mesh:
    return read_mesh(file_of(tmp_path, ASCII))


def findings(mesh: Mesh, text: str, syntax: str) -> list[Finding]:
    strategy = read(text, syntax)
    return list(review(strategy, *mesh_rules(mesh)))


def told(mesh: Mesh, text: str, syntax: str, code: str) -> list[Finding]:
    """What is found of one code."""
    return [one for one in findings(mesh, text, syntax) if one.code == code]


@pytest.mark.parametrize("text", [ASCII, XML])
def test_both_of_nlms_formats_are_read(tmp_path: Path, text: str) -> None:
    """Names, synonyms and places in the tree."""
    mesh = read_mesh(file_of(tmp_path, text))
    infarction = mesh.names["heart attack"]

    assert infarction.name == "Myocardial Infarction"
    assert mesh.has_narrower(infarction)
    assert not mesh.has_narrower(mesh.headings["asthma"])
    assert mesh.is_below(mesh.headings["anterior wall myocardial infarction"], infarction)
    assert mesh.complete


def test_the_file_of_the_package_has_names_alone(tmp_path: Path) -> None:
    """So a heading that it lacks may be there all the same."""
    mesh = read_mesh(file_of(tmp_path, CSV))

    assert list(mesh.headings) == ["asthma"]
    assert not mesh.complete


@each(
    "text",
    [
        "",
        "no headings at all",
        "<html><body>404</body></html>",
        "<DescriptorRecordSet><DescriptorRecord>",
        "id,scheme,subject\n",
        '<!DOCTYPE a [<!ENTITY b "cccccccc">]><a>&b;&b;&b;</a>',
    ],
)
def test_other_files_are_refused_with_advice(text: str) -> None:
    """The error says what to take instead."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, pytest.raises(UsageError) as raised:
        read_mesh(file_of(Path(folder), text))

    assert "desc2026.xml" in str(raised.value.advice)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """Only regular files are read."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_mesh(tmp_path)


def test_without_the_package_there_is_no_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules that need one say nothing then."""
    monkeypatch.setattr("metasearch.review.press.mesh.find_spec", lambda name: None)

    assert installed_mesh() is None


@each(
    ("syntax", "text", "code", "right"),
    [
        ("pubmed", '"Heart Attack"[mh]', "entry-term", '"Myocardial Infarction"[mh]'),
        ("pubmed", '"Ashtma"[mh]', "unknown-heading", '"Asthma"[mh]'),
        ("cochrane", "[mh Ashtma]", "unknown-heading", "[mh Asthma]"),
        ("ovid", "exp Asthma/ or Heart Attack/", "entry-term",
         "exp Asthma/ or Myocardial Infarction/"),
        ("pubmed", '"Nonsense"[mh]', "unknown-heading", ""),
    ],
)  # fmt: skip
def test_headings_that_there_are_not_are_warnings(
    syntax: str, text: str, code: str, right: str
) -> None:
    """Their mend is the heading that is meant, if that can be known."""
    mesh = Mesh(_headings())
    [finding] = told(mesh, text, syntax, code)

    assert finding.severity == "warning"
    fix = finding.fix
    assert (text[: fix.start] + fix.replacement + text[fix.end :] if fix else "") == right


def _headings() -> dict[str, MeshHeading]:
    with TemporaryDirectory() as folder:
        return dict(read_mesh(file_of(Path(folder), ASCII)).headings)


@each(
    ("syntax", "text"),
    [
        ("embase", "'heart attack'/exp"),
        ("ovid", "exp heart attack/ or exp asthma/"),
        ("ovid", "exp Asthma/ or Gambling Harm/ or Betting Shops/ or Risk Taking/"),
        ("ebsco", 'DE "Reading Difficulties" OR DE "Peer Teaching"'),
    ],
)
def test_headings_of_other_vocabularies_are_left_alone(syntax: str, text: str) -> None:
    """Those of Emtree begin with small letters; others are mostly none of NLM's."""
    mesh = Mesh(_headings())

    assert told(mesh, text, syntax, "unknown-heading") == []
    assert told(mesh, text, syntax, "entry-term") == []


@each(
    ("syntax", "text", "right"),
    [
        ("ovid", "Myocardial Infarction/", "exp Myocardial Infarction/"),
        ("pubmed", '"Myocardial Infarction"[mh:noexp]', '"Myocardial Infarction"[mh]'),
        ("cochrane", '[mh ^"Myocardial Infarction"]', '[mh "Myocardial Infarction"]'),
        ("ebsco", '(MH "Myocardial Infarction")', '(MH "Myocardial Infarction+")'),
    ],
)
def test_a_heading_with_narrower_ones_is_offered_exploded(
    syntax: str, text: str, right: str
) -> None:
    """As each platform writes it."""
    [finding] = told(Mesh(_headings()), text, syntax, "narrower-headings")

    assert finding.severity == "hint"
    assert finding.fix is not None
    fix = finding.fix
    assert text[: fix.start] + fix.replacement + text[fix.end :] == right


@each(
    "text",
    ["exp Myocardial Infarction/", "Asthma/", "Anterior Wall Myocardial Infarction/"],
)
def test_a_heading_without_narrower_ones_is_right_alone(text: str) -> None:
    """And one that is exploded."""
    assert told(Mesh(_headings()), text, "ovid", "narrower-headings") == []


def test_words_that_have_a_heading_are_told(mesh: Mesh) -> None:
    """In a concept that has none."""
    text = "1 exp Asthma/\n2 asthma*.ti.\n3 1 or 2\n4 (heart attack or coronary).ti.\n5 3 and 4"
    found = [str(one.message) for one in told(mesh, text, "ovid", "missing-heading")]

    assert "heart attack has a heading: Myocardial Infarction" in found


def test_synonyms_of_a_heading_that_nothing_looks_for_are_told(mesh: Mesh) -> None:
    """Those whose words stand in no term."""
    text = '"Myocardial Infarction"[mh] OR infarct*[tiab]'
    [finding] = told(mesh, text, "pubmed", "missing-synonym")

    assert str(finding.message).endswith(": Myocardial Infarct; Heart Attack")


def test_words_of_the_vocabulary_are_not_misspelt(tmp_path: Path) -> None:
    """Also where they are one slip away from a usual one."""
    mesh = read_mesh(file_of(tmp_path, ASCII.replace("Bronchial Asthma", "Hypertenssion")))

    assert told(mesh, "hypertenssion[tiab]", "pubmed", "misspelling") == []
