"""Scripts for shells, and what these are told when they run them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from metasearch.cli.root import SHELLS
from metasearch.record import TYPES
from tests.cli.conftest import Run


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_issue_14_10_completion_prints_a_script_that_the_shell_can_read(
    run: Run, shell: str, tmp_path: Path
) -> None:
    """Stdout has nothing but the script, and the shell finds no mistake in it."""
    outcome = run("completion", shell)

    assert outcome.code == 0
    assert outcome.err == ""
    assert f"_METASEARCH_COMPLETE={shell}_complete" in outcome.out
    if shutil.which(shell):
        script = tmp_path / "script"
        script.write_text(outcome.out)
        subprocess.run([shell, "-n", script], check=True)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["so"], ["sources"]),
        (["x", "--filter", "venu"], ["nospace", "venue:"]),
        (["x", "--filter", "type", ":"], None),
        (["x", "--filter", "type", ":", "art"], ["article"]),
        (["x", "--filter", "type", ":", "article,oa", ":", "y"], ["yes"]),
        (["x", "--filter", "type", ":", "article,o"], ["article,only:", "article,oa:"]),
        (["'title : x'", "--filter", "oa", ":", "n"], ["no"]),
    ],
)
def test_issue_14_10_bash_completes_a_command_with_the_script(
    run: Run, tmp_path: Path, words: list[str], offered: list[str] | None
) -> None:
    """Bash, with the script read, offers `sources` for `so`; it divides words at colons and
    replaces the last part only, and no blank follows the name of a filter."""
    (tmp_path / "metasearch").write_text(f'#!/bin/sh\nexec {sys.executable} -m metasearch "$@"\n')
    (tmp_path / "metasearch").chmod(0o755)
    ask = (
        'compopt() { echo "$2"; }\n'
        f"COMP_WORDS=(metasearch {' '.join(words)}); COMP_CWORD={len(words)}\n"
        '_metasearch_completion metasearch; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    script = run("completion", "bash").out.replace("complete -o", ": complete -o")

    done = subprocess.run(
        ["bash", "-c", f"PATH={tmp_path}:$PATH\n{script}\n{ask}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == (list(TYPES) if offered is None else offered)


def test_issue_14_10_completion_of_another_shell_is_refused(run: Run) -> None:
    """Exit 2, with the shells that there are."""
    outcome = run("completion", "tcsh")

    assert outcome.code == 2
    assert all(shell in outcome.err for shell in SHELLS)
