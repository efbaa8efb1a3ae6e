"""`/metrics`: what a server has done so far, in the text format of Prometheus.

The values of labels are names from the configuration and words from the code, never a query, an
address or a client.

Each process counts for itself. What it has counted is told to the other workers of its server as a
dump, and a page is written from the sum of all dumps. The multiprocess mode of prometheus-client
is not used: it keeps one set of files for all registries of a process, chosen by a variable of the
environment, and forgets the gauges that are computed when a page is written.
"""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from metasearch.events import Answer

if TYPE_CHECKING:
    from metasearch.adapters.fetch.health import SourceState
    from metasearch.replicas import SharingState

#: Of what `MetricsPage.text` writes.
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Upper ends of the histograms' buckets in seconds; a search may take up to a minute.
BUCKETS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

#: All counts as JSON can hold them: name of a family -> [name of a sample, labels, number] each.
Dump: TypeAlias = Mapping[str, Sequence[Any]]


class Metrics:
    """What one process counts. `sharing`: returns how it shares its sources with other replicas;
    None where it cannot.
    """

    def __init__(
        self,
        states: Callable[[], Iterable[SourceState]] = tuple,
        earlier: Dump | None = None,
        sharing: Callable[[], SharingState] | None = None,
    ) -> None:
        self._registry = CollectorRegistry()
        self._earlier = earlier or {}
        self._requests = self._counter("metasearch_requests", "Requests answered.", "face", "code")
        self._durations = self._histogram(
            "metasearch_request_duration_seconds", "Time until a request was answered.", "face"
        )
        self._source_requests = self._counter(
            "metasearch_source_requests", "Sources asked by finished searches.", "source", "outcome"
        )
        self._source_durations = self._histogram(
            "metasearch_source_duration_seconds",
            "Time until a source's last answer, without answers from the cache.",
            "source",
        )
        self._records = self._counter(
            "metasearch_records", "Records that finished searches received.", "source"
        )
        self._merges = self._counter(
            "metasearch_merges", "Pairs of records merged in the hits of answers.", "rule"
        )
        self._cache_requests = self._counter(
            "metasearch_cache_requests",
            "Sources of finished searches, by whether all pages came from the cache.",
            "outcome",
        )
        self._registry.register(_CacheMetrics(states))
        self._registry.register(_SharingMetrics(sharing))
        # Counted by the parent of the workers, which does without this library.
        self._counter("metasearch_workers_replaced", "Workers that were replaced.", "reason")

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self._registry)

    def _histogram(self, name: str, documentation: str, *labels: str) -> Histogram:
        return Histogram(name, documentation, labels, buckets=BUCKETS, registry=self._registry)

    def answered(self, face: str, status: int, seconds: float) -> None:
        self._requests.labels(face, str(status)).inc()
        self._durations.labels(face).observe(seconds)

    def count_search(self, answer: Answer) -> None:
        for report in answer.sources:
            self._source_requests.labels(report.source, report.status).inc()
            if report.status == "skipped":
                continue
            self._records.labels(report.source).inc(report.count)
            self._cache_requests.labels("hit" if report.cached else "miss").inc()
            if not report.cached:
                self._source_durations.labels(report.source).observe(report.seconds)
        merges = Counted(
            match.matcher
            for hit in answer.hits
            for match in hit.matches
            if match.verdict != "different"
        )
        for rule, number in merges.items():
            self._merges.labels(rule).inc(number)

    def families(self) -> Iterator[Metric]:
        """The families of metrics with what this process has counted itself."""
        yield from self._registry.collect()

    def dump(self) -> Dump:
        """All counts, those of earlier workers included."""
        own = {
            family.name: [
                [sample.name, sample.labels, sample.value]
                for sample in family.samples
                if not sample.name.endswith("_created")
            ]
            for family in self.families()
        }
        return add_dumps([self._earlier, own])


def add_dumps(dumps: Iterable[Dump]) -> Dump:
    sums: dict[str, dict[tuple[str, tuple[tuple[str, str], ...]], float]] = {}
    for dump in dumps:
        for family, samples in dump.items():
            numbers = sums.setdefault(family, {})
            for name, labels, number in samples:
                key = name, tuple(labels.items())
                numbers[key] = numbers.get(key, 0) + number
    return {
        family: [[name, dict(labels), number] for (name, labels), number in numbers.items()]
        for family, numbers in sums.items()
    }


class _CacheMetrics(Collector):
    """Pages from the cache, which the states of the sources count already."""

    def __init__(self, states: Callable[[], Iterable[SourceState]]) -> None:
        self._states = states

    def collect(self) -> Iterator[Metric]:
        family = CounterMetricFamily(
            "metasearch_source_cached_pages",
            "Pages from the cache, and their age.",
            labels=("source", "age"),
        )
        for state in self._states():
            for age in ("fresh", "stale", "spared"):
                number = getattr(state, age)
                if number:
                    family.add_metric((state.source, age), number)
        yield family


class _SharingMetrics(Collector):
    """What was asked of the server that replicas share, which the connection counts already."""

    def __init__(self, sharing: Callable[[], SharingState] | None) -> None:
        self._sharing = sharing

    def collect(self) -> Iterator[Metric]:
        state = self._sharing() if self._sharing is not None else None
        yield CounterMetricFamily(
            "metasearch_shared_commands",
            "Commands to the server that replicas share.",
            state.commands if state else 0,
        )
        yield CounterMetricFamily(
            "metasearch_shared_failures",
            "How often the server that replicas share was left alone after a failure.",
            state.failures if state else 0,
        )


class MetricsPage(Collector):
    def __init__(
        self,
        dumps: Iterable[Dump],
        states: Iterable[SourceState],
        running: int,
        version: str,
        loop: str = "asyncio",
        workers: int = 1,
        away: int = 0,
    ) -> None:
        self._away = away
        self._sums = add_dumps(dumps)
        self._states = states
        self._running = running
        self._build = (version, loop)
        self._workers = workers

    def text(self) -> bytes:
        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry)

    def collect(self) -> Iterator[Metric]:
        """All families, also those of which nothing was counted yet."""
        for declared in Metrics().families():
            family = Metric(declared.name, declared.documentation, declared.type)
            for name, labels, number in self._sums.get(declared.name, ()):
                family.add_sample(name, labels, number)
            yield family
        circuits = GaugeMetricFamily(
            "metasearch_source_circuit_open",
            "1 while a failing source is not asked.",
            labels=("source",),
        )
        for state in self._states:
            circuits.add_metric((state.source,), int(state.state in ("open", "half-open")))
        yield circuits
        yield GaugeMetricFamily(
            "metasearch_searches_running", "Searches that run now.", self._running
        )
        yield GaugeMetricFamily(
            "metasearch_workers", "Processes that the server was started with.", self._workers
        )
        yield GaugeMetricFamily(
            "metasearch_shared_away",
            "Processes that cannot use the server that replicas share.",
            self._away,
        )
        build = GaugeMetricFamily(
            "metasearch_build_info",
            "The version that runs, and its event loop.",
            labels=("version", "loop"),
        )
        build.add_metric(self._build, 1)
        yield build
