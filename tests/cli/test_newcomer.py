"""docs/adapters.md promises a new database in ten minutes: its commands work as printed, without a
checkout."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cli.conftest import Outcome, Run

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
CHAPTER = PAGE.partition("## A new database in ten minutes")[2].partition("\n## ")[0]
COMMANDS = re.findall(r"^ *\$ (.*?)(?:  +#.*)?$", CHAPTER, re.MULTILINE)
EXAMPLE = CHAPTER.partition("```toml\n")[2].partition("```")[0]
#: Where the page says that the database is.
PLACE = "https://api.example.org"
WORKS = [
    {
        "id": "w1",
        "title": "Gene drives in island mice",
        "authors": [{"last": "Byron", "first": "Ada"}],
        "published": "2020-03-15",
        "journal": "Journal of Examples",
        "doi": "10.5555/one",
        "kind": "paper",
    },
    {"id": "w2", "title": "Gene drive: a talk", "authors": [], "year": 2019, "kind": "talk"},
]


@dataclass
class Database:
    """The database of the page, on this machine."""

    url: str = ""
    asked: list[dict[str, list[str]]] = field(default_factory=list)


@pytest.fixture
def database() -> Iterator[Database]:
    """Answers `/search` with two works, whatever is asked."""
    found = Database()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(parse_qs(urlsplit(self.path).query))
            body = json.dumps({"response": {"numFound": len(WORKS), "docs": WORKS}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: Database) -> Path:
    """An empty folder of somebody who has installed the program, and may ask the database."""
    home, folder = tmp_path / "home", tmp_path / "empty"
    (home / ".config" / "metasearch").mkdir(parents=True)
    folder.mkdir()
    allowed = database.url.removeprefix("http://")
    config = f'[network]\nallow = ["{allowed}"]\n'
    (home / ".config" / "metasearch" / "config.toml").write_text(config, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.chdir(folder)
    return folder


def shell(line: str, run: Run, database: Database) -> Outcome:
    """What a shell would do with a line of the page, where nothing leaves this machine."""
    command, _, target = line.partition(" > ")
    program, *args = [word.replace("~", str(Path.home())) for word in shlex.split(command)]
    if program == "metasearch":
        done = run(*args)
    elif program == "curl":
        with urllib.request.urlopen(args[-1].replace(PLACE, database.url)) as answer:
            done = Outcome(0, answer.read().decode(), "")
    elif program == "mkdir":
        Path(args[-1]).mkdir(parents=True)
        done = Outcome(0, "", "")
    else:
        assert program == "cp"
        shutil.copy(*args)
        done = Outcome(0, "", "")
    if target:
        Path(target).write_text(done.out, encoding="utf-8")
    return done


def test_every_command_of_the_page_works_as_printed(
    desk: Path, run: Run, database: Database
) -> None:
    """From top to bottom in an empty folder: each ends with 0, and a search in the own database
    finds its works."""
    outcomes: dict[str, Outcome] = {}
    for line in COMMANDS:
        outcomes[line] = done = shell(line, run, database)
        assert done.code == 0, (line, done)
        if line.startswith("metasearch sources new"):
            (desk / "example.toml").write_text(
                EXAMPLE.replace(PLACE, database.url), encoding="utf-8"
            )

    said = {line: outcome.out for line, outcome in outcomes.items()}
    assert len(said) >= 10
    assert len(said["metasearch parse example.toml answer.json"].splitlines()) == len(WORKS)
    assert "title = 2" in said["metasearch parse --counts example.toml answer.json"]
    assert (
        "gene drive"
        in said["metasearch --explain-plan -s ./example.toml 'title:\"gene drive\" NOT mosquito'"]
    )
    for search in ("metasearch -s ./example.toml gene drive", "metasearch -s example gene drive"):
        assert "Gene drives in island mice" in said[search]
    assert "example.toml" in said["metasearch sources show example"]
    assert [it["q"] for it in database.asked][-1] == ["gene AND drive"]


def test_the_written_spec_can_be_checked_and_extended(desk: Path, run: Run) -> None:
    """What `sources new` writes has no mistakes, and neither has one that extends it from another
    folder."""
    (desk / "more").mkdir()

    assert run("sources", "new", "base").code == 0
    assert run("sources", "new", "child", "--like", "base.toml", "-o", "more/child.toml").code == 0
    assert 'extends   = "../base.toml"' in (desk / "more" / "child.toml").read_text(
        encoding="utf-8"
    )
    assert run("sources", "check", "base.toml", "more/child.toml").code == 0
    assert "GET https://api.example.org/search" in run("sources", "show", "more/child.toml").out


def test_a_spec_file_among_names(desk: Path, run: Run) -> None:
    """`-s crossref,./fx.toml` plans both; a file that is not there is told before anything is
    asked."""
    (desk / "fx.toml").write_text(EXAMPLE.replace('"example"', '"fx"'), encoding="utf-8")

    done = run("--explain-plan", "--json", "-s", "crossref,./fx.toml", "gene")
    gone = run("-s", "./gone.toml", "gene")

    assert [it["source"] for it in json.loads(done.out)["sources"]] == ["crossref", "fx"]
    assert (gone.code, "there is no spec file gone.toml" in gone.err) == (2, True)


def test_record_names_the_case_after_the_source(desk: Path, run: Run, database: Database) -> None:
    """`sources record ./example.toml` keeps cassettes/example, and no folder called as the file."""
    (desk / "draft.toml").write_text(EXAMPLE.replace(PLACE, database.url), encoding="utf-8")

    done = run("sources", "record", "./draft.toml", "gene", "drive")

    assert done.code == 0, done
    assert (desk / "cassettes" / "example" / "search" / "records.json").is_file()


def test_the_folder_of_specs_is_listed_and_checked(desk: Path, run: Run) -> None:
    """`sources list` has what lies there, and `sources check` its mistakes with those of the
    shipped ones."""
    folder = Path.home() / ".config" / "metasearch" / "specs"
    folder.mkdir()
    (folder / "fx.toml").write_text('name = "fx"\ncolour = "red"\n', encoding="utf-8")

    assert re.search(r"^fx +fx +yes +broken", run("sources", "list").out, re.MULTILINE)
    checked = run("sources", "check", "fx")
    assert checked.code == 2
    assert f"{folder}/fx.toml: colour: unknown key" in checked.out


def test_what_stands_for_a_shipped_source_is_shown(desk: Path, run: Run) -> None:
    """`sources show` says which file is asked under a name that is shipped, too."""
    (desk / "crossref.toml").write_text('extends = "crossref"\n', encoding="utf-8")
    folder = Path.home() / ".config" / "metasearch" / "specs"
    folder.mkdir()
    shutil.copy(desk / "crossref.toml", folder)

    assert (
        f"{folder}/crossref.toml replaces another source of the same name"
        in run("sources", "show", "crossref").out
    )
