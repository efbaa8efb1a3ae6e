"""A process that hangs in C code and never lets go of the interpreter, as a comparison of long
strings makes it.

A bad regular expression would not do: `re` looks for signals now and then. The product has no
switch for this: a `sitecustomize` on the child's PYTHONPATH replaces one function of it.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

#: The word that makes a process hang, in an argument of the function that is replaced.
STUCK = "zzstuck"

_SITE = """
import importlib.abc, importlib.util, sys

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != {module!r}:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module
        def exec_module(module):
            load(module)
            real = getattr(module, {function!r})
            def stuck(*args, **kwargs):
                if {word!r} in repr(args):
                    from tests.stuck import hang_in_c
                    hang_in_c()
                return real(*args, **kwargs)
            setattr(module, {function!r}, stuck)
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Finder())
"""


def hang_in_c() -> None:
    """Says so, and computes for some minutes in one call of a C function."""
    from rapidfuzz.distance import Levenshtein

    left, right = (random.Random(seed).randbytes(1_000_000) for seed in (1, 2))
    print("waiting", file=sys.stderr, flush=True)
    Levenshtein.distance(left, right)


def site(folder: Path, module: str, function: str, word: str = STUCK) -> str:
    """A folder for PYTHONPATH in which a process finds the replacement of one function, which hangs
    at a word."""
    home = folder / "site"
    home.mkdir(exist_ok=True)
    (home / "sitecustomize.py").write_text(
        _SITE.format(module=module, function=function, word=word)
    )
    return str(home)
