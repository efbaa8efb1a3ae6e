"""Year ranges as an option takes them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.query import Years, parse_years, years_of
from metasearch.query.values import years_text
from tests.cases import each


@each(
    ("text", "first", "last"),
    [
        ("2019", 2019, 2019),
        ("2019-2024", 2019, 2024),
        ("2019-2019", 2019, 2019),
        ("2019:2024", 2019, 2024),
        ("2019–2024", 2019, 2024),
        ("2019..2024", 2019, 2024),
        (" 2019 - 2024 ", 2019, 2024),
        ("２０１９－２０２４", 2019, 2024),
        ("2019-", 2019, None),
        ("-2024", None, 2024),
        (">=2019", 2019, None),
        ("> 2019", 2020, None),
        ("<=2024", None, 2024),
        ("<2024", None, 2023),
        ("=2020", 2020, 2020),
    ],
)
def test_ranges_have_many_spellings(text: str, first: int | None, last: int | None) -> None:
    """Both ends are included; a missing end is open."""
    assert Years(first, last) == parse_years(text)


@each(
    ("text", "suggestion"),
    [
        ("2024-2019", "2019-2024"),
        (" 2019-24", "2019-2024"),
        ("2019-2024-2030", "2019-2030"),
        ("2019 2024", "2019-2024"),
        ("2019-05-01", "2019"),
        ("1990s", "1990"),
    ],
)
def test_a_wrong_range_is_corrected_where_possible(text: str, suggestion: str) -> None:
    """The error marks the value and suggests a range that can be read."""
    with pytest.raises(QuerySyntaxError) as caught:
        parse_years(text)

    assert text.strip() == text[caught.value.position :][: caught.value.length]
    assert suggestion == caught.value.suggestion
    parse_years(suggestion)


@each(
    "text",
    ["", " ", "-", "soon", "20", "20199", "0000", ">9999", "<0001", "²⁰¹⁹", "19x9", ">=2019-2020x"],
)
def test_what_is_no_range_is_refused_with_advice(text: str) -> None:
    """There is a suggestion or a sentence that names the forms."""
    with pytest.raises(QuerySyntaxError) as caught:
        parse_years(text)

    assert caught.value.advice


@given(st.text(alphabet="0123456789-–:.<>= x٣", max_size=15))
def test_any_text_is_a_range_or_refused(text: str) -> None:
    """Only QuerySyntaxError is raised, and what is read can be printed and read again."""
    try:
        years = parse_years(text)
    except QuerySyntaxError as error:
        if error.suggestion is not None:
            parse_years(error.suggestion)
    else:
        assert years == parse_years(years_text(years))


@each(
    ("said", "years"),
    [
        (None, None),
        (Years(2018, None), Years(2018, None)),
        ((2018, 2020), Years(2018, 2020)),
        ([2018, None], Years(2018, None)),
        ((None, 2020), Years(None, 2020)),
        (2018, Years(2018, 2018)),
        ("2018", Years(2018, 2018)),
        ("2018-", Years(2018, None)),
        ("-2020", Years(None, 2020)),
        ("2018-2020", Years(2018, 2020)),
    ],
)
def test_years_of_a_program(said: Any, years: Years | None) -> None:
    """A program may say years as a range, a pair, a number or a text."""
    assert years_of(said) == years


@each(
    "said",
    [
        (2018,),
        (None, None),
        (2020, 2018),
        0,
        20180,
        2018.5,
        True,
        "soon",
        {},
        (2018, "2020"),
        Years(None, None),
    ],
)
def test_what_are_no_years(said: Any) -> None:
    """Anything else is a usage error, before anything is asked."""
    with pytest.raises(UsageError):
        years_of(said)
