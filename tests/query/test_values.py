"""Dates and numbers of fields that are no mere words."""

from __future__ import annotations

from metasearch.query import Term, Years, conjunction, read
from metasearch.query.values import years_in
from tests.cases import each


@each(
    ("text", "years", "exact"),
    [
        ("1450-1700", Years(1450, 1700), True),
        ("1999-2012", Years(1999, 2012), True),
        ("1000-1012", Years(1000, 1012), True),
        ("2018-05-01", Years(2018, 2018), False),
        ("20180101-20201231", Years(2018, 2020), True),
        ("2018-01-01-2020-12-31", Years(2018, 2020), True),
        ("2018-3000", Years(2018, None), True),
        ("2018 to 9999", Years(2018, None), True),
        ("201*", Years(2010, 2019), True),
        ("2018$", Years(2018, 2018), True),
        ("201805*", Years(2018, 2018), False),
        ("31-12-2015", Years(2015, 2015), False),
        ("12/31/2015", Years(2015, 2015), False),
        (">=01.01.2015", Years(2015, None), False),
        ("01/01/2018-31/12/2020", Years(2018, 2020), True),
        ("01-01-2018 to 31-12-2020", Years(2018, 2020), True),
    ],
)
def test_a_range_of_years_is_no_date(text: str, years: Years, exact: bool) -> None:
    """A month and a day are such numbers, with one sign between them; the year 3000 is the open
    end. A day may have its year last, and any date may be cut."""
    assert years_in(text) == (years, exact)


def test_one_field_for_both_numbers() -> None:
    """Web of Science has IS for ISSN and ISBN: their form tells."""
    found = read('IS=("978-3-16-148410-0") AND IS=(0028-0836)', "wos").query

    assert found == conjunction(Term("978-3-16-148410-0", "isbn"), Term("0028-0836", "issn"))
