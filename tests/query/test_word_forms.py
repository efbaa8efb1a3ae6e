"""The words that begin so, and the spellings of a word with signs for letters."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.word_forms import MOST, forms, spellings
from tests.cases import each

OVID = {"?": (0, 1), "#": (1, 1)}
WOS = {"?": (1, 1), "$": (0, 1)}


@each(
    ("stem", "words"),
    [
        ("gambl", {"gambling", "gamble", "gambler", "gamblers"}),
        ("child", {"child", "children", "childhood"}),
        ("haemorrhag", {"haemorrhage", "haemorrhagic"}),
        ("hemorrhag", {"hemorrhage", "hemorrhagic"}),
        ("psychotherap", {"psychotherapy", "psychotherapies"}),
        ("Neuro-inflamm", {"Neuro-inflammation", "Neuro-inflammatory"}),
        ("microplast", {"microplastic", "microplastics"}),
        ("nanopartic", {"nanoparticle", "nanoparticles"}),
        ("cyanobact", {"cyanobacteria", "cyanobacterial"}),
        ("pre-randomi", {"pre-randomised", "pre-randomized"}),
    ],
)
def test_the_usual_words_that_begin_so(stem: str, words: set[str]) -> None:
    """Of a word with hyphens the last part is the beginning."""
    assert words <= set(forms(stem))
    assert all(word.casefold().startswith(stem.casefold()) for word in forms(stem))


def test_the_first_word_is_the_most_usual() -> None:
    """A database that takes a single word is asked for this one; a beginning that is no word is
    never it."""
    assert [forms(stem, 1)[0] for stem in ("gambl", "depress", "therap", "randomi")] == [
        "gambling",
        "depression",
        "therapy",
        "randomized",
    ]


def test_a_beginning_that_the_list_lacks_gets_the_usual_endings() -> None:
    """Those of the words whose stems end in the same letters."""
    assert {"xylolog", "xylology", "xylological"} <= set(forms("xylolog"))
    assert {"frobnication", "frobnicated"} <= set(forms("frobnicat"))


def test_no_more_words_than_the_most() -> None:
    """However many the list has."""
    assert len(forms("co")) == len(forms("inter")) == MOST
    assert len(forms("gambl", 3)) == 3


@each("stem", ["covid-1", "étud", "библио", "g", "", "b2"])
def test_nothing_is_known_of_figures_and_other_alphabets(stem: str) -> None:
    """What to do then is left to the caller."""
    assert forms(stem) == ()


def test_chinese_is_found_inside_of_words() -> None:
    """So what begins with it holds it."""
    assert forms("中国") == ("中国",)


@each(
    ("word", "found"),
    [
        ("h?emorrhage*", ["haemorrhage*", "hemorrhage*"]),
        ("h?ematoma$", ["haematoma$", "hematoma$"]),
        ("p?ediatric", ["paediatric", "pediatric"]),
        ("f?etus", ["fetus", "foetus"]),
        ("an?emi*", ["anaemi*", "anemi*"]),
        ("h*emorrhag*", ["haemorrhag*", "hemorrhag*"]),
    ],
)
def test_spellings_of_the_list(word: str, found: list[str]) -> None:
    """With the letter and without; a sign at the end is kept."""
    assert list(spellings(word, OVID, "*$:")) == found


def test_how_many_letters_a_sign_stands_for() -> None:
    """None or one, or just one: each database says."""
    assert "fetus" in spellings("f?etus", OVID, "*$:")
    assert "fetus" not in spellings("f?etus", WOS, "*")
    assert "fetus" in spellings("f$etus", WOS, "*")
    assert {"man", "men"} <= set(spellings("m?n", WOS, "*"))
    assert "mn" not in spellings("m?n", WOS, "*")


def test_words_that_the_list_lacks_take_the_usual_letters() -> None:
    """ "ae" and "oe" are also written "e"; of a short word any vowel may be meant."""
    assert spellings("h?emosiderosis", OVID, "*") == (
        "haemosiderosis",
        "hoemosiderosis",
        "hemosiderosis",
    )
    assert spellings("x?zq", WOS, "*") == ("xazq", "xezq", "xizq", "xozq", "xuzq", "xyzq")


@each("word", ["?emia", "h?m?t?x?q", "h?6", "a" * 50 + "?e", "x??q"])
def test_no_spellings_are_made_up(word: str) -> None:
    """A sign at the beginning, many signs, figures, long words."""
    assert spellings(word, WOS, "*") == ()


def test_many_signs_have_few_spellings() -> None:
    """What is looked up is bounded: otherwise this would not end."""
    for number in range(300):
        assert len(spellings("h" + "?" * number + "e", OVID, "*")) < 20
        assert len(spellings("h?" + "*a" * number, OVID, "*")) < 20


# ---------------------------------------------------------------- in strategies


@each(
    ("text", "syntax", "tree"),
    [
        ("h?emorrhage*.ti.", "ovid", "title:haemorrhage* OR title:hemorrhage*"),
        ("anti-h?emorrhag*.ti.", "ovid", "title:anti-haemorrhag* OR title:anti-hemorrhag*"),
        ("TI=(an$emi*)", "wos", "title:anaemi* OR title:anemi*"),
        ("TI c#eliac", "ebsco", "title:celiac OR title:coeliac"),
        ("'an$emia':ti", "embase", "title:anaemia OR title:anemia"),
        ('TITLE("p*diatric a")', "scopus", 'title:"paediatric a" OR title:"pediatric a"'),
        (
            "(asthma not p?ediatric).ti.",
            "ovid",
            "title:asthma AND NOT (title:paediatric OR title:pediatric)",
        ),
    ],
)  # fmt: skip
def test_an_early_sign_is_read_as_spellings(text: str, syntax: str, tree: str) -> None:
    """In place of any ending, which would be too much; the answer says so."""
    found = read(text, syntax)

    assert to_text(found.query) == tree
    assert any("signs for letters are read as these spellings" in note for note in found.notes)


def test_several_early_signs_keep_the_most_usual_spellings() -> None:
    """Twelve combinations at most; what is looked for is named."""
    found = read('ALL="m?n h?art"', "wos")

    assert to_text(found.query).count(" OR ") == 8
    assert '"man heart" OR "man haart"' in to_text(found.query)
    assert "m?n (man, men, min), h?art (heart, haart, hiart)" in found.notes[0]


def test_a_late_sign_is_any_ending() -> None:
    """Three letters before it are enough."""
    found = read("colo?r*.ti.", "ovid")

    assert to_text(found.query) == "title:colo*"
    assert "is read as any ending" in found.notes[-1]


def test_a_single_letter_with_any_ending_is_refused() -> None:
    """Nothing could be looked for."""
    with pytest.raises(QuerySyntaxError, match="too few letters"):
        read("a* and b.ti.", "ovid")
