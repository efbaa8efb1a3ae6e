"""Two papers of one team whose titles differ in a word: "men" and "women", "hepatitis B" and
"hepatitis C".

Titles of equal shape in which one content word is exchanged are titles of two works, unless the two
words are one: misspelt, inflected, spelt otherwise, a number in another form, an abbreviation; or
unless one may stand for the other ("study" and "trial"). Letters decide that, and where they cannot
("Iran" and "Iraq", "nitrate" and "nitrite"), short lists of classes (`words.txt`) and a list
of English words do: what is a word by itself is not another one misspelt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein, Postfix, Prefix

from metasearch.bib import normalise, word_list
from metasearch.bib.chinese_names import readings
from metasearch.dedup import words as word_classes
from metasearch.dedup.words import (
    NO_CLASS,
    PREFIXES,
    SMALL_HAN,
    SMALL_WORDS,
    are_alike,
    are_of_one_class,
    are_opposites,
    is_one,
    is_weak,
)

#: Words or characters exchanged at once, and places where that is; more are a title told anew.
MOST_WORDS, MOST_PLACES = 4, 2
#: Words or characters that one title has more, where they name another thing.
MOST_ADDED = 4
#: How many times longer a title is than what is exchanged in it, where that is of other length.
LEAST_EQUAL = 3
#: Words of a name that is abbreviated, with those round it.
LONGEST_NAME = 8
#: Parts of an abbreviation: "gc ms".
MOST_PARTS = 2
#: Letters of a name of which the first may stand for it; how much longer than its abbreviation a
#: word is.
LEAST_NAME, LEAST_SPELT_OUT = 5, 2
#: Letters of a word that is not only a mark or a short name.
LEAST_WORD = 3
#: Letters of an abbreviation.
LONGEST_ABBREVIATION = 6
#: Letters by which a word is looked for in another title; letters of small words and endings in
#: which titles of the same words differ.
LEAST_FOUND, MOST_SMALL = 3, 9
#: Words of a title that are looked at.
LONGEST = 200
#: Pairs of titles of which it is remembered what is exchanged in them: copies of two works meet
#: often.
MOST_REMEMBERED = 256
Words = Sequence[str]
_ARTICLES = frozenset("the a an".split())
#: What stands between two things of which none comes first.
_BETWEEN = frozenset("and or versus vs und oder et ou y o e 和 与 及 或".split())


def exchange(a: tuple[str, ...], b: tuple[str, ...], *, surely: bool = False) -> str:
    """What says that the titles are those of two works: "men against women"; "" for nothing.

    `surely`: of two words that the lists do not have, nothing is said.
    """
    # Words may be aligned in several ways: one of them is taken, whichever title comes first.
    turned = b < a
    said = _two_things(*((b, a) if turned else (a, b)), surely)
    return " against ".join(reversed(said) if turned else said)


def _two_things(a: Words, b: Words, surely: bool) -> tuple[str, ...]:
    """What the titles name, one each; or the word by which they say two things; or nothing."""
    if not all(map(str.isascii, a)) and (names := _names_differ("".join(a), "".join(b))):
        return names
    found = _exchanges(a, b)
    if not found and (word := _has_negation(a, b)):
        return (f"{word} …",)
    if len(a) == len(b) and (word := _pivot(a, b)):
        return (f"{word} ⇄",)
    if len(found) > MOST_PLACES or _are_listed(a, found):
        return ()
    for left, right in found:
        if max(len(left), len(right)) <= MOST_WORDS and (
            _are_of_two_things(left, right)
            or (
                not surely
                and _say_two_things(left, right)
                and _is_small(left, right, a, b)
                and not (_stands_in_weak(left, a) or _stands_in_weak(right, b))
            )
        ):
            return () if is_turned(a, b) else (_as_text(left), _as_text(right))
    return ()


def addition(a: Words, b: Words, marks: frozenset[int]) -> str:
    """What one title says more in front of a word that both have, and what makes another thing of
    it: "pandemic" of "pandemic influenza"; "" for nothing.

    What stands between marks is a heading, or says once more what stands before it. `marks`:
    numbers of the words of the longer title after which a mark stands.
    """
    short, long = sorted((_units(a), _units(b)), key=len)
    more = len(long) - len(short)
    if not 0 < more <= MOST_ADDED:
        return ""
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    end = start + more
    if start == len(short) or short[start:] != long[end:]:
        return ""
    added = long[start:end]
    if normalise.has_cjk(long[-1]):
        return "".join(added) if says_much("".join(added)) else ""
    if end in marks or long[end] in SMALL_WORDS:
        return ""
    if any(word in short for word in added if word not in SMALL_WORDS):
        return ""
    says = any(len(word) >= LEAST_WORD and not is_weak(word) for word in added)
    return " ".join(added) if says else ""


def says_much(text: str) -> bool:
    """Whether characters that only one title has say what kind of thing is meant: "重症"."""
    for word in sorted(word_classes.weak(), key=len, reverse=True):
        if len(word) > 1 and not word.isascii():
            text = text.replace(word, "")
    said = [one for one in text if one not in SMALL_HAN]
    return len(said) > 1 or any(
        one in word_classes.classes() or one in word_classes.NEGATIONS for one in said
    )


def _has_negation(a: Words, b: Words) -> str:
    """The word that turns what one title says round, where the other has no word in its place."""
    short, long = sorted((a, b), key=len)
    more = [word for word in long if word not in short]
    return more[0] if len(more) == 1 and more[0] in word_classes.NEGATIONS else ""


def _pivot(a: Words, b: Words) -> str:
    """The word between two things that changed places, which says more than "and": "the effect of
    noise on sleep", "the effect of sleep on noise".
    """
    one, other = _units(a), _units(b)
    if one == other or len(one) != len(other) or set(one) != set(other):
        return ""
    if sorted(one) != sorted(other):
        return ""
    start, equal = _common_ends(one, other)
    end = len(one) - equal
    one, other = tuple(one[start:end]), tuple(other[start:end])
    for at, word in enumerate(one[1:-1], 1):
        if (*one[at + 1 :], word, *one[:at]) == other:
            return "" if word in _BETWEEN else word
    return ""


def _are_listed(words: Words, found: list[tuple[Words, Words]]) -> bool:
    """Whether two things of a list changed places: "kites and boats", "boats and kites"."""
    if len(found) != 2 or found[0] != found[1][::-1]:
        return False
    one, other = words.index(found[0][0][-1]), words.index(found[1][0][0])
    between = words[one + 1 : other]
    return all(word in _BETWEEN or word in SMALL_WORDS for word in between) and (
        not between or any(word in _BETWEEN for word in between)
    )


def may_differ_in_synonyms(left: list[str], right: list[str]) -> bool:
    """Whether each word of one title alone may stand for some of the other, by a look at their
    letters.
    """
    if not left[0].isascii():
        return True
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    if not _may_stand_in(few, {word[0] for word in many}):
        return False
    # A word more may be a part of a name that is abbreviated, or of a word written as one.
    firsts = {word[0] for word in few}.union(*(w for w in few if len(w) <= LONGEST_ABBREVIATION))
    glued = "".join(few)
    return _may_stand_in((word for word in many if word not in glued), firsts)


def _may_stand_in(words: Iterable[str], firsts: set[str]) -> bool:
    """Whether each word is a small one, says little, or begins with one of the letters."""
    known = word_classes.interchangeable()
    return all(
        word[0] in firsts
        or word in known
        or word in SMALL_WORDS
        or is_weak(word)
        or not word.isalpha()
        for word in words
    )


def differs_in_synonyms(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether the titles are one but for words of which one may stand for the other."""
    found = _exchanges(*sorted((a, b)))
    return 0 < len(found) <= MOST_PLACES and all(
        _are_one(left, right) or _may_stand_for(left, right) or _say_little(left, right)
        for left, right in found
    )


def is_paraphrase(a: str, b: str) -> bool:
    """Whether the titles are one but for a name that one abbreviates, or a phrase turned."""
    longer = abs(len(a) - len(b))
    if longer > MOST_SMALL:
        if a[0] != b[0]:  # an abbreviation begins as the name does
            return False
        equal = Prefix.similarity(a, b) + Postfix.similarity(a, b)
        return equal >= min(len(a), len(b)) - MOST_SMALL and _is_abbreviated(a.split(), b.split())
    return (
        a[:LEAST_FOUND] in b
        and b[:LEAST_FOUND] in a
        and (is_turned(a.split(), b.split()) or _is_abbreviated(a.split(), b.split()))
    )


def _is_abbreviated(a: Words, b: Words) -> bool:
    """Whether the titles are one but for a name, which one of them abbreviates."""
    short, long = sorted((a, b), key=len)
    more = len(long) - len(short)
    if not 0 < more < LONGEST_NAME or len(short) < 3:
        return False
    start, equal = _common_ends(short, long)
    end = len(short) - equal
    return 0 < end - start <= MOST_PARTS and _abbreviates(
        short[start:end], long[start : end + more]
    )


def is_turned(a: Words, b: Words) -> bool:
    """Whether the titles are one but for a phrase that is turned: "noise in harbours", "harbour
    noise".
    """
    if abs(len(a) - len(b)) > 2 * LEAST_EQUAL:
        return False
    one, other = ([word for word in words if word not in _ARTICLES] for words in (a, b))
    short, long = sorted((one, other), key=len)
    more = len(long) - len(short)
    if not 0 < more < LEAST_EQUAL or len(short) < 2:
        return False
    start, equal = _common_ends(short, long)
    end = len(short) - equal
    return any(
        all(word in SMALL_WORDS for word in long[end - cut + start : end - cut + start + more])
        and all(map(is_one, short[start:cut], long[end + more - cut + start : end + more]))
        and all(map(is_one, short[cut:end], long[start : start + end - cut]))
        for cut in range(start + 1, end)
    )


@lru_cache(maxsize=MOST_REMEMBERED)
def _exchanges(a: Words, b: Words) -> list[tuple[Words, Words]]:
    """The words of each title that stand where the other has others. None where the titles are
    not of one shape: where one says more.
    """
    one, other = _units(a), _units(b)
    if abs(len(one) - len(other)) > 2 * MOST_WORDS:
        return []
    start, end = _common_ends(one, other)
    one, other = one[start : len(one) - end], other[start : len(other) - end]
    if not one or not other:
        return []  # one says more, as most do
    if len(one) != len(other) and (set(one).issuperset(other) or set(other).issuperset(one)):
        return []
    found: list[tuple[Words, Words]] = []
    ends = 0, 0
    for op in Levenshtein.opcodes(one, other):
        if op.tag == "equal":
            continue
        left, right = one[op.src_start : op.src_end], other[op.dest_start : op.dest_end]
        if found and ends == (op.src_start, op.dest_start):
            before, behind = found.pop()
            left, right = (*before, *left), (*behind, *right)
        found.append((left, right))
        ends = op.src_end, op.dest_end
    found = [pair for left, right in found if (pair := _trim_exchange(left, right)) != ((), ())]
    return found if all(left and right for left, right in found) else []


def _common_ends(one: Words, other: Words) -> tuple[int, int]:
    """How many words two titles have in common at their beginnings, and behind those at their
    ends.
    """
    most = min(len(one), len(other))
    start = 0
    while start < most and one[start] == other[start]:
        start += 1
    end = 0
    while end < most - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return start, end


def _units(words: Words) -> Words:
    """Words of a title; of one in characters, the characters."""
    if words[0].isascii() or not normalise.has_cjk(words[0]):
        return words[:LONGEST]
    return tuple(_UNITS.findall(" ".join(words)[: 2 * LONGEST]))[:LONGEST]


#: Letters and numbers in Chinese say something together: "ii", "rb1".
_UNITS = re.compile(r"[a-z0-9]{1,20}|\S")


def _trim_exchange(left: Words, right: Words) -> tuple[Words, Words]:
    """What two runs say, without small words and without the words that both have at their ends.

    Small words may be parts of others ("e mail") or of an abbreviation ("qol").
    """
    if _are_letters(left, right) or (
        left and right and (_are_one(left, right) or are_alike("".join(left), "".join(right)))
    ):
        return left, right
    left, right = _content(left), _content(right)
    if len(left) == len(right):
        return left, right
    short, long = sorted((left, right), key=len)
    kept = long
    while short and short[0] == kept[0]:
        short, kept = short[1:], kept[1:]
    while short and short[-1] == kept[-1]:
        short, kept = short[:-1], kept[:-1]
    if not short and len(kept) == 1 and _are_interchangeable(kept[0], "patients"):
        return (), ()  # "the elderly", "elderly patients"
    return (
        (left, right) if not short else (short, kept) if len(left) < len(right) else (kept, short)
    )


def _content(words: Words) -> Words:
    kept = tuple(word for word in words if word not in SMALL_WORDS and word not in SMALL_HAN)
    # A small word that is all there is says something: "with" against "without".
    return kept or tuple(word for word in words if word in word_classes.classes())


def _are_letters(left: Words, right: Words) -> bool:
    """Whether each is a letter, "hepatitis A" and "hepatitis E", and not "and" of a language."""
    letters = "".join(left) + "".join(right)
    return len(letters) == 2 and letters.isascii() and letters not in ("ey", "ye", "ou", "uo")


def _as_text(words: Words) -> str:
    return ("" if normalise.has_cjk(words[0]) else " ").join(words)


def _are_one(left: Words, right: Words) -> bool:
    """Whether exchanged words are the same ones, written otherwise."""
    if "".join(left) == "".join(right):
        return True
    if normalise.has_cjk(left[0]) and len(left) * len(right) > 1:
        return False
    if len(left) == len(right):
        return all(is_one(x, y) or _is_short_for(x, y) for x, y in zip(left, right, strict=True))
    return is_one("".join(left), "".join(right)) or _abbreviates(*sorted((left, right), key=len))


def _is_short_for(x: str, y: str) -> bool:
    """Whether one word is the other, abbreviated: "s" of "staphylococcus", "ecg"."""
    short, long = sorted((x, y), key=len)
    if len(short) == 1:
        return len(long) >= LEAST_NAME and long[0] == short and short.isalpha()
    if len(long) == LEAST_WORD and long.startswith(short):
        return True  # "mr" and "mri"
    # "java" is no abbreviation of "javascript".
    return (
        len(long) >= LEAST_SPELT_OUT * len(short)
        and not long.startswith(short)
        and _abbreviates((short,), (long,))
    )


def _abbreviates(short: Words, long: Words) -> bool:
    """ "rct" of "randomised controlled trial", with the words round it."""
    if len(long) > LONGEST_NAME:
        return False
    if len(short) > 1 and short[0] == long[0]:
        return _abbreviates(short[1:], long[1:])
    if len(short) > 1 and short[-1] == long[-1]:
        return _abbreviates(short[:-1], long[:-1])
    if any(not word.isascii() or word_list.stems_of(word) for word in short):
        return False
    name = "".join(short)  # "gc ms"
    return _is_made_of(name, long) or (name[-1] == "s" and _is_made_of(name[:-1], long))


def _is_made_of(name: str, long: Words) -> bool:
    """Whether an abbreviation has the initials of the words, and letters behind them, in order:
    "mri", "ecg", "usa" of "united states", "b2b".
    """
    if len(name) < 2 or len(name) > LONGEST_ABBREVIATION or name[0] != long[0][0]:
        return False
    initials = "".join(word[0] for word in long)
    if len(long) > 1 and name.replace("2", "t") in (initials, f"{initials}a"):
        return True
    said = [word for word in long if word not in SMALL_WORDS]
    # "SMEs" are small and medium-sized enterprises.
    if len(said) == len(name) + 1 > LEAST_WORD and _lacks_one("".join(map(_first, said)), name):
        return True
    return _may_begin(name, said) or _may_begin(name, _glue_prefixes(said))


def _first(word: str) -> str:
    return word[0]


def _lacks_one(long: str, short: str) -> bool:
    """Whether a text is another one without one of its letters, but not the first."""
    return any(long[:at] + long[at + 1 :] == short for at in range(1, len(long)))


def _glue_prefixes(words: Words) -> Words:
    """The words, of which those before which a hyphen may stand are one with it: "co-operation"."""
    found: list[str] = []
    for at, word in enumerate(words):
        if at and words[at - 1] in PREFIXES:
            found[-1] += word
        else:
            found.append(word)
    return found


def _may_begin(name: str, long: Words) -> bool:
    """Whether the letters of a name are, in order, in the words, with the first of each."""
    at = 0
    for number, word in enumerate(long):
        if at >= len(name) or name[at] != word[0]:
            return False
        at += 1
        behind = len(long) - number - 1
        place = 1
        while len(name) - at > behind:
            place = word.find(name[at], place) + 1
            if not place:
                break
            at += 1
    return at == len(name)


def _may_stand_for(left: Words, right: Words) -> bool:
    """Whether one may stand for the other: "study" and "trial"."""
    if normalise.has_cjk(left[0]):
        left, right = ("".join(left),), ("".join(right),)
    if len(left) != len(right):
        left, right = ("".join(left),), ("".join(right),)  # "decubitus ulcers", "bedsores"
    return all(
        is_one(x, y) or _is_short_for(x, y) or _are_interchangeable(x, y)
        for x, y in zip(left, right, strict=True)
    )


def _say_little(left: Words, right: Words) -> bool:
    """Whether the words say nothing of a subject, and one of each may stand for the other:
    "controlled trial" and "study".
    """
    weak = word_classes.weak()
    return (
        all(word in weak for word in (*left, *right))
        and any(_are_interchangeable(x, y) for x in left for y in right)
        and not _are_of_two_things(left, right)
    )


def _are_interchangeable(x: str, y: str) -> bool:
    groups = word_classes.interchangeable()
    return x in groups and not groups[x].isdisjoint(groups.get(y, NO_CLASS))


def _are_of_two_things(left: Words, right: Words) -> bool:
    """Whether the exchanged words are known to name two things of a kind."""
    if _may_stand_for(left, right):
        return False
    if len(left) != len(right):
        left, right = ("".join(left),), ("".join(right),)
    return any(
        are_opposites(x, y) or are_of_one_class(x, y)
        for x, y in zip(left, right, strict=True)
        if x != y and not _are_interchangeable(x, y)
    )


def _say_two_things(left: Words, right: Words) -> bool:
    """Whether each side says something by itself, in words that are not alike."""
    if len(left) == len(right) == 1 and normalise.has_cjk(left[0]):
        return SMALL_HAN.isdisjoint((left[0], right[0])) and not _sound_alike(left[0], right[0])
    if _are_one(left, right) or _may_stand_for(left, right):
        return False
    if normalise.has_cjk(left[0]):
        short, long = sorted((left, right), key=len)
        # One character beside more is too little to go by, but for "老" and the like.
        return len(short) > 1 or (
            len(long) > 1 and short[0] in word_classes.classes() and short[0] not in long
        )
    if len(left) != len(right):
        return _say_other_things(left, right)
    return any(
        not (
            is_one(x, y) or is_weak(x) or is_weak(y) or are_alike(x, y)
            or _are_interchangeable(x, y) or _is_short_for(x, y)
        )
        for x, y in zip(left, right, strict=True)
    )  # fmt: skip


def _stands_in_weak(run: Words, title: Words) -> bool:
    """Whether what is exchanged is one character of a word that says little: "析" of "分析"."""
    if len(run) != 1 or not normalise.has_cjk(run[0]):
        return False
    text, weak = "".join(title), word_classes.weak()
    places = (at for at, one in enumerate(text) if one == run[0])
    return any({text[max(at - 1, 0) : at + 1], text[at : at + 2]} & weak for at in places)


def _sound_alike(x: str, y: str) -> bool:
    """Whether one character may have been typed for the other: each is read like the other."""
    return not readings(x).isdisjoint(readings(y))


def _is_small(left: Words, right: Words, a: Words, b: Words) -> bool:
    """Whether what is exchanged is a small part of the titles, where it is a word against several:
    a short title of three words may be told anew in two.
    """
    return len(left) == len(right) or all(
        LEAST_EQUAL * len("".join(run)) <= len("".join(title))
        for run, title in ((left, a), (right, b))
    )


def _say_other_things(left: Words, right: Words) -> bool:
    """Whether runs of unlike length each say something, and have no word in common: "hip" and
    "lower back".
    """
    left, right = ([word for word in words if not is_weak(word)] for words in (left, right))
    if not left or not right or are_alike("".join(left), "".join(right)):
        return False
    return not any(
        is_one(x, y) or are_alike(x, y) or _are_interchangeable(x, y) for x in left for y in right
    )


def _names_differ(one: str, other: str) -> tuple[str, ...]:
    """Other provinces or medicines that titles in characters name: "江苏", "浙江"; () for none."""
    if not normalise.has_cjk(one):
        return ()
    said = [
        {place for place in word_classes.PLACES_HAN if place in text}
        | {*word_classes.MEDICINES_HAN.findall(text)}
        for text in (one, other)
    ]
    left, right = said[0] - said[1], said[1] - said[0]
    return (min(left), min(right)) if left and right else ()
