"""The folder of a staged job: a folder a stage, and a marker beside it when the stage is done."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import orjson

from metasearch.bulk.staged.parts import DamagedPart, checksum, clear
from metasearch.errors import UsageError
from metasearch.formats.text import line

_JOB = "job.json"
#: Of the tables and files in the folder; a job that another release began is not continued.
_SHAPE = 3


def user() -> int:
    """The number of the user; 0 where users have none."""
    return os.getuid() if hasattr(os, "getuid") else 0


class JobFolder:
    """Where a job keeps its stages.

    `job`: what shapes the outcome: inputs and options, as JSON has them. A job is continued only
    where it is the same. Raises UsageError: the folder is another user's, holds another job or
    other files, or holds this job and neither `resume` nor `anew` was said; OSError: it cannot be
    made.
    """

    def __init__(
        self, path: Path, job: dict[str, Any], *, resume: bool = False, anew: bool = False
    ) -> None:
        self.path = path
        shown = line(str(path))
        path.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.stat().st_uid != user():
            raise UsageError(
                f"{shown}: the folder is another user's", advice="Name one of your own with --tmp."
            )
        # What the records say is nobody else's.
        path.chmod(0o700)
        begun = self._begun(shown)
        wanted = {"shape": _SHAPE, **orjson.loads(orjson.dumps(job))}
        if begun is None:
            if any(path.iterdir()):
                raise UsageError(
                    f"--tmp {shown}: the folder holds other files",
                    advice="Name a folder that is empty or does not exist.",
                )
            self._write(_JOB, wanted)
        elif begun != wanted:
            raise UsageError(
                f"--tmp {shown}: the folder holds another job: of other files, files that have "
                f"changed since, or other options",
                advice="Name another folder, or delete this one.",
            )
        elif anew:
            self.remove()
            path.mkdir(0o700)
            self._write(_JOB, wanted)
        elif not resume:
            raise UsageError(
                f"--tmp {shown}: the folder holds this job, which was begun before",
                advice="Add --resume to continue it, or delete the folder.",
            )

    def _begun(self, shown: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = orjson.loads((self.path / _JOB).read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as exc:
            raise UsageError(
                f"--tmp {shown}: {_JOB} is damaged", advice="Delete the folder and begin again."
            ) from exc
        return found

    @property
    def has_stages(self) -> bool:
        """Whether something of the job was done."""
        return any(path.is_dir() for path in self.path.iterdir()) if self.path.is_dir() else False

    def stage(self, name: str) -> Path:
        """The folder of a stage; it exists."""
        folder = self.path / name
        folder.mkdir(exist_ok=True)
        return folder

    def begin(self, name: str, *, anew: bool = True) -> Path:
        """The folder of a stage that is not done: empty if `anew`, else with what was finished."""
        folder = self.stage(name)
        if anew:
            clear(folder)
        return folder

    def finish(self, name: str, note: Any = None) -> None:
        """Mark a stage as done: with the checksums of its parts, and a note."""
        folder = self.stage(name)
        parts = {path.name: checksum(path) for path in sorted(folder.iterdir()) if path.is_file()}
        self._write(f"{name}.done.json", {"parts": parts, "note": note})

    def done(self, name: str) -> bool:
        """Whether a stage was marked as done, and its parts are as they were then. Raises
        DamagedPart: one is missing, or has changed.
        """
        marker = self.path / f"{name}.done.json"
        if not marker.exists():
            return False
        for part, expected in self._marker(name)["parts"].items():
            path = self.path / name / part
            if not path.is_file():
                raise DamagedPart(path, "it is missing")
            if checksum(path) != expected:
                raise DamagedPart(path, "its checksum is another one")
        return True

    def note(self, name: str) -> Any:
        """What was noted of a stage that is done."""
        return self._marker(name)["note"]

    def _marker(self, name: str) -> dict[str, Any]:
        path = self.path / f"{name}.done.json"
        try:
            found: dict[str, Any] = orjson.loads(path.read_bytes())
        except (OSError, ValueError) as exc:
            raise DamagedPart(path, str(exc)) from exc
        return found

    def drop(self, *names: str) -> None:
        """Delete the parts of stages that nothing reads any more; they stay done."""
        for name in names:
            if (self.path / name).is_dir():
                self._write(f"{name}.done.json", {**self._marker(name), "parts": {}})
                clear(self.path / name)

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _write(self, name: str, value: Any) -> None:
        path = self.path / name
        undone = path.with_name(name + ".unfinished")
        with undone.open("wb") as file:
            file.write(orjson.dumps(value))
            file.flush()
            os.fsync(file.fileno())
        undone.replace(path)
