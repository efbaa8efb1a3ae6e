"""`metasearch sources`: what is listed, what is never shown, and every problem at once."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from metasearch.cli.sources import specs as check_module
from metasearch.cli.sources.specs import problems_of as check
from metasearch.settings import Settings
from tests.cli.conftest import Run

OWN = """
[sources.mine]
extends = "crossref"
label = "中文目录"
url = "https://user:hunter2@mine.example.org/api?key=hunter3"
request.params.apikey = "hunter4"
auth.token = { env = "MINE_KEY", in = "headers", required = true }
"""
BROKEN = """
name = "broken"
unknown = 1
[request]
url = "ftp://example.org"
[parse]
body = "json"
records = "items"
total = "["
[fields]
title = "title"
colour = "c"
"""


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of these commands may open a socket."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)


@pytest.fixture
def config(tmp_path: Path) -> str:
    file = tmp_path / "my.toml"
    file.write_text(OWN, encoding="utf-8")
    return str(file)


# --------------------------------------------------------------------------- list


def test_list_has_all_sources(run: Run) -> None:
    """A line a source, under a heading, with its key's state; families alone are no sources."""
    outcome = run("sources", "list")

    heading, *rows = outcome.out.splitlines()
    assert outcome.code == 0
    assert heading.split() == ["NAME", "LABEL", "DEFAULT", "KEY"]
    assert any(
        row.startswith("crossref ") and "METASEARCH_CONTACT (not set, optional)" in row
        for row in rows
    )
    assert not any(row.startswith("sru ") for row in rows)


@pytest.mark.parametrize(
    "args", [["--config", "{}", "sources", "list"], ["sources", "--config", "{}", "list"]]
)
def test_list_knows_the_configuration(run: Run, config: str, args: list[str]) -> None:
    """Sources of the configuration are listed too, wherever `--config` stands."""
    outcome = run(*(arg.format(config) for arg in args))

    assert "MINE_KEY (MISSING, required)" in outcome.out


def test_list_aligns_wide_characters(run: Run, config: str) -> None:
    """Columns stay aligned under East Asian labels."""
    rows = run("sources", "list", "--config", config).out.splitlines()

    (mine,) = [row for row in rows if row.startswith("mine ")]
    assert mine.index("yes") == rows[0].index("DEFAULT") - len("中文目录")


def test_list_as_json(run: Run, config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--json` gives one list of objects, in which a key has a name and a state but no value."""
    monkeypatch.setenv("MINE_KEY", "hunter5")

    outcome = run("sources", "list", "--json", "--config", config)

    mine = {it["name"]: it for it in json.loads(outcome.out)}["mine"]
    assert mine["label"] == "中文目录"
    assert mine["default"] is True
    assert {"env": "MINE_KEY", "required": True, "set": True} in mine["keys"]
    assert "hunter" not in outcome.out


def test_list_survives_a_broken_source(run: Run, tmp_path: Path) -> None:
    """One broken source is marked, and the others are listed."""
    file = tmp_path / "my.toml"
    file.write_text('[sources.mine]\nextends = "nothing"\n')

    outcome = run("sources", "list", "--config", str(file))

    assert outcome.code == 0
    assert "broken: see `metasearch sources check`" in outcome.out
    assert "Crossref" in outcome.out


# --------------------------------------------------------------------------- show


def test_show_tells_the_facts(run: Run) -> None:
    """Limits, address, fields and operators of one source are told."""
    outcome = run("sources", "show", "crossref")

    facts = dict(row.split(maxsplit=1) for row in outcome.out.splitlines())
    assert outcome.code == 0
    assert facts["name"] == "crossref"
    assert facts["url"] == "GET https://api.crossref.org/works"
    assert facts["rate"] == (
        "1 requests in 1 s, 1 at once; with a contact address, 3 requests in 1 s, 3 at once"
    )
    assert "title" in facts["reads"]


def test_show_tells_who_can_enrich(run: Run) -> None:
    """By what works are named, and where they are asked for; nothing of others."""
    assert (
        "enriches        by doi: GET https://api.unpaywall.org/v2/{doi}\n"
        in run("sources", "show", "unpaywall").out
    )
    assert "enriches" not in run("sources", "show", "crossref").out


def test_show_keeps_secrets(run: Run, config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the environment nor a careless configuration shows a secret."""
    monkeypatch.setenv("MINE_KEY", "hunter5")

    outcome = run("sources", "show", "mine", "--config", config)

    assert "MINE_KEY (set)" in outcome.out
    assert "https://mine.example.org/api\n" in outcome.out
    assert "hunter" not in outcome.out + outcome.err


def test_show_tells_of_logins_and_bodies(run: Run, tmp_path: Path) -> None:
    """Which variables are needed, where a token is fetched, and what is sent that is no parameter;
    no values."""
    file = tmp_path / "token.toml"
    file.write_text(
        """
[sources.mine]
extends = "crossref"
request.method = "POST"
request.json = { q = "{any}", secret = "hunter4" }
auth.Authorization = { kind = "oauth2", in = "headers", env = "MINE_ID", \
secret_env = "MINE_SECRET", token_url = "https://u:hunter5@mine.example.org/token" }
""".replace("\\\n", ""),
        encoding="utf-8",
    )
    outcome = run("sources", "show", "mine", "--config", str(file))

    facts = dict(row.split(maxsplit=1) for row in outcome.out.splitlines())
    assert facts["body"] == "JSON: q, secret (application/json)"
    assert facts["login"] == "https://mine.example.org/token"
    assert "MINE_ID (not set, optional), MINE_SECRET (not set, optional)" in facts["key"]
    assert "hunter" not in outcome.out + outcome.err


def test_show_family(run: Run) -> None:
    """A family can be shown, and says that it is no source."""
    assert 'never: sources extend it with `extends = "sru"`' in run("sources", "show", "sru").out


def test_show_unknown_source(run: Run) -> None:
    """An unknown name exits 2 with near misses."""
    outcome = run("sources", "show", "crosref")

    assert outcome.code == 2
    assert "Did you mean crossref" in outcome.err


# --------------------------------------------------------------------------- check


def test_shipped_specs_are_right() -> None:
    """No shipped spec has a problem, and each has a recorded case."""
    _, problems = check([], Settings())

    assert problems == []


def test_check_tells_every_problem_at_once(run: Run, tmp_path: Path) -> None:
    """A file with several mistakes gets a line for each, and exit code 2."""
    file = tmp_path / "broken.toml"
    file.write_text(BROKEN)

    outcome = run("sources", "check", str(file))

    assert outcome.code == 2
    assert all(line.startswith(f"{file}: ") for line in outcome.out.splitlines())
    for place in ("unknown:", "request.url:", "parse.total:", "fields.colour:"):
        assert place in outcome.out
    assert outcome.err == f"1 checked, {len(outcome.out.splitlines())} problems\n"


def test_check_of_several(run: Run, tmp_path: Path) -> None:
    """Every spec is checked although an earlier one is broken."""
    for name in ("one.toml", "two.toml"):
        (tmp_path / name).write_text(BROKEN)

    outcome = run(
        "sources",
        "check",
        str(tmp_path / "one.toml"),
        "nothing",
        str(tmp_path / "two.toml"),
        "/no/such.toml",
    )

    for name in ("one.toml: ", "two.toml: ", "'nothing'", "/no/such.toml: cannot be read"):
        assert name in outcome.out


def test_check_of_a_good_file(run: Run, config: str) -> None:
    """A configuration file is checked source by source; nothing wrong is exit code 0 and an empty
    stdout."""
    outcome = run("sources", "check", config)

    assert outcome.code == 0
    assert outcome.out == ""
    assert outcome.err == "1 checked, 0 problems\n"


def test_check_of_default_sources(run: Run, tmp_path: Path) -> None:
    """A configuration that asks an unknown source by default is told so."""
    file = tmp_path / "my.toml"
    file.write_text(
        '[search]\nsources = ["crossref", "nothing"]\n[sources.crossref]\nweight = 2.0\n'
    )

    outcome = run("sources", "check", str(file))

    assert outcome.code == 2
    assert "search.sources: there is no source called 'nothing'" in outcome.out


def test_check_of_enrichers(run: Run, tmp_path: Path) -> None:
    """Those that a search asks for its works have to be there, and able to say something of a
    work."""
    file = tmp_path / "my.toml"
    file.write_text(
        '[search]\nenrich = ["unpaywall", "crossref", "nobody", '
        '"none"]\n[sources.crossref]\nweight = 2.0\n'
    )

    outcome = run("sources", "check", str(file))

    assert outcome.code == 2
    assert [row.partition("search.enrich: ")[2] for row in outcome.out.splitlines()] == [
        "crossref cannot be asked for single works; its spec has no [enrich]",
        "there is no source called 'nobody'",
    ]


def test_check_wants_cassettes(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a checkout a shipped spec without a recorded case is a problem; in an installation nothing
    is missing."""
    monkeypatch.setattr(check_module, "spec_folder", lambda: tmp_path / "adapter_specs")
    installed = run("sources", "check", "crossref")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "cassettes").mkdir()
    without = run("sources", "check", "crossref")
    (tmp_path / "cassettes" / "crossref" / "words").mkdir(parents=True)
    with_case = run("sources", "check", "crossref")

    assert (installed.code, without.code, with_case.code) == (0, 2, 0)
    assert "cassettes/crossref: has no case" in without.out


# --------------------------------------------------------------------------- groups


def test_list_of_a_group_has_those_that_are_off(run: Run) -> None:
    """And they say so."""
    lines = run("sources", "list", "--group", "chinese").out.splitlines()

    assert any(line.startswith("cnki ") and " off " in line for line in lines)
    assert not any(line.startswith("crossref") for line in lines)


def test_list_of_a_group_that_there_is_not(run: Run) -> None:
    """The error names those that there are."""
    outcome = run("sources", "list", "--group", "nonsense")

    assert outcome.code == 2
    assert "medicine" in outcome.err
