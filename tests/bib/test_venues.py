"""Journals with editions, theses with universities and degrees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.chinese_venues import journal, thesis_container, thesis_degree
from tests.cases import each


@each(
    ("venue", "institution"),
    [
        ("北京大学", None),
        ("北京大学硕士学位论文", None),
        ("北京大学博士论文", None),
        ("北京大学 学位论文", None),
        ("北京大學碩士論文", None),
        ("[D]. 北京大学", None),
        ("[D]. 北京：北京大学, 2019", None),
        ("北京大学[D]", None),
        (None, "北京大学"),
        ("硕士学位论文", "北京大学"),
        ("中国优秀硕士学位论文全文数据库", "北京大学"),
        ("北京大学", "北京"),
        ("國立北京大學歷史學系", None),
    ],
)
def test_one_container(venue: str | None, institution: str | None) -> None:
    """However a database writes it, it is the university's theses."""
    assert thesis_container(venue, institution) == "北京大学学位论文"


@each("venue", ["", None, "硕士学位论文", "中国博士学位论文全文数据库", "[D]", "2019"])
def test_no_university(venue: str | None) -> None:
    """A collection or a word is no container."""
    assert thesis_container(venue) == ""


def test_other_schools() -> None:
    """Schools with one beginning are kept apart."""
    names = ["浙江大学", "浙江大学城市学院", "浙江工业大学", "中国科学院大学", "中国科学院"]

    assert len({thesis_container(name) for name in names}) == len(names)


@each(
    ("said", "degree"),
    [
        ("北京大学博士学位论文", "doctor"),
        ("北京大學碩士論文", "master"),
        ("本科毕业论文", "bachelor"),
        ("Doctoral thesis", "doctor"),
        ("Master's thesis", "master"),
        ("博士后研究工作报告", ""),
        ("北京大学", ""),
    ],
)
def test_degrees(said: str, degree: str) -> None:
    """A master's and a doctoral thesis are told apart."""
    assert thesis_degree(None, said) == degree


@each(
    "venue",
    [
        "清华大学学报(自然科学版)",
        "《清华大学学报（自然科学版）》",
        "清华大学学报. 自然科学版",
        "清华大学学报：自然科学版",
        "清华大学学报自然科学版",
        "清華大學學報 自然科學版",
        "清华大学学报（自科版）",
        "清华大学学报·自然科学版[J]",
        "清华大学学报（自然科学版）增刊",
    ],
)
def test_one_journal(venue: str) -> None:
    """One edition of one journal, however written."""
    assert journal(venue) == ("清华大学学报", "自然科学版")


@each("venue", ["中国版权", "中国出版", "现代出版", "出版发行研究"])
def test_publishing_is_no_edition(venue: str) -> None:
    """版 within a word is no edition."""
    assert journal(venue) == (venue, "")


@given(st.text(max_size=60))
def test_any_text_is_taken(text: str) -> None:
    """No text raises."""
    assert isinstance(journal(text).name, str)
    assert isinstance(thesis_container(text, text), str)
    assert thesis_degree(text) in ("", "doctor", "master", "bachelor")
