"""Two names of one journal or conference."""

from __future__ import annotations

from metasearch.dedup.imprint import venue_kind, venue_relation, venue_words
from tests.cases import each

SAME = [
    ("N Engl J Med", "New England Journal of Medicine"),
    ("The New England journal of medicine.", "New Engl J Med"),
    (
        "Proc Natl Acad Sci U S A",
        "Proceedings of the National Academy of Sciences of the United States of America",
    ),
    ("ACM Trans. Database Syst.", "ACM Transactions on Database Systems"),
    ("VLDB", "Proceedings of the 28th International Conference on Very Large Data Bases"),
    ("VLDB", "Proceedings of the 28th International Conference on Very Large &hellip;"),
    (
        "SIGMOD Conference",
        "Proc. of the 1997 ACM SIGMOD International Conference on Management of Data",
    ),
    ("PNAS", "Proc Natl Acad Sci"),
]
OTHER = [
    ("Oncology", "Journal of Thrombosis and Haemostasis"),
    ("Journal of Biological Chemistry", "European Journal of Immunology"),
    ("Haematologica", "European Respiratory Review Series"),
]
UNKNOWN = [
    ("XQZR", "Journal of Soil Science"),
    ("Proceedings of the International Conference", "Journal of Soil Science"),
    ("", "Journal of Soil Science"),
    ("临床检验杂志", "Clinical Laboratory Journal"),
]


def related(a: str, b: str) -> bool | None:
    relation = venue_relation(venue_words(a), venue_words(b))
    assert relation == venue_relation(venue_words(b), venue_words(a))
    return relation


@each(("a", "b"), SAME)
def test_one_venue(a: str, b: str) -> None:
    """Abbreviated word by word, as an acronym, cut off, with a number and a year."""
    assert related(a, b) is True


@each(("a", "b"), OTHER)
def test_two_venues(a: str, b: str) -> None:
    """Names that have nothing in common."""
    assert related(a, b) is False


@each(("a", "b"), UNKNOWN)
def test_nobody_can_tell(a: str, b: str) -> None:
    """An acronym that the other does not spell out, a name that is none, another script."""
    assert related(a, b) is None


@each(
    ("venue", "kind"),
    [
        ("Americas Conference on Information Systems", "conference"),
        ("Workshop of Digital Studies", "conference"),
        ("Journal of Digital Studies", "journal"),
        ("Journal of Physics: Conference Series", ""),
        ("Mayo Clinic Proceedings", ""),
        ("Thorax", ""),
    ],
)
def test_the_kind_is_said_by_the_name(venue: str, kind: str) -> None:
    """A word for it stands in the name, or nobody knows."""
    assert venue_kind(venue_words(venue)) == kind
