"""Registration numbers of trials in the answers of databases."""

from __future__ import annotations

import json
from dataclasses import replace

from metasearch.adapters.parse.compiler import compile_reader
from metasearch.adapters.parse.parse import parse, record_of
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import RecordReader
from metasearch.adapters.specs.registry import Registry
from metasearch.bib.field_limits import Cuts
from metasearch.record import Record
from metasearch.settings import Settings
from tests.cases import each

REGISTRY = Registry(Settings())
PUBMED = """<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>31234567</PMID><Article>
<ArticleTitle>Warm baths.</ArticleTitle>{}</Article></MedlineCitation></PubmedArticle>
</PubmedArticleSet>"""
BANKS = """<DataBankList>
<DataBank><DataBankName>ClinicalTrials.gov</DataBankName><AccessionNumberList>
<AccessionNumber>NCT03456789</AccessionNumber><AccessionNumber>NCT01112223</AccessionNumber>
</AccessionNumberList></DataBank>
<DataBank><DataBankName>EudraCT</DataBankName><AccessionNumberList>
<AccessionNumber>2009-012345-31</AccessionNumber></AccessionNumberList></DataBank>
<DataBank><DataBankName>GENBANK</DataBankName><AccessionNumberList>
<AccessionNumber>AB123456</AccessionNumber></AccessionNumberList></DataBank></DataBankList>"""
ABSTRACT = "<Abstract><AbstractText>{}</AbstractText></Abstract>"


def _record(source: str, body: str) -> Record:
    request = Request(source=source, url="http://a.example/x", wanted=10)
    (record,) = parse(Page(request=request, body=body.encode()), REGISTRY.spec(source)).records
    return record


def test_pubmed() -> None:
    assert _record("pubmed", PUBMED.format(BANKS)).ids == {
        "pmid": "31234567",
        "nct": "NCT03456789, NCT01112223",
        "eudract": "2009-012345-31",
    }


@each(
    ("abstract", "found"),
    [
        ("It works. Trial registration: NCT03456789.", {"nct": "NCT03456789"}),
        ("NCT03456789 did not work.", {}),
    ],
)
def test_an_abstract(abstract: str, found: dict[str, str]) -> None:
    record = _record("pubmed", PUBMED.format(ABSTRACT.format(abstract)))

    assert record.ids == {"pmid": "31234567"} | found


def test_crossref() -> None:
    numbers = [
        {"clinical-trial-number": "isrctn24680135", "registry": "10.18810/isrctn"},
        {"clinical-trial-number": "NCT03456789", "registry": "10.18810/clinical-trials-gov"},
    ]
    message = {"DOI": "10.1000/1", "title": ["Warm baths"], "clinical-trial-number": numbers}
    body = json.dumps({"status": "ok", "message-type": "work", "message": message})

    assert _record("crossref", body).ids == {"isrctn": "ISRCTN24680135", "nct": "NCT03456789"}


def test_clinical_trials() -> None:
    module = {
        "nctId": "NCT03456789",
        "briefTitle": "Warm baths",
        "secondaryIdInfos": [
            {"id": "2009-012345-31", "type": "EUDRACT_NUMBER"},
            {"id": "U01 CA012345", "type": "NIH"},
        ],
    }
    body = json.dumps({"studies": [{"protocolSection": {"identificationModule": module}}]})

    record = _record("clinicaltrials", body)
    assert record.ids == {"nct": "NCT03456789", "eudract": "2009-012345-31"}


def test_the_compiled_reader_finds_the_same() -> None:
    """Of a shape of which many records were read, a function is made."""
    spec = REGISTRY.spec("crossref")
    shape = next(late for late in spec.shapes if late.body == "json").shape()
    node = {
        "DOI": "10.1000/1",
        "title": ["Warm baths (ISRCTN24680135)"],
        "abstract": "Trial registration: NCT03456789.",
        "clinical-trial-number": [{"clinical-trial-number": "nct01112223"}],
    }
    read = compile_reader(shape)

    assert read is not None
    made = read(node, 1, "crossref", Cuts())
    by_attempts = replace(shape, reader=RecordReader())
    assert made == record_of(by_attempts, node, 1, spec, Cuts())
    assert isinstance(made, Record)
    assert made.ids == {"isrctn": "ISRCTN24680135", "nct": "NCT01112223, NCT03456789"}
