"""Keywords grown from the title, and how many of them two texts share.

Zhang Hongxia and Guo Xiaofen, web page de-duplication by keyword extraction (2014).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.published.text import segment
from metasearch.dedup.published.text.content import LONGEST_BODY, body, content_words, title
from metasearch.dedup.published.text.sets import Of, Overlaps, share
from metasearch.record import Match, Record

#: Words of a title, of an abstract and of all author keywords that count.
MOST_TITLE_WORDS, MOST_BODY_WORDS, MOST_AUTHOR_WORDS = 100, 4_000, 100


class Keywords(NamedTuple):
    """The keywords of a record. `words`: all of them, sorted. `title_only`: the abstract added
    none, because it is missing or holds no word of the title.
    """

    words: tuple[str, ...]
    title_only: bool


@dataclass(frozen=True)
class KeywordOverlap:
    """The strategy `keyword-overlap`: the title's words are seeds, words that often stand near them
    are keywords too.

    As in the paper: segment, drop stop words; words of the text that often occur in one window with
    words of the title are keywords with these; an inverted index finds texts whose keywords
    overlap; enough overlap is the same content. The paper gives none of the numbers, so all of them
    are our reading.

    No key finds an overlap: `keys` gives none, and the inverted index is `neighbours`, which finds
    exactly the records that reach the threshold.

    Thin input: fewer than `fewest` keywords. A record whose abstract adds none is compared by its
    title's words, and the verdict says "title-only".

    Attributes:
        threshold: Overlap from which on two texts are one: the 80 % that the paper grants its
            rivals.
        of: Overlap against what: "smaller" (containment) or "union" (Jaccard).
        window: Words on each side of a title word in the abstract; stop words are not counted.
        least_share: Of all windows, how many a keyword stands in, 0..1.
        least_windows: Windows that a keyword stands in at least, in an abstract of `short` words or
            more.
        short: Words of an abstract, stop words apart, below which one window is enough.
        most: Keywords that an abstract adds: those in the most windows, and of these the first.
        fewest: Keywords that a record must have: five are the fewest of which 80 % is less than
            all.
        author_keywords: Whether words of the authors' keywords are keywords too. Databases disagree
            on who shows them.
    """

    name: ClassVar[str] = "keyword-overlap"
    exact: ClassVar[bool] = False

    threshold: float = 0.8
    of: Of = "smaller"
    window: int = 10
    least_share: float = 0.1
    least_windows: int = 2
    short: int = 100
    most: int = 30
    fewest: int = 5
    author_keywords: bool = False

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """None."""
        return ()

    def neighbours(self) -> Overlaps:
        """The inverted index."""
        return Overlaps(self._enough, self.threshold, self.of)

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where enough keywords are shared."""
        one, other = self._enough(a), self._enough(b)
        if one is None or other is None:
            return None
        found = share(frozenset(one), frozenset(other), self.of)
        if found < self.threshold or not found:
            return None
        number = len(set(one) & set(other))
        said = [because.KEYWORDS_IN_COMMON.format(number=number, share=f"{found:.2f}")]
        if self._keywords(a).title_only or self._keywords(b).title_only:
            said.append(because.TITLE_ONLY)
        return verdict(self.name, "same", found, said, a, b)

    def _enough(self, fingerprint: Fingerprint) -> Sequence[str] | None:
        words = self._keywords(fingerprint).words
        return words if len(words) >= self.fewest else None

    def _keywords(self, fingerprint: Fingerprint) -> Keywords:
        name = (
            self.name, segment.segmenter(),
            self.window, self.least_share, self.least_windows, self.short, self.most,
            self.author_keywords,
        )  # fmt: skip
        return fingerprint.once(name, self._extract)

    def _extract(self, record: Record) -> Keywords:
        seeds = frozenset(content_words(title(record))[:MOST_TITLE_WORDS])
        found = self._grown(seeds, content_words(body(record))[:MOST_BODY_WORDS])
        words = seeds.union(found)
        if self.author_keywords:
            said = " ; ".join(record.keywords[:MOST_AUTHOR_WORDS])[:LONGEST_BODY]
            words |= set(content_words(said)[:MOST_AUTHOR_WORDS])
        return Keywords(tuple(sorted(words)), not found)

    def _grown(self, seeds: frozenset[str], words: list[str]) -> list[str]:
        """The keywords of an abstract, the titles' own apart."""
        centres = [place for place, word in enumerate(words) if word in seeds]
        windows: Counter[str] = Counter()
        for centre in centres:
            windows.update(
                {*words[max(0, centre - self.window) : centre + self.window + 1]} - seeds
            )
        fewest = self.least_windows if len(words) >= self.short else 1
        first = {word: place for place, word in reversed([*enumerate(words)])}
        kept = [
            word
            for word, count in windows.items()
            if count >= fewest and count / len(centres) >= self.least_share
        ]
        return sorted(kept, key=lambda word: (-windows[word], first[word]))[: self.most]
