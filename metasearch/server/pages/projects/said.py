"""What a page says about the form that was sent to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from multidict import MultiDict, MultiMapping

from metasearch.errors import Conflict, UsageError


@dataclass(frozen=True, slots=True)
class Said:
    """What a page says about the form that was sent to it.

    Attributes:
        error: Why nothing was changed; None where there was no form, or it was done.
        fields: The form, whose texts the page shows again.
        place: Which form of the page it was: the value of its button.
    """

    error: UsageError | None = None
    fields: MultiMapping[str] = field(default_factory=MultiDict)
    place: str = ""

    def typed(self, name: str, usual: str = "") -> str:
        """What was typed into a field of the form that failed; else its usual contents."""
        return self.fields.get(name, usual)

    def version(self, standing: int) -> str:
        """What the form that is shown again says it was made with: what it said before, unless its
        reader is shown what stands now.
        """
        if self.error is None or isinstance(self.error, Conflict):
            return str(standing)
        return self.fields.get("version", str(standing))
