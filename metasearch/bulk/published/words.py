"""Words of any text, with parts of speech where they are Chinese: what the text strategies count
and hash.

Words in spaced scripts are those of `metasearch.bib.normalise`. Chinese is cut by rjieba where that
extra is installed, else by jieba, which the package depends on. Where neither can be imported (a
broken installation), Chinese is cut into overlapping pairs of characters. Why so:
docs/decisions/0010-segmentation-and-frequencies.md.
"""

from __future__ import annotations

import logging
import re
import threading
import warnings
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from metasearch.bib import normalise
from metasearch.bib.chinese.characters import simplified

#: Characters of one text that are read; what is beyond is no abstract.
LONGEST = 100_000

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
# Chinese, kana, and all other letters and digits, each as a run. jieba takes time in the square of
# what is in no dictionary, and no Chinese goes on for hundreds of characters without a mark.
_RUN = re.compile(rf"([{_HAN}]{{1,200}})|([{_KANA}]+)|[^\W_{_HAN}{_KANA}]+")
_FIRST_HAN = re.compile(rf"[{_HAN}]")
# An apostrophe within English joins ("don’t"); as a quotation mark within Chinese it divides.
_CHINESE_QUOTES = re.compile(rf"(?<=[{_HAN}])[‘’]|[‘’](?=[{_HAN}])")
# Marks without a letter in between: normalising takes time in the square of their number, and
# thirty are no text.
_MANY_MARKS = re.compile(r"([^\w\x00-\x7f]{30})[^\w\x00-\x7f]+")

#: How dictionaries spell what `simplified` writes as another character (计划 as 计画), and its
#: traditional forms.
_SPELT = {
    **{char: char for char in "着划沉坏像链俱覆账惟阪藉彷颚黏吒"},
    "劃": "划",
    "壞": "坏",
    "鏈": "链",
    "賬": "账",
}
_NOT_AS_SPELT = re.compile(f"[{''.join(_SPELT)}]")


@dataclass(frozen=True, slots=True)
class Word:
    """A folded word; `pos`: "noun", "verb", "other", or "" where there is no tagger."""

    text: str
    pos: str


def words(text: str) -> list[str]:
    """The words in order, folded (width, case, simplified), with stop words, no punctuation."""
    if text.isascii():
        return normalise.words(text[:LONGEST])
    return [word for word, _ in _cut(text, tags=False)]


def tagged(text: str) -> list[Word]:
    """The same words, each with its part of speech."""
    if text.isascii():
        return [Word(word, "") for word in normalise.words(text[:LONGEST])]
    return [Word(word, pos) for word, pos in _cut(text, tags=True)]


def segmenter() -> str:
    """The name and version of what cuts Chinese: "rjieba 0.2.2", "jieba 0.42.1" or "pairs".

    It is part of every signature made of these words, because another dictionary cuts otherwise.
    """
    return _engine().name


def load() -> None:
    """Load the dictionary now (0.2 to 2 s), not at the first Chinese text; in any thread."""
    _engine().tag("的")
    is_stop("的")


def is_stop(word: str) -> bool:
    """Whether a folded word says nothing of the topic: articles, pronouns, auxiliaries."""
    return word in _stop_words()


def _cut(text: str, tags: bool) -> list[tuple[str, str]]:
    """Words and parts of speech of a text that is not ASCII."""
    text = _MANY_MARKS.sub(r"\1", text[:LONGEST])
    if "’" in text or "‘" in text:
        text = _CHINESE_QUOTES.sub(" ", text)
    text = normalise.fold(text)
    if not _FIRST_HAN.search(text):
        engine: _Engine = _PAIRS
    else:
        engine = _engine()
        text = _spelling(text)
    found: list[tuple[str, str]] = []
    for run in _RUN.finditer(text):
        han, kana = run.groups()
        if han:
            pieces = engine.tag(han) if tags else [(word, "") for word in engine.cut(han)]
            # The dictionary's spelling has done its work; words are compared in the one form.
            found += (
                [(simplified(word), pos) for word, pos in pieces]
                if _NOT_AS_SPELT.search(han)
                else pieces
            )
        else:
            found += [(word, "") for word in (_pairs(kana) if kana else [run.group()])]
    return found


def _spelling(text: str) -> str:
    """Simplified, character by character, but as dictionaries spell it."""
    form = simplified(text)
    if not _NOT_AS_SPELT.search(text):
        return form
    return "".join([_SPELT.get(written, char) for written, char in zip(text, form, strict=True)])


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


# --------------------------------------------------------------------------- engines


class _Engine(Protocol):
    name: str

    def cut(self, run: str) -> list[str]: ...

    def tag(self, run: str) -> list[tuple[str, str]]: ...


class _Pairs:
    """No dictionary at all."""

    name = "pairs"
    cut = staticmethod(_pairs)

    def tag(self, run: str) -> list[tuple[str, str]]:
        return [(pair, "") for pair in _pairs(run)]


class _Rjieba:
    """jieba's dictionary and models in Rust."""

    def __init__(self) -> None:
        import rjieba

        self.name = f"rjieba {metadata.version('rjieba')}"
        self.cut = rjieba.cut
        self._tag = rjieba.tag

    def tag(self, run: str) -> list[tuple[str, str]]:
        return [(word, _coarse(tag)) for word, tag in self._tag(run)]


class _Jieba:
    """The original, without its cache: that is a marshal file in the shared temporary folder, and
    saves no time.

    Importing jieba 0.42.1 warns: its sources hold invalid escape sequences (a SyntaxWarning from
    Python 3.12 on), and it imports the deprecated pkg_resources where that is installed. Neither
    concerns a user, and a caller may have made warnings errors, so they are ignored here.
    """

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import jieba
            import jieba.posseg
        jieba.setLogLevel(logging.WARNING)
        tokenizer = jieba.Tokenizer()
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
        tokenizer.initialized = True  # so that it neither looks for a cache nor writes one
        self._tagger = jieba.posseg.POSTokenizer(tokenizer)
        self.name = f"jieba {metadata.version('jieba')}"
        self.cut = tokenizer.lcut

    def tag(self, run: str) -> list[tuple[str, str]]:
        return [(word, _coarse(self._tag(word))) for word in self.cut(run)]

    def _tag(self, word: str) -> str:
        """The dictionary's, else the model's; jieba's tagger cuts otherwise than its cutter."""
        known: str = self._tagger.word_tag_tab.get(word) or self._tagger.lcut(word)[-1].flag
        return known


def _coarse(tag: str) -> str:
    """The part of speech of a tag; vn, an and abbreviations (j) are nouns."""
    if tag.startswith("n") or tag in ("vn", "an", "j"):
        return "noun"
    return "verb" if tag.startswith("v") else "other"


_PAIRS = _Pairs()
_lock = threading.Lock()
_loaded: _Engine | None = None


def _engine() -> _Engine:
    global _loaded
    if _loaded is None:
        with _lock:  # two at once would load a dictionary twice
            if _loaded is None:
                _loaded = _first()
    return _loaded


def _first() -> _Engine:
    engines: tuple[Any, ...] = (_Rjieba, _Jieba)
    for engine in engines:
        try:
            made: _Engine = engine()
        except ImportError:
            continue
        return made
    return _PAIRS


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    text = Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8")
    return frozenset(
        word for line in text.splitlines() if not line.startswith("#") for word in line.split()
    )
