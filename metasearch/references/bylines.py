"""The names at the beginning of a reference, and where they end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import islice
from typing import NamedTuple

from metasearch.bib import chinese_names
from metasearch.bib.bylines import is_first_inverted, kinds_of, people_in
from metasearch.bib.name_words import HAN_BODY_ENDINGS, PARTICLES
from metasearch.bib.names import holds_word_of_body, person, suffix_of
from metasearch.bib.normalise import has_cjk, is_cjk
from metasearch.record import Author, new_author

_OTHERS = re.compile(
    r"[,，;；、\s]*(?:\bet\.?\s?al\b\.?|\band others\b\.?|\band colleagues\b|等人?|…|\.\.\."
    r"|\bu\.\s?a\.)[\s.,，]*$",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"[,，]?\s*(?:…|\.\s?\.\s?\.)\s*(?:&\s*)?")
_SEPARATOR = re.compile(
    r"\s*[;；]\s*(?:(?:and|&|und)\s)?|\s*[,，、]\s*(?:(?:and|&|und)\s+)?|\s+(?:and|&|und|和|与)\s+"
)
_AND = re.compile(r"(?:\s|[,，]\s?)(?:and|&|和|与)\s+")
_INITIALS = re.compile(r"(?:[^\W\d_]{1,2}\.[-\u2010]?){1,5}[^\W\d_]?|[^\W\d_]{2,4}\.")
_CAPITALS = re.compile(r"[^\W\d_]{1,4}(?:[-\u2010][^\W\d_])?")
_NAME = re.compile(r"[^\W\d_][\w'’ʼ`´.\-\u2010·]{0,40}")
#: Stops at which names may end; a colon ends them in LNCS.
_STOP = re.compile(
    r"\.(?=\s|[\u3400-\u9fff“\"\[]|[A-Z][a-z])|[．。]|(?<=[A-Za-z]{2}\.)(?=[A-Z][a-z])"
)
_ANY_STOP = re.compile(r"[.．。](?!\s?[,，;；])")
#: An initial and what follows a name, which say that a stop before them ends no list.
_MORE_NAMES = re.compile(r"\s?(?:[-\u2010]?[^\W\d_](?:[.,，;；&]|\s?$)|[,，;；&]|and\s)")
#: A family name behind a given one and an initial.
_NAME_GOES_ON = re.compile(r"[A-Z][\w'’-]{1,40}(?:,|\s(?:and|&)\s)")
#: Year, volume and pages as only a style has them in which names are never written out.
_VANCOUVER = re.compile(r"\d{4}[\w ]{0,8};\s?\d")
#: Stops that are looked at behind the first one that may end a list.
_MOST_MORE = 12
#: A family name of two letters at the end, which "Yu." behind a comma is not.
_SHORT_NAME = re.compile(r"[^\W\d_,]\s[A-Z][a-z]\.$")
#: Forms of a given name in brackets: "Wang, C. (Alex)", "Wang, C. (".
_NICKNAME = re.compile(r"\s?\((?:[^\W\d_][\w.' -]{0,30}\)|\.?(?=\s?[,，;；&.]|\s?$))")
#: Characters of a list of names that are looked at, places where it may end, words of one name.
_LONGEST, _MOST_ENDS, _MOST_WORDS = 16_000, 30, 6
#: Stops that are looked at: of names in initials, each has several.
_MOST_STOPS = 500


class End(Enum):
    """What stands behind a list of names."""

    STOP = "."
    ANY_STOP = ".?"  # also where no blank follows
    COLON = ":"
    COMMA = ","


class Names(NamedTuple):
    """`whole`: whether no "et al." ends the list. `certain`: each is surely a person's name."""

    people: tuple[Author, ...]
    whole: bool
    certain: bool


def names_of(text: str) -> Names | None:
    """The people or the body of a text that is nothing else by its place; None where it is hardly
    a list of names.
    """
    text = " ".join(text.split()).strip(" ,，;；:：")
    if not text or len(text) > _LONGEST:
        return None
    text = _NICKNAME.sub("", text)
    bare = _OTHERS.sub("", text)
    whole = bare == text
    if (cut := _ELLIPSIS.search(bare)) and bare[cut.end() :]:
        bare, whole = bare[: cut.start()], False
    bare = bare.rstrip(" ,，;；。．")
    if bare.endswith(".") and (_SHORT_NAME.search(bare) or not _are_initials(bare.split()[-1])):
        bare = bare[:-1]
    if not bare or (any(map(str.isdigit, bare)) and len(bare) > 120):
        return None
    if has_cjk(bare):
        return _eastern(bare.rstrip(". "), whole=whole)
    pieces = [piece for piece in _SEPARATOR.split(bare) if piece]
    found = _with_initials(pieces)
    if found is not None:
        return Names(tuple(found), whole, certain=True)
    if len(bare) > 250 and len(pieces) < 3:
        return None
    if not _may_be_names(bare, pieces):
        return None
    if (
        len(pieces) > 1
        and bare.startswith(f"{pieces[0]},")
        and " " not in pieces[0 if " " not in pieces[0] else 1]
    ):
        # The first name alone has its family name ahead: "Falk, Greta, and Kofi Osei"
        first = person("", pieces[0], pieces[1])
        others = [person(piece) for piece in pieces[2:]]
        people = tuple(author for author in (first, *others) if author)
    elif (len(pieces) > 2 or _AND.search(bare)) and all(map(_is_full_name, pieces)):
        people = tuple(author for piece in pieces if (author := person(piece)))
    else:
        people = people_in(bare)
    return Names(people, whole, certain=False) if people else None


def opening_names(text: str, end: End) -> tuple[int, int] | None:
    """Where the names end with which a text begins, and where what follows begins; None where it
    surely begins with no names.
    """
    head = text[:_LONGEST]
    first: tuple[int, int, int] | None = None
    places = (
        place
        for place in islice(_ends(head, end), _MOST_STOPS)
        if _may_end(head[max(0, place[0] - 200) : place[0]])
    )
    for number, (stop, start) in enumerate(places):
        if number == _MOST_ENDS:
            break
        if start >= len(text) or not any(map(str.isalpha, text[start : start + 200])):
            break
        if first and number > first[2] + _MOST_MORE:
            break
        if not first and _is_list(head[:stop], text[start:], end):
            if (
                not _NAME_GOES_ON.match(text, start)
                or _has_initials(head[:stop])
                or _VANCOUVER.search(text, start)
            ):
                return stop, start
            first = stop, start, number  # "Diederik P. Kingma and Jimmy Ba. Adam"
        elif first and _AND.search(head[:stop]) and _are_full_names(head[:stop]):
            return stop, start
    return first[:2] if first else None


def _may_end(text: str) -> bool:
    """Whether the end of a text is no initial whose family name follows: "A. Vaswani, N."."""
    if has_cjk(text):
        return True
    pieces = [piece for piece in _SEPARATOR.split(text) if piece]
    if not pieces or not all(
        len(word) == 1 or ("." in word and _are_initials(word)) for word in pieces[-1].split()
    ):
        return True
    return len(pieces) > 1 and not any(map(_are_initials, pieces[-2].split()))


def _has_initials(text: str) -> bool:
    """Whether the names before the last one have initials and nothing else."""
    return any(_parts(piece.split()) for piece in _SEPARATOR.split(text)[:-1])


def _are_full_names(text: str) -> bool:
    return all(
        _is_full_name(piece.rstrip(".")) and not any("." in word[2:] for word in piece.split()[:-1])
        for piece in _SEPARATOR.split(text)
    )


def begins_with_name(text: str) -> bool:
    """Whether a line begins as a list of names with initials, or in characters, does."""
    pieces = [
        piece for piece in re.split(r"[,，;；、]\s*|\s(?:and|&)\s|\.\s", text[:120]) if piece
    ][:2]
    if not pieces:
        return False
    if has_cjk(pieces[0]):
        return _is_han_name(pieces[0].rstrip("."))
    return any(_with_initials(pieces[:count]) for count in (1, 2))


def _ends(head: str, end: End) -> Iterator[tuple[int, int]]:
    if end in (End.STOP, End.ANY_STOP):
        for hit in (_STOP if end is End.STOP else _ANY_STOP).finditer(head):
            # The stop of an initial belongs to the name.
            of_name = hit[0] == "." and head[hit.start() - 1 : hit.start()].isupper()
            behind = head[hit.end() : hit.end() + 2]
            blanks = len(behind) - len(behind.lstrip())
            yield hit.end() if of_name else hit.start(), hit.end() + blanks
    elif end is End.COLON:
        if (colon := re.search(r"[:：]\s", head)) is not None:
            yield colon.start(), colon.end()
    else:
        yield from _behind_commas(head)


def _behind_commas(head: str) -> Iterator[tuple[int, int]]:
    """Behind the name that follows "and", else behind the last of the names with initials, or the
    first in characters.
    """
    last: tuple[int, int] | None = None
    start = 0
    for number, hit in enumerate(re.finditer(r"[,，]\s+", head)):
        piece = head[start : hit.start()]
        joined = _AND.split(f" {piece}")
        names = [name.strip() for name in joined if name.strip()]
        if number == _MOST_ENDS or not names or not all(map(_is_in_order, names)):
            break
        last = hit.start(), hit.end()
        if len(joined) > 1 or (has_cjk(piece) and not re.search(r"\sand\s", head[:200])):
            break
        start = hit.end()
    if last:
        yield last


def _is_in_order(name: str) -> bool:
    """ "A. B. Smith", 王小明."""
    if has_cjk(name):
        return _is_han_name(name)
    words = name.split()
    return (
        len(words) > 1
        and _are_initials(words[0])
        and "." in words[0]
        and not _are_initials(words[-1])
    )


def _is_list(text: str, rest: str, end: End) -> bool:
    found = names_of(text)
    if found is None or len(text) < 2:
        return False
    pieces = [piece for piece in _SEPARATOR.split(text) if piece]
    last = pieces[-1].split() if pieces else []
    if end is not End.COMMA and last and _are_initials(last[-1]) and _MORE_NAMES.match(rest):
        return False  # "Smith J. A., Jones K. Title"
    if ands := list(_AND.finditer(text)):  # one name follows "and"
        behind = [piece for piece in _SEPARATOR.split(text[ands[-1].end() :]) if piece]
        if len(behind) > 1 and not all(map(_are_initials, behind[1].split())):
            return False
    if end is End.COLON:  # LNCS: "Falk, G., Osei, K.: A title"
        if has_cjk(text):
            return found.certain
        return found.certain and len(pieces) > 1 and all(map(_are_initials, pieces[1].split()))
    if not found.whole:
        return True
    if has_cjk(text):
        return found.certain or text.rstrip(". ").endswith(HAN_BODY_ENDINGS)
    if found.certain:
        return True
    if holds_word_of_body(text):
        return "," not in text and len(text.split()) < 13 and len(rest) > 20
    if _AND.search(text) and all(map(_is_full_name, pieces)):
        return True
    inverted = len(pieces) == 2 and all(_is_full_name(f"A {piece}") for piece in pieces)
    alone = len(pieces) == 1 and _is_full_name(text.rstrip("."))
    more = len(_SENTENCES.findall(rest[:1000]))
    return (
        (inverted and more > 0)
        or (alone and more > 1)
        or is_first_inverted(kinds_of(text.rstrip(".")))
    )


def _is_full_name(text: str) -> bool:
    words = text.split()
    return 2 <= len(words) <= 5 and all(
        word[:1].isupper() or word.lower() in PARTICLES for word in words
    )


_SENTENCES = re.compile(r"[.?!]\s")
_SENTENCE = re.compile(r"[^\W\d_]{3}[.?!]\s|[?!:：]")
#: An initial and a word behind it, which is in no name of a body: "Falk MW. A title".
_INSIDE = re.compile(r"(?<![.\w])[A-Z]{1,4}\.\s[A-Z]")
_SMALL = frozenset(("of", "for", "the", "and", "de", "on", "in", "des", "du", "la", "für", "der"))


def _may_be_names(text: str, pieces: list[str]) -> bool:
    """Of text that is no list of names with initials: a body, or full names."""
    words = text.split()
    if _SENTENCE.search(text) or not words[0][:1].isupper():
        return False
    if len(pieces) > 1 and all(_is_full_name(piece) or " " not in piece for piece in pieces):
        return True
    if _INSIDE.search(text) and not _is_full_name(text):
        return False
    if holds_word_of_body(text):
        return len(words) < 15
    return len(words) <= 12 and all(word[:1].isupper() or word in _SMALL for word in words)


# Names with initials: of each it is certain where the family name ends.


def _with_initials(pieces: list[str]) -> list[Author] | None:
    """The people of a list in which each has initials, or is a body; None for any other."""
    found: list[Author | None] = []
    waiting: str | None = None
    some = False
    for piece in pieces:
        words = piece.split()
        if len(words) > _MOST_WORDS + 4 and not _is_body(piece):
            return None
        suffix = suffix_of(piece.rstrip(".").lower())
        if suffix and (found or waiting):
            if waiting is None and found and (last := found[-1]):
                found[-1] = new_author(
                    f"{last.name} {suffix}", last.family, last.given, suffix=suffix
                )
            continue
        if waiting is not None:
            if _are_initials(words[0]) and all(
                len(word) < 4 or _are_initials(word) for word in words
            ):
                behind = suffix_of(words[-1].rstrip(".").lower()) if len(words) > 1 else ""
                found.append(
                    person(
                        "",
                        waiting,
                        " ".join(words[:-1] if behind else words),
                        suffix=behind or None,
                    )
                )
                waiting, some = None, True
                continue
            if not _is_body(waiting):
                return None
            found.append(new_author(waiting))
            waiting = None
        if (parts := _parts(words)) is not None:
            family, given, behind = parts
            found.append(person("", family, given, suffix=behind or None))
            some = True
        elif _is_family(words) or _is_body(piece):
            waiting = piece.rstrip(".") if len(words[-1]) > 3 else piece
        else:
            return None
    if waiting is not None:
        if not _is_body(waiting):
            return None
        found.append(new_author(waiting))
    if not some or None in found:
        return None
    return [author for author in found if author]


def _is_family(words: list[str]) -> bool:
    return (
        len(words) < 5
        and all(
            _NAME.fullmatch(word)
            and (word[:1].isupper() or word.lower() in PARTICLES or word[1:2] in "'’")
            for word in words
        )
        and not any(word.endswith(".") and len(word) > 3 for word in words[:-1])
    )


def _is_body(text: str) -> bool:
    words = text.removeprefix("The ").split()
    return (
        len(words) < 15
        and holds_word_of_body(" ".join(words))
        and all(word[:1].isupper() or word in _SMALL for word in words)
        and not _SENTENCE.search(text)
        and not _INSIDE.search(text)
    )


def _parts(words: list[str]) -> tuple[str, str, str] | None:
    """Family name, initials and suffix of "Smith JA", "J. A. Smith Jr."; None where a name has no
    initials, or nothing else.
    """
    suffix = ""
    if len(words) > 2 and (suffix := suffix_of(words[-1].rstrip(".").lower())):
        words = words[:-1]
    if len(words) < 2 or len(words) > _MOST_WORDS + 2 or not all(map(_NAME.fullmatch, words)):
        return None
    shouted = "".join(words).isupper()
    at = len(words)
    while at > 1 and (
        _is_initial(words[at - 1], shouted=shouted) or words[at - 1].rstrip(".") in ("d'", "d’")
    ):
        at -= 1
    if shouted and at == len(words) and len(words[-1]) <= 3 and "." not in words[0]:
        at -= 1  # "SMITH JA"
    if at < len(words) and not ("." in words[0] and _are_initials(words[0])):
        family = words[:at]
        if _is_family(family):
            return " ".join(family), " ".join(map(_initials, words[at:])), suffix
        return None
    at = 0
    while at < len(words) - 1 and _is_initial(words[at], shouted=False):
        at += 1
    is_whole = at and "." in words[0] and not _is_initial(words[-1], shouted=False)
    if is_whole and _is_family(words[at:]):
        return " ".join(words[at:]), " ".join(words[:at]), suffix
    return None


def _initials(word: str) -> str:
    """Without the full stop that ends the list: "MJ."."""
    return word.rstrip(".") if len(word) > 2 and word.count(".") == 1 and word.isupper() else word


def _is_initial(word: str, *, shouted: bool) -> bool:
    if shouted and "." not in word:
        return len(word) == 1 or (len(word) == 3 and word[1] in "-\u2010")
    return _are_initials(word)


def _are_initials(word: str) -> bool:
    """ "J.", "J.A.", "JA", "J.-P.", "Yu."; also "r", as databases have it."""
    bare = word.rstrip(".")
    if len(bare) == 1 and bare.isalpha():
        return True
    if "." in word:
        return (
            _INITIALS.fullmatch(word) is not None
            and word[:1].isupper()
            and (len(bare) < 3 or "." in bare or bare.isupper())
        )
    return bare.isupper() and _CAPITALS.fullmatch(bare) is not None


# Names in characters.

_HAN_SEPARATOR = re.compile(r"\s*[,，、;；]\s*(?:(?:and|&|和|与)\s+)?|\s+(?:and|&|和|与)\s+")
_IN_BRACKETS = re.compile(r"^[\[［(（〔【][^\])）〕】]{1,6}[\]］)）〕】]\s?")


def _is_han_name(name: str) -> bool:
    """Whether it can be a Chinese name, or one of a foreigner: 马克·吐温."""
    bare = _IN_BRACKETS.sub("", name)
    if "·" in bare or "・" in bare:
        return len(bare) <= 30
    return 2 <= len(bare) <= 4 and bool(chinese_names.han_names(bare))


def _eastern(text: str, *, whole: bool) -> Names | None:
    names = [name for name in _HAN_SEPARATOR.split(text) if name]
    if len(names) == 1 and len(words := text.split()) > 1 and all(map(_is_han_name, words)):
        names = words
    latin = [name for name in names if not any(map(is_cjk, name))]
    certain = all(_is_han_name(name) for name in names if name not in latin)
    if latin and _with_initials(latin) is None:
        return None
    if not certain:
        short = all(len(name) <= 40 for name in names)
        if not short or re.search(r"[。？！?!：:《.]", text):
            return None
    people = []
    for name in names:
        if name in latin:
            people += _with_initials([name]) or []
        else:
            people.append(new_author(_IN_BRACKETS.sub("", name)))
    return Names(tuple(people), whole, certain) if people else None
