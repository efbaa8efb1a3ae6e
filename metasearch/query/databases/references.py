"""Earlier lines of a strategy, named in a later one: `3`, `or/1-4,7`."""

from __future__ import annotations

from metasearch.message import message
from metasearch.query.ast import Query
from metasearch.query.databases.terms import TermReader
from metasearch.query.limits import MAX_LINES


class ReferenceReader(TermReader):
    """Puts earlier lines in the place of their numbers."""

    def reference(self, number: int, start: int, end: int) -> Query | None:
        """What an earlier line means; `at` is behind its number then."""
        self.at = max(self.at, end)
        shown = self.text[start:end]
        if self.lines is None:
            reason = message(
                "{shown} names an earlier search; earlier searches are not kept", shown=shown
            )
            raise self.error(
                reason,
                start,
                end,
                fix=self.without(start, end),
                advice=message("Send all lines of the strategy."),
            )
        line = self.lines.get(number)
        if line is None:
            reason = message("There is no line {number} before this one", number=number)
            raise self.error(reason, start, end, advice=message("A line may name those before it."))
        if self.target is not self.grammar.default:
            self.losses.add("field of a line", f"{self.shown.strip(' (=:.,')} {shown}")
        self.used.add(number)
        self.losses.widened += line.widened
        if line.size > 1:
            self.read += line.size - 1
        self.count(start, end)
        return line.query

    def numbers(self, text: str, where: tuple[int, int]) -> list[int]:
        """The lines that `1-4,7` names, each once."""
        numbers: dict[int, None] = {}
        for part in filter(str.strip, text.replace("#", " ").split(",")):
            first, _, last = ("".join(piece.split()) for piece in part.partition("-"))
            if not first.isdigit() or not (last or first).isdigit():
                raise self.error(
                    message('"{part}" names no lines', part=part.strip()),
                    *where,
                    advice=message("Write 1-4 or 1,3."),
                )
            if int(last or first) < int(first):
                raise self.error(
                    message("The range {part} ends before it begins", part=part.strip()),
                    *where,
                    advice=message("Write 1-4."),
                )
            if int(last or first) - int(first) > MAX_LINES:
                raise self.error(
                    message("The range {part} names too many lines", part=part.strip()),
                    *where,
                    advice=message("Write 1-4."),
                )
            numbers |= dict.fromkeys(range(int(first), int(last or first) + 1))
        return list(numbers)
