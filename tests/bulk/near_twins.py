"""Records for the strategies on signatures: texts written at random from small vocabularies, and
edited copies."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations

import pytest

from metasearch.bulk.published.words import segmenter
from metasearch.dedup import Chain, Fingerprint, OnlineDedup, fingerprint
from metasearch.dedup.matchers import Matcher, NeighbourMatcher
from metasearch.record import Record
from tests.dedup.records import record

_CHINESE = (
    "图书馆 检索 系统 数据 模型 方法 分析 水体 土壤 气候 催化 材料 网络 信息 教育 医院 患者 治疗 "
    "结构 桥梁 施工 控制 "
    "研究 提出 设计 采用 测量 提高 影响 评价 温度 压力 浓度 样品 实验 结果 机制 基因 蛋白 细胞"
).split()
_ENGLISH = (
    "library retrieval system record model method analysis water sediment climate catalyst "
    "material network citation "
    "teaching hospital patient treatment structure bridge control study proposes designs uses "
    "measures improves "
    "affects evaluates temperature pressure concentration sample experiment result mechanism gene "
    "protein the of in"
).split()


def sentence(rng: random.Random, *, chinese: bool) -> str:
    """Ten to sixteen words and a full stop."""
    vocabulary, blank, stop = (_CHINESE, "", "。") if chinese else (_ENGLISH, " ", ". ")
    return blank.join(rng.choices(vocabulary, k=rng.randint(10, 16))) + stop


def edited(rng: random.Random, sentences: Sequence[str]) -> list[str]:
    """The same text after one of: nothing, a swap, a cut, an addition, a word dropped, another case
    or width."""
    out = list(sentences)
    place = rng.randrange(len(out))
    match rng.randrange(6):
        case 1:
            out[0], out[place] = out[place], out[0]
        case 2 if len(out) > 1:
            del out[place]
        case 3:
            out.insert(place, sentence(rng, chinese=not out[0].isascii()))
        case 4:
            out[place] = out[place][:-6] + out[place][-3:]
        case 5:
            out[place] = out[place].upper().replace("。", "．")
    return out


def near_twins(seed: int, works: int = 12, copies: int = 4, size: int = 6) -> list[Record]:
    """Records of so many works, half of them Chinese, each in edited copies; numbered WORK * 100 +
    COPY."""
    rng = random.Random(seed)
    rows = []
    for work in range(works):
        chinese = bool(work % 2)
        title = sentence(rng, chinese=chinese)
        text = [sentence(rng, chinese=chinese) for _ in range(rng.randint(2, size))]
        for copy in range(copies):
            rows.append(
                record("abcd"[copy % 4], work * 100 + copy, title=title, abstract="".join(text))
            )
            text = edited(rng, text)
    return rows


def needs_a_dictionary() -> None:
    """Skip where Chinese is cut into pairs of characters, because jieba cannot be imported."""
    if segmenter() == "pairs":
        pytest.skip("neither rjieba nor jieba can be imported")


def work_of(record_key: str) -> int:
    """The work that a record was made of."""
    return int(record_key.partition(":")[2]) // 100


Pairs = set[tuple[int, int]]


def all_pairs(matcher: Matcher, prints: Sequence[Fingerprint]) -> Pairs:
    """What a matcher calls the same when it is asked about every pair; it says so either way
    round."""
    found = set()
    for a, b in combinations(range(len(prints)), 2):
        match, turned = matcher.compare(prints[a], prints[b]), matcher.compare(prints[b], prints[a])
        assert match == turned
        if match is not None:
            assert match.verdict == "same"
            found.add((a, b))
    return found


def candidates(matcher: NeighbourMatcher, prints: Sequence[Fingerprint]) -> Pairs:
    """The pairs that meet by a key or as neighbours, where records arrive in this order."""
    keys = [set(matcher.keys(it)) for it in prints]
    neighbours = matcher.neighbours()
    found = set()
    for number, it in enumerate(prints):
        found |= {(other, number) for other in neighbours.near(it)}
        found |= {(other, number) for other in range(number) if keys[other] & keys[number]}
        neighbours.add(number, it)
    return found


def clusters(matcher: Matcher, rows: Iterable[Record]) -> set[frozenset[str]]:
    """The works of records that arrive in this order, as names of records."""
    listed = list(rows)
    stage = OnlineDedup(Chain((matcher,)))
    for row in listed:
        stage.insert(row)
    return {frozenset(listed[number].key for number in numbers) for numbers in stage.clusters()}


def prints_of(rows: Iterable[Record]) -> list[Fingerprint]:
    """The fingerprints, in order."""
    return [fingerprint(row) for row in rows]


#: What somebody may put into an abstract who means harm, or exports carelessly.
HOSTILE = (
    "word " * 100_000,
    " ".join(f"w{number}" for number in range(100_000)),
    "水土气" * 50_000,
    "a\0b\0c " * 100,
    "half \ud800 of a pair \udfff and \ud83d, iron, lake, sediment, column, phosphate. " * 50,
    "\u0301" * 50_000,
    "." * 100_000,
    "\x85\u2028\u202e\ufeff" * 1_000,
    "。".join("结论" for _ in range(20_000)),
    "‘’" * 20_000,
)
