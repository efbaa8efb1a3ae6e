"""A table of cases as one test that names all that fail: a test of its own for each of thousands of
rows costs more than the rows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def each(
    names: str | Sequence[str],
    cases: Iterable[Any],
    ids: Iterable[object] | Callable[[Any], object] | None = None,
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but one test: each case is tried, and those that fail are
    raised together, each with its traceback and its name.

    For tests whose cases leave nothing behind: they share their fixtures.

    Args:
        names: Parameters that a case fills: one, or several as a sequence or divided by commas.
        cases: The value of a single parameter, or a row of values; or a `pytest.param` with an id.
        ids: Names of the cases, or what makes a name of a value; else a case is named by its
            values.
    """
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    rows = [
        case if type(case).__name__ == "ParameterSet" else pytest.param(*_row(parameters, case))
        for case in cases
    ]
    assert rows, "a table without cases tests nothing"
    assert not any(row.marks for row in rows), "marks are for tests, and cases are none"
    given = [*ids] if ids is not None and not callable(ids) else [None] * len(rows)
    assert len(given) == len(rows)

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        assert set(parameters) <= set(signature.parameters)

        @functools.wraps(test)
        def every_case(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for row, name in zip(rows, given, strict=True):
                values = dict(zip(parameters, row.values, strict=True))
                try:
                    test(**values, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    shown = (
                        name
                        or row.id
                        or ", ".join(map(ids if callable(ids) else repr, values.values()))
                    )
                    error.add_note(f"the case: {shown}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} cases fail", failed)

        kept = [it for name, it in signature.parameters.items() if name not in parameters]
        every_case.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return every_case

    return decorate


def _row(parameters: Sequence[str], case: Any) -> tuple[Any, ...]:
    return (case,) if len(parameters) == 1 else tuple(case)
