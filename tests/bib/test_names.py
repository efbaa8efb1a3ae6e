"""A person's name in characters and in Latin letters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.bylines import people_in
from metasearch.bib.chinese_names import (
    HanName,
    LatinName,
    authors_agree,
    common_people,
    han_names,
    is_spelled,
    latin_names,
    latin_surnames,
    readings,
    same_person,
    surname_spellings,
    wade_giles,
)
from metasearch.bib.names import person
from metasearch.bib.names_in_field import authors_in_field
from metasearch.record import Author
from tests.cases import each


@each(
    "name",
    ["田中太郎丸", "김철수", "たなか", "卡尔·马克思", "本刊编辑部", "希布斯", "", "张", "Zhang"],
)
def test_no_chinese_name(name: str) -> None:
    """Japanese, Korean and foreign names and bodies are not divided."""
    assert not han_names(name)


def test_two_ways_to_divide() -> None:
    """Mr Ouyang or Mr Ou: both are looked up."""
    assert han_names("欧阳修") == (HanName("欧阳", "修"), HanName("欧", "阳修"))


@each(
    ("name", "expected"),
    [
        ("Zhang SF", LatinName("zhang", ("s", "f"))),
        ("Zhang S.-F.", LatinName("zhang", ("s", "f"))),
        ("Zhang, S. F.", LatinName("zhang", ("s", "f"))),
        ("S. F. Zhang", LatinName("zhang", ("s", "f"))),
        ("Zhang, San-Feng", LatinName("zhang", ("san", "feng"))),
        ("Sanfeng Zhang", LatinName("zhang", ("sanfeng",))),
        ("ZHANG San-feng", LatinName("zhang", ("san", "feng"))),
        ("Chang San-feng", LatinName("chang", ("san", "feng"))),
        ("Ou-Yang Xiu", LatinName("ouyang", ("xiu",))),
        ("Ou Yang Xiu", LatinName("ouyang", ("xiu",))),
        ("Wang Li", LatinName("wang", ("li",))),
        ("Wang Li", LatinName("li", ("wang",))),
        ("Lǚ Bù", LatinName("lu", ("bu",))),
        ("Ch’ien Chung-shu", LatinName("chien", ("chung", "shu"))),
        ("Peter S. F. Zhang", LatinName("zhang", ("s", "f"))),
        ("Zhang HE", LatinName("zhang", ("h", "e"))),
        ("Zhang HE", LatinName("zhang", ("he",))),
    ],
)
def test_reading_latin_letters(name: str, expected: LatinName) -> None:
    """The usual styles are read, and both readings where two are possible."""
    assert expected in latin_names(name)


@each(
    "name",
    [
        "John Smith",
        "Smith, J.",
        "Müller, K",
        "Tanaka, Taro",
        "John Zhang",
        "",
        "张三",
        "Zhang 3",
        "a" * 300,
        "-,-",
    ],
)
def test_foreign_names(name: str) -> None:
    """Names that are no Chinese ones are not read."""
    assert latin_names(name) == ()


LATIN_OF = {
    "张三丰": [
        "Zhang SF",
        "Zhang S",
        "Zhang, San-Feng",
        "Sanfeng Zhang",
        "ZHANG San-feng",
        "Chang San-feng",
        "S. Zhang",
    ],
    "吕布": ["Lu B", "Lü, Bu", "LYU Bu", "Lv Bu"],
    "欧阳修": ["Ouyang X", "Xiu Ouyang", "OUYANG Xiu", "Ou YX"],
    "單田芳": ["Shan TF", "Tianfang Shan"],
    "晟茜": [],
    "王晟": ["Wang Sheng", "Wang Cheng"],
    "许亚军": ["Hsu Ya-chun", "Xu YJ", "Xu, Ya-jun"],
    "李娥": ["Li E", "E. Li"],
    "解西安": ["Xie Xi'an", "Xie XA"],
}


@each(("han", "latin"), [(han, latin) for han, several in LATIN_OF.items() for latin in several])
def test_one_person(han: str, latin: str) -> None:
    """The two may be one person."""
    assert same_person(han, latin) is True


@each(
    ("han", "latin"),
    [
        ("张三丰", "Zhang LF"),
        ("张三丰", "Zhang SL"),
        ("张三丰", "Wang SF"),
        ("张三丰", "Zhang, San"),
        ("张三丰", "Zhang Sanfang"),
        ("单田芳", "Dan TF"),
        ("王力", "Li Wangfeng"),
    ],
)
def test_two_people(han: str, latin: str) -> None:
    """The two contradict one another."""
    assert same_person(han, latin) is False


@each(
    ("han", "latin"),
    [
        ("张三丰", "John Zhang"),
        ("张三丰", "Zhang"),
        ("张三丰", "Smith J"),
        ("黄国强", "Wong KK"),
        ("陈大文", "Chan TM"),
        ("姜敏浩", "Kang MH"),
        ("田中太郎丸", "Tanaka Taro"),
        ("卡尔·马克思", "Karl Marx"),
        ("김철수", "Kim CS"),
        ("张三丰", "张三丰"),
        ("", ""),
    ],
)
def test_nobody_can_say(han: str, latin: str) -> None:
    """A foreign given name, a family name alone, Cantonese, Korean, Japanese: not to say."""
    assert same_person(han, latin) is None


HAN, LATIN = ["江文杰", "韩超", "顾达民"], ["Wenjie JIANG", "Chao HAN", "Damin GU"]


@each(
    ("han", "latin", "expected"),
    [
        (HAN, LATIN, True),
        (HAN, ["Jiang WJ", "Han C", "Gu DM"], True),
        (HAN, ["Jiang WJ"], True),
        (HAN, ["Gu DM", "Jiang WJ", "Han C"], True),
        (HAN, ["Jiang WJ", "Smith J", "Gu DM"], True),
        (HAN, ["Jiang WJ", "Han C"], None),
        (HAN, ["Jiang WJ", "Li C", "Gu DM"], None),
        (HAN, ["Wang L", "Li X", "Zhao Q"], False),
        (HAN, ["Wang L"], False),
        (HAN, ["Smith J", "Jones K", "Brown L"], None),
        (HAN, [], None),
        ([], LATIN, None),
    ],
)
def test_lists_of_authors(han: list[str], latin: list[str], expected: bool | None) -> None:
    """Lists agree in order or not, may be cut off, and say nothing where their people cannot be
    compared."""
    assert authors_agree(han, latin) is expected


def test_common_people() -> None:
    """Nobody is counted twice."""
    assert common_people(HAN, ["Gu DM", "Wang L", "Jiang W"]) == 2
    assert common_people(["张三", "张森"], ["Zhang S"]) == 1
    assert common_people([], LATIN) == 0


def test_spellings_of_syllables() -> None:
    """Wade-Giles follows Pinyin by rule; a word is told from a foreign one."""
    expected = (
        "zhang chang, xu hsu, cai tsai, qiu chiu, guo kuo, luo lo, he ho, si ssu, xiong "
        "hsiung, lv lu, ren jen"
    )
    pairs = dict(pair.split() for pair in expected.split(", "))

    assert {syllable: wade_giles(syllable) for syllable in pairs} == pairs
    assert is_spelled("sanfeng")
    assert is_spelled("kuoching")
    assert not is_spelled("john")
    assert not is_spelled("an" * 50)


def test_every_family_name_can_be_read() -> None:
    """The tables hold all family names, and heteronyms by the reading of names."""
    assert {"zhang", "ouyang", "shan", "chang", "hsu"} <= latin_surnames()
    assert surname_spellings("曾") == {"zeng"}
    assert "dan" not in surname_spellings("单")
    assert readings("單") == readings("单")
    assert readings("晟") == {"cheng", "sheng"}
    assert readings("か") == frozenset()


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_taken(han: str, latin: str) -> None:
    """No text raises."""
    assert same_person(han, latin) in (True, False, None)
    assert authors_agree([han], [latin]) is same_person(han, latin)


@pytest.mark.shared
def test_real_translated_names(shared: Path) -> None:
    """Wanfang gives each author's name twice: every pair is one person."""
    text = (shared / "data/dedup/zh_cnki_etc/demo_wanfang_202101.NET").read_text(encoding="utf-8")
    pairs = 0
    for entry in text.split("{Reference Type}"):
        han = re.findall(r"\{Author\}: *(.+)", entry)
        latin = re.findall(r"\{Translated Author\}: *(.+)", entry)
        if latin and len(han) == len(latin):
            pairs += len(han)
            assert [same_person(*pair) for pair in zip(han, latin, strict=True)] == [True] * len(
                han
            )
            assert authors_agree(han, latin) is True
    assert pairs > 10


@each(
    ("written", "name"),
    [
        ("Thomas, von Aquin, Heiliger, 1225-1274", "Thomas von Aquin"),
        ("Walther, von der Vogelweide", "Walther von der Vogelweide"),
        ("Beethoven, Ludwig van", "Ludwig van Beethoven"),
    ],
)
def test_where_somebody_comes_from_is_no_given_name(written: str, name: str) -> None:
    """Behind a family name, a particle stands last."""
    author = person(written)

    assert author is not None
    assert author.name == name


@each(
    "written",
    [
        *("[et al.]", "et al. (12 more)", "Et Al", "et alii", "and 12 others", "u.a.", "[u. a.]"),
        *("и др.", "y otros", "e.a.", "i in.", "a kol.", "ve diğ.", "m.fl.", "et coll."),
        *("等", "他", "他2名", "ほか", "외", "외 2명"),
    ],
)
def test_words_for_further_authors_are_no_author(written: str) -> None:
    """In any language, alone, in the parts of a name, or behind one."""
    assert person(written) is None
    assert people_in(written) == ()
    assert authors_in_field(written) == ()
    before, _, last = written.partition(" ")
    assert person("", last or before, before if last else "") is None
    assert person(f"Falk, Greta [{written.strip('[]')}]") == Author("Greta Falk", "Falk", "Greta")


@each(
    "name",
    ["Thomas More", "Lee, Al", "Kim YM", "kim ym", "jones, e.a.", "U. A.", "E. Altri", "Smith, In"],
)
def test_names_like_words_for_further_authors_stay(name: str) -> None:
    """Initials, and names that such words are beside."""
    found = person(name)

    assert found is not None
    assert {*found.name.split()} == {*name.replace(",", "").split()}


@each(
    ("written", "names"),
    [
        ("Falk, Greta u.a.", ["Greta Falk"]),
        ("Falk G, Osei KA i in.", ["G Falk", "KA Osei"]),
        ("Falk, G.; Osei, K. и др.", ["G. Falk", "K. Osei"]),
        ("山田太郎 他2名", ["山田太郎"]),
        ("김철수 외", ["김철수"]),
    ],
)
def test_a_byline_ends_before_words_for_further_authors(written: str, names: list[str]) -> None:
    """Those are taken off, and nothing else."""
    assert [author.name for author in people_in(written)] == names


@each(
    ("written", "name"),
    [
        ("Elisabeth II., Großbritannien, Königin", "Elisabeth II"),
        ("Elizabeth II, Queen of Great Britain, 1926-2022", "Elizabeth II"),
        ("Viktoria, Großbritannien, Königin", "Viktoria"),
        ("Johannes Paul II., Papst", "Johannes Paul II"),
        ("Napoléon I, empereur des Français", "Napoléon I"),
        ("Hildegard, von Bingen, Heilige", "Hildegard von Bingen"),
        ("Leonardo, da Vinci, 1452-1519", "Leonardo da Vinci"),
    ],
)
def test_who_reigns_has_no_family_name(written: str, name: str) -> None:
    """A rank behind a number, or behind a country, is no part of the name."""
    assert person(written) == Author(name)


@each(
    ("written", "author"),
    [
        ("Smith III, John", Author("John Smith III", "Smith", "John", suffix="III")),
        ("Smith III, John, Sir", Author("John Smith III", "Smith", "John", suffix="III")),
        ("Bismarck, Otto, Graf", Author("Otto Bismarck", "Bismarck", "Otto")),
        ("Falk, Greta, (Chemist)", Author("Greta Falk", "Falk", "Greta")),
        ("More, Thomas, Saint", Author("Thomas More", "More", "Thomas")),
    ],
)
def test_a_rank_behind_a_given_name_leaves_the_family_name(written: str, author: Author) -> None:
    """Nobles, saints and namesakes have both."""
    assert person(written) == author
