"""Loading specs: CPU of reading all of them, and those that a search asks which names none.

    python3 tasks.py bench load

CPU is `time.process_time` of a fresh process each, the best of several: what a first search pays.
Importing the packages is not in it.
"""

from __future__ import annotations

import json
import subprocess
import sys

ROUNDS = 7
#: Milliseconds for all shipped specs.
GOAL = 100.0

_MEASURED = """
import json, time
import lxml.etree, jmespath, parsel
from metasearch.adapters.specs.registry import Registry
from metasearch.settings import Settings
registry = Registry(Settings())
names = registry.{names}
began = time.process_time()
for name in names:
    spec = registry.spec(name)
    if {compiled}:
        for shape in spec.shapes:
            shape.shape()
print(json.dumps([len(names), (time.process_time() - began) * 1000]))
"""


def say(text: str = "") -> None:
    print(text, flush=True)


def measured(names: str, *, compiled: bool) -> tuple[int, float]:
    """How many specs, and the milliseconds for all of them."""
    code = _MEASURED.format(names=names, compiled=compiled)
    runs = [
        json.loads(
            subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        )
        for _ in range(ROUNDS)
    ]
    return runs[0][0], min(run[1] for run in runs)


def main() -> int:
    count, everything = measured("names()", compiled=False)
    say(
        f"all {count} specs, ready to ask:         {everything:6.1f} ms, {everything / count:.2f} "
        f"ms each"
    )
    _, whole = measured("names()", compiled=True)
    say(f"all {count}, every selector compiled:    {whole:6.1f} ms")
    usual, asked = measured("default()", compiled=False)
    say(f"the {usual} of the default set:           {asked:6.1f} ms")
    sixty = everything / count * 60
    say(
        f"goal: sixty specs in {GOAL:.0f} ms: {sixty:.0f} ms, "
        f"{'MISSED' if sixty > GOAL else 'reached'}"
    )
    return int(sixty > GOAL)


if __name__ == "__main__":
    sys.exit(main())
