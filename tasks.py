#!/usr/bin/env python3
"""Every chore in one word; needs nothing but Python 3.11 or newer.

    python3 tasks.py demo "gambling harms"   search the built-in demo databases
    python3 tasks.py test [pytest options]   the tests, on all cores; `test --all`: also the slow
                                             ones (benchmarks, reports, exhaustive sweeps)
    python3 tasks.py clients                 real clients against `serve --demo`: a table of which
                                             client asked for what, and what came out
    python3 tasks.py spark                   the tests of the engine spark; installs PySpark, half a
                                             gigabyte, and needs Java
    python3 tasks.py lint                    format, lint, types, import contracts
    python3 tasks.py fix                     let the formatter and the linter mend what they can
    python3 tasks.py bench                   the speed table; `bench dedup`, `bench text`
                                             `bench companions`: papers of one team, and true twins;
                                             `bench faults`: broken and hostile databases; `bench
                                             soak`: thousands of searches; `bench overload`: more
                                             clients at once than can be served; `bench parse`:
                                             reading pages; `bench load`: reading specs; `bench
                                             faces`: what other protocols cost a plain search;
                                             `bench page`: what a reader of the page waits for;
                                             `bench counts`: counts of a strategy;
                                             `bench workspace`: a project of 100,000 records;
                                             `bench users`: many users at once
                                             `bench saved`: a thousand saved searches
                                             `bench bulk`: large files by each engine
                                             `bench replicas`: two servers that share a Redis
                                            `bench queries`: long queries of many clients
                                             `bench citations`: what a citation search finds,
                                             tells and costs
                                            `bench references`: what a check of references
                                            costs, and whom it accuses falsely
                                             `bench press`: which errors the review of a strategy
                                             finds, and what it accuses falsely
    python3 tasks.py bench --against COMMIT  what a release brought: this checkout and a commit, or
                                             the folder of a checkout, must find the same and
                                             are measured by turns: CPU, memory, stalls, start
    python3 tasks.py fuzz                    damaged input for every parser, a minute each (Linux)
    python3 tasks.py sources                 write docs/sources.md from the specs
    python3 tasks.py report                  measure every strategy and write docs/strategies-*.md
    python3 tasks.py wheel                   build the wheel into dist/
    python3 tasks.py run ...                 the metasearch command itself

The first call makes a virtual environment in .venv (or in $METASEARCH_VENV) and installs into it;
later calls reuse it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("METASEARCH_VENV") or ROOT / ".venv").absolute()
WINDOWS = os.name == "nt"
BIN = VENV / ("Scripts" if WINDOWS else "bin")
#: The dependency groups of pyproject.toml that a task needs besides the package itself.
NEEDS = {
    "demo": (),
    "run": (),
    "test": ("test",),
    "clients": ("test",),
    "spark": ("test",),
    "bench": ("bench", "test"),
    "fuzz": ("test", "fuzz"),
    "lint": ("lint",),
    "fix": ("lint",),
    "report": ("report",),
    "sources": (),
    "wheel": ("build",),
}


def main() -> int:
    if sys.version_info < (3, 11):
        say(
            f"metasearch needs Python 3.11 or newer; this is {sys.version.split()[0]}, "
            f"{sys.executable}."
        )
        return 2
    if sys.argv[1:] in ([], ["-h"], ["--help"]):
        print(__doc__)
        return 0
    task, *rest = sys.argv[1:]
    if task not in NEEDS:
        say(f"There is no task {task!r}; there are {', '.join(NEEDS)}.")
        return 2
    if not environment(NEEDS[task]):
        return 2
    return TASKS[task](rest)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def environment(groups: tuple[str, ...]) -> bool:
    """Make sure that the package and the tools of the groups are installed; False, with the reason
    told, if not.
    """
    import tomllib

    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    stamps = [stamp_of(group, text) for group in ("package", *groups)]
    if Path(PYTHON).exists() and all(stamp.exists() for stamp in stamps):
        return True
    wanted = [line for group in groups for line in tomllib.loads(text)["dependency-groups"][group]]
    install = installer()
    if install is None:
        return False
    tools = f" and the tools of `{', '.join(groups)}`" if groups else ""
    say(
        f"Installing metasearch{tools} into {VENV}; this happens once and takes a minute or two ..."
    )
    began = time.monotonic()
    if not installs(*install, "--quiet", "--editable", str(ROOT), *wanted):
        say(
            "The installation failed; what the installer says stands above. The next call tries "
            "again."
        )
        return False
    for stamp in stamps:
        stamp.write_text("")
    say(f"Installed in {time.monotonic() - began:.0f} s.")
    return True


def stamp_of(group: str, project: str) -> Path:
    """The file that says that a group is installed.

    Args:
        group: Of pyproject.toml, or "package".
        project: The text of pyproject.toml.
    """
    # What is installed points to this folder, and its scripts to that one: where either moved, all
    # is done again.
    state = hashlib.sha256(f"{project}{ROOT}{VENV}".encode()).hexdigest()[:12]
    return VENV / f".installed-{group}-{state}"


def installs(*command: str) -> bool:
    """Whether an installation succeeds."""
    # A PIP_USER of the user's own would send the packages elsewhere.
    env = {**os.environ, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return subprocess.run(command, env=env, check=False).returncode == 0


def install_clients() -> None:
    """Install the clients of the groups `clients` and `clients-alone`, each where it can be: what
    is missing has a row in the table that says so.
    """
    # With the package itself in the command its own requirements hold.
    install_what_can_be("clients", "--editable", str(ROOT))
    install_what_can_be("clients-alone", "--no-deps")


def install_what_can_be(group: str, *options: str) -> None:
    """Install the packages of a group, all together or else one by one.

    Args:
        group: Of pyproject.toml.
        options: Of the installer.
    """
    import tomllib

    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    stamp = stamp_of(group, text)
    if stamp.exists() or (install := installer()) is None:
        return
    say(f"Installing the tools of `{group}` into {VENV} ...")
    command = [*install, "--quiet", *options]
    lines = tomllib.loads(text)["dependency-groups"][group]
    if installs(*command, *lines):
        stamp.write_text("")
        return
    say("Not all of them can be installed together; now one by one.")
    for line in lines:
        if not installs(*command, line):
            say(f"{line} cannot be installed; its tests skip.")


def installer() -> list[str] | None:
    """The command that installs into the environment, which is made first where it is missing; None
    if there is none.

    Debian ships Python without ensurepip and pip, and its own pip refuses to install into the
    system (PEP 668). So pip is looked for inside the environment, and then outside of it, from
    where it may install into the environment.
    """
    if not works(PYTHON) and not make_environment():
        return None
    inside = [PYTHON, "-m", "pip"]
    if not works(*inside):
        subprocess.run(
            [PYTHON, "-m", "ensurepip", "--default-pip"], capture_output=True, check=False
        )
    outside = ([sys.executable, "-m", "pip"], ["pip3"], ["pip"])
    for pip in (inside, *([*found, "--python", PYTHON] for found in outside)):
        if works(*pip):
            return [*pip, "install"]
    if works("uv"):
        return ["uv", "pip", "install", "--python", PYTHON]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    say(
        f"{sys.executable} has no pip, and no ensurepip that could make one.\n"
        f"On Debian and Ubuntu: sudo apt install python3-venv   (for a Python beside the "
        f"system's: {version}-venv)\n"
        "Elsewhere: install pip for this Python, or uv. Then run the same command again."
    )
    return None


def make_environment() -> bool:
    """Make a fresh virtual environment, without pip."""
    if VENV.is_dir() and any(VENV.iterdir()) and not (VENV / "pyvenv.cfg").exists():
        say(
            f"{VENV} is neither empty nor a virtual environment and is left alone; choose another "
            f"METASEARCH_VENV."
        )
        return False
    say(f"Making a virtual environment in {VENV} ...")
    shutil.rmtree(VENV, ignore_errors=True)
    command = [sys.executable, "-m", "venv", "--without-pip", str(VENV)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        say(f"That failed: {made.stderr.strip() or made.stdout.strip()}")
    return made.returncode == 0


def tool(name: str) -> str:
    """A program of the environment."""
    return str(BIN / (f"{name}.exe" if WINDOWS else name))


PYTHON = tool("python")


def works(*command: str) -> bool:
    try:
        return (
            subprocess.run([*command, "--version"], capture_output=True, check=False).returncode
            == 0
        )
    except OSError:
        return False


def call(name: str, *arguments: str) -> int:
    """Run a program of the environment; what the keyboard interrupts is the program, which then
    says how it ended.
    """
    with subprocess.Popen([tool(name), *arguments]) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def demo(rest: list[str]) -> int:
    return call("metasearch", "--demo", *(rest or ["gambling harms"]))


def test(rest: list[str]) -> int:
    os.chdir(ROOT)
    chosen = [] if "--all" in rest else ["-m", "not slow"]
    # Options of the caller come last, so that they win: `-n 0`, `-m browser`.
    # One worker more than cores: some tests wait for a deadline, and compute nothing meanwhile.
    options = [
        "-n",
        str((os.cpu_count() or 1) + 1),
        "--dist",
        "worksteal",
        *chosen,
        *(word for word in rest if word != "--all"),
    ]
    return call("python", "-m", "pytest", *options)


def clients(rest: list[str]) -> int:
    os.chdir(ROOT)
    install_clients()
    # Most of the time a client waits for the slow database of the demo.
    workers = str(2 * (os.cpu_count() or 1) + 1)
    options = ["-n", workers, "--dist", "worksteal", "-q", "-m", "client", *rest]
    return call("python", "-m", "pytest", "tests/clients", *options)


def spark(rest: list[str]) -> int:
    os.chdir(ROOT)
    install_what_can_be("spark", "--editable", str(ROOT))
    # In one process: they share one session.
    return call("python", "-m", "pytest", "-q", "-m", "spark", "tests/bulk", *rest)


def lint(_: list[str]) -> int:
    os.chdir(ROOT)
    codes = [
        call("ruff", "format", "--check", "."),
        call("ruff", "check", "."),
        call("mypy"),
        call("lint-imports"),
    ]
    return int(any(codes))


def fix(_: list[str]) -> int:
    os.chdir(ROOT)
    codes = [call("ruff", "check", "--fix", "."), call("ruff", "format", ".")]
    return int(any(codes))


def bench(rest: list[str]) -> int:
    os.chdir(ROOT)
    parts = (
        "speed",
        "dedup",
        "text",
        "parse",
        "load",
        "faults",
        "soak",
        "overload",
        "naming",
        "ranking",
        "faces",
        "page",
        "counts",
        "workspace",
        "users",
        "saved",
        "bulk",
        "replicas",
        "queries",
        "companions",
        "references",
        "citations",
        "press",
    )
    which, rest = (rest[0], rest[1:]) if rest and rest[0] in parts else ("speed", rest)
    if any(word.partition("=")[0] == "--against" for word in rest):
        which = "against"
    if which == "bulk":
        install_what_can_be("rivals", "--editable", str(ROOT))
    return call("python", "-m", f"benchmarks.{which}", *rest)


def fuzz(rest: list[str]) -> int:
    os.chdir(ROOT)
    return call("python", "tools/fuzz.py", *rest)


def report(rest: list[str]) -> int:
    os.chdir(ROOT)
    return call("python", "-m", "benchmarks.report", *rest)


def sources(rest: list[str]) -> int:
    os.chdir(ROOT)
    return call("python", "tools/sources_page.py", *rest)


def wheel(rest: list[str]) -> int:
    os.chdir(ROOT)
    return call("python", "-m", "build", "--wheel", *rest)


def run(rest: list[str]) -> int:
    return call("metasearch", *rest)


TASKS = {
    "demo": demo,
    "test": test,
    "clients": clients,
    "spark": spark,
    "lint": lint,
    "fix": fix,
    "bench": bench,
    "fuzz": fuzz,
    "report": report,
    "sources": sources,
    "wheel": wheel,
    "run": run,
}

if __name__ == "__main__":
    sys.exit(main())
