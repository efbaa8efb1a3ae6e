"""Sentences and paragraphs: where a point ends something and where it does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.normalise import simplify
from metasearch.bulk.published import words
from metasearch.bulk.published.words import LONGEST, paragraphs, sentences
from tests.cases import each
from tests.growth import MOST, growth


@each(
    "expected",
    [
        ["We looked.", "We saw!", "Did we?", "Yes;", "we did."],
        ["The first part;", "the second part."],
        ["The loss fell to 3.5 % (p < 0.05).", "It stayed there."],
        [
            "Several models, e.g. trees, i.e. forests, were grown by Smith et al. in 2019.",
            "None fell.",
        ],
        ["J. R. Smith and É. Dupont drew Fig. 2 from Eq. 4.", "It is shown."],
        ["Cells of S. aureus died.", "Others did not."],
        ["We used wood, steel, etc. and glue.", "It held."],
        ["We used wood, steel, etc.", "It held."],
        ["See No. 5 of the series.", "The answer was no.", "We left."],
        ["1. Introduction of the thing.", "2. Methods of the thing."],
        ["It was “good.”", "(It was not.)", "So it ends..."],
        ["the whole text is in lower case.", "so is this sentence."],
        ["Version 2.1.0 of www.example.org/a.html was used."],
        ["本文提出一种方法。", "结果表明有效！", "是吗？", "是的；", "好"],
    ],
)
def test_sentences_with_blanks_between(expected: list[str]) -> None:
    """Points of numbers, initials, abbreviations and addresses end nothing; others do."""
    assert expected == sentences(" ".join(expected))


@each(
    "expected",
    [
        [
            "分析了参数的取值.",
            "结果表明精度为3.5%.",
            "模型采用LSTM.",
            "其误差(RMSE).",
            "小于0.05.",
            "可以使用",
        ],
        ["精度为３．５毫米．", "结果较好．"],
        ["他说“可以。”", "然后离开。"],
        ["1.目的是提高产量.", "2.方法如下."],
        ["这样……", "结束"],
    ],
)
def test_chinese_sentences_without_blanks_between(expected: list[str]) -> None:
    """Beside a Chinese character a bare point ends a sentence."""
    assert expected == sentences("".join(expected))


def test_lines_end_sentences() -> None:
    assert ["one", "two", "three", "four"] == sentences(
        " one\ntwo\r\n\r\n\u2028three \u2029 four\n"
    )


def test_nothing() -> None:
    """Blanks alone are neither sentence nor paragraph."""
    assert sentences("") == sentences(" \n\t") == paragraphs("") == paragraphs(" \n\n ") == []


def test_paragraphs_at_blank_lines_first() -> None:
    """Where there are blank lines, the ends of lines are only wrapped text."""
    text = (
        "A first paragraph that was wrapped by hand\nat some column.\n \nAnother one, of more "
        "than forty characters."
    )

    assert [p.strip() for p in text.split("\n \n")] == paragraphs(text)


def test_paragraphs_at_line_ends() -> None:
    """Without blank lines each line is one; a short line is a head and joins what it stands
    over."""
    lines = [
        "Abstract\r\nThis sentence is the first paragraph. It has two.",
        "This is the second of them, and has more than forty characters.\r\nThe end.",
    ]

    assert lines == paragraphs("\r\n".join(lines))


@each(
    "expected",
    [
        ["【目的】探讨其影响。", "【方法】采用实验法,", "【结果】有效.", "【结论】可用"],
        ["[目的]探讨其影响", "[方法/结果]有效", "[结论]可用"],
        ["目的:探讨其影响.", "方法:采用实验法.先做实验.", "结果与结论：有效。"],
        ["目的 探讨其影响.", "方法 采用实验法.", "结果 有效.", "结论 可用."],
        ["目　的：探讨其影响。", "方　法：采用实验法。"],
        ["【目標】探討其影響。", "【資料與方法】採用實驗法。", "【結論】可用。"],
        ["（目的）探讨其影响。", "（方法）采用实验法。"],
    ],
)
def test_chinese_labels(expected: list[str]) -> None:
    """Each labelled section is a paragraph, however short; labels in brackets need no sentence's
    end before them."""
    assert expected == paragraphs("".join(expected))


@each(
    "expected",
    [
        [
            "Background: We ask.",
            "Methods: We count. Twice.",
            "Results: Many.",
            "Conclusion: We are done.",
        ],
        ["OBJECTIVE: We ask.", "METHODS AND RESULTS: We count.", "CONCLUSIONS: Done."],
        ["Purpose of review: We ask.", "Recent findings: Many.", "Summary: Done."],
        ["Aims. We ask.", "Main outcome measures. Health.", "Findings. Many."],
        ["BACKGROUND We ask.", "DESIGN, SETTING, AND PARTICIPANTS: People.", "RESULTS Many came."],
        ["Design/methodology/approach: We ask.", "Originality/value: Done."],
        ["aims: we ask.", "methods : we count."],
    ],
)
def test_english_labels(expected: list[str]) -> None:
    assert expected == paragraphs(" ".join(expected))


@each(
    "text",
    [
        "The results: we count. This is short.",
        "Results of this kind are rare. Methods vary a lot.",
        "方法采用实验法。结果有效。",
        "用该（方法）得到的结果是有效的。",
        "Background: only one label at the start.",
    ],
)
def test_no_labels(text: str) -> None:
    """A word of the kind within a sentence is no label, and one label at the beginning divides
    nothing."""
    assert [text] == paragraphs(text, shortest=100)


def test_sentences_are_grouped() -> None:
    """Groups have at least the asked length; a short rest joins the last one."""
    text = "One two three. Four five six. Seven eight nine ten. Eleven. Twelve."

    assert ["One two three. Four five six.", "Seven eight nine ten. Eleven. Twelve."] == paragraphs(
        text, shortest=20
    )
    assert [text] == paragraphs(text, shortest=60)
    assert sentences(text) == paragraphs(text, shortest=0)


PIECES = st.sampled_from(
    [
        *'aA1中的.。．!?；;…\n\r \u3000\u2028\x00\ud800"”)】(【',
        "【方法】",
        "方法:",
        "Results:",
        "e.g.",
        "et al.",
        "RESULTS We",
        "3.5",
        "\n\n",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=60), st.integers(0, 80))
def test_nothing_is_lost_but_blanks(text: str, shortest: int) -> None:
    """Joined again, sentences and paragraphs are the text without its blanks; each is a trimmed
    piece of it."""
    for pieces in (sentences(text), paragraphs(text, shortest)):
        assert "".join(text.split()) == "".join("".join(pieces).split())
        assert all(piece and piece == piece.strip() and piece in text for piece in pieces)


@given(
    st.lists(st.sampled_from(["甲乙丙。", "One two. ", "三"]), max_size=40).map("".join),
    st.integers(0, 50),
)
def test_only_a_lone_paragraph_is_short(text: str, shortest: int) -> None:
    found = paragraphs(text, shortest)

    assert len(found) < 2 or all(len(paragraph) >= shortest for paragraph in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "a.",
        ". ",
        "\n",
        "【",
        "【方法】",
        "Results: ",
        "results and ",
        "目",
        "e.g. ",
        "”",
        "1.",
        "A ",
        ".)",
    ],
)
def test_long_texts_take_linear_time(piece: str) -> None:
    """Four times as many characters of anything take about four times as long, and all are
    there."""

    def reading(size: int) -> Callable[[], object]:
        return partial(paragraphs, piece * (size // len(piece)))

    text = piece * (LONGEST // len(piece))
    assert "".join(text.split()) == "".join("".join(paragraphs(text)).split())
    assert growth(reading, LONGEST // 40) <= MOST


def test_what_is_beyond_the_bound_is_not_read() -> None:
    assert ["a" * LONGEST] == sentences("a" * LONGEST + " b.") == paragraphs("a" * LONGEST + " b.")


def test_heads_are_in_the_form_in_which_they_are_sought() -> None:
    for head in words._CHINESE_HEADS:
        assert head == simplify(head)
