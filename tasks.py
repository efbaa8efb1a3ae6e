#!/usr/bin/env python3
"""Every chore in one word; needs nothing but Python 3.11 or newer.

    python3 tasks.py demo "gambling harms"   search the built-in demo databases
    python3 tasks.py test [pytest options]   all tests
    python3 tasks.py lint                    format, lint, types, import contracts
    python3 tasks.py fix                     let the formatter and the linter mend what they can
    python3 tasks.py bench                   the speed table of benchmarks/
    python3 tasks.py wheel                   build the wheel into dist/
    python3 tasks.py run ...                 the metasearch command itself

The first call makes a virtual environment in .venv (or in $METASEARCH_VENV) and installs into it; later calls reuse it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("METASEARCH_VENV") or ROOT / ".venv")
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
NEEDS = {
    "demo": (),
    "run": (),
    "test": ("test",),
    "bench": ("test",),
    "lint": ("lint", "test"),
    "fix": ("lint",),
    "wheel": ("build",),
}


def main() -> int:
    if sys.version_info < (3, 11):
        print(f"metasearch needs Python 3.11 or newer; this is {sys.version.split()[0]}.", file=sys.stderr)
        return 2
    if len(sys.argv) < 2 or sys.argv[1] not in NEEDS:
        print(__doc__)
        return 0 if sys.argv[1:] in ([], ["-h"], ["--help"]) else 2
    task, *rest = sys.argv[1:]
    if not environment(NEEDS[task]):
        return 2
    return TASKS[task](rest)


def environment(groups: tuple[str, ...]) -> bool:
    """Make sure that the package and the tools of the groups are installed; False where that cannot be done."""
    import tomllib

    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = [line for group in groups for line in tomllib.loads(text)["dependency-groups"][group]]
    for group in ("package", *groups):
        if not stamp(group, text).exists():
            break
    else:
        return True
    pip = installer()
    if pip is None:
        return False
    print(f"Installing into {VENV} (once) ...", file=sys.stderr, flush=True)
    done = subprocess.run(
        [*pip, "install", "--quiet", "--disable-pip-version-check", "--editable", str(ROOT), *wanted], check=False
    )
    if done.returncode:
        print("The installation failed; what pip says is above.", file=sys.stderr)
        return False
    for group in ("package", *groups):
        stamp(group, text).write_text("")
    return True


def stamp(group: str, text: str) -> Path:
    return VENV / f".installed-{group}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def installer() -> list[str] | None:
    """The pip of the environment, which is made first where it is missing.

    Debian ships Python without ensurepip; there the system's pip installs into the environment from outside,
    which PEP 668 allows.
    """
    if not PYTHON.exists() or not works([str(PYTHON), "-m", "pip"]):
        shutil.rmtree(VENV, ignore_errors=True)
        made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, check=False)
        if made.returncode:
            shutil.rmtree(VENV, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(VENV)], check=True)
    if works([str(PYTHON), "-m", "pip"]):
        return [str(PYTHON), "-m", "pip"]
    outside = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    if works(outside):
        return outside
    if shutil.which("uv"):
        return ["uv", "pip", "--python", str(PYTHON)]
    print("There is no pip. On Debian and Ubuntu: sudo apt install python3-venv", file=sys.stderr)
    shutil.rmtree(VENV, ignore_errors=True)
    return None


def works(command: list[str]) -> bool:
    try:
        return subprocess.run([*command, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def call(*command: str) -> int:
    try:
        return subprocess.run([str(BIN / command[0]), *command[1:]], cwd=None, check=False).returncode
    except KeyboardInterrupt:
        return 130


def demo(rest: list[str]) -> int:
    return call("metasearch", "--demo", *(rest or ["gambling harms"]))


def test(rest: list[str]) -> int:
    os.chdir(ROOT)
    return call("python", "-m", "pytest", *rest)


def lint(_: list[str]) -> int:
    os.chdir(ROOT)
    codes = [
        call("ruff", "format", "--check", "."),
        call("ruff", "check", "."),
        call("mypy"),
        call("lint-imports"),
    ]
    return max(codes)


def fix(_: list[str]) -> int:
    os.chdir(ROOT)
    return max(call("ruff", "check", "--fix", "."), call("ruff", "format", "."))


def bench(rest: list[str]) -> int:
    os.chdir(ROOT)
    return call("python", "-m", "benchmarks.fanout", *rest)


def wheel(_: list[str]) -> int:
    os.chdir(ROOT)
    return call("python", "-m", "build", "--wheel")


def run(rest: list[str]) -> int:
    return call("metasearch", *rest)


TASKS = {"demo": demo, "test": test, "lint": lint, "fix": fix, "bench": bench, "wheel": wheel, "run": run}

if __name__ == "__main__":
    sys.exit(main())
