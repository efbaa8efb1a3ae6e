"""Sentences and paragraphs of abstracts, which are one line of text more often than not.

Both give pieces of the text as it stands, in linear time; nothing is lost but the blanks around
them, and what lies beyond `segment.LONGEST` characters.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache

from metasearch.bib.chinese.characters import is_han, simplified
from metasearch.dedup.published.text.segment import LONGEST

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
    form = simplified(text)  # as long as the text itself
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
    return _cut(text, 0, len(text), ends)


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
    return _cut(text, *span, [label.start() for label in _bracketed_label().finditer(form, *span)])


def _cut(text: str, start: int, end: int, cuts: list[int]) -> list[tuple[int, int]]:
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
def _bracketed_label() -> re.Pattern[str]:
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
        rf"{_bracketed_label().pattern}|[（(]{chinese}[）)]|{chinese}[ \u3000]?[:：]|{chinese}[ "
        rf"\u3000]"
        rf"|(?i:{english}) ?[:：.]|(?:{words.upper()})(?: [A-Z]{{2,}}){{0,3}} (?=[A-Z][a-z ])"
    )


def _chinese_head() -> str:
    heads = sorted(_CHINESE_HEADS, key=lambda head: -len(head))
    one = "|".join("[ \u3000]?".join(head) for head in heads)  # "目　的"
    return f"(?:{one})(?:[/／](?:{one}))?"
