"""What reports say, in the language of the report: each phrase stands in both where it is used.

The language of a report is that of its readers, and not that of the pages; a phrase of a report is
therefore no `Message`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from metasearch.workspace.reports.document import Language

#: (English, Chinese) -> the one of the report.
Say: TypeAlias = Callable[[str, str], str]


def speaker(language: Language) -> Say:
    """Chooses between the two."""
    return (lambda en, zh: zh) if language == "zh" else (lambda en, zh: en)


def number(value: int | None, say: Say) -> str:
    """A count as people read it; what is not known is "not known", never 0."""
    return say("not known", "未知") if value is None else f"{value:,}"


#: Names that a sentence lists.
_MOST_NAMES = 12


def listed(names: Iterable[str], say: Say) -> str:
    """Names in a sentence; of many the first ones, and how many there are."""
    known = list(names)
    more = len(known) - _MOST_NAMES
    shown = say(", ", "、").join(known[:_MOST_NAMES])
    return shown + say(f" and {more} more", f"等 {len(known)} 个") if more > 0 else shown
