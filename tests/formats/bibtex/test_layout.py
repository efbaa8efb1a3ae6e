"""How the heads of entries are laid out, and what is a comment."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats.bibtex import looks_like
from metasearch.formats.bibtex_heads import with_plain_head, without_comments
from tests.cases import each
from tests.formats.reading.samples import one, read, told


@each(
    "head",
    [
        "@article{mud19,",
        "@ article { mud19 ,",
        "@article\n{mud19,",
        "@\n\tArticle\n  (\n  mud19\n  ,",
        "@article{\r\n  mud19,\r\n",
        "@article % of mine\n{mud19, % keys are short\n",
        "  @ARTICLE  (mud19,",
    ],
)
def test_blanks_and_line_ends_stand_in_a_head(head: str) -> None:
    """Between all of its parts; also comments, as biber has them."""
    end = ")" if "(" in head else "}"
    text = f"{head} title = {{Iron in mud}}, year = 2019{end}\n"
    record = one(text, "bibtex")

    assert (record.source_id, record.title, record.year) == ("mud19", "Iron in mud", 2019)
    assert looks_like(text)


def test_the_line_of_an_entry_is_that_of_its_at() -> None:
    """Also of what is behind a head of several lines."""
    reading = read(
        "@string\n {m = {Mud}}\n@article\n{\na,\ntitle={A}}\n@book{b,title={B}}\n", "bibtex"
    )

    assert [(entry.line, entry.record.title) for entry in reading.entries] == [(3, "A"), (7, "B")]
    assert not reading.problems


def test_an_entry_without_a_key_is_read() -> None:
    """It has none, whether or not its place is there."""
    reading = read("@article{title={A}, year=2019}\n@article{,title={B}}\n", "bibtex")

    assert [(it.source_id, it.title) for it in reading.records] == [("", "A"), ("", "B")]


def test_text_is_no_entry() -> None:
    """An "at" and a word before a bracket on the next line need what an entry has behind it."""
    text = "@article{a, title={A},\n abstract={mail\n@ home\n(or elsewhere) {at} night}}\n"

    assert one(text, "bibtex").abstract == "mail @ home (or elsewhere) at night"


@each(
    ("lines", "year", "volume"),
    [
        ("% year = 1999,\n volume = 3,", None, "3"),
        ("volume = 3 % year = 1999,\n, year = 2001", 2001, "3"),
        ("%year = {19\n year = {2001}, % {\n %}\n volume = {3}", 2001, "3"),
        ("year = 2001, % the year\n volume = {3}%\n", 2001, "3"),
        ('year = "2001",\n\t%% volume = "4",\n volume = "3"', 2001, "3"),
        ("% volume = {4,\n%  5},\n year = 2001", 2001, None),
    ],
)
def test_a_field_that_is_commented_out_is_no_field(
    lines: str, year: int | None, volume: str | None
) -> None:
    """Nor is it joined to its neighbour; its braces count for nothing."""
    reading = read(f"@article{{a,\n title = {{A}},\n {lines}\n}}\n", "bibtex")

    assert [(it.title, it.year, it.volume) for it in reading.records] == [("A", year, volume)]
    assert not reading.problems


@each(
    "title",
    ["50% of lakes", "All\n % of them\n are deep", r"5\% of {50% of} lakes", "% iron"],
)
def test_a_per_cent_sign_in_a_value_stays(title: str) -> None:
    """In braces and in quotation marks, wherever on its line."""
    shown = " ".join(title.replace("\\", "").replace("{", "").replace("}", "").split())
    for value in (f"{{{title}}}", f'"{title}"'):
        assert one(f"@article{{a, title = {value}, % a comment\n year=2019}}", "bibtex").title == (
            shown
        )


def test_a_value_that_lacks_its_braces_keeps_its_per_cent_sign() -> None:
    """A comment begins where a value can end."""
    assert without_comments("@a{b, note = 50% of it}")[0] == "@a{b, note = 50% of it}"


def test_an_entry_that_is_commented_out_is_told() -> None:
    """All of its lines are comments; what is behind it is read."""
    reading = read(
        "%@article{a,\n%  title = {A},\n%}\n@book{b, title={B}}\n  % @misc{c, title={C}}\n",
        "bibtex",
    )

    assert [record.title for record in reading.records] == ["B"]
    assert told(reading) == [
        (
            1,
            "2 lines, first this one, hold an entry that is commented out, which was left out",
        )
    ]


@given(st.text(alphabet='@a{}(),="% \n\\1', max_size=60))
def test_lines_stay_where_they_are(text: str) -> None:
    """Of any text; only comments are taken out."""
    shown, hidden = without_comments(text)

    assert shown.count("\n") == text.count("\n")
    assert all(1 <= line <= text.count("\n") + 1 for line in hidden)
    assert with_plain_head(text).count("\n") == text.count("\n")


def test_all_within_a_comment_is_a_comment() -> None:
    """As biber and JabRef have it; entries in it are told. One that does not end is no comment."""
    reading = read(
        "@comment{\n@article{a,\n title = {A}}\n}\n@Comment{ @article{b, title={B}} }\n"
        "@book{c, title={C}}\n@comment{open\n@book{d, title={D}}\n",
        "bibtex",
    )

    assert [record.title for record in reading.records] == ["C", "D"]
    assert told(reading)[0] == (
        2,
        "2 lines, first this one, hold an entry that is commented out, which was left out",
    )


def test_an_entry_whose_braces_do_not_balance_is_read_field_by_field() -> None:
    """As cut exports have them: the value that lacks a brace loses its braces, the others none."""
    reading = read(
        "@article{a,\n  title = {Birds of {Reykjavik}},\n  author = {Ada Byron and Ren{\\'e},\n"
        "  year = {2020}\n}\n@article{b,\n  title = {Reeds},\n}\n",
        "bibtex",
    )

    assert [record.title for record in reading.records] == ["Birds of Reykjavik", "Reeds"]
    assert [author.name for author in reading.records[0].authors] == ["Ada Byron", "René"]
    assert reading.records[0].year == 2020
    assert [line for line, _ in told(reading)] == [1]
    assert "braces do not balance" in told(reading)[0][1]
