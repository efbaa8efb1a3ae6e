"""A search from the command line: ask, show what happens, write what came, choose the exit code."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace

from metasearch import formats
from metasearch.cli.console import Console
from metasearch.cli.demo import FAILS_ON_PURPOSE, demo_settings
from metasearch.cli.exits import Exit, answered, exit_for
from metasearch.cli.output import Sink
from metasearch.cli.progress import Progress
from metasearch.cli.report import tell
from metasearch.cli.search import Job
from metasearch.events import Answer, Finished, SearchEvent
from metasearch.query import parse_years
from metasearch.search import Engine
from metasearch.settings import Settings

#: Hits in a table when the user does not say.
TABLE_HITS = 20


def run(job: Job, console: Console) -> Exit:
    """Search, and write the hits.

    Raises:
        MetasearchError: The query, an option or the configuration cannot be used.
        OSError: The output cannot be written.
    """
    settings = Settings.load(job.config, os.environ)
    with Sink(job.output) as sink:
        answer, interrupted = asyncio.run(_search(job, settings, sink, console))
    on_purpose = FAILS_ON_PURPOSE if job.demo else ()
    tell(answer, console, explain=job.explain, on_purpose=on_purpose, interrupted=interrupted)
    if interrupted:
        return Exit.INTERRUPTED
    return exit_for(answer, allow_partial=job.allow_partial, excused=on_purpose)
