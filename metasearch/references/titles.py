"""Whether a reference has the title of a work, word by word.

Case, markup, accents, hyphens, articles, numbers in another form, British and American spelling are
nothing; a subtitle that one side lacks neither. A word more, less or exchanged makes another title,
and so does another form of a word: invented references are full of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import OSA, Levenshtein

from metasearch.bib import texts, word_list
from metasearch.dedup.titles import Title, notice, notice_in_characters, read_title
from metasearch.dedup.words import (
    SMALL_HAN,
    is_one,
    is_weak,
    number_words,
    numeral,
    plain_spelling,
)
from metasearch.formats import latex
from metasearch.record import Record

#: Words of a title, or characters of a Chinese one, and parts of it that are compared.
LONGEST, MOST_PARTS = 200, 6
#: Words by which a part of a title may be longer than the other title, where words differ, and
#: those or the letters that are no cut.
MOST_MORE = 3
#: Letters of titles that databases cut, and of those that they cut before the last letter.
LEAST_CUT, LEAST_CUT_ANYWHERE = 60, 150
#: Letters of a word in which one is wrong, and two.
ONE_WRONG, TWO_WRONG = 6, 9
#: Words that say something, or characters, of a title that few works share.
LEAST_SPECIFIC, LEAST_SPECIFIC_HAN = 4, 8
_ARTICLES = frozenset("a an the".split())
#: Beside those whose letters tell.
_SPELLINGS = dict(
    pair.split("/") for pair in "grey/gray ageing/aging judgement/judgment mould/mold".split()
)
#: Words that stand in nearly every title of a language, and in none of another one.
_FUNCTION_WORDS = {
    "en": "the of and for with from by its how what is are".split(),
    "de": "der die das und des von zur zum eine einer im".split(),
    "fr": "le les du et une dans sur aux".split(),
    "es": "el los las y una del por sobre".split(),
    "pt": "os uma do dos da das em na no".split(),
    "it": "il della delle di nel e gli sul".split(),
}

Words = Sequence[str]


class TitleRelation(NamedTuple):
    """How two titles relate.

    Attributes:
        kind: "same"; "spelt": but for a typo; "part": one lacks a part of the other; "near": some
            words differ; "other".
        likeness: Share of words in common, 0..1.
    """

    kind: Literal["same", "spelt", "part", "near", "other"]
    likeness: float


#: Less likeness makes another title.
LEAST_NEAR = 0.55
SAME = TitleRelation("same", 1.0)


def read(record: Record) -> Title:
    """The title of a record, without markup."""
    title, subtitle = (
        latex.decode(texts.plain_text(text)) if text else text
        for text in (record.title, record.subtitle)
    )
    others = tuple(filter(None, (record.original_title, record.translated_title, *record.titles)))
    if (title, subtitle, others) != (record.title, record.subtitle, record.titles):
        record = dataclasses.replace(record, title=title or "", subtitle=subtitle, titles=others)
    return read_title(record, (), ())


def is_translation(record: Record) -> bool:
    """Whether the title is that of a database, which has put it into English."""
    return record.title.lstrip('"').startswith("[") or "<ORIGINAL>" in record.title


def is_specific(title: Title) -> bool:
    """Whether hardly two works have this title."""
    if title.generic:
        return False
    if title.cjk:
        return len(title.compact) >= LEAST_SPECIFIC_HAN
    return len([word for word in title.words if not is_weak(word)]) >= LEAST_SPECIFIC


def relation(a: Title, b: Title) -> TitleRelation | None:
    """How two titles relate; None where one is missing, or they are in two languages."""
    if not a.compact or not b.compact:
        return None
    if a.compact == b.compact or not {a.compact, *a.others}.isdisjoint({b.compact, *b.others}):
        return SAME
    if a.cjk != b.cjk or len({_language(a), _language(b)} - {""}) > 1:
        return None
    if _is_cut(*sorted((a, b), key=lambda title: len(title.compact))):
        return TitleRelation("part", 1.0)
    if _notice(a) != _notice(b):
        return TitleRelation("other", 0.0)  # "Erratum: ..."
    best = _words_relation(_units(a), _units(b))
    if best.kind in ("same", "spelt"):
        return best
    for short, long in ((a, b), (b, a)):
        words = _units(short)
        for part, whole in _parts(long):
            if abs(len(part) - len(words)) > MOST_MORE:
                continue
            found = _words_relation(words, part)
            if found.kind in ("same", "spelt"):
                return TitleRelation("part", len(part) / len(whole))
            best = max(best, found, key=lambda each: each.likeness)
    return best


def _is_cut(short: Title, long: Title) -> bool:
    """Whether a database has cut a title before several words, or a long one anywhere."""
    at, more = len(short.compact), len(long.words) - len(short.words)
    if not long.compact.startswith(short.compact) or len(short.words) < LEAST_SPECIFIC:
        return False
    inside = long.words[: len(short.words)] != short.words and len(long.compact) - at >= MOST_MORE
    return more > MOST_MORE or (at >= LEAST_CUT and inside) or at >= LEAST_CUT_ANYWHERE


def _notice(title: Title) -> str:
    """What kind of notice about another work this is; the plan of a study is none."""
    if title.cjk:
        return notice_in_characters(title.text)
    return notice(title.text, title.words, title.breaks).replace("protocol", "")


def _units(title: Title) -> Words:
    """Characters, or words without the article that catalogues leave out at the beginning."""
    if title.cjk:
        return title.compact[:LONGEST]
    return title.words[len(title.words) > 1 and title.words[0] in _ARTICLES : LONGEST]


def _parts(title: Title) -> Iterator[tuple[Words, Words]]:
    """What stands before and behind each mark, with the whole title."""
    whole = _units(title)
    for at in sorted(title.breaks)[:MOST_PARTS]:
        behind = title.words[at:]
        cut = len(whole) - (len("".join(behind)) if title.cjk else len(behind))
        for part in (whole[:cut], whole[cut:]):
            if 0 < len(part) < len(whole):
                yield part, whole


def _language(title: Title) -> str:
    """By its small words; "" where they do not tell."""
    counts = {
        language: len([word for word in title.words if word in words])
        for language, words in _FUNCTION_WORDS.items()
    }
    first, second = sorted(counts, key=counts.__getitem__)[:-3:-1]
    return first if counts[first] > counts[second] and counts[first] > 1 else ""


def _words_relation(a: Words, b: Words) -> TitleRelation:
    equal = wrong = typos = 0
    for left, right in _runs(a, b):
        if left == right:
            equal += len(left)
        elif _are_one(left, right):
            equal += max(len(left), len(right))
        elif _is_slip(left, right):
            typos += 1
            equal += max(len(left), len(right))
        else:
            wrong += 1
            equal += sum(is_one(x, y) for x, y in zip(left, right, strict=False))
    if not wrong:
        return TitleRelation("spelt" if typos else "same", 1.0)
    likeness = equal / max(len(a), len(b))
    return TitleRelation("near" if likeness >= LEAST_NEAR else "other", likeness)


def _runs(a: Words, b: Words) -> Iterator[tuple[Words, Words]]:
    """The words that two titles have in common, and in turn those in which they differ."""
    differ = [0, 0, 0, 0]
    for op in Levenshtein.opcodes(a, b):
        if op.tag != "equal":
            differ[1], differ[3] = op.src_end, op.dest_end
            continue
        if differ[0] < differ[1] or differ[2] < differ[3]:
            yield a[differ[0] : differ[1]], b[differ[2] : differ[3]]
        yield a[op.src_start : op.src_end], b[op.dest_start : op.dest_end]
        differ = [op.src_end, op.src_end, op.dest_end, op.dest_end]
    if differ[0] < differ[1] or differ[2] < differ[3]:
        yield a[differ[0] : differ[1]], b[differ[2] : differ[3]]


def _are_one(left: Words, right: Words) -> bool:
    """Whether differing words are the same, written otherwise."""
    if plain_spelling("".join(left)) == plain_spelling("".join(right)):
        return True
    return len(left) == len(right) and all(
        plain_spelling(x) == plain_spelling(y)
        or _SPELLINGS.get(x, x) == _SPELLINGS.get(y, y)
        or (_number(x) and _number(x) == _number(y))
        for x, y in zip(left, right, strict=True)
    )


def _number(word: str) -> str:
    return number_words().get(word) or numeral(word)


def _is_slip(left: Words, right: Words) -> bool:
    """Whether a word differs in a letter inside it that makes no other word or form of one, or an
    article or a small character is left out, or the mark of a footnote is one word more.
    """
    if (*left, *right) == ("1",):
        return True
    if SMALL_HAN.issuperset((*left, *right)) or _ARTICLES.issuperset((*left, *right)):
        return True
    if len(left) != 1 or len(right) != 1:
        return False
    x, y = left[0], right[0]
    wrong, length = OSA.distance(x, y, score_cutoff=2), min(len(x), len(y))
    return (
        length >= (ONE_WRONG if wrong == 1 else TWO_WRONG)
        and wrong <= 2
        and x[0] == y[0]
        and (x[-1] == y[-1] or sorted(x) == sorted(y))
        and is_one(x, y)
        and not (word_list.stems_of(x) and word_list.stems_of(y))
    )
