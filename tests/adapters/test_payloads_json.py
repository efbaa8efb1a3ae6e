"""Real answers of the sources that speak JSON, file by file: how many records each holds, what the first one says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metasearch import errors
from metasearch.adapters.parse import Parsed, parse
from metasearch.adapters.registry import Registry
from metasearch.adapters.request import Page, Request
from metasearch.settings import Settings

pytestmark = pytest.mark.shared
REGISTRY = Registry(Settings())

#: File -> records that can be read in it, or the error that it is.
OUTCOMES: dict[str, int | type[errors.SourceError]] = {
    "crossref/10-17705-1cais-04607.json": 1,
    "crossref/crossref-by-id.json": 1,
    "crossref/crossref-import-nil.json": 0,
    "crossref/crossref-orcid.json": 10,
    "crossref/crossref-schema-4-6-values.xml": 1,
    "crossref/crossref-works-single.json": 1,
    "crossref/crossref.xml": 1,
    "crossref/err400-works-sample-200.json": errors.SourceSaysError,
    "crossref/err404-works-query-widget-cursor-thing.json": errors.SourceSaysError,
    "crossref/err500-works-cursor-5.json": errors.SourceSaysError,
    "crossref/journals-rows-1.json": errors.NotParsable,  # journals and members are no works
    "crossref/members-query-ecology.json": errors.NotParsable,
    "crossref/test-2-abstract.json": 1,
    "crossref/test-3-conference.json": 1,
    "crossref/test-5-aps-article-number.json": 1,
    "crossref/works-10-1016-j-semcdb-2016-08-024-mailto-redacted.json": 1,
    "crossref/works-10-1101-2024-04-01-587366-mailto-redacted.json": 1,
    "crossref/works-cursor-filter-reference-visibility-open-has-references.json": 0,
    "crossref/works-filter-from-update-date-2015-04-07-until-update-date-2.json": 0,
    "crossref/works-filter-type-book-chapter-type-book-part-type-book-sect-2.json": 20,
    "crossref/works-filter-type-book-chapter-type-book-part-type-book-sect-3.json": 20,
    "crossref/works-filter-type-book-chapter-type-book-part-type-book-sect-4.json": 20,
    "crossref/works-filter-type-book-chapter-type-book-part-type-book-sect.json": 20,
    "crossref/works-filter-type-book-type-book-set-type-edited-book-type-m-2.json": 20,
    "crossref/works-filter-type-book-type-book-set-type-edited-book-type-m.json": 20,
    "crossref/works-query-ecology-rows-2.json": 2,
    "openalex/openalex-person-single.json": errors.NotParsable,  # a person is no work
    "openalex/openalex-publication-by-author-id.json": 1,
    "openalex/openalex-publication-single.json": 1,
    "openalex/sample-response.json": 15,
    "openalex/works-filter-title-search-effect-of-native-oxide-layers-on-c.json": 1,
    "openalex/works-https-doi-org-10-1021-acs-jctc-5b00178-select-open-acc.json": 1,
    "openalex/works-https-doi-org-10-1023-a-1007154515475.json": 1,
    "openalex/works-https-doi-org-10-1093-nar-gkw1164-select-open-access-d.json": 1,
    "europepmc/europe-pmc-nil.json": 0,
    "europepmc/europe-pmc.json": 23,
    "europepmc/europepmc-webservices-rest-med-15723116-citations-19-json.json": 25,
    "europepmc/europepmc-webservices-rest-search-query-ext-id-17183658-form.json": 1,
    "europepmc/europepmc-webservices-rest-search-query-https-github-com-naj-2.json": 25,
    "europepmc/europepmc-webservices-rest-search-query-https-github-com-naj-3.json": 25,
    "europepmc/europepmc-webservices-rest-search-query-https-github-com-pym.json": 0,
    "europepmc/pubmedeurope-empty.xml": 0,
    "semanticscholar/bulk-search-response.json": 50,
    "semanticscholar/err400-recommendations-v1-papers-fields-title-limit-100.json": errors.SourceSaysError,
    "semanticscholar/err404-graph-v1-paper-0-fields-t-i-t-l-e.json": errors.SourceSaysError,
    "semanticscholar/graph-v1-paper-corpusid-14514057-citations-fields-title-offs-2.json": 100,
    "semanticscholar/graph-v1-paper-corpusid-14514057-citations-fields-title-offs.json": 100,
    "semanticscholar/graph-v1-paper-doi-10-1063-1-4938384-fields-authors-citation.json": 1,
    "semanticscholar/graph-v1-paper-search-bulk-query-kubernetes-sort-citationcou.json": 1000,
    "semanticscholar/graph-v1-paper-search-match-query-augmenting-large-language.json": 1,
    "semanticscholar/graph-v1-paper-search-match-query-effect-of-native-oxide-lay.json": 1,
    "semanticscholar/graph-v1-paper-search-query-turing-publicationdateoryear-202.json": 100,
    "semanticscholar/graph-v1-paper-search-query-turing-year-1936-1937-fields-yea.json": 47,
    "dblp/example-dblp-article.xml": 1,
    "dblp/example-dblp.xml": 4,  # and a home page, which is no work
    "dblp/search-publ-api-q-test-format-json.json": 30,
    "doaj/api-v1-search-articles-anti-war-bibjson-author-name-caffentz.json": 1,
    "doaj/api-v1-search-articles-breast-cancer-patients-with-lobular-c.json": 1,
    "doaj/api-v1-search-articles-id-no-such-id-pagesize-10.json": 0,
    "doaj/api-v2-journals-9abfb36b06404e8a8566e1a44180bbdc.json": errors.NotParsable,  # journals are no articles
    "doaj/api-v2-search-journals-bibjson-keywords-heritage-page-1-page.json": errors.NotParsable,
    "doaj/api-v2-search-journals-journal-page-1-pagesize-30-sort-bibjs.json": errors.NotParsable,
    "doaj/example-doaj-articles.jsonl": 5,
    "datacite/activities-page-size-10-page-number-1.json": errors.NotParsable,  # what was done to works, not works
    "datacite/datacite-doc-06.json": 1,
    "datacite/datacite-doc-07.json": 1,
    "datacite/datacite-noresults.json": 0,
    "datacite/datacite-test.json": 1,
    "datacite/dataciteproject-test.json": 1,
    "datacite/dois-10-14457-kmitl-res-2006-17-include-media-client.json": 1,
    "datacite/dois-10-21233-n34n5q-include-media-client.json": 1,
    "datacite/err404-dois-10-4124-05f6c379-dd68-4cdb-880d-33d3e9576d52-1-include.json": errors.SourceSaysError,
}

#: File -> what its first record says, read by eye. "authors" names the first ones; "abstract" is how it begins.
FIRST: dict[str, dict[str, Any]] = {
    "crossref/10-17705-1cais-04607.json": {
        "title": "A Knowledge Development Perspective on Literature Reviews: "
        "Validation of a new Typology in the IS Field",
        "authors": ["Guido Schryen", "Paderborn University", "Gerit Wagner"],
        "year": 2021,
        "venue": "Communications of the Association for Information Systems",
        "publisher": "Association for Information Systems",
        "volume": "49",
        "issue": "1",
        "pages": "134-186",
        "doi": "10.17705/1cais.04607",
        "issn": ("1529-3181",),
        "type": "article",
        "citations": 10,
    },
    "crossref/test-3-conference.json": {
        "title": "DL-Learner Structured Machine Learning on Semantic Web Data",
        "authors": ["Lorenz Bühmann", "Jens Lehmann", "Patrick Westphal", "Simon Bin"],
        "year": 2018,
        "date": "2018",
        "doi": "10.1145/3184558.3186235",
        "isbn": ("9781450356404",),
        "type": "conference-paper",
    },
    "crossref/test-5-aps-article-number.json": {
        "title": "Toy model for local and deterministic wave-function collapse",
        "authors": ["Sandro Donadi", "Sabine Hossenfelder"],
        "year": 2022,
        "venue": "Physical Review A",
        "volume": "106",
        "issue": "2",
        "pages": "022212",
        "doi": "10.1103/physreva.106.022212",
        "issn": ("2469-9926", "2469-9934"),
    },
    "crossref/works-10-1101-2024-04-01-587366-mailto-redacted.json": {
        "title": "High-throughput screening of human genetic variants by pooled prime editing",
        "date": "2024-04-01",
        "venue": "bioRxiv",
        "type": "preprint",
        "abstract": "Understanding the effects",
    },
    "crossref/crossref-works-single.json": {
        "authors": ["Marcelo D. Radicioni", "Carlos G. Diaz"],
        "year": 1998,
        "venue": "International Journal of Quantum Chemistry",
        "pages": "261-272",
        "doi": "10.1002/(sici)1097-461x(1998)66:4<261::aid-qua1>3.0.co;2-t",
        "language": "fr",
    },
    "crossref/crossref.xml": {
        "title": "Automated quantitative histology reveals vascular morphodynamics "
        "during Arabidopsis hypocotyl secondary growth",
        "authors": ["Martial Sankar", "Kaisa Nieminen", "Laura Ragni", "Ioannis Xenarios", "Christian S Hardtke"],
        "date": "2014-02-11",
        "venue": "eLife",
        "volume": "3",
        "pages": "e01567",
        "doi": "10.7554/elife.01567",
        "issn": ("2050-084X",),
        "abstract": "Among various advantages",
        "citations": 13,
    },
    "crossref/crossref-schema-4-6-values.xml": {
        "authors": ["Minerva Housecat", "Josiah Carberry"],
        "date": "2018-08-13",
        "venue": "Journal of Metadata Perfection",
        "volume": "5",
        "issue": "11",
        "pages": "1-3",
        "doi": "10.32013/4859104",
    },
    "openalex/openalex-publication-single.json": {
        "title": "PROTEIN MEASUREMENT WITH THE FOLIN PHENOL REAGENT",
        "authors": ["OliverH. Lowry", "NiraJ. Rosebrough", "A. Farr", "RoseJ. Randall"],
        "date": "1951-11-01",
        "venue": "Journal of Biological Chemistry",
        "volume": "193",
        "issue": "1",
        "pages": "265-275",
        "doi": "10.1016/s0021-9258(19)52451-6",
        "ids": {"openalex": "W1775749144", "mag": "1775749144", "pmid": "14907713"},
        "abstract": "Since 1922 when Wu proposed",
    },
    "openalex/works-https-doi-org-10-1023-a-1007154515475.json": {
        "authors": ["Subrata Adak", "Debasish Bandyopadhyay", "Uday Bandyopadhyay", "Ranajit K. Banerjee"],
        "year": 2001,
        "date": "2001",  # "2001-01-01" is how OpenAlex writes a mere year
        "issue": "1/2",
        "pages": "1-11",
        "doi": "10.1023/a:1007154515475",
        "abstract": None,
    },
    "openalex/sample-response.json": {
        "authors": ["Janpha Thadphoothon"],
        "date": "2022-12-31",
        "venue": "Journal of NELTA",
        "pages": "202-212",
        "doi": "10.3126/nelta.v27i1-2.53203",
        "issn": ("2091-0487",),
        "pdf_url": "https://www.nepjol.info/index.php/NELTA/article/download/53203/39849",
    },
    "openalex/works-https-doi-org-10-1093-nar-gkw1164-select-open-access-d.json": {
        "title": "",
        "doi": "10.1093/nar/gkw1164",
    },
    "europepmc/europe-pmc.json": {
        "title": "The transient receptor potential vanilloid-1 channel in thermoregulation: a thermosensor it is not",
        "authors": ["AA Romanovsky", "MC Almeida", "A Garami"],
        "year": 2009,
        "venue": "Pharmacol. Rev.",
        "volume": "61",
        "issue": "3",
        "pages": "228-261",
        "ids": {"pmid": "19749171"},
        "citations": 31,
    },
    "europepmc/europepmc-webservices-rest-search-query-ext-id-17183658-form.json": {
        "authors": ["M Ralser", "G Heeren", "M Breitenbach", "H Lehrach", "S Krobitsch"],
        "year": 2006,
        "venue": "PLoS One",
        "volume": "1",
        "issue": "1",
        "pages": "e30",
        "doi": "10.1371/journal.pone.0000030",
        "ids": {"pmid": "17183658", "pmcid": "PMC1762313"},
        "issn": ("1932-6203",),
        "type": "article",
        "url": "https://europepmc.org/article/MED/17183658",
    },
    "europepmc/europepmc-webservices-rest-med-15723116-citations-19-json.json": {
        "title": "The evolving role of microRNAs in animal gene expression",
        "authors": ["KB Massirer", "AE Pasquinelli"],
        "venue": "Bioessays",
        "ids": {"pmid": "16615087"},
        "type": "review",
    },
    "semanticscholar/bulk-search-response.json": {
        "title": "Auxiliary Stacked Denoising Autoencoder based Collaborative Filtering Recommendation",
        "authors": ["Ruihui Mu", "Xiaoqin Zeng"],
        "date": "2020-06-30",
        "venue": "KSII Transactions on Internet and Information Systems",
        "volume": "14",
        "pages": "2310-2332",
        "doi": "10.3837/tiis.2020.06.001",
        "type": "article",
        "citations": 8,
        "pdf_url": None,  # what it gives is the DOI
    },
    "semanticscholar/graph-v1-paper-search-match-query-augmenting-large-language.json": {
        "title": "Augmenting large language models with chemistry tools",
        "authors": ["Andrés M Bran", "Sam Cox"],
        "doi": "10.1038/s42256-024-00832-8",
        "ids": {
            "s2": "354dcdebf3f8b5feeed5c62090e0bc1f0c28db06",
            "corpusid": "258059792",
            "arxiv": "2304.05376",
            "pmid": "38799228",
            "pmcid": "PMC11116106",
            "dblp": "journals/natmi/BranCSBWS24",
        },
    },
    "semanticscholar/graph-v1-paper-doi-10-1063-1-4938384-fields-authors-citation.json": {
        "authors": ["Michael Skarlinski", "D. Quesnel"],
        "date": "2015-12-21",
        "venue": "Journal of Applied Physics",
        "volume": "118",
        "pages": "235306",
        "doi": "10.1063/1.4938384",
    },
    "semanticscholar/graph-v1-paper-corpusid-14514057-citations-fields-title-offs.json": {
        "title": "The Role of Engineering Skills in Development.",
        "source_id": "4887713619387d746baf245d506b456e59fe8d1b",
    },
    "dblp/search-publ-api-q-test-format-json.json": {
        "title": "A Test Cost Reduction Method by Test Response and Test Vector Overlapping "
        "for Full-Scan Test Architecture",
        "authors": ["Tsuyoshi Shinogi", "Hiroyuki Yamada", "Terumine Hayashi", "Shinji Tsuruoka", "Tomohiro Yoshikawa"],
        "year": 2005,
        "venue": "Asian Test Symposium",
        "pages": "366-371",
        "doi": "10.1109/ats.2005.17",
        "ids": {"dblp": "conf/ats/ShinogiYHTY05"},
        "type": "conference-paper",
    },
    "dblp/example-dblp-article.xml": {
        "title": "Jim Gray, astronomer",
        "authors": ["Alexander S. Szalay", "Michael H. Böhlen", "Nicolas Heist", "Jens Lehmann"],
        "year": 2008,
        "venue": "Commun. ACM",
        "volume": "51",
        "issue": "11",
        "pages": "58-65",
        "doi": "10.1145/1400214.1400231",
        "type": "article",
    },
    "dblp/example-dblp.xml": {
        "title": "PIM Meets Web 2.0",
        "authors": ["Moira C. Norrie", "Michael H. Böhlen"],
        "year": 2008,
        "venue": "ER",
        "pages": "15-25",
        "doi": None,  # the link is broken, and its first half is the DOI of the whole book
        "ids": {"dblp": "conf/er/Norrie08"},
    },
    "doaj/api-v1-search-articles-anti-war-bibjson-author-name-caffentz.json": {
        "authors": ["George Caffentzis"],
        "year": 2003,
        "venue": "Revista Theomai",
        "issue": "7",
        "issn": ("1666-2830", "1515-6443"),
        "language": None,  # five languages of the journal say nothing about the article
        "url": "http://www.redalyc.org/articulo.oa?id=12400710",
    },
    "doaj/api-v1-search-articles-breast-cancer-patients-with-lobular-c.json": {
        "authors": ["Ellberg Carolina", "Olsson Håkan"],
        "date": "2011-11",
        "venue": "BMC Cancer",
        "publisher": "BioMed Central",
        "volume": "11",
        "issue": "1",
        "pages": "497",
        "doi": "10.1186/1471-2407-11-497",
        "issn": ("1471-2407",),
        "language": "en",
        "abstract": "Background The association",
    },
    "doaj/example-doaj-articles.jsonl": {
        "title": "Effect of hydrogen on tensile properties and fracture behavior of PH 13-8 Mo steel",
        "authors": ["Xinfeng Li", "Jin Zhang", "Yanfei Wang", "Sicong Shen", "Xiaolong Song"],
        "date": "2016-10",
        "venue": "Materials & Design",
        "volume": "108",
        "issue": None,
        "pages": "608-617",
        "doi": "10.1016/j.matdes.2016.06.110",
    },
    "datacite/datacite-test.json": {
        "title": "Mathematical Proof Between Generations",
        "authors": ["Jonas Bayer", "Christoph Benzmüller", "Kevin Buzzard"],
        "year": 2022,
        "publisher": "arXiv",
        "doi": "10.48550/arxiv.2207.04779",
        "ids": {"arxiv": "2207.04779"},
        "type": "preprint",
        "url": "https://arxiv.org/abs/2207.04779",
        "abstract": "A proof is one of",
    },
    "datacite/datacite-doc-07.json": {
        "authors": ["E. ROTHUIZEN", "B. ELMEGAARD", "B. MARKUSSEN W."],
        "year": 2015,
        "publisher": "International Institute of Refrigeration (IIR)",
        "doi": "10.18462/iir.icr.2015.0926",
        "type": "dataset",
        "language": "en",
    },
    "datacite/dois-10-21233-n34n5q-include-media-client.json": {
        "title": "Nueltin Lake Site 1 pollen surface sample dataset",
        "authors": ["John T. Andrews"],
        "year": 2017,
        "publisher": "Neotoma Paleoecological Database",
        "doi": "10.21233/n34n5q",
        "type": "dataset",
        "keywords": ("Paleoecology",),
    },
    "datacite/dois-10-14457-kmitl-res-2006-17-include-media-client.json": {
        "authors": ["กัญจนา แซ่เตียว"],
        "year": None,  # 2549 of the Buddhist era
        "doi": "10.14457/kmitl.res.2006.17",
    },
}


def answer(shared: Path, name: str) -> Parsed:
    source = name.partition("/")[0]
    path = shared / "data" / "payloads" / name
    request = Request(source=source, url=f"https://{source}.example.org/", size=1000, wanted=1000)
    return parse(Page(request=request, body=path.read_bytes()), REGISTRY.spec(source))


@pytest.mark.parametrize("name", OUTCOMES)
def test_outcome(shared: Path, name: str) -> None:
    """Each file gives exactly its records, or the error that it is; no record is left unread."""
    expected = OUTCOMES[name]
    if not isinstance(expected, int):
        with pytest.raises(expected):
            answer(shared, name)
        return
    parsed = answer(shared, name)

    assert expected == len(parsed.records)
    assert () == parsed.unread


@pytest.mark.parametrize("name", FIRST)
def test_first_record(shared: Path, name: str) -> None:
    """The first record says what the file says, as read by eye."""
    record, expected = answer(shared, name).records[0], dict(FIRST[name])
    names, begins = expected.pop("authors", []), expected.pop("abstract", "")

    assert names == [author.name for author in record.authors][: len(names)]
    assert (record.abstract or "").startswith(begins) if begins is not None else record.abstract is None
    assert expected == {field: getattr(record, field) for field in expected}


@pytest.mark.parametrize("source", sorted({name.partition("/")[0] for name in OUTCOMES}))
def test_every_file_is_here(shared: Path, source: str) -> None:
    """No file of these sources is forgotten."""
    files = {f"{source}/{path.name}" for path in (shared / "data" / "payloads" / source).iterdir()}

    assert files == {name for name in OUTCOMES if name.startswith(f"{source}/")}


@pytest.mark.parametrize("name", [name for name, outcome in OUTCOMES.items() if outcome and isinstance(outcome, int)])
def test_plain_text(shared: Path, name: str) -> None:
    """Nothing that is shown holds markup, entities, control characters or white space at its ends."""
    for record in answer(shared, name).records:
        shown = [record.title, record.subtitle, record.venue, record.publisher, record.abstract, *record.keywords]
        shown += [author.name for author in record.authors]
        for text in filter(None, shown):
            assert text == text.strip()
            assert text.isprintable()
            assert not any(mark in text for mark in ("<i>", "<p>", "</", "<jats:", "&amp;", "&lt;", "&#"))


def test_field_coverage(shared: Path) -> None:
    """Fields that a list of works carries are read in each of its records, not only in the first."""
    chapters = answer(shared, "crossref/works-filter-type-book-chapter-type-book-part-type-book-sect-3.json").records
    papers = answer(shared, "semanticscholar/bulk-search-response.json").records
    articles = answer(shared, "europepmc/europepmc-webservices-rest-search-query-https-github-com-naj-2.json").records

    assert all(r.title and r.year and r.doi and r.venue and r.publisher for r in chapters)
    assert 19 == sum(1 for r in chapters if r.isbn)
    assert all(r.title and r.year and r.ids["corpusid"] for r in papers)
    assert 48 == sum(1 for r in papers if r.authors)
    assert all(r.title and r.authors and r.year and r.venue and r.issn and r.ids["pmid"] for r in articles)
