"""What is measured of whole programs of two packages: each function gives one row's figures."""

from __future__ import annotations

import resource
import subprocess
import urllib.parse
import urllib.request
from contextlib import ExitStack

from benchmarks import processes
from benchmarks.against.builds import Package
from benchmarks.against.checkouts import environment
from benchmarks.against.simulated import WARM_UP, databases, rendered, rounds_of
from benchmarks.against.turns import Both, Figures, by_turns, figures
from benchmarks.sides import CROSSREF, NotMeasured
from benchmarks.throughput import configuration, serving


def served(packages: Both[Package], rows: int = 100, requests: int = 3, rounds: int = 8) -> Figures:
    """Milliseconds of CPU of `metasearch serve` for a request, its answer written as JSON."""
    if not processes.TOLD:
        raise NotMeasured("this system does not tell what other processes use")
    words = rounds_of(rounds, requests)
    with databases(CROSSREF) as base, ExitStack() as stack:
        rendered(base, CROSSREF, [WARM_UP, *(query for some in words for query in some)], rows)
        before, after = (
            stack.enter_context(
                serving(
                    configuration(base),
                    1,
                    env=environment(package.checkout),
                    python=package.python,
                )
            )
            for package in packages
        )

        def request(server: tuple[str, int], number: int) -> float:
            url, process = server
            began = processes.cpu_of_all(process)
            for query in words[number]:
                fetched(url, query, rows)
            return (processes.cpu_of_all(process) - began) / requests * 1000

        for url, _ in (before, after):
            fetched(url, WARM_UP, rows)
        return figures(by_turns((before, after), rounds, request))


def fetched(url: str, query: str, rows: int) -> bytes:
    """The answer of a server, as JSON."""
    asked = urllib.parse.urlencode({"q": query, "format": "json", "per_source": rows})
    with urllib.request.urlopen(f"{url}?{asked}", timeout=60) as response:
        body: bytes = response.read()
    return body


def demo(packages: Both[Package], rounds: int = 6) -> Figures:
    """Seconds of CPU of `metasearch --demo "gambling harms"`, from its start to its end."""

    def one(package: Package, _: int) -> float:
        command = [package.python, "-m", "metasearch", "--demo", "gambling harms"]
        before = children()
        subprocess.run(
            command,
            env=environment(package.checkout),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        return children() - before

    return figures(by_turns(packages, rounds, one))


def children() -> float:
    """Seconds of CPU of the processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
