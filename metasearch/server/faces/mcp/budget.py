"""How large an answer is for a language model, and how it is kept small: abstracts are cut first,
then whole works are left out, and the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

#: Tokens of one answer by `tokens`. Hosts cut answers at 25,000; an answer is sent twice, as an
#: object and as text, and a host may show both.
MOST_TOKENS = 12_000
#: Tokens that everything beside the works may take.
_MOST_BESIDE = 5_000
#: Characters of each abstract, the most that fit are chosen.
_ABSTRACTS = (1_200, 500, 200, 0)
_letters = re.compile("[A-Za-z ]+")
_ascii = re.compile("[\x00-\x7f]+")
_narrow = re.compile("[\x80-\u07ff]+")
_basic = re.compile("[\u0800-\uffff]+")


def tokens(text: str) -> int:
    """An upper estimate of the tokens of a text, for any model.

    English takes a token for four to five letters, here one for two and a half; other characters
    never take more than one for each byte of UTF-8, which is what they are counted as.
    """
    others = _letters.sub("", text)
    not_ascii = _ascii.sub("", others)
    not_narrow = _narrow.sub("", not_ascii)
    astral = _basic.sub("", not_narrow)
    letters = len(text) - len(others)
    signs = len(others) - len(not_ascii)
    narrow = len(not_ascii) - len(not_narrow)
    basic = len(not_narrow) - len(astral)
    return round(letters * 0.4 + signs * 1.1 + narrow + basic * 3 + len(astral) * 4)


def written(value: object) -> str:
    """The JSON text of an answer."""
    return orjson.dumps(value).decode()


def size(value: object) -> int:
    """Tokens of the JSON text of a value."""
    return tokens(written(value))


def cut(text: str, characters: int) -> str:
    """The text, or its beginning with "…"; "" for none."""
    return text if len(text) <= characters else text[: max(0, characters - 1)].rstrip() + "…"


def cut_to_tokens(text: str, most: int) -> str:
    """The text, or as much of its beginning as has so many tokens, with "…"."""
    while tokens(text) > most:
        # What is left out is in proportion to what is too much: a few rounds are enough.
        text = cut(text, min(len(text) - 1, int(len(text) * most / tokens(text))))
    return text


def fitted(
    works: Sequence[Any], write: Callable[[Any, int], dict[str, Any]], beside: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The works as objects that fit into an answer, and a note for each thing that was cut.

    `works`: in the order of the list. `write`: takes a work and the characters that its abstract
    may have.
    """
    room = MOST_TOKENS - size(beside) - 200
    for characters in _ABSTRACTS:
        objects = [write(work, characters) for work in works]
        if sum(map(size, objects)) <= room:
            return objects, _cut_notes(characters, len(objects), len(works))
    kept: list[dict[str, Any]] = []
    for each in objects:
        room -= size(each)
        if room < 0:
            break
        kept.append(each)
    return kept, _cut_notes(0, len(kept), len(works))


def _cut_notes(characters: int, kept: int, all_: int) -> list[str]:
    notes = []
    if characters == 0:
        notes.append("Abstracts are left out, because the answer would be too long; fetch has them")
    elif characters < _ABSTRACTS[0]:
        notes.append(f"Abstracts are cut to {characters} characters; fetch has the whole ones")
    if kept < all_:
        notes.append(f"Only the first {kept} of these {all_} works fit into one answer")
    return notes


def fitted_facets(facets: dict[str, Any] | None) -> tuple[dict[str, Any] | None, list[str]]:
    """The facets with as many values as fit, and a note where values were left out."""
    if facets is None or size(facets) <= _MOST_BESIDE:
        return facets, []
    most = max(len(facet["values"]) for facet in facets["facets"].values())
    while size(facets) > _MOST_BESIDE and most > 1:
        most = most * 2 // 3
        facets = facets | {
            "facets": {
                name: facet | {"values": facet["values"][:most]}
                for name, facet in facets["facets"].items()
            }
        }
    return facets, [f"Only the first {most} values of each facet fit into one answer"]
