"""Which parts of a title are words of the query."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metasearch.bib.normalise import CJK, spaced
from metasearch.listing.words import QueryWords
from metasearch.query import Query

#: Characters of a text that are looked through; the rest is shown unmarked.
_MOST = 2_000
_TOKEN = re.compile(r"\w+")


class Marker:
    """Marks the words of one query, by the same forms that the ranking counts."""

    def __init__(self, query: Query | None) -> None:
        forms = {form for word in QueryWords(query).words for form in word.forms}
        self._whole = {form for form in forms if form.startswith(" ") and form.endswith(" ")}
        self._begun = tuple(form[1:] for form in forms - self._whole if form.startswith(" "))
        self._inside = frozenset(form for form in forms if not form.startswith(" "))

    def parts(self, text: str) -> list[tuple[str, bool]]:
        """The text in parts, each with whether it is marked; marked neighbours are one part. Takes
        time linear in the text.
        """
        parts: list[tuple[str, bool]] = []
        shown = 0
        for start, end in self._joined(text):
            if start > shown:
                parts.append((text[shown:start], False))
            parts.append((text[start:end], True))
            shown = end
        if shown < len(text):
            parts.append((text[shown:], False))
        return parts

    def _joined(self, text: str) -> Iterator[tuple[int, int]]:
        """The marked stretches; those with nothing but a blank between them are one."""
        open_: tuple[int, int] | None = None
        for start, end in self._stretches(text[:_MOST]):
            if open_ is not None and text[open_[1] : start] in ("", " "):
                open_ = open_[0], end
                continue
            if open_ is not None:
                yield open_
            open_ = start, end
        if open_ is not None:
            yield open_

    def _stretches(self, text: str) -> Iterator[tuple[int, int]]:
        for token in _TOKEN.finditer(text):
            word = token.group()
            if not word.isascii() and CJK.search(word):
                yield from self._in_run(word, token.start())
            elif self._holds(spaced(word)):
                yield token.span()

    def _holds(self, folded: str) -> bool:
        return f" {folded} " in self._whole or folded.startswith(self._begun)

    def _in_run(self, run: str, offset: int) -> Iterator[tuple[int, int]]:
        """The characters of a run of Chinese that stand in a pair of the query."""
        folded = spaced(run).replace(" ", "")
        if len(folded) != len(run):  # a character was folded into several: places would not agree
            return
        end = 0
        for place in range(len(folded)):
            for length in (2, 1):
                if folded[place : place + length] in self._inside:
                    start = max(place, end)
                    end = max(end, place + length)
                    if start < end:
                        yield offset + start, offset + end
                    break
