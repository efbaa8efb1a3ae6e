"""`/metrics`: what a server has done so far, in the text format of Prometheus.

Labels are names from the configuration and words from the code: never a query, an address or who
asked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from metasearch.events import Answer

if TYPE_CHECKING:
    from metasearch.adapters.fetch.health import SourceState

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Upper ends of the histograms' buckets in seconds; a search may take up to a minute.
BUCKETS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Total:
    """A number that only grows, one for each combination of labels."""

    kind = "counter"

    def __init__(self, name: str, about: str, *labels: str) -> None:
        self.name = name
        self.about = about
        self._labels = labels
        self._values: Counter[tuple[str, ...]] = Counter()

    def add(self, *values: str, by: int = 1) -> None:
        """Count `by` more, under the values of its labels."""
        self._values[values] += by

    def dump(self) -> list[Any]:
        """All that was counted, as JSON can hold it."""
        return list(self._values.items())

    def load(self, dumped: Iterable[Any]) -> None:
        """Count what another one has, too."""
        for values, number in dumped:
            self._values[tuple(values)] += number

    def samples(self) -> Iterator[str]:
        """Its lines."""
        for values, number in sorted(self._values.items()):
            yield f"{self.name}{_labels(zip(self._labels, values, strict=True))} {number}"


class Durations:
    """A histogram of seconds, one for each value of its label."""

    kind = "histogram"

    def __init__(self, name: str, about: str, label: str) -> None:
        self.name = name
        self.about = about
        self._label = label
        self._counts: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def add(self, value: str, seconds: float) -> None:
        """Count one that took so long."""
        counts = self._counts.setdefault(value, [0] * (len(BUCKETS) + 1))
        counts[bisect_left(BUCKETS, seconds)] += 1
        self._sums[value] = self._sums.get(value, 0.0) + seconds

    def dump(self) -> list[Any]:
        """All that was counted, as JSON can hold it."""
        return [(value, counts, self._sums[value]) for value, counts in self._counts.items()]

    def load(self, dumped: Iterable[Any]) -> None:
        """Count what another one has, too."""
        for value, counts, seconds in dumped:
            own = self._counts.get(value, [0] * (len(BUCKETS) + 1))
            self._counts[value] = [a + b for a, b in zip(own, counts, strict=True)]
            self._sums[value] = self._sums.get(value, 0.0) + seconds

    def samples(self) -> Iterator[str]:
        """Its lines; each bucket holds all that are smaller, too."""
        for value, counts in sorted(self._counts.items()):
            below = 0
            for end, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
                below += count
                yield f"{self.name}_bucket{_labels(((self._label, value), ('le', end)))} {below}"
            yield f"{self.name}_sum{_labels([(self._label, value)])} {self._sums[value]:.6f}"
            yield f"{self.name}_count{_labels([(self._label, value)])} {below}"


class Metrics:
    """All that one process counts, or that several have counted."""

    def __init__(self) -> None:
        self.requests = Total("metasearch_requests_total", "Requests answered.", "face", "code")
        self.durations = Durations(
            "metasearch_request_duration_seconds", "Until a request was answered.", "face"
        )
        self._asked = Total(
            "metasearch_source_requests_total",
            "Sources asked by finished searches.",
            "source",
            "outcome",
        )
        self._took = Durations(
            "metasearch_source_duration_seconds",
            "Until a source's last answer, cached ones left out.",
            "source",
        )
        self._records = Total(
            "metasearch_records_total", "Records that sources gave to finished searches.", "source"
        )
        self._merges = Total(
            "metasearch_merges_total", "Pairs of records merged, in hits answered.", "rule"
        )
        self._cache = Total(
            "metasearch_cache_requests_total",
            "Sources whose pages all came from the cache, or did not.",
            "outcome",
        )
        self._pages = Total(
            "metasearch_source_cached_pages_total",
            "Pages from the cache, and what they were worth.",
            "source",
            "age",
        )
        self.replaced = Total(
            "metasearch_workers_replaced_total",
            "Workers that ended, or were silent, and were replaced.",
            "reason",
        )
        self._all: tuple[Total | Durations, ...] = (
            *(self.requests, self.durations, self._asked, self._took),
            *(self._records, self._merges, self._cache, self._pages, self.replaced),
        )

    @classmethod
    def together(cls, dumps: Iterable[Mapping[str, Any]]) -> Self:
        """The sum of what several have counted."""
        metrics = cls()
        for dump in dumps:
            metrics.load(dump)
        return metrics

    def dump(self) -> dict[str, Any]:
        """All numbers, as JSON can hold them; gauges are nobody's to keep."""
        return {it.name: it.dump() for it in self._all}

    def load(self, dump: Mapping[str, Any]) -> None:
        """Count what another one has, too."""
        for it in self._all:
            it.load(dump.get(it.name, ()))

    def searched(self, answer: Answer) -> None:
        """A search has finished."""
        for report in answer.sources:
            self._asked.add(report.source, report.status)
            if report.status == "skipped":
                continue
            self._records.add(report.source, by=report.count)
            self._cache.add("hit" if report.cached else "miss")
            if not report.cached:
                self._took.add(report.source, report.seconds)
        for hit in answer.hits:
            for match in hit.matches:
                if match.verdict != "different":
                    self._merges.add(match.matcher)

    def cached(self, states: Iterable[SourceState]) -> None:
        """Count what the states of one process's sources have counted since it began."""
        for state in states:
            for age, number in (
                ("fresh", state.fresh),
                ("stale", state.stale),
                ("spared", state.spared),
            ):
                if number:
                    self._pages.add(state.source, age, by=number)

    def text(
        self,
        states: Iterable[SourceState],
        running: int,
        version: str,
        loop: str = "asyncio",
        workers: int = 1,
    ) -> str:
        """The whole page.

        Args:
            states: Of all sources, as of now.
            running: Searches that run now.
            version: Of the program.
            loop: What the event loop is called.
            workers: Processes that count.
        """
        circuits = {it.source: int(it.state in ("open", "half-open")) for it in states}
        return "".join(
            [
                *(_lines(it.name, it.about, it.kind, list(it.samples())) for it in self._all),
                _gauge(
                    "metasearch_source_circuit_open",
                    "1 while a failing source is left alone.",
                    "source",
                    circuits.items(),
                ),
                _gauge(
                    "metasearch_searches_running", "Searches that run now.", "", [("", running)]
                ),
                _gauge(
                    "metasearch_workers",
                    "Processes that the server was started with.",
                    "",
                    [("", workers)],
                ),
                _lines(
                    "metasearch_build_info",
                    "The version that runs, and its event loop.",
                    "gauge",
                    [f"metasearch_build_info{_labels([('version', version), ('loop', loop)])} 1"],
                ),
            ]
        )


def _gauge(name: str, about: str, label: str, values: Iterable[tuple[str, int]]) -> str:
    samples = [
        f"{name}{_labels([(label, value)] if label else [])} {number}" for value, number in values
    ]
    return _lines(name, about, "gauge", samples)


def _lines(name: str, about: str, kind: str, samples: Sequence[str]) -> str:
    return "\n".join([f"# HELP {name} {about}", f"# TYPE {name} {kind}", *samples, ""])


def _labels(pairs: Iterable[tuple[str, str]]) -> str:
    shown = ",".join(f'{name}="{_escaped(value)}"' for name, value in pairs)
    return f"{{{shown}}}" if shown else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
