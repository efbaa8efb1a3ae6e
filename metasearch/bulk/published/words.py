"""What the text strategies are built of: words, sentences, paragraphs and document frequencies."""

from __future__ import annotations

import hashlib
import itertools
import logging
import math
import re
import threading
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from metasearch.bib import normalise
from metasearch.bib.normalise import has_han, is_han, simplify
from metasearch.bib.texts import without_placeholder
from metasearch.record import Record

# Words of any text, with parts of speech where they are Chinese: what the text strategies count and
# hash. Words in spaced scripts are those of `metasearch.bib.normalise`. Chinese is cut by rjieba
# where that extra is installed, else by jieba, which the package depends on. Where neither can be
# imported (a broken installation), Chinese is cut into overlapping pairs of characters. Why so:
# docs/decisions/0010-segmentation-and-frequencies.md.

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

#: How dictionaries spell what `simplify` writes as another character (计划 as 计画), and its
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
class TextWord:
    """A folded word; `pos`: "noun", "verb", "other", or "" where there is no tagger."""

    text: str
    pos: str


def words(text: str) -> list[str]:
    """The words in order, folded (width, case, simplified), with stop words, no punctuation."""
    if text.isascii():
        return normalise.words(text[:LONGEST])
    return [word for word, _ in _cut(text, tags=False)]


def words_with_tags(text: str) -> list[TextWord]:
    """The same words, each with its part of speech."""
    if text.isascii():
        return [TextWord(word, "") for word in normalise.words(text[:LONGEST])]
    return [TextWord(word, pos) for word, pos in _cut(text, tags=True)]


def segmenter() -> str:
    """The name and version of what cuts Chinese: "rjieba 0.2.2", "jieba 0.42.1" or "pairs".

    It is part of every signature made of these words, because another dictionary cuts otherwise.
    """
    return _engine().name


def load_segmenter() -> None:
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
        engine: _Segmenter = _PAIRS
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
                [(simplify(word), pos) for word, pos in pieces]
                if _NOT_AS_SPELT.search(han)
                else pieces
            )
        else:
            found += [(word, "") for word in (_pairs(kana) if kana else [run.group()])]
    return found


def _spelling(text: str) -> str:
    """Simplified, character by character, but as dictionaries spell it."""
    form = simplify(text)
    if not _NOT_AS_SPELT.search(text):
        return form
    return "".join([_SPELT.get(written, char) for written, char in zip(text, form, strict=True)])


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


class _Segmenter(Protocol):
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
_loaded: _Segmenter | None = None


def _engine() -> _Segmenter:
    global _loaded
    if _loaded is None:
        with _lock:  # two at once would load a dictionary twice
            if _loaded is None:
                _loaded = _first()
    return _loaded


def _first() -> _Segmenter:
    engines: tuple[Any, ...] = (_Rjieba, _Jieba)
    for engine in engines:
        try:
            made: _Segmenter = engine()
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


# The text of a record that is compared: title and abstract, no longer than anybody writes them.

#: Characters that count; more than any title or abstract has, and few enough that no record takes
#: long.
LONGEST_TITLE, LONGEST_BODY = 2_000, 20_000
#: Between the members of what is hashed; no tidied text holds it.
SEPARATOR = "\x1f"


def title(record: Record) -> str:
    said = f"{record.title} {record.subtitle}" if record.subtitle else record.title
    return said[:LONGEST_TITLE]


def body(record: Record) -> str:
    return without_placeholder("abstract", record.abstract)[:LONGEST_BODY]


def content_words(text: str) -> list[str]:
    return [word for word in words(text) if not is_stop(word)]


def utf8(text: str) -> bytes:
    """UTF-8 of any string, half a surrogate pair too."""
    return text.encode("utf-8", "surrogatepass")


def sha1(members: Iterable[str]) -> str:
    """SHA-1 of the members, so that no two lists give the same by chance of where one ends; hex."""
    return hashlib.sha1(utf8(SEPARATOR.join(members)), usedforsecurity=False).hexdigest()


# Sentences and paragraphs of abstracts, which are one line of text more often than not. Both give
# pieces of the text as it stands, in linear time; nothing is lost but the blanks around them, and
# what lies beyond `segment.LONGEST` characters.

# Marks, with the quotes and brackets that close behind them; or the ends of lines.
_MARKS = re.compile(r"[。．.!？！?；;…]+[\"”’』」）)\]】〉》]*|[\n\r\u2028\u2029]+")
_POINTS = frozenset('.．"”’』」）)]】〉》')
_BEFORE_POINT = re.compile(r"(?:[^\W\d_]|\.)+\Z")
#: What never ends a sentence, without its last point.
_ABBREVIATIONS = frozenset(
    "e.g i.e al fig figs eq eqs ref refs vs cf dr prof mr mrs ms vol pp ca approx resp viz st "
    "dept univ".split()
)
#: What does unless a number or a word in lower case follows.
_MAYBE = frozenset("etc no nos inc ltd co corp jr sr sp spp ed eds tab sec u.s u.k ph.d".split())

_CHINESE_HEADS = """
    目的 目标 背景 研究背景 研究目的 目的与意义 目的和意义 目的意义 背景与目的 背景和目的 方法
    研究方法 资料与方法 资料和方法 材料与方法 材料和方法 对象与方法 对象和方法 研究设计 过程 结果
    研究结果 主要结果 结果与讨论 结论 研究结论 结果与结论 结果和结论 结论与意义 讨论 局限 局限性
    创新 意义 应用前景
""".split()
_ENGLISH_HEADS = """
    objective objectives background backgrounds purpose purposes aim aims goal goals introduction
    context importance rationale hypothesis design setting settings participants patients subjects
    material materials method methods methodology approach intervention interventions outcome
    outcomes measurement measurements result results finding findings interpretation discussion
    conclusion conclusions significance relevance implications limitations originality value summary
""".split()


def sentences(text: str) -> list[str]:
    """The sentences in order, trimmed.

    One ends at 。．.!？！?；;… or a line's end. A point ends none within a number, behind an
    initial or a common abbreviation; where no blank follows it, it does only beside Chinese.
    """
    text = text[:LONGEST]
    return [text[start:end] for start, end in _sentence_spans(text)]


def paragraphs(text: str, shortest: int = 40) -> list[str]:
    """The paragraphs in order, trimmed.

    Divided at blank lines, else at the ends of lines, and before the labels of a structured
    abstract ("【方法】", "Results:"); where there is neither, sentences are grouped. A piece of
    less than `shortest` characters takes in what follows, and at the end joins what is before; one
    with a label stands alone.
    """
    text = text[:LONGEST]
    label = _label()
    form = simplify(text)  # as long as the text itself
    spans = [piece for span in _sentence_spans(text) for piece in _at_labels(text, form, span)]
    labelled = [label.match(form, start) is not None for start, _ in spans]
    broken = _broken(text, spans)
    by_sentence = not any(labelled[1:]) and not any(broken)
    found: list[tuple[int, int]] = []
    label_last = False
    for (start, end), has_label, is_broken in zip(spans, labelled, broken, strict=True):
        full = bool(found) and found[-1][1] - found[-1][0] >= shortest
        if not found or has_label or (full and (by_sentence or is_broken)):
            found.append((start, end))
            label_last = has_label
        else:
            found[-1] = (found[-1][0], end)
    if len(found) > 1 and not label_last and found[-1][1] - found[-1][0] < shortest:
        found[-2:] = [(found[-2][0], found[-1][1])]
    return [text[start:end] for start, end in found]


def _sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences begin and end, without the blanks around them."""
    ends = []
    start = 0
    for mark in _MARKS.finditer(text):
        if not _POINTS.issuperset(mark.group()) or _point_ends(text, start, mark):
            start = mark.end()
            ends.append(start)
    return _cut_at(text, 0, len(text), ends)


def _point_ends(text: str, start: int, mark: re.Match[str]) -> bool:
    """Whether a point ends the sentence that begins at `start`."""
    at = mark.start()
    before, after = text[max(start, at - 1) : at], text[mark.end() : mark.end() + 1]
    if at - start < 8 and _is_number(text[start:at].strip()):  # "1. Introduction"
        return False
    if after and not after.isspace():
        if any(map(is_han, before + after)):
            return True
        return mark.group()[0] == "．" and not (before.isalnum() and after.isalnum())
    found = _BEFORE_POINT.search(text, max(start, at - 12), at)
    word = found.group() if found else ""
    if word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper()):
        return False
    if word.lower() in _MAYBE or (len(word) == 1 and word.islower()):
        follows = text[mark.end() : mark.end() + 3].lstrip()[:1]
        return not (follows.islower() or follows.isdecimal())
    return True


def _is_number(text: str) -> bool:
    return text.isdecimal() or (len(text) == 1 and text.isascii() and text.isalpha())


def _at_labels(text: str, form: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    """A sentence divided before labels in brackets, which need no end of a sentence before them."""
    return _cut_at(
        text, *span, [label.start() for label in _label_in_brackets().finditer(form, *span)]
    )


def _cut_at(text: str, start: int, end: int, cuts: list[int]) -> list[tuple[int, int]]:
    """The stretches between the cuts, without blanks around them; none of blanks alone."""
    found = []
    for left, right in zip([start, *cuts], [*cuts, end], strict=True):
        piece = text[left:right]
        if kept := piece.strip():
            first = left + len(piece) - len(piece.lstrip())
            found.append((first, first + len(kept)))
    return found


def _broken(text: str, spans: list[tuple[int, int]]) -> list[bool]:
    """Before which sentences a paragraph ends: at blank lines if there are any, else at line
    ends.
    """
    gaps = [
        text[end:start].replace("\r\n", "\n") for (_, end), (start, _) in itertools.pairwise(spans)
    ]
    breaks = [0, *(sum(gap.count(end) for end in "\n\r\u2028\u2029") for gap in gaps)]
    least = 2 if max(breaks) > 1 else 1
    return [count >= least for count in breaks[: len(spans)]]


@lru_cache(maxsize=1)
def _label_in_brackets() -> re.Pattern[str]:
    return re.compile(rf"[【〔［\[]{_chinese_head()}[】〕］\]]")


@lru_cache(maxsize=1)
def _label() -> re.Pattern[str]:
    """A label at a sentence's beginning: "【目的】", "目的:", "Methods and Results:"."""
    words = "|".join(sorted(_ENGLISH_HEADS, key=lambda head: -len(head)))
    before = "(?:(?:study|research|main|key|principal|recent) )?"
    behind = "(?: measures?| of (?:the |this )?(?:review|study|paper))?"
    one = f"{before}(?:{words}){behind}"
    english = rf"{one}(?:(?:, and | and | & |, | ?/ ?){one}){{0,4}}"
    chinese = _chinese_head()
    return re.compile(
        rf"{_label_in_brackets().pattern}|[（(]{chinese}[）)]|{chinese}[ \u3000]?[:：]|{chinese}[ "
        rf"\u3000]"
        rf"|(?i:{english}) ?[:：.]|(?:{words.upper()})(?: [A-Z]{{2,}}){{0,3}} (?=[A-Z][a-z ])"
    )


def _chinese_head() -> str:
    heads = sorted(_CHINESE_HEADS, key=lambda head: -len(head))
    one = "|".join("[ \u3000]?".join(head) for head in heads)  # "目　的"
    return f"(?:{one})(?:[/／](?:{one}))?"


# In how many documents a word occurs, from a small table that is shipped: rare words say more than
# common ones. The table is counted from open records by tools/df_table.py; what of, and why not
# from what is being searched: docs/decisions/0010-segmentation-and-frequencies.md.


@dataclass(frozen=True, slots=True)
class Section:
    """Counts of one script: documents, and in how many of them each word occurs."""

    documents: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class FrequencyTable:
    """Both sections, under a name that changes whenever a count does."""

    id: str
    zh: Section
    en: Section


def idf(word: str) -> float:
    """Inverse document frequency of a folded word, log(1 + (D + 1) / (df + 1)), at least log 2;
    unseen words have df 0.

    D and df are those of the table of its script: Chinese, or everything else.
    """
    section = _section(word)
    return _idf(section.documents, section.counts.get(word, 0))


def nidf(word: str) -> float:
    """The same from 0 (in all documents) to 1 (in none), as in I-Match (Chowdhury et al. 2002)."""
    section = _section(word)
    least, most = _idf(section.documents, section.documents), _idf(section.documents, 0)
    return (_idf(section.documents, section.counts.get(word, 0)) - least) / (most - least)


def table_id() -> str:
    """Names the counts; signatures that used different tables do not compare."""
    return _table().id


def load_frequencies() -> None:
    """Read the table now, which otherwise happens at the first word; from any thread."""
    _table()


def read_frequencies(text: str) -> FrequencyTable:
    """A table from its text: comments, then "= NAME DOCUMENTS" and "COUNT WORD WORD ..."."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    documents: dict[str, int] = {}
    counts: dict[str, dict[str, int]] = {}
    for line in lines:
        first, *rest = line.split(" ")
        if first == "=":
            name, number = rest
            documents[name], counts[name] = int(number), {}
        else:
            counts[name].update(dict.fromkeys(rest, int(first)))
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
    sizes = ",".join(f"{name}{number}" for name, number in documents.items())
    zh, en = (Section(documents[name], counts[name]) for name in ("zh", "en"))
    return FrequencyTable(f"df-1:{sizes}:{digest}", zh, en)


def _idf(documents: int, count: int) -> float:
    return math.log(1 + (documents + 1) / (count + 1))


def _section(word: str) -> Section:
    return _table().zh if has_han(word) else _table().en


@lru_cache(maxsize=1)
def _table() -> FrequencyTable:
    return read_frequencies(Path(__file__).with_name("frequencies.txt").read_text(encoding="utf-8"))
