"""What `--explain-plan` does: say what each source would be asked. Nothing is sent, and no engine
is made.
"""

from __future__ import annotations

import click
import orjson

from metasearch.cli.search import Job
from metasearch.cli.search_run import settings_of
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.engine.dry_run import explain_plan, plan_lines, plan_object


def planned(job: Job) -> Exit:
    """Write the plan of a search, as text or as one JSON document.

    Raises:
        MetasearchError: The query, an option or the configuration cannot be used.
        OSError: The output cannot be written.
    """
    if job.format not in ("table", "json"):
        raise click.UsageError(f"A plan is written as text or as JSON, not as {job.format}.")
    settings = settings_of(job)
    if job.demo:
        from metasearch import demo

        settings = demo.replayed(settings)
    found = explain_plan(job, settings=settings)
    with Sink(job.output) as sink:
        if job.format == "json":
            sink.write(
                orjson.dumps(
                    plan_object(found), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
                )
            )
        else:
            sink.write(
                "".join(f"{text}\n" for text in plan_lines(found)).encode("utf-8", "replace")
            )
    return Exit.OK
