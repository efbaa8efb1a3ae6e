"""`metasearch evaluate --strategy`: strategies side by side, as tables, as a document and as a
picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from metasearch.cli.output import Sink

if TYPE_CHECKING:
    from metasearch.cli.evaluate import Job
    from metasearch.evaluate.compare import Compared
    from metasearch.evaluate.labelled import LabelledSet


def write(job: Job, sink: Sink, width: int) -> None:
    """Compare the strategies on each set, write what was found, and draw it where that is
    wanted.
    """
    done = _write_json(job, sink) if job.json else _write_tables(job, sink, width)
    if job.plot is not None:
        from metasearch.evaluate.plot import drawn

        picture = drawn(done, job.plot.suffix)
        with Sink(job.plot) as file:
            file.write(picture)


def _measured(job: Job, labelled: LabelledSet) -> Iterator[Compared]:
    """The strategies on a set, each as soon as it is known."""
    from metasearch.evaluate.compare import measure
    from metasearch.evaluate.curves import SIZES

    for strategy in job.strategies:
        yield measure(
            labelled, strategy, curves=job.curves, sizes=SIZES if job.curves else (), **job.orders
        )


def _write_tables(job: Job, sink: Sink, width: int) -> list[list[Compared]]:
    """A table a set, a line as soon as it is known, and below each what else is to say."""
    from metasearch.evaluate import compare_report, report
    from metasearch.evaluate.wrong import wrong

    def say(text: str) -> None:
        sink.write(f"{text}\n".encode())

    shuffles = job.orders["shuffles"]
    sets = []
    for labelled in job.sets.values():
        say(compare_report.about(labelled))
        say(compare_report.head(shuffles=shuffles))
        found = []
        for it in _measured(job, labelled):
            found.append(it)
            say(compare_report.row(it, shuffles=shuffles))
        for text in compare_report.feet(found, width):
            say(text)
        for it in found if job.limit else ():
            say("")
            for text in report.told(
                it.evaluation, wrong(it.evaluation, it.strategy.chain, job.limit), width
            ):
                say(text)
        say("")
        sets.append(found)
    names = [path.name for path in job.skipped]
    for path, reason in job.skipped.items():
        say(report.skipped_row(path.name, reason, names))
    say(f"\n{compare_report.LEGEND}" if names else compare_report.LEGEND)
    return sets


def _write_json(job: Job, sink: Sink) -> list[list[Compared]]:
    import orjson

    from metasearch.evaluate import compare_report
    from metasearch.evaluate.wrong import wrong

    sets, done = [], []
    for labelled in job.sets.values():
        found = list(_measured(job, labelled))
        rows: list[dict[str, Any]] = []
        for it in found:
            pairs = wrong(it.evaluation, it.strategy.chain, job.limit) if job.limit else None
            rows.append(compare_report.as_object(it, pairs))
        sets.append({"set": labelled.name, "records": len(labelled.records), "strategies": rows})
        done.append(found)
    document = {
        "strategies": [it.name for it in job.strategies],
        **job.about,
        "sets": sets,
        "skipped": job.left,
    }
    sink.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return done
