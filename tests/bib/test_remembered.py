"""bib/names.py: what was made of a text once is not made again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib import authors
from metasearch.bib.names import LONGEST_REMEMBERED as LONGEST
from metasearch.bib.names import MOST_REMEMBERED as MOST
from metasearch.bib.names import of_name, person, remember
from tests.examples import examples

NAMES = st.text(max_size=30) | st.text(
    "Byron, AdaJ.1852-ü王征 [Hrsg]()'–et al&<;", min_size=1, max_size=2 * LONGEST
)


def test_a_short_text_is_asked_once() -> None:
    """A long one each time: nobody may fill the memory with it."""
    asked: list[str] = []
    read = remember(lambda text: asked.append(text) or len(text))
    short, long = "a" * LONGEST, "b" * (LONGEST + 1)

    assert [read(text) for text in (short, short, long, long)] == [100, 100, 101, 101]
    assert asked == [short, long, long]


def test_only_the_last_texts_are_remembered() -> None:
    """However many there are."""
    asked: list[str] = []
    read = remember(asked.append)
    for number in range(MOST + 1):
        read(str(number))
    read("0")
    read(str(MOST))

    assert len(asked) == MOST + 2


@given(name=NAMES)
@examples(3)
def test_names_are_read_as_without_it(name: str) -> None:
    """The first time and the second."""
    for _ in range(2):
        assert of_name(name) == person(name)
        assert authors.personal(name) == authors.personal.__wrapped__(name)  # type: ignore[attr-defined]
