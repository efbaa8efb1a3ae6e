"""Kinds of work as Zotero, CSL, Crossref and the Web of Science name them, over `worktypes`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from metasearch.formats.reading import worktypes

#: Words apart by blanks, in lower case, in the order in which they are written there.
_WORDS: Mapping[str, str] = {
    "article journal": "article", "article magazine": "article", "article newspaper": "article",
    "posted content": "preprint", "paper conference": "conference-paper",
    "proceedings article": "conference-paper",
    "meeting": "conference-paper", "book part": "chapter", "book track": "chapter",
    "bookset": "book",
    "reference book": "book", "reference entry": "reference-entry", "entry": "reference-entry",
    "entry dictionary": "reference-entry", "entry encyclopedia": "reference-entry",
    "peer review": "review",
    "encyclopedia article": "reference-entry", "dictionary entry": "reference-entry",
    "review book": "review",
    "book review": "review", "post": "webpage", "post weblog": "webpage", "blog post": "webpage",
    "forum post": "webpage", "song": "audio", "audio recording": "audio",
    "radio broadcast": "audio",
    "video recording": "video", "film": "video", "tv broadcast": "video", "broadcast": "video",
    "musical score": "score", "graphic": "image", "journal issue": "journal",
    "journal volume": "journal",
    "presentation": "other", "speech": "other", "document": "other", "interview": "other",
    "email": "other",
    "letter personal": "other", "instant message": "other", "legislation": "other",
    "treaty": "other",
    # PT of the Web of Science
    "j": "article", "c": "conference-paper", "b": "book", "p": "patent",
}  # fmt: skip
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def type_of(words: Iterable[str]) -> str | None:
    """The type that the first of these words stands for, that anybody knows; None for none."""
    return next((kind for word in words if (kind := _of_word(word[:200]))), None)


@lru_cache(maxsize=1000)
def _of_word(word: str) -> str | None:
    apart = _CAMEL.sub(" ", word).replace("-", " ").replace("_", " ")
    return (
        worktypes.of_words([word])
        or worktypes.of_words([apart])
        or _WORDS.get(" ".join(apart.lower().split()))
    )
