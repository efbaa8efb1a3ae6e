"""Other forms of a word that a database does not find by itself and the strategy does not name:
British and American spellings, singular and plural, written apart and in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metasearch.bib.word_list import word_list
from metasearch.message import message
from metasearch.query.match import fold
from metasearch.query.syntaxes import NAMES
from metasearch.query.word_forms import MOST
from metasearch.review.press.english import COMBINING, EnglishWords, english_words
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.reading import ReviewedStrategy
from metasearch.review.press.wording import Word, Wording, wording_of

#: British spelling -> American one, within words that the list does not have: of medicine.
_PARTS = tuple(
    pair.split("/")
    for pair in (
        "haemato/hemato haemo/hemo aemia/emia aemic/emic oedema/edema paediatr/pediatr "
        "oesophag/esophag oestr/estr anaesth/anesth gynaec/gynec rrhoea/rrhea rrhoe/rrhe "
        "foetal/fetal foetus/fetus leucocyt/leukocyt aetiolog/etiolog tumour/tumor isation/ization "
        "caesarean/cesarean orthopaed/orthoped faecal/fecal caecal/cecal coeliac/celiac "
        "behaviour/behavior sulph/sulf ischaem/ischem"
    ).split()
)
#: Parts that stand in other words, too: only the list tells of those.
_ELSEWHERE = frozenset("emic emia edema estr sulf hemo".split())
#: Words whose plural says something else, or nothing.
_MASS = frozenset(
    "water light research information air blood food power data sleep speech time weight skin "
    "brain back neck heart growth music work training love hope human male female novel oral "
    "smart acute acceptance evidence knowledge support practice practise milk onset dependent "
    "single double".split()
)
#: Letters of a word that has a plural, and of the parts of one that is written apart.
_LEAST, _LEAST_PART = 4, 4
#: Prefixes that are written apart, with a hyphen or in one.
_PREFIXES = tuple("post non multi anti pre tele cyber micro nano photo psycho".split())
#: Those whose words in one are not the usual form by far, as "antibiotic" is.
_SPLIT = tuple("post non multi tele cyber micro nano photo psycho".split())
#: Words behind verbs that are written so, too: "burn-out".
_SMALL = ("out", "up", "off")
#: Words that stand apart from others as often as not: "health care".
_APART = ("care", "birth", "giver", "phone")
_LEAST_AFTER_PREFIX = 6

_SIBILANTS = ("ses", "xes", "ches", "shes")
#: Endings of words that have hardly a plural, or are no nouns.
_UNCOUNTABLE = (
    "s", "ing", "ed", "ly", "ism", "ness", "ity", "ive", "ous", "ful", "less", "able",
    "care", "th", "people",
)  # fmt: skip


def other_spellings(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Words in British or American spelling alone."""
    wording, english = wording_of(strategy), english_words()
    told: set[str] = set()
    for word in _literal(wording):
        if word.cut and word.is_part:
            continue  # "fe" of "breast-fe*" begins no word of its own
        others = tuple(spellings(english, word.text, cut=word.cut))
        if any(_holds_form(wording, word, one) for one in others):
            continue
        # One is told of tumour and tumours.
        if not others or any(one[:-1] in told or f"{one}s" in told for one in (*others, word.text)):
            continue
        told |= {word.text, *others}
        sign = strategy.text[word.end : word.end + 1] if word.cut else ""
        yield Finding(
            "other-spelling",
            message(
                "{word} is also spelt {others}, which {database} does not look for by itself",
                word=f"{word.typed}{sign}",
                others=", ".join(f"{one}{sign}" for one in others),
                database=NAMES[strategy.syntax].in_sentence,
            ),
            word.start,
            word.end,
            word.line.number,
            wording.with_others(word, others[:2]),
        )


def _holds_form(wording: Wording, word: Word, other: str) -> bool:
    """Whether another form of a word is looked for in its place: alone, or in the same phrase."""
    held = wording.held_beside(word)
    found = held.holds_stem(other) or (other in held.whole and not word.cut)
    before = word.term.text.casefold()[: -len(word.text)] if word.is_last else ""
    if not found or not before.strip() or word.cut:
        return found
    phrase = f"{fold(before).replace('-', ' ')}{other}"
    return other in held.texts or wording.holds_text(phrase, word)


def spellings(english: EnglishWords, word: str, *, cut: bool = False) -> Sequence[str]:
    """British and American spellings of a word, or of what words begin with (`cut`)."""
    if cut:
        found: dict[str, None] = {}
        for whole in english.spelt_from(word):
            rest = whole[len(word) :]
            for other in english.spellings[whole]:
                start = other.removesuffix(rest)
                # What begins so is found already; a shorter beginning is no spelling of it.
                if other.endswith(rest) and not start.startswith(word) and word[:-1] != start:
                    found[start] = None
        if found:
            return list(found)[:2]
    elif word in english.spellings:
        return english.spellings[word]
    for british, american in _PARTS:
        for part, instead in ((british, american), (american, british)):
            other = word.replace(part, instead)
            if part in word and other != word and (part not in _ELSEWHERE or english.has(other)):
                return (other,)
    return ()


def other_numbers(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Words in the singular or in the plural alone."""
    wording, english = wording_of(strategy), english_words()
    told: set[str] = set()
    for word in _literal(wording):
        if word.cut or not word.is_last or word.is_part or _qualifies(wording, word):
            continue
        other = _other_number(english, word.text, in_phrase=" " in word.term.text)
        if not other or not told.isdisjoint((other, word.text)):
            continue
        if _holds_form(wording, word, other):
            continue
        told |= {word.text, other}
        yield Finding(
            "other-number",
            message(
                "Without {other}, which {database} does not look for by itself",
                other=other,
                database=NAMES[strategy.syntax].in_sentence,
            ),
            word.start,
            word.end,
            word.line.number,
            wording.with_others(word, (other,)),
            sure=False,
        )


def _other_number(english: EnglishWords, word: str, *, in_phrase: bool) -> str:
    """Its plural, or its singular; "" where the list of frequent words has no such pair."""
    if len(word) < _LEAST - in_phrase or word not in english.frequent:
        return ""
    for singular, plural in (("y", "ies"), ("is", "es"), ("", "es"), ("", "s")):
        one = f"{word.removesuffix(plural)}{singular}"
        if not word.endswith(plural) or one not in english.frequent:
            continue
        if (singular, plural) != ("", "es") or word.endswith(_SIBILANTS):
            return "" if word.endswith(("ss", "ics")) else one
    if word.endswith(_UNCOUNTABLE) or word in _MASS or f"{word}ly" in english.frequent:
        return ""
    titles = word_list(MOST).places
    plurals = (f"{word[:-1]}ies" if word.endswith("y") else f"{word}s", f"{word}es")
    return next(
        (one for one in plurals if one in english.frequent and (in_phrase or word in titles)), ""
    )


def _qualifies(wording: Wording, word: Word) -> bool:
    """Whether the word stands on the left of an operator of proximity, as "acute" of
    "acute adj2 pain".
    """
    return (word.term.start, word.term.end) in wording.left_operands


def other_compounds(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Words written apart or with a hyphen that are written in one as well, and the reverse."""
    wording, english = wording_of(strategy), english_words()
    told: set[str] = set()
    before: Word | None = None
    for word in wording.words:
        last, before = before, word
        if word.term.heading or not word.is_english:
            continue
        if last is not None and last.term is word.term and last.is_english and not last.cut:
            solid = f"{last.text}{word.text}"
            if solid in told or wording.holds(solid, word):
                continue
            if _is_solid(english, last, word, strategy.text[last.end : word.start]):
                told.add(solid)
                yield _compound(strategy, wording, (last, word), solid)
            continue
        apart = _apart(english, word)
        if apart and word.text not in told and not _holds_apart(wording, word, apart):
            told.add(word.text)
            yield _compound(strategy, wording, (word,), apart)


def _is_solid(english: EnglishWords, left: Word, right: Word, between: str) -> bool:
    """Whether two words are one, too: "health care", "post-operative", "tele-medic*"."""
    solid = f"{left.text}{right.text}"
    listed = solid in english.frequent or solid in english.usual
    if right.cut:
        listed = bool(english.beginning(solid))
    if listed and min(len(left.text), len(right.text)) > 2 and len(solid) > 6:
        return True
    begins = left.text in _PREFIXES or (between == "-" and COMBINING.fullmatch(left.text))
    return bool(begins) and len(right.text) >= _LEAST_PART


def _apart(english: EnglishWords, word: Word) -> str:
    """How a word is written apart, if that is as usual; "" for others."""
    text = word.text
    for ending in (*_SMALL, *_APART):
        rest = text.removesuffix(ending)
        if rest != text and len(rest) >= _LEAST_PART and rest in english.frequent:
            return f"{rest}-{ending}" if ending in _SMALL else f"{rest} {ending}"
    if text in english.frequent:
        return ""
    for prefix in _SPLIT:
        rest = text.removeprefix(prefix)
        least = _LEAST_PART if COMBINING.fullmatch(prefix) else _LEAST_AFTER_PREFIX
        if rest == text or len(rest) < least:
            continue
        if rest in english.frequent or (
            word.cut and any(one in english.frequent for one in english.beginning(rest))
        ):
            return f"{prefix}-{rest}"
    if text not in english.usual or text not in word_list(MOST).places:
        return ""
    return next(
        (
            f"{text[:at]} {text[at:]}"
            for at in range(_LEAST_PART, len(text) - _LEAST_PART + 1)
            if text[:at] in english.frequent and text[at:] in english.frequent
        ),
        "",
    )


def _holds_apart(wording: Wording, word: Word, apart: str) -> bool:
    left, right = apart.replace("-", " ").split()
    held = wording.held_beside(word)
    # Most databases take a hyphen for a blank: stroke* finds post-stroke.
    found = right in held.whole or held.holds_stem(right)
    return found and (left in held.whole or "-" in apart)


def _compound(
    strategy: ReviewedStrategy, wording: Wording, words: Sequence[Word], other: str
) -> Finding:
    term = words[0].term
    begin, end = words[0].start - term.start, words[-1].end - term.start
    typed = term.typed
    joined = f"{typed} OR {typed[:begin]}{other}{typed[end:]}"
    if (term.start, term.end) not in wording.alternatives:
        joined = f"({joined})"
    quoted = " " not in other or term.quoted or strategy.syntax == "ovid"
    return Finding(
        "other-compound",
        message(
            "{word} is also written {other}",
            word=strategy.text[words[0].start : words[-1].end],
            other=other,
        ),
        words[0].start,
        words[-1].end,
        words[0].line.number,
        Fix(term.start, term.end, joined) if quoted else None,
        sure=False,
    )


def _literal(wording: Wording) -> Iterator[Word]:
    """Words that the database looks for as they are."""
    for word in wording.words:
        if word.is_english and not word.term.heading and wording.is_literal(word):
            yield word


RULES: tuple[Rule, ...] = (other_spellings, other_numbers, other_compounds)
