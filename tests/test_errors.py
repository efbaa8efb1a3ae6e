"""The tree of errors, as one process tells another of them."""

from __future__ import annotations

import pickle

from metasearch import errors
from metasearch.errors import MetasearchError
from tests.cases import each

ERRORS: list[MetasearchError] = [
    errors.SettingsError("a.toml", ["x: y"]),
    errors.SpecError("a.toml", ["x: y", "z"]),
    errors.UnknownSource("crosref", ["crossref"]),
    errors.FileFormatError("a.ris", "is empty", advice="Look."),
    errors.ServerFault("alpha", 503, url="https://alpha.example.org/", retry_after=2.0),
    errors.RateLimited("alpha", 3.0),
    errors.KeyMissing("alpha", "ALPHA_KEY"),
    errors.TooLarge("alpha", 10),
    errors.Drifted("alpha", "title", 0.5),
    errors.NotRecorded("alpha", "folder"),
    errors.CannotAsk("alpha", "title:x"),
    errors.TimedOut("alpha", "no answer"),
]


@each("error", ERRORS, ids=lambda it: type(it).__name__)
def test_errors_can_be_sent(error: MetasearchError) -> None:
    """Class, message, advice and all facts arrive."""
    arrived = pickle.loads(pickle.dumps(error))

    assert type(arrived) is type(error)
    assert (str(arrived), arrived.advice, vars(arrived)) == (str(error), error.advice, vars(error))
