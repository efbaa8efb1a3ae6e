"""docs/deploy.md says what the specs and the files say."""

from __future__ import annotations

import re
from dataclasses import replace

from metasearch.adapters.spec import Limits
from metasearch.adapters.specs.registry import Registry
from metasearch.settings import Settings
from tests.deploy.files import ROOT

PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
DAY = 86_400


def test_requests_a_day_are_those_of_the_specs() -> None:
    """Every default source is in the table, with its rate over a day, its connections and its
    key."""
    registry = Registry(Settings())
    table = PAGE.partition("## What the databases allow")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([a-z]+) \| (.*?) \| (.*?) \| (.*?) ?\|$", table, re.MULTILINE)
    specs = {name: registry.spec(name) for name in registry.default()}

    assert {name: (most, at_once, key) for name, most, at_once, key in rows} == {
        name: (*said_of(spec.limits), f"`{spec.key_env}`" if spec.key_env else "")
        for name, spec in specs.items()
    }


def said_of(limits: Limits) -> tuple[str, str]:
    """The requests a day and connections, also with a contact or a key."""
    all_of = {"": limits}
    for word, other in (("contact", limits.with_contact), ("key", limits.with_key)):
        if other:
            all_of[f" with a {word}"] = replace(limits, **other)
    most = [f"{round(one.requests * DAY / one.per):,}{word}" for word, one in all_of.items()]
    at_once = dict.fromkeys(str(one.concurrency) for one in all_of.values())
    return "; ".join(most), "; ".join(at_once)


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
