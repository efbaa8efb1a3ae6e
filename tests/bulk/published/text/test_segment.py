"""Words and their parts of speech, by each engine that may be installed."""

from __future__ import annotations

import gzip
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metasearch.bib import normalise
from metasearch.bib.normalise import is_han, simplify
from metasearch.bulk.published import words as segment
from metasearch.bulk.published.words import (
    LONGEST,
    TextWord,
    is_stop,
    segmenter,
    words,
    words_with_tags,
)
from tests.cases import each, sample
from tests.growth import MOST, growth

ENGINES = ["rjieba", "jieba", "pairs"]
MIXED = "基于BERT的文本分类方法研究——以“Twitter”数据为例（2020）"
_engines: dict[str, Any] = {}


def use(name: str, patch: pytest.MonkeyPatch) -> None:
    """Let an engine cut; it is loaded once for all tests."""
    if name not in _engines:
        made = {"rjieba": segment._Rjieba, "jieba": segment._Jieba, "pairs": segment._Pairs}[name]
        _engines[name] = made()
    patch.setattr(segment, "_loaded", _engines[name])


def need(name: str) -> None:
    if name != "pairs" and importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")


@pytest.fixture(params=sample(ENGINES, 2))
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    need(request.param)
    use(request.param, monkeypatch)
    return str(request.param)


@pytest.fixture(params=sample(ENGINES[:2], 2))
def dictionary(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """An engine that has a dictionary."""
    need(request.param)
    use(request.param, monkeypatch)
    return str(request.param)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As at a program's start: no engine is chosen yet."""
    monkeypatch.setattr(segment, "_loaded", None)
    return monkeypatch


def test_chinese_words(dictionary: str) -> None:
    """Chinese is cut by dictionary; other words are those of `normalise`; marks and blanks are
    none."""
    assert [
        "基于",
        "bert",
        "的",
        "文本",
        "分类",
        "方法",
        "研究",
        "以",
        "twitter",
        "数据",
        "为例",
        "2020",
    ] == words(MIXED)


def test_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a dictionary each run of Chinese gives its overlapping pairs; a lone character is
    itself."""
    use("pairs", monkeypatch)

    assert ["文本", "本分", "分类", "a", "法"] == words("文本分类a法")
    assert {""} == {word.pos for word in words_with_tags(MIXED)}


@each(
    "text",
    [
        "",
        "Deep  learning: a (short) survey!",
        "Naïve β-cells & O’Neill’s ﬁ",
        "Ελληνικά слова",
        "대한민국 논문",
        "١٢٣",
    ],
)
def test_spaced_scripts(text: str, engine: str) -> None:
    """Words between blanks are the same as everywhere else in this package, and have no part of
    speech."""
    assert (
        normalise.words(text)
        == words(text)
        == [word.text for word in words_with_tags(text) if word.pos == ""]
    )


def test_no_engine_is_loaded_for_other_scripts(fresh: pytest.MonkeyPatch) -> None:
    words("Ελληνικά, slovenčina, コンピュータ")

    assert segment._loaded is None


def test_kana_in_pairs(engine: str) -> None:
    """Kana are written without blanks too, and no Chinese dictionary knows them."""
    assert ["デー", "ータ", "の", "a"] == words("データ の A")


def test_traditional_and_simplified_give_the_same_words(dictionary: str) -> None:
    """Also where the form for comparison is none of a dictionary's: 计划 is compared as 计画, but
    cut as one word."""
    for traditional, plain in [
        ("計劃", "计划"),
        ("研究對象", "研究对象"),
        ("產業鏈", "产业链"),
        ("破壞", "破坏"),
        ("賬戶", "账户"),
    ]:
        assert words(traditional) == words(plain)
        assert simplify(plain) == "".join(words(plain))
    assert [simplify("计划")] == words("计划")
    assert [simplify("随着")] == words("随着")


def test_what_dictionaries_spell_otherwise_is_the_same_character() -> None:
    for written, spelt in segment._SPELT.items():
        assert simplify(written) == simplify(spelt)
        assert simplify(spelt) != spelt


def test_quotation_marks_divide_and_apostrophes_join(dictionary: str) -> None:
    assert ["所谓", "创新", "问题"] == words("所谓‘创新’问题")
    assert ["dont"] == words("don’t")


def test_parts_of_speech(dictionary: str) -> None:
    """Nouns, also verbs that serve as nouns; verbs; and the rest."""
    found = {
        word.text: word.pos for word in words_with_tags("我们提出了检测文本的新方法，提高了安全")
    }

    assert {
        "文本": "noun",
        "方法": "noun",
        "检测": "noun",
        "安全": "noun",
        "提出": "verb",
        "提高": "verb",
    }.items() <= found.items()
    assert "other" == found["的"] == found["我们"] == found["新"]


def test_words_that_no_dictionary_holds_have_one(dictionary: str) -> None:
    """The model finds new words and says what they are."""
    assert [TextWord("增施", "verb"), TextWord("有机肥", "noun")] == words_with_tags("增施有机肥")
    assert [TextWord("沼虾", "noun")] == words_with_tags("沼虾")


def test_tagged_words_are_the_words(engine: str) -> None:
    for text in (MIXED, "喹硫平缓释片对大鼠的影响", "各轴间耦合量, e.g. 3.5 mg", "臺灣錢鍾書著"):
        assert words(text) == [word.text for word in words_with_tags(text)]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # the engine keeps nothing of a text
@given(
    text=st.text(max_size=60)
    | st.text("的了研究方法著着图象 aB1.,、。ア゙\u0301’\ud800\x00𠮷㐀", max_size=60)
)
def test_any_text_gives_words(text: str, engine: str) -> None:
    """Odd characters are no words and stop nothing; what is given is letters, digits and
    characters."""
    found = words(text)

    assert found == [word.text for word in words_with_tags(text)]
    assert all(word and all(char.isalnum() or is_han(char) for char in word) for word in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["我", "中国人民", "a\u0301\u0316", "\u0301\u0316", "\ud800", "的\x00", "着’", "ﷺ"]
)
def test_long_texts_take_linear_time(unit: str, engine: str) -> None:
    """Four times the text takes about four times as long."""
    assert growth(lambda size: partial(words, "a" + unit * size), LONGEST // 40) <= MOST


def test_only_the_beginning_is_read(engine: str) -> None:
    assert (
        ["a" * LONGEST]
        == words("a" * LONGEST + "bc")
        == [word.text for word in words_with_tags("a" * LONGEST + "bc")]
    )
    assert not words(" " * LONGEST + "方法")


def test_the_best_engine_is_used(fresh: pytest.MonkeyPatch) -> None:
    """It is named with its version, because another dictionary cuts otherwise."""
    need("rjieba")

    assert f"rjieba {importlib.metadata.version('rjieba')}" == segmenter()


def test_pairs_where_no_engine_is_installed(fresh: pytest.MonkeyPatch) -> None:
    fresh.setitem(sys.modules, "rjieba", None)  # as where it is not installed
    fresh.setitem(sys.modules, "jieba", None)
    segment.load_segmenter()

    assert "pairs" == segmenter()
    assert ["文本", "本分", "分类"] == words("文本分类")


def test_threads_load_one_engine(fresh: pytest.MonkeyPatch) -> None:
    """Whoever comes while another loads waits for it."""
    made: list[int] = []

    class Slow(segment._Pairs):
        def __init__(self) -> None:
            time.sleep(0.05)
            made.append(1)

    fresh.setattr(segment, "_Rjieba", Slow)
    threads = [
        threading.Thread(target=segment.load_segmenter if i % 2 else lambda: words("方法"))
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [1] == made


def test_threads_cut_alike(dictionary: str) -> None:
    expected, found = words_with_tags(MIXED), []
    threads = [
        threading.Thread(
            target=lambda: found.extend(words_with_tags(MIXED) == expected for _ in range(50))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [True] * 200 == found


@pytest.mark.slow
def test_jieba_alone_is_silent_and_leaves_the_temporary_folder_alone(tmp_path: Path) -> None:
    """Its cache is code for whoever may write there: a planted one is not read, and none is
    written.

    Warnings, of which jieba has some, are errors here; before a text is cut, nothing is imported.
    """
    need("jieba")
    planted = tmp_path / "jieba.cache"
    planted.write_bytes(b"not marshal")
    code = (
        "import sys; sys.modules['rjieba'] = None\n"
        "from metasearch.bulk.published import words\n"
        "assert 'jieba' not in sys.modules\n"
        "words.load_segmenter(); print(words.segmenter(), len(words.words('文本分类')))"
    )
    paths = {
        "PYTHONPATH": str(Path(segment.__file__).parents[3]),
        "TMPDIR": str(tmp_path),
        "TEMP": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | paths,
    )

    assert (f"jieba {importlib.metadata.version('jieba')} 2\n", "") == (done.stdout, done.stderr)
    assert [planted] == list(tmp_path.iterdir())
    assert b"not marshal" == planted.read_bytes()


def test_stop_words() -> None:
    """Function words are; words of a topic, also frequent ones, are not; the list is in the form
    that words have."""
    assert all(map(is_stop, ["the", "of", "and", "的", "了", "基于", simplify("随着")]))
    assert not any(map(is_stop, ["study", "results", "method", "研究", "结果", "方法", "", "The"]))
    for word in segment._stop_words():
        assert word == simplify(normalise.fold(word))


@pytest.mark.slow
@pytest.mark.shared
def test_engines_agree_on_real_text(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """rjieba and jieba cut alike, and say the same of nearly all words."""
    for name in ENGINES[:2]:
        need(name)
    with gzip.open(shared / "data" / "neardup" / "base_zh.jsonl.gz") as lines:
        texts = [orjson.loads(line)["abstract"] for _, line in zip(range(150), lines, strict=False)]
    found: dict[str, list[TextWord]] = {}
    for name in ENGINES[:2]:
        use(name, monkeypatch)
        found[name] = [word for text in texts for word in words_with_tags(text)]
    ours, theirs = found["rjieba"], found["jieba"]

    assert [word.text for word in ours] == [word.text for word in theirs]
    assert 0.99 * len(ours) < sum(a.pos == b.pos for a, b in zip(ours, theirs, strict=True))
