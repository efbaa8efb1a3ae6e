"""docs/deploy.md says what the specs and the files say."""

from __future__ import annotations

import re

from metasearch.adapters.specs.registry import Registry
from metasearch.settings import Settings
from tests.deploy.files import ROOT

PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
DAY = 86_400


def test_requests_a_day_are_those_of_the_specs() -> None:
    """Every default source is in the table, with its rate over a day, its connections and its
    key."""
    registry = Registry(Settings())
    rows = re.findall(r"^\| ([a-z]+) \| ([\d,]+) \| (\d+) \| (.*)\|$", PAGE, re.MULTILINE)
    said = {
        name: (int(most.replace(",", "")), int(at_once), key.strip(" `"))
        for name, most, at_once, key in rows
    }
    specs = {name: registry.spec(name) for name in registry.default()}

    assert said == {
        name: (
            round(spec.limits.requests * DAY / spec.limits.per),
            spec.limits.concurrency,
            spec.key_env or "",
        )
        for name, spec in specs.items()
    }


def test_every_file_is_on_the_page() -> None:
    """Each file of deploy/, or its folder."""
    named = re.findall(r"`(deploy/[\w./]+)`", PAGE.partition("## The files")[2])
    files = [path for path in (ROOT / "deploy").rglob("*") if path.is_file()]

    assert all((ROOT / name).exists() for name in named)
    for path in files:
        relative = path.relative_to(ROOT).as_posix()
        assert any(
            relative == name or relative.startswith(name.rstrip("/") + "/") for name in named
        )
