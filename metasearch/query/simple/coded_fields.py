"""The words of the coded fields `type:` and `language:` -> the closed list, and near misses."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.bib.languages import language_code, language_words
from metasearch.message import message
from metasearch.query.kinds import TYPE_NAMES, TYPE_WORDS, type_word

#: For messages: what may be written.
CODED_WORDS: Mapping[str, str] = {
    "type": ", ".join(TYPE_NAMES),
    "language": message("the codes of ISO 639-1 (en, zh), or an English name (chinese)"),
}


def coded_word(field: str, text: str) -> str | None:
    """The canonical "type" or "language" of a word: "Dissertations" -> "thesis"; or None."""
    return type_word(text) if field == "type" else language_code(text)


def near_coded_words(field: str, text: str) -> list[str]:
    """Canonical words near an unknown one, the nearest first, at most three."""
    from difflib import get_close_matches

    known = (
        TYPE_WORDS
        if field == "type"
        else {word: code for word, code in language_words().items() if len(word) > 3}
    )
    plain = "-".join(text.casefold()[:40].split())
    near = [word for word in known if len(plain) > 2 and word.startswith(plain)]
    near += get_close_matches(plain, known, 6, 0.7)
    return list(dict.fromkeys(known[word] for word in near))[:3]
