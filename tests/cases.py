"""A table of cases as one test that names all that fail: a test of its own for each of thousands of
rows costs more than the rows. And a table of costly cases, of which the fast tests try some."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

Test = Callable[..., Any]


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
    rows = [case if _is_param(case) else pytest.param(*_row(parameters, case)) for case in cases]
    assert rows, "a table without cases tests nothing"
    assert not any(row.marks for row in rows), "marks are for tests, and cases are none"
    given = [*ids] if ids is not None and not callable(ids) else [None] * len(rows)
    assert len(given) == len(rows)

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        assert set(parameters) <= set(signature.parameters)

        def each_row() -> Iterator[tuple[dict[str, Any], AbstractContextManager[None]]]:
            failed: list[BaseException] = []
            for row, name in zip(rows, given, strict=True):
                values = dict(zip(parameters, row.values, strict=True))
                shown = (
                    name
                    or row.id
                    or ", ".join(map(ids if callable(ids) else repr, values.values()))
                )
                yield values, _collect(failed, f"the case: {shown[:300]}")
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} cases fail", failed)

        @functools.wraps(test)
        def every_case(**fixtures: Any) -> None:
            for values, collected in each_row():
                with collected:
                    test(**values, **fixtures)

        @functools.wraps(test)
        async def every_case_awaited(**fixtures: Any) -> None:
            for values, collected in each_row():
                with collected:
                    await test(**values, **fixtures)

        awaited = inspect.iscoroutinefunction(test)
        whole: Test = every_case_awaited if awaited else every_case
        kept = [it for name, it in signature.parameters.items() if name not in parameters]
        whole.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return whole

    return decorate


def sample(cases: Iterable[Any], every: int) -> list[Any]:
    """Cases, of which a tuple is a row of several parameters: one in so many for the fast tests,
    the others for the slow ones."""
    params = [
        case if _is_param(case) else pytest.param(*(case if type(case) is tuple else (case,)))
        for case in cases
    ]
    return [
        pytest.param(*param.values, id=param.id, marks=pytest.mark.slow if number % every else ())
        for number, param in enumerate(params)
    ]


@contextmanager
def _collect(failed: list[BaseException], note: str) -> Iterator[None]:
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:
        error.add_note(note)
        failed.append(error)


def _is_param(case: object) -> bool:
    return type(case).__name__ == "ParameterSet"


def _row(parameters: Sequence[str], case: Any) -> tuple[Any, ...]:
    return (case,) if len(parameters) == 1 else tuple(case)
