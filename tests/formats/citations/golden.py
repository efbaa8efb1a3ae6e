"""Worked examples of GB/T 7714: a work, and its entry in the editions of 2015 and 2025."""

from __future__ import annotations

from typing import Any

from metasearch.record import Author, Record


def _record(*authors: Author, **fields: Any) -> Record:
    return Record(source="db", authors=authors, **fields)


WU, DOE = Author("Lin Wu", "Wu", "Lin"), Author("Jane Doe", "Doe", "Jane")

#: Name -> work, 2015, 2025. Online works were seen on 2026-01-02.
EXAMPLES: dict[str, tuple[Record, str, str]] = {
    "article in Chinese": (
        _record(
            *map(Author, ("王某", "李某", "张某", "赵某")),
            title="题名", venue="科学通报", year=2012, volume="55", issue="34", pages="32-39",
            type="article", language="zh",
        ),
        "王某, 李某, 张某, 等. 题名[J]. 科学通报, 2012, 55(34): 32-39.",
        "王某，李某，张某，等. 题名[J]. 科学通报，2012，55（34）：32-39.",
    ),
    "article in English, online": (
        _record(
            WU, DOE,
            title="Title", venue="Nature", year=2019, volume="1", issue="2", pages="3-4",
            type="article", language="en", url="https://a.org", doi="10.1/x",
        ),
        "WU L, DOE J. Title[J/OL]. Nature, 2019, 1(2): 3-4[2026-01-02]. https://a.org DOI:10.1/x.",
        "Wu L，Doe J. Title[J/OL]. Nature，2019，1（2）：3-4. https://a.org. DOI:10.1/x.",
    ),
    "book": (
        _record(
            Author("陈某"),
            title="书名：卷 1", edition="第2版", publisher="北京：中华书局", year=2000, pages="29",
            type="book",
        ),
        "陈某. 书名: 卷 1[M]. 2 版. 北京: 中华书局, 2000: 29.",
        "陈某. 书名：卷 1[M]. 2 版. 北京：中华书局，2000：29.",
    ),
    "chapter": (
        _record(
            Author("程某"),
            title="篇名", venue="书名", editors=(Author("许某"),), publisher="北京: 科学出版社",
            year=1999, pages="32-36", type="chapter",
        ),
        "程某. 篇名[M]//许某. 书名. 北京: 科学出版社, 1999: 32-36.",
        "程某. 篇名[M]//许某. 书名. 北京：科学出版社，1999：32-36.",
    ),
    "paper in proceedings": (
        _record(
            Author("李某"),
            title="题名", venue="某会议", year=2022, pages="2", type="conference-paper",
        ),
        "李某. 题名[C]//某会议. 2022: 2.",
        "李某. 题名[C]//某会议，2022：2.",
    ),
    "thesis": (
        _record(
            Author("王某"),
            title="题名", institution="武汉: 武汉大学", year=2022, pages="87", type="thesis",
        ),
        "王某. 题名[D]. 武汉: 武汉大学, 2022: 87.",
        "王某. 题名[D]. 武汉：武汉大学，2022：87.",
    ),
    "patent": (
        _record(
            Author("邓某"),
            title="名称", ids={"patent": "CN101106276A"}, date="2008-01-16", year=2008,
            type="patent",
        ),
        "邓某. 名称: CN101106276A[P]. 2008-01-16.",
        "邓某. 名称：CN101106276A[P]. 2008-01-16.",
    ),
    "standard": (
        _record(
            Author("某委员会", collective=True),
            title="信息与文献 资源描述", ids={"standard": "GB/T 3792—2021"}, year=2021,
            type="standard",
        ),
        "某委员会. 信息与文献 资源描述: GB/T 3792—2021[S]. 2021.",
        "GB/T 3792—2021 信息与文献 资源描述[S].",
    ),
    "report, online": (
        _record(
            Author("某中心", collective=True),
            title="题名", date="2012-01-16", year=2012, url="https://example.org/r",
            type="report",
        ),
        "某中心. 题名[R/OL]. (2012-01-16)[2026-01-02]. https://example.org/r.",
        "某中心. 题名[R/OL]. 2012-01-16. https://example.org/r.",
    ),
    "preprint": (
        _record(
            WU,
            title="Title", venue="arXiv", date="2012-03-18", year=2012, version="v2",
            url="https://arxiv.org/abs/1203.1", type="preprint", language="en",
        ),
        "WU L. Title[EB/OL]. arXiv, 2012[2026-01-02]. https://arxiv.org/abs/1203.1.",
        "Wu L. Title[PP/OL]. V2. arXiv（2012-03-18）[2026-01-02]. https://arxiv.org/abs/1203.1.",
    ),
    "dataset": (
        _record(
            Author("彭某"),
            title="题名", publisher="机构", date="2024-07-19", year=2024,
            url="https://example.org/d", type="dataset",
        ),
        "彭某. 题名[DS/OL]. 机构, 2024[2026-01-02]. https://example.org/d.",
        "彭某. 题名[DS/OL]. 机构（2024-07-19）[2026-01-02]. https://example.org/d.",
    ),
    "book in English": (
        _record(
            Author("Hiroo Kanamori", "Kanamori", "Hiroo"), WU, DOE,
            Author("Ann-Marie Ray", "Ray", "Ann-Marie"),
            title="Earthquakes: physics", edition="3rd edition", publisher="Springer", year=2011,
            type="book", language="en",
        ),
        "KANAMORI H, WU L, DOE J, et al. Earthquakes: physics[M]. 3rd ed. Springer, 2011.",
        "Kanamori H，Wu L，Doe J，et al. Earthquakes: physics[M]. 3rd ed. Springer，2011.",
    ),
}  # fmt: skip
