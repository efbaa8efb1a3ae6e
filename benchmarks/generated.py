"""Records made up by rule: as many as are wanted, always the same ones, and it is known which are
one work.

A work is a function of its number alone, so that a copy of any earlier work can be made without
keeping it: a million records cost no more memory than what is measured. Words, names and journals
follow Zipf's law, as real ones do, so that keys are shared by many records; one work in a hundred
is titled "Editorial".
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from metasearch.record import Author, Record

#: Share of records that are a copy of an earlier work.
COPIES = 0.2
SOURCES = ("alpha", "beta", "gamma", "delta", "epsilon")

#: Of a hundred works, those with 1, 2, 3, ... authors.
_AUTHORS = (20, 25, 20, 15, 10, 6, 4)
_ONSETS = "b c d f g h j k l m n p r s t v w br ch cl cr dr fl gr pl pr sc sh sp st th tr".split()
_VOWELS = "a e i o u a e i o ai ea io ou".split()
_ENDS = "tion ity ing ment al ic ism ance ology ous ive ary sis phy graphy ular ation ess".split()
_SMALL = "of the in and for on with a to by from under between".split()
_COMMON = (
    "effect analysis study model treatment patients review system performance management approach "
    "development clinical "
    "evaluation network data learning risk children health protein cell growth theory design "
    "quality water soil policy"
).split()
_FAMILIES = (
    (
        "Wang Li Zhang Liu Chen Yang Smith Kim Lee Garcia Müller Martin Silva Nguyen Johnson "
        "Singh Kumar Brown Santos "
        "Rossi van-den-Berg O'Neill Fernández-Loría Ivanov Tanaka Suzuki Schmidt Jones Okafor Ali"
    )
    .replace("-den-", " den ")
    .split()
)
_GIVEN = (
    "Anna Wei Maria John Jing David Yuki Ahmed Laura Peter Sofia Min Carlos Elena Thomas Fatima "
    "Jan Priya Paul Ingrid "
    "Lars Chidi Hiroshi Olga Samuel Claire Diego Mehmet Grace Viktor"
).split()
_FIELDS = (
    "Medicine Biology Chemistry Physics Engineering Economics Education Psychology Surgery "
    "Ecology Law"
).split()


def _spelt(rng: random.Random, syllables: int) -> str:
    return "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(syllables))


@dataclass(frozen=True, slots=True)
class _Zipf:
    """A list in which the first is drawn most often."""

    items: list[str]
    weights: list[float]

    @classmethod
    def over(cls, items: list[str], offset: float) -> _Zipf:
        return cls(
            items, list(accumulate(1 / (rank + offset) for rank in range(1, len(items) + 1)))
        )

    def draw(self, rng: random.Random, count: int) -> list[str]:
        return rng.choices(self.items, cum_weights=self.weights, k=count)


class Library:
    """Works by number, and a stream of records of them.

    Args:
        seed: Another seed is another library.
    """

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        rng = random.Random(f"library:{seed}")
        words = [_spelt(rng, rng.randint(1, 3)) + rng.choice(["", *_ENDS]) for _ in range(60_000)]
        self._words = _Zipf.over(_COMMON + list(dict.fromkeys(words)), 3)
        families = [_spelt(rng, rng.randint(2, 3)).capitalize() for _ in range(20_000)]
        self._families = _Zipf.over(list(dict.fromkeys(_FAMILIES + families)), 15)
        self._journals = _Zipf.over([self._journal(rng) for _ in range(3_000)], 20)
        self._filler = " ".join(self._words.draw(rng, 20_000))

    def _journal(self, rng: random.Random) -> str:
        field, word = rng.choice(_FIELDS), rng.choice(self._words.items).capitalize()
        forms = (
            f"Journal of {word} {field}",
            f"International Review of {field} and {word}",
            f"{word} Letters",
        )
        return rng.choice((*forms, f"Archives of {word}", f"{field} and {word} Research"))

    def work(self, number: int) -> Record:
        """The work as its publisher describes it."""
        rng = random.Random(self._seed * 1_000_000_007 + number)
        year = 2025 - min(60, int(rng.expovariate(0.08)))
        first = rng.randint(1, 1800)
        editorial = number % 100 == 7
        count = rng.choices(range(1, 8), weights=_AUTHORS)[0]
        return Record(
            source=SOURCES[0],
            source_id=f"w{number}",
            title="Editorial" if editorial else self._title(rng),
            authors=tuple(
                self._author(rng) for _ in range(min(1, rng.randint(0, 2)) if editorial else count)
            ),
            year=year,
            venue=self._journals.draw(rng, 1)[0],
            volume=str(year - 1955 - number % 7),
            issue=str(rng.randint(1, 12)),
            pages=f"{first}-{first + rng.randint(1, 20)}",
            doi=f"10.{5000 + number % 97}/{_spelt(rng, 2)}.{year}.{number}"
            if rng.random() < 0.7
            else None,
            type="editorial" if editorial else "article",
            abstract=self._abstract(rng) if not editorial and rng.random() < 0.5 else None,
        )

    def _title(self, rng: random.Random) -> str:
        words = self._words.draw(rng, rng.randint(4, 11))
        for place in range(2, len(words), 3):
            words[place] = f"{rng.choice(_SMALL)} {words[place]}"
        if len(words) > 7 and rng.random() < 0.5:
            words[-4] = f"{words[-4]}:"
        return " ".join(words).capitalize()

    def _author(self, rng: random.Random) -> Author:
        family, given = self._families.draw(rng, 1)[0], rng.choice(_GIVEN)
        if rng.random() < 0.4:
            given = f"{given} {rng.choice('ABCDEFGHJKLMNPRSTW')}."
        return Author(f"{given} {family}", family, given)

    def _abstract(self, rng: random.Random) -> str:
        start = rng.randrange(len(self._filler) - 1_500)
        return self._filler[start : start + rng.randint(500, 1_400)]

    def copy(self, number: int, record: int) -> Record:
        """The work as some other database describes it, in the `record`-th record of a stream."""
        rng = random.Random(f"{self._seed}:{number}:{record}")
        it = self.work(number)
        values = {name: getattr(it, name) for name in Record.__slots__}
        values |= {"source": SOURCES[1 + record % 4], "source_id": f"c{record}"}
        for share, change in _CHANGES:
            if rng.random() < share:
                values |= change(it, rng)
        return Record(**values)

    def records(self, count: int) -> Iterator[tuple[int, Record]]:
        """(number of its work, record) of so many records; each has an id of its own."""
        rng = random.Random(f"stream:{self._seed}")
        works = 0
        for record in range(count):
            if works and rng.random() < COPIES:
                number = rng.randrange(works)
                yield number, self.copy(number, record)
            else:
                yield works, self.work(works)
                works += 1


# --------------------------------------------------------------------------- how databases differ

Changed = dict[str, object]


def _initials(it: Record, _: random.Random) -> Changed:
    def short(author: Author) -> Author:
        given = " ".join(f"{part[0]}." for part in (author.given or "").split())
        return Author(f"{given} {author.family}", author.family, given)

    return {"authors": tuple(map(short, it.authors))}


def _first_three(it: Record, _: random.Random) -> Changed:
    return {"authors": it.authors[:3]}


def _abbreviated(it: Record, _: random.Random) -> Changed:
    words = [word for word in (it.venue or "").split() if word not in ("of", "and")]
    return {"venue": " ".join(word if len(word) < 5 else f"{word[:4]}." for word in words)}


def _shouted(it: Record, _: random.Random) -> Changed:
    return {"title": it.title.upper()}


def _stopped(it: Record, _: random.Random) -> Changed:
    return {"title": f"{it.title}."}


def _without_subtitle(it: Record, _: random.Random) -> Changed:
    return {"title": it.title.partition(":")[0]}


def _mistyped(it: Record, rng: random.Random) -> Changed:
    place = rng.randrange(max(1, len(it.title) - 1))
    return {
        "title": it.title[:place]
        + it.title[place + 1 : place + 2]
        + it.title[place]
        + it.title[place + 2 :]
    }


def _short_pages(it: Record, _: random.Random) -> Changed:
    first, last = (it.pages or "-").split("-")
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return {"pages": f"{first}-{last[same:] if len(first) == len(last) else last}"}


def _next_year(it: Record, _: random.Random) -> Changed:
    return {"year": (it.year or 2000) + 1}


def _less(it: Record, rng: random.Random) -> Changed:
    return dict.fromkeys(rng.sample(("issue", "pages", "abstract", "volume", "type"), 2))


#: (share of copies, what is other in them)
_CHANGES = (
    (0.6, _initials),
    (0.15, _first_three),
    (0.5, _abbreviated),
    (0.15, _shouted),
    (0.25, _stopped),
    (0.06, _without_subtitle),
    (0.03, _mistyped),
    (0.4, _short_pages),
    (0.02, _next_year),
    (0.5, _less),
    (0.5, lambda it, rng: {"doi": None}),
)
