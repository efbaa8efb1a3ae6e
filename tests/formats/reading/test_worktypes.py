"""Kinds of work, by code and by words."""

from __future__ import annotations

from metasearch.formats.reading import worktypes
from metasearch.record import TYPES
from tests.cases import each


def test_only_types_of_records() -> None:
    """Every table leads into the closed vocabulary."""
    assert {*worktypes.RIS.values(), *worktypes.WORDS.values()} <= set(TYPES)
    assert all(word == word.lower() for word in worktypes.WORDS)


@each(
    ("words", "kind"),
    [
        (["Journal Article"], "article"),
        (["Article; Proceedings Paper"], "article"),
        (["Proceedings Paper"], "conference-paper"),
        (["Journal Article", "Review"], "review"),
        (["Article; Retracted Publication"], "article"),
        (["Retraction"], "retraction"),
        (["中国博士学位论文全文数据库"], "thesis"),
        (["期刊"], "article"),
        (["nothing known"], None),
        ([], None),
    ],
)
def test_words(words: list[str], kind: str | None) -> None:
    """What makes a work more than an article counts first."""
    assert worktypes.of_words(words) == kind


@each(
    ("kind", "words", "found"),
    [
        ("article", ["Review"], "review"),
        ("article", ["Article"], "article"),
        ("article", ["Conference Paper"], "conference-paper"),
        ("book", ["Article"], "book"),
        ("thesis", ["Letter"], "thesis"),
        (None, ["Letter"], "letter"),
        ("article", ["硕士"], "thesis"),
        ("article", [], "article"),
    ],
)
def test_a_second_field_makes_it_more_special(
    kind: str | None, words: list[str], found: str
) -> None:
    assert worktypes.refine(kind, words) == found
