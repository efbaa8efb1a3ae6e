"""What the writers of tagged formats share: lines of a tag and a value, and the words for types.

No value holds a line break, so no upstream text can open a field or end a record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading import worktypes
from metasearch.formats.reference import journal_like
from metasearch.formats.text import line
from metasearch.record import Hit, Record

#: `Record.type` -> word of a second field, beside the general word for all that journals hold.
SECOND_WORDS = {
    "review": "Review",
    "editorial": "Editorial",
    "letter": "Letter",
    "erratum": "Erratum",
    "retraction": "Retraction",
    "preprint": "Preprint",
}


@dataclass(frozen=True, slots=True)
class TaggedLines:
    """How a format writes its lines.

    Attributes:
        template: Of a line, with {tag} and {value}, its end included.
        tag: Matches what may be a tag.
        note: The tag of notes, which tell the origins.
        single: Tags that a record has once at most.
        end: What stands behind a record.
    """

    template: str
    tag: re.Pattern[str]
    note: str
    single: frozenset[str]
    end: str = "\r\n"

    def records(
        self,
        hits: Iterable[Hit],
        beside: BesideHits | None,
        fields: Callable[[Hit, Beside | None], Iterable[tuple[str, str]]],
    ) -> Iterator[bytes]:
        """Each hit as a record in UTF-8, in the order given. `hits`: in the order of the records.
        `beside`: what files say beside the records, by `Hit.id`.
        """
        for hit, found in with_beside(hits, beside):
            yield self.record(fields(hit, found), found)

    def record(self, fields: Iterable[tuple[str, str]], beside: Beside | None) -> bytes:
        """One record in UTF-8. `beside`: what files say beside the record; its fields that ours
        repeat are left out.
        """
        written = dict.fromkeys((tag, value) for tag, value in fields if value)
        if beside is not None:
            known = {tag for tag, _ in written}
            for tag, value in self._given(beside):
                if tag not in self.single or tag not in known:
                    known.add(tag)
                    written[tag, value] = None
        lines = (self.template.format(tag=tag, value=value) for tag, value in written)
        return ("".join(lines) + self.end).encode()

    def _given(self, beside: Beside) -> Iterator[tuple[str, str]]:
        for tag, value in beside.fields:
            if self.tag.fullmatch(tag) and (shown := line(value)):
                yield tag, shown
        for text in texts(beside.origins):
            yield self.note, text


def databases(hit: Hit, beside: Beside | None) -> list[str]:
    """The names of the databases of a record that files held, else of the sources of a hit."""
    return [line(source) for source in hit.sources] if beside is None else beside.databases


def general_type(record: Record) -> str:
    """The type of a record, "article" where it has none and looks like one, else "other"."""
    if record.type is None and journal_like(record):
        return "article"
    return record.type or "other"


def second_type(kind: str, word: str, *, is_part: bool, in_notes: bool = False) -> str:
    """What a second field has to say of a type that the format's own word does not tell.

    `is_part`: whether the record has authors or pages, by which readers tell a paper from its
    proceedings. `in_notes`: the format has no second field for types, so that only a mark is
    understood. Returns a word that other programs know ("Review"), else "type: journal"; "" where
    nothing is missing.
    """
    general = worktypes.conference(worktypes.of_words([word]), is_part=is_part)
    if general == kind or kind == "other":
        return ""
    second = SECOND_WORDS.get(kind, "")
    if second and not in_notes and worktypes.refined(general, [second]) == kind:
        return second
    return f"{worktypes.OWN_MARK}{kind}"


def further_titles(record: Record) -> list[str]:
    """The titles beside the first one, each once, on one line each."""
    titles = (record.original_title, record.translated_title, *record.titles)
    return list(dict.fromkeys(shown for title in titles if (shown := line(title))))


def four_digits(year: int | None) -> str:
    """The year as a field for it holds it; "" for none."""
    return f"{year:04d}" if year is not None and 0 < year < 10_000 else ""
