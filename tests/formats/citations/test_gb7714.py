"""Citations after GB/T 7714, held against worked examples."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from metasearch.errors import UsageError
from metasearch.formats import WRITABLE
from metasearch.formats import write as write_answer
from metasearch.formats.citations import DEFAULT_STYLE, STYLES
from metasearch.formats.citations.gb7714 import citation_2015, citation_2025
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.citations.golden import EXAMPLES
from tests.formats.exported import hits_of
from tests.formats.samples import MERGED, answer

SEEN = dt.date(2026, 1, 2)


@each("name", EXAMPLES)
def test_worked_examples(name: str) -> None:
    record, old, new = EXAMPLES[name]

    assert citation_2015(record, SEEN) == old
    assert citation_2025(record, SEEN) == new


BOOK = EXAMPLES["book"][0]


@each(
    ("given", "printed"),
    [
        ("1", ""),
        ("第一版", ""),
        ("First edition", ""),
        ("2", " 2 版."),
        ("第三版", " 3 版."),
        ("4th ed.", " 4 版."),
        ("修订版", " 修订版."),
        (None, ""),
    ],
)
def test_editions(given: str | None, printed: str) -> None:
    """The first is never printed, and what is no number stays as it is."""
    shown = citation_2025(replace(BOOK, edition=given), SEEN)

    assert shown == f"陈某. 书名：卷 1[M].{printed} 北京：中华书局，2000：29."


@each(("number", "ending"), [(2, "nd"), (3, "rd"), (11, "th"), (21, "st")])
def test_editions_in_english(number: int, ending: str) -> None:
    record = replace(EXAMPLES["book in English"][0], edition=f"{number}")

    assert f" {number}{ending} ed. " in citation_2015(record, SEEN)


def test_the_language_of_the_work_decides() -> None:
    """Chinese authors of a work in English get "et al", and the other way round."""
    names = tuple(map(Author, ("王某", "李某", "张某", "赵某")))
    english = Record(source="db", title="On lakes", authors=names, language="en", type="book")

    assert citation_2025(english, SEEN).startswith("王某，李某，张某，et al. ")
    assert citation_2015(replace(english, language=None, title="论湖泊"), SEEN).startswith(
        "王某, 李某, 张某, 等. "
    )


def test_names() -> None:
    """Chinese ones are closed up, Western ones have initials without stops, bodies are whole."""
    authors = (
        Author("王 小明", "王", "小明"),
        Author("J.-P. van der Berg", "van der Berg", "J.-P."),
        Author("World Health Organization", collective=True),
    )
    record = Record(source="db", title="Lakes", authors=authors, type="book")

    assert citation_2015(record, SEEN) == (
        "王小明, VAN DER BERG J P, World Health Organization. Lakes[M]."
    )
    assert citation_2025(record, SEEN) == (
        "王小明，van der Berg J P，World Health Organization. Lakes[M]."
    )


def test_a_suffix_has_no_full_stop() -> None:
    """As the initials before it have none."""
    authors = (
        Author("Ada Roe Jr.", "Roe", "Ada", suffix="Jr."),
        Author("Max Lund III", "Lund", "Max", suffix="III"),
    )
    record = Record(source="db", title="Lakes", authors=authors, type="book")

    assert citation_2015(record, SEEN) == "ROE A Jr, LUND M III. Lakes[M]."
    assert citation_2025(record, SEEN) == "Roe A Jr，Lund M III. Lakes[M]."


@each(
    ("fields", "old", "new"),
    [
        (
            {"place": "昆明", "publisher": "湖畔出版社", "edition": "2"},
            "阿拉贡. 湖泊[M]. 李乙, 赵丁, 译. 2 版. 昆明: 湖畔出版社, 1990.",
            "阿拉贡. 湖泊[M]. 李乙，赵丁，译. 2 版. 昆明：湖畔出版社，1990.",
        ),
        (
            {"place": "昆明"},
            "阿拉贡. 湖泊[M]. 李乙, 赵丁, 译. 昆明, 1990.",
            "阿拉贡. 湖泊[M]. 李乙，赵丁，译. 昆明，1990.",
        ),
        (
            {"publisher": "昆明：湖畔出版社"},
            "阿拉贡. 湖泊[M]. 李乙, 赵丁, 译. 昆明: 湖畔出版社, 1990.",
            "阿拉贡. 湖泊[M]. 李乙，赵丁，译. 昆明：湖畔出版社，1990.",
        ),
        (
            {"type": "chapter", "venue": "水", "editors": (Author("钱甲"),), "place": "昆明",
             "publisher": "湖畔出版社"},
            "阿拉贡. 湖泊[M]. 李乙, 赵丁, 译//钱甲. 水. 昆明: 湖畔出版社, 1990.",
            "阿拉贡. 湖泊[M]. 李乙，赵丁，译//钱甲. 水. 昆明：湖畔出版社，1990.",
        ),
        (
            {"language": "en", "title": "Lakes", "publisher": "Mud Press", "place": "Bonn",
             "translators": (Author("Ada Roe", "Roe", "Ada"),)},
            "阿拉贡. Lakes[M]. ROE A, trans. Bonn: Mud Press, 1990.",
            "阿拉贡. Lakes[M]. Roe A，trans. Bonn：Mud Press，1990.",
        ),
    ],
)  # fmt: skip
def test_translators_and_places(fields: dict[str, Any], old: str, new: str) -> None:
    """Translators stand behind the title of what they translated, before the edition."""
    record = Record(
        **{
            "source": "db",
            "title": "湖泊",
            "authors": (Author("阿拉贡"),),
            "translators": (Author("李乙"), Author("赵丁")),
            "year": 1990,
            "type": "book",
        }
        | fields
    )

    assert citation_2015(record, SEEN) == old
    assert citation_2025(record, SEEN) == new


def test_editors_stand_in_the_place_of_authors() -> None:
    """The standard prints no word for what they did."""
    record = Record(
        source="db", title="湖泊", editors=(Author("钱甲"), Author("孙乙")), year=1990, type="book"
    )

    assert citation_2015(record, SEEN).startswith("钱甲, 孙乙. 湖泊[M].")


def test_a_resolver_is_not_printed() -> None:
    record = Record(
        source="db", title="Lakes", type="article", doi="10.1/x", url="https://doi.org/10.1/x"
    )

    assert citation_2025(record, SEEN) == "Lakes[J/OL]. DOI:10.1/x."


def test_a_volume_may_be_missing() -> None:
    record = replace(EXAMPLES["article in Chinese"][0], volume=None)

    assert citation_2015(record, SEEN).endswith(" 科学通报, 2012(34): 32-39.")


def test_a_line_for_each_hit_and_nothing_else() -> None:
    """No text of a database begins a line of its own."""
    hits = hits_of([Record(source="db", title="a\n[7] forged", venue="b\u2028c"), BOOK])

    lines = WRITABLE["citations"].write(hits, style="gb7714-2015").decode().splitlines()

    assert [line[:4] for line in lines] == ["[1] ", "[2] "]
    assert lines[1] == f"[2] {EXAMPLES['book'][1]}"


def test_the_style_is_chosen_and_must_be_known() -> None:
    new = write_answer("citations", answer(MERGED)).decode()
    old = write_answer("citations", answer(MERGED), style="gb7714-2015").decode()

    assert DEFAULT_STYLE == "gb7714-2025"
    assert "Proceedings of the IEEE，1999，87（7）：1208-1227. " in new
    assert "PASKIN N, IEEE Standards Committee. " in old
    with pytest.raises(UsageError) as caught:
        write_answer("citations", answer(MERGED), style="chicago")
    assert all(style in (caught.value.advice or "") for style in STYLES)
