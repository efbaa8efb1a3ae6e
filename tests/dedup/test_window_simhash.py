"""Signatures over windows of characters: against windows cut and counted by hand."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup import window_simhash
from metasearch.dedup import window_simhash as few_simhash
from metasearch.dedup.window_simhash import overlap, shingles, signatures, signatures_of_many
from tests.cases import each

ENGLISH = (
    "Warm water holds less oxygen than cold water does, and a river that is warmed by a power "
    "station loses fish "
    "that need much of it. We measured both, above and below the outlet, over three summers."
)
CHINESE = (
    "温水所含的氧比冷水少，被电厂加热的河流会失去需氧量大的鱼类。"
    "我们连续三个夏天在排水口上下游对两者进行了测量。"
)
TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=300)
MASK = 2**64 - 1


def mixed(number: int) -> int:
    """The finalizer of splitmix64, in whole numbers."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


def by_hand(text: str) -> int | None:
    """Cut, hash and count each window for itself; for text without letters that fold to others."""
    letters = [c for c in text.lower() if c.isalnum()]
    cjk = 4 * sum(c >= "\u3041" for c in letters) >= len(letters)
    width = 2 if cjk else 4
    places = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
    hashes = [
        mixed(
            sum(ord(c) * place for c, place in zip(letters[at : at + width], places, strict=False))
            & MASK
        )
        for at in range(len(letters) - width + 1)
    ]
    if len(hashes) < (20 if cjk else 40):
        return None
    return sum(
        1 << bit for bit in range(64) if 2 * sum(it >> bit & 1 for it in hashes) > len(hashes)
    )


@each("text", [ENGLISH, CHINESE, ENGLISH * 30, CHINESE * 30, "", "short", "短文", "a" * 300])
def test_both_ways_count_what_is_counted_by_hand(text: str) -> None:
    """Of texts of any length: more than 255 windows are counted in parts by numpy."""
    assert signatures([text]) == signatures_of_many([text]) == [by_hand(text)]


@given(st.lists(st.text(alphabet="abc de中文字,", max_size=400), max_size=12))
def test_a_text_is_signed_in_company_as_alone(texts: list[str]) -> None:
    """No window reaches from one text into the next."""
    assert signatures(texts) == signatures_of_many(texts) == [by_hand(text) for text in texts]


@given(
    st.lists(
        st.one_of(
            TEXTS,
            st.text(max_size=300),
            st.text(alphabet=st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Cs"]), min_size=40),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_few_texts_are_signed_without_numpy_as_many_are_by_it(texts: list[str]) -> None:
    """Any text: in any script, with surrogates, marks and characters of no script."""
    assert window_simhash.are_few(texts)
    assert signatures(texts) == signatures_of_many(texts)


@pytest.mark.slow
def test_what_few_texts_need_does_not_load_numpy() -> None:
    """A search that signs a text or two is done before numpy would be imported."""
    program = (
        "import sys\n"
        "from metasearch.dedup.window_simhash import overlap, shingles, signatures\n"
        f"text = {ENGLISH!r}\n"
        "assert signatures([text, text[1:]])\n"
        "assert overlap(shingles(text), shingles(text)) == (1, 1)\n"
        "assert 'numpy' not in sys.modules\n"
    )

    subprocess.run([sys.executable, "-c", program], check=True)


def test_long_texts_are_signed_by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes a third of the time."""
    monkeypatch.setattr(few_simhash, "majority", lambda _: pytest.fail("one by one"))

    assert None not in signatures([ENGLISH * 20, CHINESE * 100])


def test_a_batch_that_is_counted_in_several_goes() -> None:
    """The order stays that of the texts."""
    texts = [f"{number} {ENGLISH if number % 3 else CHINESE}" for number in range(400)]

    assert not window_simhash.are_few(texts)
    assert signatures(texts) == [signatures([text])[0] for text in texts]


@each(
    ("one", "other"),
    [
        (ENGLISH, ENGLISH.upper()),
        (ENGLISH, f"  {ENGLISH.replace(', ', ' -- ')}\n"),
        (
            "Überprüfung der Größe von Fässern in Klöstern und Höfen",
            "Uberprufung der Große von Fassern in Klostern und Hofen",
        ),
        (unicodedata.normalize("NFD", "é" * 60), "e" * 60),
        (CHINESE, CHINESE.replace("，", ", ").replace("。", " . ")),
        (CHINESE, CHINESE.replace("热", "熱").replace("鱼", "魚").replace("们", "們")),
        ("ＡＢＣＤ" * 20, "abcd" * 20),
    ],
)
def test_case_width_accents_marks_and_forms_do_not_count(one: str, other: str) -> None:
    """What databases change about a text without changing it."""
    assert signatures([one]) == signatures([other]) != [None]


def test_little_text_has_no_signature() -> None:
    """Two empty abstracts must never be one."""
    assert signatures(["", "...", "No abstract.", "无摘要", "x" * 42]) == [None] * 5
    assert signatures(["x" * 43, "鱼" * 21]) != [None, None]


@given(TEXTS)
def test_any_text_is_signed_or_not(text: str) -> None:
    """Nothing that a database sends raises."""
    (signature,) = signatures([text])

    assert signature is None or 0 <= signature < 2**64


def test_surrogates_and_planes_without_letters() -> None:
    """A lone surrogate, an emoji and private characters are passed over."""
    assert signatures([f"\ud800{ENGLISH}\U0001f41f\U000f0000\x00"]) == signatures([ENGLISH])


def test_endless_text_is_cut() -> None:
    """What comes after the longest that is looked at costs nothing."""
    start = (ENGLISH * 200)[: window_simhash.LONGEST]

    assert signatures([start + "z" * 1_000_000]) == signatures([start])


def by_hand_overlap(one: str, other: str, width: int) -> tuple[float, float]:
    a, b = ({s[at : at + width] for at in range(len(s) - width + 1)} for s in (one, other))
    short, long = sorted((len(a), len(b)))
    return len(a & b) / short, len(a & b) / long


@each(("width", "text"), [(8, ENGLISH), (4, CHINESE)])
def test_overlap_is_that_of_sets_of_strings(width: int, text: str) -> None:
    """A copy cut to half its length stands in the whole one."""
    letters = "".join(c for c in text.lower() if c.isalnum())
    half = letters[: len(letters) // 2] + "zz"

    assert overlap(shingles(letters), shingles(half)) == pytest.approx(
        by_hand_overlap(letters, half, width)
    )


def test_nothing_overlaps_with_nothing() -> None:
    """Too little text is no evidence."""
    assert (
        overlap(shingles(""), shingles(""))
        == overlap(shingles(ENGLISH), shingles("short"))
        == (0.0, 0.0)
    )
