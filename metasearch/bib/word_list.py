"""Lists of words in data files; some eight thousand English words of titles, with the forms of each
(`title_words.txt`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple


def read_sections(path: Path) -> Mapping[str, list[str]]:
    """Section -> its lines, of a file of "[section]" and lines; "#" begins a comment."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = found[line.strip("[]")] = []
        elif line and line[0] != "#":
            lines.append(line)
    return found


class WordList(NamedTuple):
    """The words in order; each with its place among the forms of its stem; and the last letters
    of a stem, three at most, with their endings, the usual ones first.
    """

    words: Sequence[str]
    places: Mapping[str, int]
    endings: Mapping[str, Sequence[str]]


@cache
def word_list(most: int) -> WordList:
    """The list. `most`: endings of the same last letters that are kept."""
    places: dict[str, int] = {}
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for endings, stem in _stems():
        for place, ending in enumerate(endings):
            places[stem + ending] = min(place, places.get(stem + ending, place))
        if len(endings) > 1:
            for length in (1, 2, 3):
                counts[stem[-length:]].update(endings)
    usual = {
        tail: [ending for ending, count in counted.most_common(most) if count > 1]
        for tail, counted in counts.items()
    }
    return WordList(sorted(places), places, usual)


def stems_of(word: str) -> frozenset[str]:
    """The stems of which the word is a form; none of a word that is not in the list."""
    return _stems_by_word().get(word, frozenset())


@cache
def _stems_by_word() -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for endings, stem in _stems():
        for ending in endings:
            found[stem + ending].add(stem)
    return {word: frozenset(stems) for word, stems in found.items()}


def _stems() -> Iterator[tuple[list[str], str]]:
    """Each stem with the endings of its forms, the usual ones first."""
    text = Path(__file__).with_name("title_words.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        left, _, right = line.partition("|")
        endings = ["" if ending == "-" else ending for ending in left.split()]
        for stem in right.split():
            yield endings, stem
