"""Forms of one character are equal for comparison, on every installation alike."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.normalise import has_han, is_cjk, plain, simplify, table_lines
from tests.cases import each


@each(
    ("one", "other"),
    [
        ("臺灣軟體開發與氣候變遷", "台湾软体开发与气候变迁"),
        ("裏海 裡海", "里海 里海"),
        ("羣體與峯值", "群体与峰值"),
        ("颱風與檯面", "台风与台面"),
        ("乾燥與幹部", "干燥与干部"),
        ("錢鍾書", "钱钟书"),
        ("钱锺书", "钱钟书"),
        ("計畫與計劃", "计划与计划"),
        ("黏膜 膠粘劑", "粘膜 胶粘剂"),
        ("圖象處理", "图像处理"),
        ("柑橘", "柑桔"),
        ("看著", "看着"),
        ("内容 內容", "內容 内容"),
        ("二○一九年", "二〇一九年"),
        ("経済発展と気象の研究", "經濟發展と氣象の研究"),
    ],
)
def test_forms_of_one_text(one: str, other: str) -> None:
    """Traditional, simplified, variant and Japanese forms give one text."""
    assert simplify(one) == simplify(other)


@each(("one", "other"), [("芸", "藝"), ("欠", "缺"), ("浜", "濱"), ("中", "國")])
def test_other_characters(one: str, other: str) -> None:
    """What is another word in China stays apart, although Japan writes it for the same word."""
    assert simplify(one) != simplify(other)


@each("text", ["", "plain ASCII", "한국어 제목", "ひらがな カタカナ", "Ünïcödé ○", "中国科学"])
def test_nothing_to_do(text: str) -> None:
    """Other scripts, and text in simplified characters, stay as they are."""
    assert simplify(text) == text


def test_plain() -> None:
    """Widths are made equal too."""
    assert plain("ＩＣＥＥ（２０１９）會議") == plain("ICEE(2019)会议")


def test_scripts() -> None:
    """Chinese characters are told from kana and Hangul, and all of them from marks."""
    assert has_han("a中")
    assert not has_han("かな 한글 —《》")
    assert is_cjk("か")
    assert is_cjk("한")
    assert not any(map(is_cjk, "a1—《，　"))


def test_each_character_stands_in_one_class() -> None:
    """The table is an equivalence: no character in two classes, none that stands for others is
    replaced itself."""
    characters = "".join(table_lines("variants.txt"))

    assert len(characters) == len(set(characters)) > 8000


@given(st.text(max_size=60))
def test_equal_once_and_twice(text: str) -> None:
    """Any text is taken, keeps its length, and is settled after once."""
    once = simplify(text)

    assert simplify(once) == once
    assert len(once) == len(text)


@given(
    st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=30),
    st.integers(0, 30),
)
def test_a_part_of_a_title_is_a_part_of_its_form(text: str, end: int) -> None:
    """A main title is the beginning of the whole title after folding too; phrase tables do not
    grant that."""
    assert simplify(text).startswith(simplify(text[:end]))


def test_no_library_is_loaded() -> None:
    """Neither OpenCC nor pypinyin is needed, so that keys are the same everywhere."""
    simplify("臺灣")

    assert not {"opencc", "pypinyin"} & set(sys.modules)
