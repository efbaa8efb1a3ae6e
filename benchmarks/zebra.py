"""Library servers beside the checkout, with a relay before each that gives their answers again at
no cost."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from benchmarks import upstreams
from benchmarks.sides import NotMeasured
from metasearch.settings import Settings

SCRIPT = upstreams.MOCK.with_name("zebra_up.py")
#: Words that at least a hundred records of each catalogue have.
CATALOGUED = ("paris", "jazz", "music", "new", "histoire", "piano", "la", "de", "et")
ROWS_OF_A_CATALOGUE = 100
#: How far the relays' ports lie from those of their servers.
_RELAYS, _TARGETS = 20, 4


def settings(targets: Mapping[str, str]) -> Settings:
    """Settings that ask these catalogues, name -> URL, for pages of a hundred records."""
    sources = {
        name: {
            "extends": "sru",
            "url": url,
            "paging": {"size": ROWS_OF_A_CATALOGUE},
            "limits": upstreams.UNLIMITED,
        }
        for name, url in targets.items()
    }
    allow = frozenset(url.split("/")[2] for url in targets.values())
    return Settings(sources=sources, default_sources=tuple(sources), allow=allow, timeout=60.0)


def _free_ports() -> int:
    """The first port of a block in which servers and relays find theirs free."""
    while True:
        first = random.randrange(10_000, 30_000)
        try:
            for port in (
                *range(first, first + _TARGETS),
                *range(first + _RELAYS, first + _RELAYS + _TARGETS),
            ):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first


@contextmanager
def catalogues() -> Iterator[dict[str, str]]:
    """Four running catalogues; name -> URL. It takes some ten seconds to build them.

    Raises:
        NotMeasured: Zebra and YAZ are not here.
    """
    with TemporaryDirectory() as folder:
        command = [
            sys.executable,
            str(SCRIPT),
            "up",
            "--dir",
            folder,
            "--base-port",
            str(_free_ports()),
            "--replay",
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NotMeasured((done.stderr.strip() or "no reason given").splitlines()[-1])
            targets = {
                it["name"]: it["sru"]
                for it in json.loads(done.stdout)["targets"]
                if not it.get("helper")
            }
            if not all(map(upstreams.answers, targets.values())):
                raise NotMeasured(f"not every catalogue answers: {', '.join(targets.values())}")
            yield targets
        finally:
            subprocess.run(
                [sys.executable, str(SCRIPT), "down", "--dir", folder],
                capture_output=True,
                check=False,
            )
