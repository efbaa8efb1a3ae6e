"""References in plain text, in the styles that people write."""

from __future__ import annotations

import datetime as dt
import textwrap
import unicodedata
from typing import Any

import pytest

from metasearch.demo.catalogue import CatalogueWork, works
from metasearch.formats.citations import STYLES
from metasearch.formats.reference import full_title, page_ranges
from metasearch.record import Author, Record
from metasearch.references import plain_text
from metasearch.references.reader import read_references

DAY = dt.date(2026, 11, 30)


def read(text: str) -> list[dict[str, Any]]:
    """The fields that were read of each reference of a list, authors by their family names."""
    found = []
    for reference in read_references(text.encode(), "list.txt").references:
        record = reference.record
        fields = {
            name: value
            for name in ("title", "year", "venue", "volume", "issue", "pages", "doi", "publisher")
            if (value := getattr(record, name))
        }
        fields["authors"] = [author.family or author.name for author in record.authors]
        found.append(fields)
    return found


JOURNAL = {
    "authors": ["Hochreiter", "Schmidhuber"],
    "title": "Long short-term memory",
    "year": 1997,
    "venue": "Neural Computation",
    "volume": "9",
    "issue": "8",
    "pages": "1735-1780",
}


@pytest.mark.parametrize(
    "text",
    [
        (
            "Hochreiter, S., & Schmidhuber, J. (1997). Long short-term memory. Neural Computation, "
            "9(8), 1735-1780."
        ),
        (
            "Hochreiter, S. and Schmidhuber, J., 1997. Long short-term memory. Neural Computation, "
            "9(8), pp.1735-1780."
        ),
        (
            "[1] S. Hochreiter and J. Schmidhuber, “Long short-term memory,” Neural Computation, "
            "vol. 9, no. 8, pp. 1735-1780, Nov. 1997."
        ),
        (
            "1. Hochreiter S, Schmidhuber J. Long short-term memory. Neural Computation. "
            "1997;9(8):1735-1780."
        ),
        (
            "[1] HOCHREITER S, SCHMIDHUBER J. Long short-term memory[J]. Neural Computation, 1997, "
            "9(8): 1735-1780."
        ),
        (
            "［1］Hochreiter S，Schmidhuber J．Long short-term memory[J]．Neural Computation，"
            "1997，9（8）：1735-1780．"
        ),
        (
            "HOCHREITER S,SCHMIDHUBER J.Long short-term memory[J].Neural Computation,1997,"
            "9(8):1735-1780."
        ),
        (
            "Hochreiter, S., Schmidhuber, J.: Long short-term memory. Neural Computation 9(8), "
            "1735-1780 (1997)"
        ),
        (
            "S. Hochreiter and J. Schmidhuber. Long short-term memory. Neural Computation, "
            "9(8):1735-1780, 1997."
        ),
        (
            "Hochreiter, S., and J. Schmidhuber. “Long short-term memory.” Neural Computation 9, "
            "no. 8 (1997): 1735-1780."
        ),
        (
            "Hochreiter S., Schmidhuber J. Long short-term memory // Neural Computation. 1997. "
            "V. 9. No 8. P. 1735-1780."
        ),
        (
            "\\bibitem{lstm}\nS.~Hochreiter and J.~Schmidhuber.\n"
            "\\newblock Long short-term memory.\n"
            "\\newblock {\\em Neural Computation}, 9(8):1735-1780, 1997."
        ),
        (
            "- Hochreiter, S., & Schmidhuber, J. (1997). Long short-term memory. *Neural "
            "Computation*, *9*(8), 1735-1780."
        ),
    ],
)
def test_one_article_in_many_styles(text: str) -> None:
    (found,) = read(text)
    assert {**found, "authors": [name.title() for name in found["authors"]]} == JOURNAL


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "刘国钧, 陈绍业. 图书馆目录[M]. 北京: 高等教育出版社, 1957: 15-18.",
            {"authors": ["刘国钧", "陈绍业"], "title": "图书馆目录", "year": 1957,
             "publisher": "高等教育出版社"},
        ),
        (
            "毛峡,丁玉宽.图像的情感特征分析及其和谐感评价[J].电子学报,2001,29(12A):1923-1927.",
            {"authors": ["毛峡", "丁玉宽"], "title": "图像的情感特征分析及其和谐感评价",
             "year": 2001, "venue": "电子学报", "volume": "29", "issue": "12A",
             "pages": "1923-1927"},
        ),
        (
            "张筑生. 微分半动力系统的不变集[D]. 北京: 北京大学数学系数学研究所, 1983.",
            {"authors": ["张筑生"], "title": "微分半动力系统的不变集", "year": 1983,
             "publisher": "北京大学数学系数学研究所"},
        ),
        (
            ("钟文发. 非线性规划的应用[C]//赵炜. 运筹学的理论与应用. 西安: 西安电子科技大学出版社, "
            "1996: 468-471."),
            {"authors": ["钟文发"], "title": "非线性规划的应用", "year": 1996,
             "venue": "运筹学的理论与应用", "pages": "468-471",
             "publisher": "西安电子科技大学出版社"},
        ),
        (
            ("I. Goodfellow, Y. Bengio, and A. Courville, Deep Learning. Cambridge, MA: MIT Press, "
            "2016."),
            {"authors": ["Goodfellow", "Bengio", "Courville"], "title": "Deep Learning",
             "year": 2016, "publisher": "MIT Press"},
        ),
        (
            ("Müller, K.-R., & van der Maaten, L. (2008). Visualizing data. J. Mach. Learn. Res., "
            "9, 2579–2605."),
            {"authors": ["Müller", "van der Maaten"], "title": "Visualizing data", "year": 2008,
             "venue": "J. Mach. Learn. Res", "volume": "9", "pages": "2579–2605"},
        ),
        (
            "Diederik P. Kingma and Jimmy Ba. Adam: A method. In ICLR, 2015.",
            {"authors": ["Diederik P. Kingma", "Jimmy Ba"], "title": "Adam: A method",
             "year": 2015, "venue": "ICLR"},
        ),
    ],
)  # fmt: skip
def test_other_works(text: str, fields: dict[str, Any]) -> None:
    assert read(text) == [fields]


@pytest.mark.parametrize(
    "text",
    [
        "Polack FP, Thomas SJ, et al. A vaccine. N Engl J Med. 2020;383(27):2603-15.",
        "Falk, G. et al. (2020) ‘A title’, Kites, 3(1), pp. 1–2.",
        "朱静, 杨晖, 高亚辉, 等. 基于模型的系统工程概述[J]. 航空发动机, 2016, 42(4): 12-16.",
        "Falk, G., Osei, K., … Zhou, Y. (2020). A title. Kites, 3(1), 1–2.",
    ],
)
def test_a_list_of_authors_that_is_not_whole_says_so(text: str) -> None:
    (reference,) = read_references(text.encode(), "list.txt").references
    assert not reference.all_authors
    assert reference.record.authors
    assert not any("…" in author.name or "等" in author.name for author in reference.record.authors)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("10.1038/NATURE14539", {"doi": "10.1038/nature14539"}),
        ("https://doi.org/10.1038/nature14539", {"doi": "10.1038/nature14539"}),
        ("doi: 10.1038/nature14539.", {"doi": "10.1038/nature14539"}),
        ("<https://doi.org/10.1038/nature14539>", {"doi": "10.1038/nature14539"}),
        (
            "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2",
            {"doi": "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"},
        ),
        ("PMID: 26017442", {"ids": {"pmid": "26017442"}}),
        ("https://pubmed.ncbi.nlm.nih.gov/26017442/", {"ids": {"pmid": "26017442"}}),
        ("PMC7745181", {"ids": {"pmcid": "PMC7745181"}}),
        ("arXiv:1706.03762v5 [cs.CL]", {"ids": {"arxiv": "1706.03762"}}),
        ("https://arxiv.org/abs/1706.03762", {"ids": {"arxiv": "1706.03762"}}),
        ("ISBN 978-0-262-03561-3", {"isbn": ("9780262035613",)}),
        ("W2741809807", {"ids": {"openalex": "W2741809807"}}),
        ("https://openalex.org/W2741809807", {"ids": {"openalex": "W2741809807"}}),
        ("Attention is all you need", {"title": "Attention is all you need"}),
    ],
)
def test_a_line_may_be_an_identifier_or_a_title(text: str, fields: dict[str, Any]) -> None:
    assert plain_text.parse(text) == (fields, True, "")


REFERENCES = [
    (
        "Hing N, Breen H, Gordon A, Russell A. Gambling harms and gambling help-seeking amongst "
        "indigenous Australians. J Gambl Stud. 2014;30(3):737-55. doi: 10.1007/s10899-013-9388-3."
    ),
    (
        "Johnstone P, Regan M. Gambling harm is everybody's business: a public health approach and "
        "call to action. Public Health. 2020;184:63-6."
    ),
    "Volberg RA. Banking transactions and gambling harms. Nat Hum Behav. 2021;5(3):303-4.",
]
WRAPPED = [textwrap.wrap(text, 70) for text in REFERENCES]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(REFERENCES),
        "\n\n".join(REFERENCES),
        "\n".join(f"[{n}] {text}" for n, text in enumerate(REFERENCES, 1)),
        "\n".join(f"{n}. " + "\n".join(lines) for n, lines in enumerate(WRAPPED, 1)),
        "\n".join(f"({n}) " + "\n   ".join(lines) for n, lines in enumerate(WRAPPED, 1)),
        "\n".join("\n    ".join(lines) for lines in WRAPPED),
        "\n\n".join("\n".join(lines) for lines in WRAPPED),
        "A paper.\n\n## References\n\n" + "\n".join(f"- {text}" for text in REFERENCES),
    ],
)
def test_where_references_begin(text: str) -> None:
    assert [one.text for one in read_references(text.encode(), "x.md").references] == REFERENCES


def test_what_belongs_to_no_reference_is_told_with_its_line() -> None:
    text = f"A paper.\n\nReferences\n[1] {REFERENCES[0]}\n# Appendix\nMore."
    found = read_references(text.encode(), "x.txt")
    assert [(one.line, one.message) for one in found.problems] == [
        (1, 'this line belongs to no reference: "A paper."'),
        (5, 'this line belongs to no reference: "# Appendix"'),
        (6, 'this line belongs to no reference: "More."'),
    ]


# What our writers of citations print comes back.


def _record(work: CatalogueWork) -> Record:
    authors = tuple(
        Author(name=f"{given} {family}".strip(), family=family if given else None, given=given)
        for family, given in work.authors
    )
    return Record(
        source="demo", title=work.title, subtitle=work.subtitle, authors=authors, year=work.year,
        venue=work.venue, publisher=work.publisher, place=work.place, volume=work.volume,
        issue=work.issue, pages=work.pages, doi=work.doi, type=work.type, language=work.language,
    )  # fmt: skip


def _letters(text: str | None) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", text or "").casefold()))


def _wrong(record: Record, found: Record) -> set[str]:
    """Fields that say something else than what was written."""
    pages = (found.pages or "").replace("–", "-").replace("+", ",")
    differ = {
        "title": _letters(full_title(record)) != _letters(found.title),
        "year": found.year != record.year,
        "venue": _letters(found.venue) not in ("", _letters(record.venue)),
        "volume": found.volume not in (None, record.volume),
        "issue": found.issue not in (None, record.issue),
        "pages": bool(found.pages) and page_ranges(record.pages) != page_ranges(pages),
        "doi": found.doi != (record.doi or None),
        "authors": not found.authors
        or any(
            _letters(one.family or one.name) not in _letters(f"{other.family}{other.name}")
            and _letters(one.name) != _letters((other.family or "") + (other.given or ""))
            for one, other in zip(found.authors, record.authors, strict=False)
        ),
    }
    return {name for name, differs in differ.items() if differs}


@pytest.mark.parametrize("style", STYLES)
def test_what_our_writers_print_comes_back(style: str) -> None:
    records = [_record(work) for work in works()[::4]]
    text = "\n".join(
        f"{STYLES[style].label.format(number=number)}{STYLES[style].citation(record, DAY)}"
        for number, record in enumerate(records, 1)
    )
    found = [one.record for one in read_references(text.encode(), "list.txt").references]
    assert len(found) == len(records)
    wrong = [_wrong(*both) for both in zip(records, found, strict=True)]
    assert sum(map(bool, wrong)) <= len(records) // 50, list(filter(None, wrong))


@pytest.mark.parametrize(
    ("text", "works"),
    [
        ("10.1000/a, 10.1000/b; 10.1000/c", 3),
        ("10.1000/a 10.1000/b\n10.1000/c", 3),
        ("PMID 12, PMID 34", 2),
        ("W123 W456", 2),
        ("2001.01234\t2002.01234v2", 2),
        ("10.1000/a https://doi.org/10.1000/a", 1),
        ("10.1000/a PMID: 12", 1),
        ("ISBN 9780306406157, ISBN 9783161484100", 1),
        ("1234567890 1234567890", 1),
        ("10.1002/(sici)1097-0258(19980815)17:15<1661::aid-sim968>3.0.co;2-#", 1),
    ],
)
def test_identifiers_of_one_kind_side_by_side_are_of_several_works(text: str, works: int) -> None:
    """Those of several kinds are of one, and so are ISBNs: a book has several."""
    found = read_references(text.encode(), "list.txt").references
    assert len(found) == works
    assert all(one.record.doi or one.record.ids or one.record.isbn or one.problem for one in found)


def test_bare_numbers_are_pmids() -> None:
    """If a list holds nothing else, as PubMed exports one."""
    found, other = (
        read_references(text, "list.txt").references for text in (b"12345678\n9", b"12345678\n???")
    )
    assert [one.record.ids for one in found] == [{"pmid": "12345678"}, {"pmid": "9"}]
    assert all(one.problem for one in other)
