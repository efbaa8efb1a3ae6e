"""`and`, `or`, `not` in small letters in our own syntax: operators where brackets or fields show
it, else words."""

from __future__ import annotations

from metasearch.query import parse, read, to_text
from tests.cases import each


@each(
    ("text", "meant"),
    [
        ("(gambling or betting) and harm", "(gambling OR betting) AND harm"),
        ("title:x or author:y", "title:x OR author:y"),
        ("harm and not (dogs or cats)", "harm AND NOT (dogs OR cats)"),
        ("title:(sleep or insomnia)", "title:sleep OR title:insomnia"),
        ("(a or b) c or d", "(a OR b) AND c OR d"),
    ],
)
def test_brackets_and_fields_show_that_an_operator_is_meant(text: str, meant: str) -> None:
    """Where one is shown all are, and the answer says so."""
    assert parse(text) == parse(meant)
    assert read(text).notes[0].startswith("and, or, not in small letters are read as operators")


@each(
    "text", ["pride and prejudice", "cats or dogs", "war and peace AND novel", r"(war \and peace)"]
)
def test_without_them_they_are_words(text: str) -> None:
    """As in any title; a backslash makes it a word anywhere."""
    assert to_text(parse(text)).count("AND") == text.count("AND")
    assert " OR " not in to_text(parse(text))


@each(
    ("text", "told"),
    [
        ("cats or dogs", "or: read as words; write OR"),
        ("pride and prejudice", "and: read as words; write AND"),
        ("gambling Or betting", "Or: read as words; write OR"),
        ("gambl$", "gambl$: read as words; if they are signs for letters"),
        ("wom?n harm", "wom?n: read as words; if they are signs for letters"),
        ("exp Gambling/", "exp, Gambling/: read as words; if they are headings"),
        ("harm risk NEAR", "NEAR: read as words; if they are operators of proximity"),
        ("harm.ti,ab. risk", "harm.ti,ab.: read as words; if they are fields"),
        ("TI=harm risk", "TI=harm: read as words; if they are fields"),
        ("cats | dogs", "|: read as words; if they are operators"),
        ("#1 gene", "#1: read as words; if they are references"),
    ],
)
def test_what_looks_like_an_operator_is_told(text: str, told: str) -> None:
    """Nothing of another syntax is searched for in silence."""
    assert any(note.startswith(told) for note in read(text, "simple").notes)


@each(
    "text",
    ["COVID-19 C++ C#", "gene drive", "AT&T", '"cats or dogs"', "what is life?", "and", "or x"],
)
def test_ordinary_words_are_not_told(text: str) -> None:
    """Quotes, signs that belong to words, and operators that stand between nothing."""
    assert read(text).notes == ()
