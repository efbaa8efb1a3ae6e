"""Regular expressions that are compiled when they are first used.

Compiling takes a tenth of the start of a search, and most patterns of the modules that a search
loads are for values that few records have. Patterns that every record needs are compiled by `re`
directly: a late one costs some nanoseconds more at each call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as late_pattern
else:

    class late_pattern:  # noqa: N801  # it is used as `re.compile` is
        """As `re.compile`; what is wrong with the pattern is raised by its first use. `pattern`:
        text of the pattern, as a string or bytes. `flags`: as those of `re.compile`.
        """

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self.pattern = pattern
            self._flags = flags

        def __getattr__(self, name: str) -> Any:
            if name == "_compiled":
                self._compiled = re.compile(self.pattern, self._flags)
                return self._compiled
            # Python looks here only for what the object does not have: each method once.
            value = getattr(self._compiled, name)
            setattr(self, name, value)
            return value

        def __repr__(self) -> str:
            return f"late_pattern({self.pattern!r})"


__all__ = ["late_pattern"]
