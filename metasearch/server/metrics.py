"""`/metrics`: what a server has done so far, in the text format of Prometheus.

Labels are names from the configuration and words from the code: never a query, an address or who asked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from metasearch.events import Answer

if TYPE_CHECKING:
    from metasearch.adapters.health import SourceState

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
    """All that one server counts."""

    def __init__(self) -> None:
        self.requests = Total("metasearch_requests_total", "Requests answered.", "face", "code")
        self.durations = Durations("metasearch_request_duration_seconds", "Until a request was answered.", "face")
        self._asked = Total(
            "metasearch_source_requests_total", "Sources asked by finished searches.", "source", "outcome"
        )
        self._took = Durations(
            "metasearch_source_duration_seconds", "Until a source's last answer, cached ones left out.", "source"
        )
        self._records = Total("metasearch_records_total", "Records that sources gave to finished searches.", "source")
        self._merges = Total("metasearch_merges_total", "Pairs of records merged, in hits answered.", "rule")
        self._cache = Total(
            "metasearch_cache_requests_total", "Sources whose pages all came from the cache, or did not.", "outcome"
        )

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

    def text(self, states: Iterable[SourceState], running: int, version: str) -> str:
        """The whole page.

        Args:
            states: Of all sources, as of now.
            running: Searches that run now.
            version: Of the program.
        """
        circuits = {it.source: int(it.state in ("open", "half-open")) for it in states}
        counted: tuple[Total | Durations, ...] = (
            *(self.requests, self.durations, self._asked, self._took),
            *(self._records, self._merges, self._cache),
        )
        return "".join(
            [
                *(_lines(it.name, it.about, it.kind, list(it.samples())) for it in counted),
                _gauge("metasearch_source_circuit_open", "1 while a failing source is left alone.", "source", circuits),
                _gauge("metasearch_searches_running", "Searches that run now.", "", {"": running}),
                _gauge("metasearch_build_info", "The version that runs.", "version", {version: 1}),
            ]
        )


def _gauge(name: str, about: str, label: str, values: Mapping[str, int]) -> str:
    samples = [f"{name}{_labels([(label, value)] if label else [])} {number}" for value, number in values.items()]
    return _lines(name, about, "gauge", samples)


def _lines(name: str, about: str, kind: str, samples: Sequence[str]) -> str:
    return "\n".join([f"# HELP {name} {about}", f"# TYPE {name} {kind}", *samples, ""])


def _labels(pairs: Iterable[tuple[str, str]]) -> str:
    shown = ",".join(f'{name}="{_escaped(value)}"' for name, value in pairs)
    return f"{{{shown}}}" if shown else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
