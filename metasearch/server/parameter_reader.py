"""One parameter of a request after the other: its value, by its kind, and its faults."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from multidict import MultiMapping

from metasearch.adapters.specs.ownspecs import is_path
from metasearch.dedup import STRATEGIES
from metasearch.engine.options import Option
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.formats.text import line
from metasearch.listing.facets import facet_names
from metasearch.listing.filters import parse_filters
from metasearch.message import message
from metasearch.query import Years, parse_years
from metasearch.server.options import Options

_whole = re.compile(r"[0-9]{1,9}", re.ASCII)
#: Seconds; programs write up to twenty decimals of a number.
DECIMAL = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20})?", re.ASCII)
_Value = TypeVar("_Value")


@dataclass(slots=True)
class ParameterReader:
    """Reads one parameter after the other and gathers what is wrong with them."""

    given: MultiMapping[str]
    options: Options
    errors: list[dict[str, str]] = field(default_factory=list)

    def option(self, option: Option) -> Any:
        """The value of an option of the search; None where it is not given, or wrong."""
        match option.kind:
            case "names":
                return self.names(option)
            case "records":
                most = min(option.most, self.options.max_records)
                return self.value(_number(option.least, most), option)
            case "number":
                return self.value(_number(option.least, option.most), option)
            case "seconds":
                return self.value(_seconds(option.least), option)
            case "years":
                return self.value(_years, option)
            case "choice":
                return self.value(one_of(option.choices), option)
            case "strategy":
                return self.value(one_of(STRATEGIES), option)
            case "filters":
                return self.listed(_filters, option)
            case "facets":
                return self.listed(_facets, option)
            case "flag":
                return self.value(yes_or_no, option)
            case _:
                return self.value(self._text, option)

    def value(self, convert: Callable[[str], _Value], option: Option) -> _Value | None:
        """The parameter's value as `convert` reads it; what `convert` refuses is noted as wrong."""
        return self.converted(convert, *option.parameters)

    def converted(self, convert: Callable[[str], _Value], *names: str) -> _Value | None:
        """The same by the names of the parameter, which may be given once, under one of them; None
        where it is absent or empty.
        """
        given = [(name, value.strip()) for name in names for value in self.given.getall(name, [])]
        if len(given) > 1:
            self.wrong(
                given[-1][0], message("given {number} times; name it once", number=len(given))
            )
            return None
        if not given or not given[0][1]:
            return None
        try:
            return convert(given[0][1])
        except ValueError as exc:
            self.wrong(given[0][0], exc.args[0])  # str() of it would be no message
            return None

    def names(self, option: Option) -> tuple[str, ...] | None:
        """Names of sources, not too many, and none of them a path."""
        (parameter,) = option.parameters
        listed = names(self.given, parameter)
        most = min(int(option.most), self.options.max_sources)
        if listed and len(listed) > most:
            self.wrong(
                parameter,
                message(
                    "names {number} sources; at most {most} are allowed",
                    number=len(listed),
                    most=most,
                ),
            )
        path = next((name for name in listed or () if is_path(name)), None)
        if path is not None:
            self.wrong(
                parameter,
                message(
                    "{given} is a path; a source is named by its name, as /sources lists them",
                    given=_quoted(path),
                ),
            )
        return listed

    def listed(self, convert: Callable[[list[str]], str], option: Option) -> str | None:
        """A parameter that may be repeated, as the tick boxes of a form repeat it."""
        (name,) = option.parameters
        values = [value.strip() for value in self.given.getall(name, []) if value.strip()]
        if option.kind == "filters" and (span := self._span()):
            values.append(span)
        try:
            return convert(values) or None
        except UsageError as exc:
            self.wrong(name, str(exc))
            return None

    def _span(self) -> str:
        """The filter of the years of a page's form, whose ends are two fields; "" for none."""
        ends = [self.converted(_year_number, name) for name in ("from", "to")]
        if ends == [None, None]:
            return ""
        first, last = ("" if end is None else str(end) for end in ends)
        return f"year:{first}" if first == last else f"year:{first}-{last}"

    def wrong(self, parameter: str, reason: str) -> None:
        self.errors.append({"parameter": parameter, "reason": reason})

    def _text(self, text: str) -> str:
        most = self.options.max_query
        if len(text) > most:
            raise ValueError(
                message(
                    "has {number} characters; at most {most} are allowed",
                    number=f"{len(text):,}",
                    most=f"{most:,}",
                )
            )
        return text


def names(given: MultiMapping[str], parameter: str) -> tuple[str, ...] | None:
    """A parameter that is a list: with commas, or repeated as tick boxes repeat it."""
    listed = [name.strip() for value in given.getall(parameter, []) for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, listed))) or None


def _filters(values: list[str]) -> str:
    return str(parse_filters(tuple(values)))


def _facets(values: list[str]) -> str:
    return ",".join(facet_names(",".join(values)))


def _years(text: str) -> Years:
    try:
        return parse_years(text)
    except QuerySyntaxError as exc:
        quoted = _quoted(text)
        reason = (
            message(
                "{given}: {reason}; did you mean {suggestion}?",
                given=quoted,
                reason=exc.reason,
                suggestion=exc.suggestion,
            )
            if exc.suggestion
            else message("{given}: {reason}", given=quoted, reason=exc.reason)
        )
        raise ValueError(reason) from exc


def _year_number(text: str) -> int:
    if not _whole.fullmatch(text) or len(text) > 4:
        raise ValueError(f"{_quoted(text)} is not a year")
    return int(text)


def _number(least: float, most: float) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not _whole.fullmatch(text) or not least <= int(text) <= most:
            raise ValueError(
                message(
                    "{given} is not a whole number from {least} to {most}",
                    given=_quoted(text),
                    least=f"{least:.0f}",
                    most=f"{most:.0f}",
                )
            )
        return int(text)

    return number


def _seconds(least: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        seconds = float(text) if DECIMAL.fullmatch(text) else math.nan
        if not seconds > 0:
            raise ValueError(
                message("{given} is not a positive number of seconds", given=_quoted(text))
            )
        if seconds < least:
            raise ValueError(
                message(
                    "{given} is less than {least} seconds",
                    given=_quoted(text),
                    least=f"{least:g}",
                )
            )
        return seconds

    return number


def one_of(words: Iterable[str]) -> Callable[[str], str]:
    def word(text: str) -> str:
        if text not in words:
            raise ValueError(
                message("{given} is none of {names}", given=_quoted(text), names=", ".join(words))
            )
        return text

    return word


def yes_or_no(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(message("{given} is neither 1 nor 0", given=_quoted(text)))
    return text == "1"


def _quoted(text: str) -> str:
    shown = line(text)
    return repr(shown if len(shown) <= 40 else shown[:39] + "…")
