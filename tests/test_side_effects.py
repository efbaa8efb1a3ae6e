"""The library leaves its process as it was: what belongs to all of it is not the library's to
set."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.formats.reading import samples, structured

ROOT = Path(__file__).resolve().parent.parent
#: A file of each format.
SAMPLES = {form: sample.text.encode() for form, sample in samples.SAMPLES.items()}
SAMPLES |= {form: structured.raw(form) for form in structured.SAMPLES}

#: Runs in a process of its own. `state` is what a program may have set for itself, or rely on;
#: `calls` are functions that set such a thing, even for a moment: another thread may be reading a
#: table of its own meanwhile.
SCRIPT = """
import asyncio, csv, decimal, faulthandler, gc, locale, logging, os, resource, signal, socket
import sys, threading, time, tracemalloc, warnings

def state():
    signals = {number: signal.getsignal(number) for number in signal.valid_signals()}
    mask = os.umask(0)
    os.umask(mask)
    context = decimal.getcontext()
    return {
        "gc": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug(),
               list(gc.callbacks)),
        "csv": (csv.field_size_limit(), sorted(csv.list_dialects())),
        # aiohttp has one for a warning of its own
        "warnings": [it for it in warnings.filters if not it[2].__module__.startswith("aiohttp.")],
        "warned": (warnings.showwarning, warnings.formatwarning),
        "locale": locale.setlocale(locale.LC_ALL),
        "signals": signals,
        "blocked": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        "timers": [
            signal.getitimer(timer)
            for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
        ],
        "logging": (
            logging.root.level, list(logging.root.handlers), list(logging.root.filters),
            logging.root.manager.disable, logging.lastResort, logging.getLoggerClass(),
            logging.getLogRecordFactory(), logging.raiseExceptions,
        ),
        "own log": [(it, log.level, log.propagate, list(log.handlers))
                    for it, log in logging.root.manager.loggerDict.items()
                    if it.startswith("metasearch") and isinstance(log, logging.Logger)
                    and (log.level or log.handlers or not log.propagate)],
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()),
        "hooks": (sys.excepthook, sys.unraisablehook, sys.displayhook, sys.breakpointhook,
                  threading.excepthook, sys.gettrace(), sys.getprofile(), sys.get_asyncgen_hooks()),
        "faults": (faulthandler.is_enabled(), tracemalloc.is_tracing()),
        "sockets": socket.getdefaulttimeout(),
        "policy": type(asyncio.get_event_loop_policy()),
        "environment": (dict(os.environ), os.getcwd(), list(sys.path), mask, time.tzname),
        "decimal": (context.prec, context.rounding, decimal.DefaultContext.prec),
        "resources": [
            resource.getrlimit(limit) for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)
        ],
    }

asked = set()

def forbid(module, *names):
    for name in names:
        real = getattr(module, name)
        def recorded(*args, _real=real, _name=module.__name__ + "." + name, **kwargs):
            caller = sys._getframe(1).f_globals.get("__name__", "")
            reads = _name == "csv.field_size_limit" and not args
            if caller.startswith("metasearch") and not reads:
                asked.add((_name, caller))
            return _real(*args, **kwargs)
        setattr(module, name, recorded)

forbid(csv, "field_size_limit", "register_dialect")
forbid(gc, "freeze", "disable", "set_threshold", "enable", "unfreeze")
forbid(warnings, "filterwarnings", "simplefilter", "resetwarnings")
forbid(locale, "setlocale")
forbid(signal, "signal", "setitimer", "alarm", "set_wakeup_fd", "pthread_sigmask", "siginterrupt")
forbid(logging, "basicConfig", "disable", "setLoggerClass", "captureWarnings")
forbid(sys, "setrecursionlimit", "setswitchinterval", "settrace", "setprofile")
forbid(faulthandler, "enable", "register", "dump_traceback_later")
forbid(socket, "setdefaulttimeout")
forbid(asyncio, "set_event_loop_policy")
forbid(os, "chdir", "umask", "putenv")
before = state()

import metasearch
from metasearch import formats
from metasearch.formats import reading as files
from metasearch.bulk.job import deduplicate
from metasearch.dedup import STRATEGIES
from metasearch.demo import DemoDatabases
from metasearch.server.app import open_server as listening

read = set()

async def main():
    async with DemoDatabases(latency=0, faults=False) as demo:
        answer = await metasearch.search("gambling harms", settings=demo.settings())
        async with listening(demo.settings()):
            pass
    assert answer.hits
    for name in formats.WRITABLE:
        if formats.WRITABLE[name].unit != "event" and not formats.WRITABLE[name].library:
            formats.write(name, answer)
    return answer

answer = asyncio.run(main())
for path in SAMPLES:
    with open(path, "rb") as stream:
        read.add(files.read_bytes(stream.read(), path).format)
long = 'Title,Authors,References\\n' + 'A title,Doe J.,"' + 'Doe, J. (2001) ' * 20_000 + '"\\n'
table = files.read_bytes(long.encode(), "long.csv")
assert [it.title for it in table.records] == ["A title"]
assert all("cut at" in problem.message for problem in table.problems), table.problems
deduplicate([], STRATEGIES["default"].chain)
after = state()

missing = {name for name, form in files.READABLE.items() if not form.library} - read
assert not missing, missing
changed = {it: (before[it], after[it]) for it in before if before[it] != after[it]}
assert not changed, changed
assert not asked, asked
"""


@pytest.mark.slow
def test_the_library_leaves_its_process_as_it_was(tmp_path: Path) -> None:
    """A search, a server inside a program, every format read and written: no global setting is
    another afterwards.

    Nor is one for a moment: no code of the package asks for it.
    """
    paths = []
    for form, content in SAMPLES.items():
        path = tmp_path / form
        path.write_bytes(content)
        paths.append(str(path))
    done = subprocess.run(
        [sys.executable, "-c", f"SAMPLES = {paths!r}\n{SCRIPT}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
