"""Whether two lists of authors are the same people."""

from __future__ import annotations

from typing import Any

from metasearch.dedup import people
from metasearch.record import Author
from tests.cases import each
from tests.dedup.records import record


def authors(names: list[str]) -> tuple[Author, ...]:
    it: Any = record(authors=names)
    return people.persons(it.authors)


def related(a: list[str], b: list[str]) -> str | None:
    one, other = authors(a), authors(b)
    found = people.relation(people.families(one), people.families(other), one, other)
    assert found == people.relation(people.families(other), people.families(one), other, one)
    return found


@each(
    ("a", "b", "relation"),
    [
        (
            ["Berg, A.", "Okafor, C.", "Li, M."],
            ["van der Berg, Anna", "Okafor, Chidi", "Li, Mei", "Diaz, P."],
            "team",
        ),
        (["Berg, A.", "Okafor, C."], ["Okafor, Chidi", "Berg, Anna"], "all"),
        (["Berg, A."], ["Berg, Anna", "Okafor, Chidi"], "first"),
        (["Mueller, J.", "Okafor, C."], ["Muller, J.", "Okafor, C."], "all"),
        (["Li, Mei"], ["Mei, Li"], "first"),
        (["Cheong, H. I."], ["Il Cheong, H."], "first"),
        (["Yan, W.", "Larson, P."], ["Weipeng, P. Y.", "Per-Ake, L."], "half"),
        (["Berg, A.", "Okafor, C."], ["Diaz, P.", "Okafor, C."], "half"),
        (["Wang, Y."], ["Wang, J."], "namesake"),
        (["Berg, A."], ["Okafor, C."], "none"),
        (["FAO"], ["Food and Agriculture Organization of the United Nations"], "first"),
        (["杨玲", "邢倩倩", "刘建利"], ["Yang, Ling", "Xing, Qianqian", "Liu, Jianli"], "team"),
        (["杨玲"], ["Smith, John"], None),
        (["楊玲"], ["杨玲"], "first"),
        ([], ["Berg, A."], None),
        (["Anonymous"], ["Berg, A."], None),
        (["[No authors listed]"], ["Berg, A."], None),
    ],
)
def test_relation(a: list[str], b: list[str], relation: str | None) -> None:
    """Everybody, the first, half, a namesake, nobody, or nobody can tell."""
    assert related(a, b) == relation


def test_dates_of_life_are_no_authors() -> None:
    """A heading with years is a person, a number alone is nobody."""
    assert len(authors(["Hopkinson, Francis, 1737-1791"])) == 1
    assert authors(["2002"]) == ()
