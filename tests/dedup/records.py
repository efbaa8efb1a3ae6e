"""Records for dedup tests: short to write, and drawn by hypothesis with plenty of near twins."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from metasearch.record import Author, Record


def record(source: str = "a", number: int = 1, **values: Any) -> Record:
    """A record; `authors` may be given as "Family, Given" strings."""
    names = values.pop("authors", ())
    people = tuple(
        Author(f"{given} {family}", family, given) if given else Author(family)
        for family, _, given in (name.partition(", ") for name in names)
    )
    return Record(source=source, source_id=str(number), position=number, authors=people, **values)


ARTICLE: dict[str, Any] = {
    "title": "Sorption of phosphate on iron oxides in lake sediments: a column study",
    "authors": ["Berg, Anna van der", "Okafor, Chidi"],
    "year": 2011,
    "venue": "Journal of Soil Science",
    "volume": "12",
    "issue": "3",
    "pages": "101-115",
}

#: Two texts of one field.
ABSTRACTS = (
    (
        "Warm water holds less oxygen than cold water does, and a river that is warmed by a power "
        "station loses fish "
        "that need much of it. We measured oxygen and temperature above and below the outlet of "
        "one station over three "
        "summers. Below the outlet there was less of it for five kilometres. Half of the species "
        "that live upstream "
        "were not caught there. We propose that outlets be closed while the river carries little "
        "water"
    ),
    (
        "Dams keep sediment back, so that the bed below them sinks and banks fall in. Gravel was "
        "added to two reaches "
        "of a river for ten years, and its bed was surveyed each spring. Where gravel came in "
        "winter the bed rose "
        "again; where it came in summer most of it was gone by autumn. Trout returned to spawn in "
        "the first of these "
        "reaches only"
    ),
)

_TITLES = [
    "Sorption of phosphate on iron oxides in lake sediments: a column study",
    "Sorption of phosphate on iron oxides in lake sediments",
    "SORPTION OF PHOSPHATE ON IRON OXIDES IN LAKE SEDIMENTS",
    "Sorption of phosphate on iron oxides in lake sedimnets: a column study",
    "Sorption of phosphate on iron oxides. Part I",
    "Sorption of phosphate on iron oxides. Part II",
    "Erratum: Sorption of phosphate on iron oxides in lake sediments",
    "Editorial",
    "Desorption of arsenic",
    "",
]


@st.composite
def records(draw: st.DrawFn, most: int = 12) -> list[Record]:
    """A handful of records that agree and contradict one another in every combination."""
    count = draw(st.integers(1, most))
    return [
        record(
            source=draw(st.sampled_from("abcd")),
            number=number,
            title=draw(st.sampled_from(_TITLES)),
            authors=draw(
                st.sampled_from(
                    [["Berg, Anna van der"], ["van der Berg, A."], ["Okafor, Chidi"], []]
                )
            ),
            year=draw(st.sampled_from([2010, 2011, 2012, None])),
            venue=draw(st.sampled_from(["Journal of Soil Science", "J. Soil Sci.", "arXiv", None])),
            volume=draw(st.sampled_from(["12", "13", None])),
            pages=draw(st.sampled_from(["101-115", "101-15", "7-9", None])),
            abstract=draw(
                st.sampled_from(
                    [None, *ABSTRACTS, ABSTRACTS[0][:250], ABSTRACTS[0][:150] + ABSTRACTS[1][150:]]
                )
            ),
            doi=draw(st.sampled_from(["10.1000/one", "10.1000/two", None, None])),
            url=draw(st.sampled_from(["https://example.org/x", None, None])),
            ids=draw(st.sampled_from([{}, {}, {"pmid": "1"}, {"pmid": "2"}])),
            type=draw(st.sampled_from(["article", "preprint", None])),
        )
        for number in range(1, count + 1)
    ]
