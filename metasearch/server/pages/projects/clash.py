"""A change that was made with what does not stand any more: both are shown; a reader chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from metasearch.errors import Conflict
from metasearch.server.pages.language import Language
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.terms import N_

#: Characters of a text that are shown.
_LONGEST = 20_000
_YES, _NO = N_("yes"), N_("no")


@dataclass(frozen=True, slots=True)
class ClashRow:
    """One text, twice; `label` is to be translated."""

    label: str
    yours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Clash:
    """What a page shows of a conflict.

    Attributes:
        fields: The form that was sent, with the version that stands now; nothing where nothing
            stands any more.
        action: The address that it is sent to.
        leave: The address of the page as it is now.
    """

    error: Conflict
    rows: list[ClashRow]
    fields: list[tuple[str, str]]
    action: str
    leave: str


def clash_of(
    said: Said,
    language: Language,
    labels: Mapping[str, str],
    action: str,
    *,
    leave: str = "",
    sent: Iterable[str] | None = None,
    version: str = "version",
    more: Iterable[tuple[str, str]] = (),
    words: Callable[[str, Any], str] | None = None,
) -> Clash | None:
    """What to show where a form could not be done because of a conflict; else None.

    Args:
        labels: Name of what was changed -> what it is called, to be translated.
        leave: The address of the page without the change; `action` where it is "".
        sent: Names of the fields that are sent again; all where None.
        words: What a value of a name is called, as `value_words`.
    """
    error = said.error
    if not isinstance(error, Conflict):
        return None
    shown = words or (lambda _, value: value_words(value, language))
    theirs = error.theirs or {}
    names = [*error.yours, *(name for name in theirs if name not in error.yours)]
    rows = [
        ClashRow(
            labels.get(name, name),
            shown(name, error.yours[name])[:_LONGEST] if name in error.yours else "",
            shown(name, theirs[name])[:_LONGEST] if name in theirs else "",
        )
        for name in names
    ]
    fields: list[tuple[str, str]] = []
    if error.version is not None:
        again = None if sent is None else frozenset(sent)
        fields = [
            (name, value)
            for name, value in said.fields.items()
            if name not in ("token", version) and (again is None or name in again)
        ]
        fields += [*more, (version, str(error.version))]
    return Clash(error, rows, fields, action, leave or action)


def value_words(value: Any, language: Language) -> str:
    """A value as a text."""
    match value:
        case None:
            return ""
        case bool():
            return language.gettext(_YES if value else _NO)
        case list() | tuple():
            return "\n".join(str(one) for one in value)
    return str(value)
