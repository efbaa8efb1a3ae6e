"""`Step`: one line of a search strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

#: A query of its own (which may name others), a mere combination of others, or an imported file.
StepKind = Literal["query", "combine", "import"]
STEP_KINDS: tuple[StepKind, ...] = get_args(StepKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step.

    Attributes:
        id: Of its row.
        strategy: Id of its strategy.
        number: By which others name it; it never changes and is never used again.
        kind: One of `STEP_KINDS`.
        text: As typed; of an import what was searched for by hand.
        syntax: One of `metasearch.query.CHOICES`.
        note: For people.
        details: Of an import where, when and by whom; `hits` where a copied line said them.
        parents: Numbers of the steps that it names.
        edited: When its text was last changed.
        version: Larger after each change of it.
    """

    id: int
    strategy: int
    number: int
    kind: StepKind
    text: str
    syntax: str = "auto"
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    parents: tuple[int, ...] = ()
    edited: str = ""
    version: int = 1
