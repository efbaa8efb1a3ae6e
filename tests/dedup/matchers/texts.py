"""Texts for tests of text strategies, written for them: one work, its copies, and other works."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from metasearch.dedup.fingerprints import Fingerprint, fingerprint
from metasearch.dedup.matchers import Chain, Matcher
from metasearch.dedup.online import OnlineDedup
from metasearch.record import Match, Record
from tests.dedup.records import record

TITLE = "Sorption of phosphate on iron oxides in lake sediments"
ABSTRACT = (
    "Lakes keep receiving phosphate long after sewers were closed. We packed sediments of three "
    "lakes in columns and "
    "let phosphate flow through them at two depths. Iron oxides held most of the phosphate in the "
    "upper column. Below, "
    "sulphide had dissolved the oxides and sorption was weak. A model with one reaction described "
    "all columns within "
    "ten per cent. Restoration should therefore protect the oxides in the upper sediment."
)
OTHER_TITLE = "How village schools taught arithmetic before printed primers"
OTHER_ABSTRACT = (
    "Account books of forty parishes show what pupils were asked to reckon. Teachers dictated "
    "sums about rye, cloth "
    "and wages. Printed primers arrived late and replaced dictation within a decade. Girls were "
    "taught the same "
    "sums as boys until the age of nine. Inspectors complained about slates more often than about "
    "errors."
)
CHINESE_TITLE = "湖泊沉积物中铁氧化物对磷酸盐的吸附"
CHINESE_ABSTRACT = (
    "污水截流多年以后，湖泊仍然不断接受磷酸盐。我们把三个湖泊的沉积物装入柱中，让磷酸盐溶液流过两个深度。"
    "上层沉积物中的铁氧化物吸附了大部分磷酸盐。下层的硫化物已经溶解铁氧化物，吸附很弱。"
    "一个单反应模型在百分之十以内描述了全部实验柱。因此湖泊修复应当保护上层沉积物中的氧化物。"
)

WORK = {"title": TITLE, "abstract": ABSTRACT}
SENTENCES = [f"{sentence}." for sentence in ABSTRACT.removesuffix(".").split(". ")]
#: What no matcher of texts may call one work: too little is known.
THIN: list[dict[str, Any]] = [
    {},
    {"title": "", "abstract": ""},
    {"title": "Editorial"},
    {"title": "的了"},
    {"title": "。！？……——"},
    {"abstract": "No abstract."},
]

#: What sources may send.
HOSTILE: list[dict[str, Any]] = [
    {"title": "\x00" * 50, "abstract": "\x00\x01\x02 " * 50},
    {"title": "a\ud800b", "abstract": "half a pair \udfff is no letter. " * 20},
    {"title": "x" * 500_000, "abstract": "y" * 500_000},
    {"title": "a b " * 100_000, "abstract": "a. b. " * 100_000},
    {"title": "湖" * 100_000, "abstract": "湖。" * 100_000},
    {"title": "\u0301" * 100_000, "abstract": "e\u0301" * 100_000},
    {"title": "\u202e" + TITLE, "abstract": "】【" * 50_000, "keywords": ("k",) * 100_000},
]


def compared(matcher: Matcher, a: dict[str, Any], b: dict[str, Any]) -> Match | None:
    """The matcher's verdict on two records; the same whichever comes first."""
    left, right = (fingerprint(record(source, 1, **it)) for source, it in (("a", a), ("b", b)))
    match = matcher.compare(left, right)
    assert match == matcher.compare(right, left)
    return match


def share_a_key(matcher: Matcher, a: Fingerprint, b: Fingerprint) -> bool:
    """Whether the general index would bring the two together."""
    return not set(matcher.keys(a)).isdisjoint(matcher.keys(b))


def clusters(matcher: Matcher, records: Iterable[Record]) -> set[frozenset[str]]:
    """What the matcher alone makes of records, by their keys."""
    return _clusters(matcher, [fingerprint(it) for it in records])


def assert_order_does_not_matter(matcher: Matcher, records: list[Record]) -> None:
    """The same clusters in four other orders of arrival."""
    prints = [fingerprint(it) for it in records]
    wanted = _clusters(matcher, prints)
    for seed in range(4):
        assert _clusters(matcher, random.Random(seed).sample(prints, len(prints))) == wanted


def _clusters(matcher: Matcher, prints: list[Fingerprint]) -> set[frozenset[str]]:
    dedup = OnlineDedup(Chain((matcher,)), versions="separate")
    for it in prints:
        dedup.insert(it.record, it)
    return {
        frozenset(prints[number].record_key for number in cluster) for cluster in dedup.clusters()
    }


_SENTENCES = [
    f"{sentence}." for sentence in (ABSTRACT + " " + OTHER_ABSTRACT).removesuffix(".").split(". ")
]


@st.composite
def works(draw: st.DrawFn, most: int = 10) -> list[Record]:
    """Records whose titles and abstracts are put together from the same few sentences."""
    count = draw(st.integers(1, most))
    return [
        record(
            source=draw(st.sampled_from("ab")),
            number=number,
            title=draw(st.sampled_from([TITLE, TITLE.upper(), OTHER_TITLE, CHINESE_TITLE, ""])),
            abstract=" ".join(draw(st.lists(st.sampled_from(_SENTENCES), max_size=9))),
        )
        for number in range(count)
    ]
