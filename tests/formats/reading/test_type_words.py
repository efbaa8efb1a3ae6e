"""Words for kinds of work, as programs write them."""

from __future__ import annotations

from metasearch.formats.reading.worktypes import type_of
from tests.cases import each


@each(
    ("words", "kind"),
    [
        (["journalArticle"], "article"), (["article-journal"], "article"), (["bookSection"],
        "chapter"),
        (["conferencePaper"], "conference-paper"), (["paper-conference"], "conference-paper"),
        (["posted-content"], "preprint"), (["encyclopediaArticle"], "reference-entry"),
        (["Journal Article"], "article"), (["motion_picture"], "video"),
        (["computerProgram"], "software"), (["Review"], "review"), (["J"], "article"), (["", "B"],
        "book"),
        (["blogPost"], "webpage"), (["unheard of"], None), ([], None),
    ],
)  # fmt: skip
def test_words(words: list[str], kind: str | None) -> None:
    """Of Zotero, CSL, Crossref, EndNote, Scopus and the Web of Science."""
    assert type_of(words) == kind
