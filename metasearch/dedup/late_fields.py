"""What of a fingerprint is computed when a pair is compared for the first time.

Each of these is a property over a slot that is empty at first. `__getattr__` would be shorter, but
makes the interpreter look up every attribute of a class in the slow way, also those that are there.
"""

from __future__ import annotations

from metasearch.bib import normalise
from metasearch.bib.field_limits import LIMITS
from metasearch.dedup import cjk, imprint
from metasearch.dedup.affixes import without_affixes
from metasearch.dedup.titles import marks, notice, numbers
from metasearch.dedup.venues import Form, record_form
from metasearch.record import Author, Record

#: Characters of a title, or of its subtitle, that are compared, in time that grows with their
#: square. Records of databases and files have no longer ones; of what else makes records, the
#: beginnings are compared.
LONGEST_TITLE = LIMITS["title"].text
#: Letters of an abstract's beginning that are compared.
ABSTRACT_START = 80


class LateFields:
    """Computed of the fields of a `Fingerprint`, which documents them all."""

    record: Record
    words: tuple[str, ...]
    text: str
    cjk: bool
    breaks: frozenset[int]
    authors: tuple[Author, ...]
    first: frozenset[str]
    venue: tuple[str, ...]
    #: What stands before or behind the title.
    _mark: str
    _abstract_start: str
    _cut: bool
    _edition: str
    _form: Form
    _marks: frozenset[int]
    _notice: str
    _numbers: frozenset[str]
    _publisher: tuple[str, ...]

    __slots__ = (
        "_abstract_start", "_cut", "_edition", "_form", "_marks", "_notice", "_numbers",
        "_publisher",
    )  # fmt: skip

    # ---------------------------------------------------------------- texts

    @property
    def marks(self) -> frozenset[int]:
        """Numbers of words after which any mark stands."""
        try:
            return self._marks
        except AttributeError:
            self._marks = marks(without_affixes(self.record.title[:LONGEST_TITLE])[0])
            return self._marks

    @property
    def abstract_start(self) -> str:
        """The first letters of the abstract."""
        try:
            return self._abstract_start
        except AttributeError:
            start = normalise.compact((self.record.abstract or "")[:240])
            self._abstract_start = start[:ABSTRACT_START]
            return self._abstract_start

    # ---------------------------------------------------------------- the rest, at once

    @property
    def cut(self) -> bool:
        """Whether the title ends in an ellipsis."""
        try:
            return self._cut
        except AttributeError:
            self._complete()
            return self._cut

    @property
    def notice(self) -> str:
        """ "erratum", "reply", ..."""
        try:
            return self._notice
        except AttributeError:
            self._complete()
            return self._notice

    @property
    def numbers(self) -> frozenset[str]:
        """All numbers in the title."""
        try:
            return self._numbers
        except AttributeError:
            self._complete()
            return self._numbers

    @property
    def edition(self) -> str:
        """The number of the edition."""
        try:
            return self._edition
        except AttributeError:
            self._complete()
            return self._edition

    @property
    def publisher(self) -> tuple[str, ...]:
        """Folded words."""
        try:
            return self._publisher
        except AttributeError:
            self._complete()
            return self._publisher

    @property
    def form(self) -> Form:
        """ "preprint", "abstract", ..."""
        try:
            return self._form
        except AttributeError:
            self._complete()
            return self._form

    def _complete(self) -> None:
        """Compute all of these, because whoever compares one of them compares the others too."""
        record, words = self.record, self.words
        self._cut = record.title.endswith(("…", "...", "… ", "... "))
        marked = self._mark if self._mark != "abstract" else ""
        self._notice = notice(self.text, words, self.breaks, record.title) or marked
        self._edition = imprint.edition(record.edition) if record.edition else ""
        if self.cjk:
            self._notice = self._notice or cjk.notice(record.title)
            self._numbers = cjk.numbers(f"{record.title} {record.subtitle or ''}")
            self._edition = " ".join(filter(None, (self._edition, cjk.edition(record))))
        else:
            self._numbers = numbers(self.text, words)
        self._publisher = tuple(normalise.words(record.publisher)) if record.publisher else ()
        self._form = record_form(record, self.venue, self._mark)
