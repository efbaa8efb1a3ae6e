"""What only some users install: the extras of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
_TABLES = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))
#: Name of an extra -> its lines.
EXTRAS: dict[str, list[str]] = _TABLES["project"]["optional-dependencies"]
#: What the tests need; the lines of the groups. Spark has its own, because it is large.
FOR_TESTS: list[str] = [
    line for group in ("test", "spark") for line in _TABLES["dependency-groups"][group]
]
#: Packages that are imported by another name.
_IMPORTED = {"argon2-cffi": "argon2", "python-docx": "docx"}


def packages_of(extra: str) -> set[str]:
    """The packages of an extra, as they are imported."""
    names = {re.split(r"[^\w.-]", line)[0] for line in EXTRAS[extra]}
    return {_IMPORTED.get(name, name.replace("-", "_")) for name in names}


def optional_packages() -> set[str]:
    """The packages of every extra, as they are imported."""
    return set().union(*map(packages_of, EXTRAS))
