"""Texts made up by rule, with near copies: title, abstract, and which are one work.

Words are drawn by Zipf's law from the vocabulary of a topic and from a common one, so that texts of
a topic are alike as those of a discipline are; a fifth of the texts are copies that were edited,
cut, or given a copyright line.
"""

from __future__ import annotations

import random
from itertools import accumulate

from metasearch.record import Record

COPIES = 0.2
TOPICS = 40
_HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 3_000)]
_LINES = {"en": " (c) {} Made-up Press. All rights reserved.", "zh": "《{}学报》版权所有。"}


class Texts:
    """A stream of made-up texts.

    Args:
        language: "en" (words of letters) or "zh" (words of two characters, not parted by blanks).
        seed: Another seed is another stream.
    """

    def __init__(self, language: str = "en", seed: int = 1) -> None:
        self.language = language
        self._rng = rng = random.Random(f"texts:{language}:{seed}")
        self._common = [self._word(rng) for _ in range(4_000)]
        self._topics = [[self._word(rng) for _ in range(400)] for _ in range(TOPICS)]
        self._weights = {
            size: list(accumulate(1 / (rank + 3) for rank in range(size))) for size in (400, 4_000)
        }

    def _word(self, rng: random.Random) -> str:
        if self.language == "zh":
            return "".join(rng.choices(_HAN, k=2))
        return "".join(
            rng.choice("bcdfghklmnprstvw") + rng.choice("aeiou") for _ in range(rng.randint(1, 4))
        )

    def _draw(self, words: list[str], count: int) -> list[str]:
        return self._rng.choices(words, cum_weights=self._weights[len(words)], k=count)

    def _sentence(self, topic: list[str], count: int) -> list[str]:
        words = self._draw(self._common, count - count // 3) + self._draw(topic, count // 3)
        self._rng.shuffle(words)
        return words

    def _join(self, words: list[str]) -> str:
        return "".join(words) if self.language == "zh" else " ".join(words).capitalize()

    def records(self, count: int) -> list[tuple[int, Record]]:
        """(number of its work, record) of so many."""
        rng = self._rng
        works: list[tuple[list[str], list[list[str]]]] = []
        out = []
        for number in range(count):
            if works and rng.random() < COPIES:
                work = rng.randrange(len(works))
                title, sentences = works[work]
                sentences = self._edited(sentences)
            else:
                work = len(works)
                topic = rng.choice(self._topics)
                title = self._sentence(topic, rng.randint(6, 11))
                sentences = [
                    self._sentence(topic, rng.randint(12, 24)) for _ in range(rng.randint(5, 10))
                ]
                works.append((title, sentences))
            stop = "。" if self.language == "zh" else ". "
            abstract = stop.join(map(self._join, sentences)) + stop
            if len(works) - 1 != work and rng.random() < 0.3:
                abstract += _LINES[self.language].format(2000 + number % 25)
            record = Record(
                source="made-up", source_id=str(number), title=self._join(title), abstract=abstract
            )
            out.append((work, record))
        return out

    def _edited(self, sentences: list[list[str]]) -> list[list[str]]:
        rng = self._rng
        share = rng.choice((0.0, 0.02, 0.08))
        edited = [[word for word in words if rng.random() >= share] for words in sentences]
        if rng.random() < 0.3:
            edited = edited[: max(3, int(0.7 * len(edited)))]
        return edited
