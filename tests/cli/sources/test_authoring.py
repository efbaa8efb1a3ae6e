"""`metasearch sources new`, `record` and `schema`: what adapter authors are given."""

from __future__ import annotations

import asyncio
import json
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import FAMILIES, GROUPS, schema, spec_folder
from metasearch.settings import Settings
from tests.adapters.fetch.loopback import Loopback, reply
from tests.cases import each
from tests.cli.conftest import Run

VALIDATOR = jsonschema.Draft202012Validator(schema())
SPECS = [path for path in sorted(spec_folder().glob("**/*.toml")) if path.stem != GROUPS]
KEY = "sesame-0123456789"


# --------------------------------------------------------------------------- new


@pytest.mark.parametrize("kind", ["json", "xml", "html", *Registry(Settings()).families])
def test_a_new_spec_has_no_problem(run: Run, tmp_path: Path, kind: str) -> None:
    """What is written can be checked at once, whatever it is like, and an editor finds nothing to
    mark."""
    file = tmp_path / "my-index.toml"

    assert run("sources", "new", "my-index", "--like", kind, "-o", str(file)).code == 0
    assert run("sources", "check", str(file)).code == 0
    assert list(VALIDATOR.iter_errors(tomllib.loads(file.read_text(encoding="utf-8")))) == []


def test_a_file_that_is_there_is_left_alone(run: Run, tmp_path: Path) -> None:
    """Nobody's work is overwritten."""
    file = tmp_path / "mine.toml"
    file.write_text("precious", encoding="utf-8")
    done = run("sources", "new", "mine", "-o", str(file))

    assert done.code == 2
    assert "is there already" in done.err
    assert file.read_text(encoding="utf-8") == "precious"


@each(("name", "kind"), [("No Name", "json"), ("../up", "json"), ("fine", "cobol")])
def test_names_and_kinds_that_cannot_be(run: Run, name: str, kind: str) -> None:
    """The error names what there is."""
    assert run("sources", "new", name, "--like", kind).code == 2


# --------------------------------------------------------------------------- schema


@each("path", SPECS, ids=lambda path: path.stem)
def test_shipped_specs_are_of_the_schema(path: Path) -> None:
    """An editor that knows the schema finds nothing wrong with any of them."""
    problems = [
        error.message
        for error in VALIDATOR.iter_errors(tomllib.loads(path.read_text(encoding="utf-8")))
    ]

    assert problems == []


@each(
    "table",
    [
        {"name": "x", "colour": "red"},
        {"name": "x", "paging": {"kind": "spiral"}},
        {"name": "x", "fields": {"taste": "sweet"}},
        {"name": "x", "query": {"fields": {"smell": "{x}"}}},
        {"name": "x", "also": [{"fields": {"title": {"at": "a", "as": "dragon"}}}]},
    ],
)
def test_the_schema_marks_mistakes(table: dict[str, object]) -> None:
    """Unknown keys, fields, choices and converters."""
    assert not VALIDATOR.is_valid(table)


def test_schema_is_printed(run: Run) -> None:
    """As one JSON document."""
    assert json.loads(run("sources", "schema").out) == schema()


# --------------------------------------------------------------------------- record


@pytest.fixture
def database() -> Iterator[Loopback]:
    """A database of two works, on a socket of its own."""
    works = {
        "hits": 2,
        "works": [{"id": "1", "name": f"Bells {KEY}"}, {"id": "2", "name": "Tides"}],
    }
    server = Loopback(
        {
            "/search": reply(json.dumps(works).encode()),
            "/sick": reply(b'{"why": "no such index"}', 400),
        }
    )
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
    yield server
    asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def configured(folder: Path, server: Loopback, path: str = "/search") -> str:
    url = server.url(path)
    file = folder / "config.toml"
    file.write_text(
        f"""
[network]
allow = ["{url.partition("//")[2].partition("/")[0]}"]
[sources.mine]
[sources.mine.request]
url    = "{url}"
params = {{ q = "{{query}}", n = "{{size}}" }}
[sources.mine.query]
style  = "expression"
fields = {{ any = "{{x}}" }}
[sources.mine.auth.key]
env = "MINE_KEY"
[sources.mine.parse]
body    = "json"
records = "works"
total   = "hits"
error   = "why"
[sources.mine.fields]
source_id = "id"
title     = "name"
""",
        encoding="utf-8",
    )
    return str(file)


def test_a_case_is_kept_without_secrets(
    run: Run, tmp_path: Path, database: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Request, answer and records, as the tests of cassettes read them; the key is sent, and in no
    file."""
    monkeypatch.setenv("MINE_KEY", KEY)
    config = configured(tmp_path, database)
    done = run(
        "sources", "record", "mine", "bells", "--into", str(tmp_path / "kept"), "--config", config
    )
    folder = tmp_path / "kept" / "mine" / "search"
    request = json.loads((folder / "request.json").read_bytes())

    assert done.code == 0, done.err
    assert KEY in database.seen[0].target
    assert (request["query"], request["wanted"], request["sent"]) == ("bells", 3, "bells")
    assert request["params"] == [["q", "bells"], ["n", "3"]]
    assert list(request["env"]) == ["MINE_KEY"]
    assert [it["title"] for it in json.loads((folder / "records.json").read_bytes())] == [
        "Bells ***",
        "Tides",
    ]
    assert not any(KEY.encode() in path.read_bytes() for path in folder.iterdir())


def test_an_error_is_a_case_too(run: Run, tmp_path: Path, database: Loopback) -> None:
    """Its status, body and what it is read as."""
    config = configured(tmp_path, database, "/sick")
    done = run(
        "sources",
        "record",
        "mine",
        "x",
        "--case",
        "bad",
        "--into",
        str(tmp_path),
        "--config",
        config,
    )
    folder = tmp_path / "mine" / "bad"

    assert done.code == 0
    assert "no such index" in done.err
    assert json.loads((folder / "request.json").read_bytes())["status"] == 400
    assert json.loads((folder / "error.json").read_bytes())["type"] == "SourceSaysError"


def test_a_case_that_is_there_is_left_alone(run: Run, tmp_path: Path, database: Loopback) -> None:
    """Nothing is asked either."""
    (tmp_path / "mine" / "search").mkdir(parents=True)
    config = configured(tmp_path, database)
    done = run("sources", "record", "mine", "x", "--into", str(tmp_path), "--config", config)

    assert done.code == 2
    assert database.seen == []


def test_families_and_groups_are_no_specs_of_sources() -> None:
    """What lies beside the specs has names of its own."""
    assert FAMILIES not in Registry(Settings()).names()
    assert GROUPS not in Registry(Settings()).names()
