"""`metasearch index`, `harvest` and `collections`: what they do, what they tell, and how they
end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cases import each
from tests.cli.conftest import Run
from tests.collections.harvest.repository import HEAD, Item, Reply, Repository, dublin_core

RIS = (
    "TY  - JOUR\nID  - {id}\nTI  - {title}\nAU  - Doe, Jane\nPY  - 2020\nDO  - 10.1000/{id}\nER "
    " - \n"
)


@pytest.fixture
def refs(tmp_path: Path) -> Path:
    folder = tmp_path / "refs"
    folder.mkdir()
    (folder / "a.ris").write_text(
        RIS.format(id="1", title="Gene drives") + RIS.format(id="2", title="Sleep apnea")
    )
    (folder / "b.ris").write_text(RIS.format(id="3", title="沉水植物与水质评价"))
    return folder


@pytest.fixture
def repository() -> Iterator[Repository]:
    with Repository() as made:
        made.fill(5)
        yield made


@pytest.fixture
def config(tmp_path: Path, repository: Repository) -> str:
    """A configuration that lets the repository through the guard."""
    file = tmp_path / "my.toml"
    file.write_text(f'[network]\nallow = ["{repository.netloc}"]\n')
    return str(file)


def titles(run: Run, *args: str) -> list[str]:
    outcome = run(*args, "--format", "json")
    return [hit["title"] for hit in json.loads(outcome.out)["hits"]]


# --------------------------------------------------------------------------- index


def test_index_makes_a_folder_a_source(run: Run, refs: Path) -> None:
    """The folder's name is the source's; the second time nothing is read."""
    first = run("index", str(refs))
    second = run("index", str(refs))

    assert first.code == second.code == 0
    assert first.out == ""
    assert first.err.splitlines() == [
        "2 files read with 3 records",
        "3 records in the collection refs: metasearch -s refs QUERY",
    ]
    assert second.err.startswith("0 files read with 0 records; 2 unchanged\n")
    assert titles(run, "-s", "refs", "gene") == ["Gene drives"]
    assert titles(run, "-s", "refs", "水质") == ["沉水植物与水质评价"]


def test_index_again_without_files(run: Run, refs: Path) -> None:
    """What is gone goes."""
    run("index", "--name", "mine", str(refs))
    (refs / "b.ris").unlink()

    outcome = run("index", "--name", "mine")

    assert outcome.err.startswith(
        "0 files read with 0 records; 1 unchanged; 1 gone with 1 record\n"
    )
    assert outcome.code == 0


def test_index_tells_what_it_could_not_read(run: Run, refs: Path) -> None:
    """The line and the reason; exit code 3, or 4 where nothing could be read."""
    (refs / "c.ris").write_text("TY  - JOUR\nER  - \n")
    (refs / "d.ris.gz").write_bytes(b"\x1f\x8b\x08 no gzip")

    outcome = run("index", str(refs))
    nothing = run("index", str(refs / "d.ris.gz"), "--name", "broken")

    assert outcome.code == 3
    assert "c.ris:1: the record is left out: it has no field that identifies a work" in outcome.err
    assert "error: d.ris.gz: the file is damaged: it cannot be unpacked" in outcome.err
    assert (
        "3 files read with 3 records; 1 file could not be read; 1 record could not be read"
        in outcome.err
    )
    assert nothing.code == 4


@each(
    ("args", "said"),
    [
        (["index"], "there is nothing to index"),
        (["index", "/nowhere/at/all"], "there is no such file"),
        (["index", ".", "--name", "crossref"], "there is already a source called 'crossref'"),
        (["index", ".", "--name", "all"], "there is already a group called 'all'"),
        (["index", ".", "--name", "../up"], "cannot be the name of a source"),
        (["harvest", "ftp://a.example/oai"], "is not the URL of a repository"),
        (["harvest", "http://user:secret@a.example/oai"], "is not the URL of a repository"),
        (["harvest", "https://a.example/oai?verb=Identify"], "the URL contains a request"),
        (
            ["harvest", "https://a.example/oai", "--from", "yesterday"],
            "--from: 'yesterday' is not a date",
        ),
        (
            ["harvest", "https://a.example/oai", "--full", "--until", "2020-01-01"],
            "--full fetches all records",
        ),
        (
            ["harvest", "https://a.example/oai", "--name", "sru"],
            "there is already a source called 'sru'",
        ),
        (["collections", "remove", "nothing", "--yes"], "there is no such collection"),
        (["collections", "remove", "nothing"], "no terminal to confirm"),
    ],
)
def test_what_cannot_be_done(run: Run, args: list[str], said: str) -> None:
    """It is said in words, and nothing is made."""
    outcome = run(*args)

    assert outcome.code == 2
    assert said in outcome.err
    assert run("collections", "list").out == ""


def test_a_source_of_the_configuration_keeps_its_name(run: Run, refs: Path, tmp_path: Path) -> None:
    config = tmp_path / "my.toml"
    config.write_text('[sources.refs]\nextends = "sru"\nurl = "https://a.example/sru"\n')

    assert (
        "there is already a source called 'refs'"
        in run("index", str(refs), "--config", str(config)).err
    )


# --------------------------------------------------------------------------- harvest


def test_harvest_twice(run: Run, repository: Repository, config: str) -> None:
    """All of it, with patience; then what has changed, and what was deleted."""
    repository.replies = [Reply(503, headers={"Retry-After": "0"})]
    first = run("harvest", repository.url, "--name", "repo", "--config", config)
    repository.items["oai:x:1"] = Item("2024-06-01T00:00:00Z", None)
    repository.items["oai:x:2"] = Item("2024-06-01T00:00:00Z", dublin_core(title="Changed"))
    second = run("harvest", repository.url, "--name", "repo", "--config", config)

    assert first.code == second.code == 0
    assert first.err.splitlines() == [
        "the repository requests a pause: waiting for 0 s",
        "5 records on 3 pages: 5 new, 0 changed, 0 unchanged, 0 deleted",
        "5 records in the collection repo: metasearch -s repo QUERY",
    ]
    assert second.err.splitlines() == [
        "2 records since 2024-05-01T11:00:00Z on 1 page: 0 new, 1 changed, 0 unchanged, 1 deleted",
        "4 records in the collection repo: metasearch -s repo QUERY",
    ]
    assert titles(run, "-s", "repo", "changed") == ["Changed"]
    assert titles(run, "-s", "repo", "doi:10.1000/1") == []


def test_harvest_goes_on_where_it_was_broken_off(
    run: Run, repository: Repository, config: str
) -> None:
    """The first run tells why it ended, and keeps what came."""
    repository.replies = [
        Reply(body=repository.answer({"verb": "ListRecords", "metadataPrefix": "oai_dc"}).body)
    ]
    repository.replies.append(Reply(404))
    first = run("harvest", repository.url, "--name", "repo", "--config", config)
    listed = run("collections", "list")
    second = run("harvest", repository.url, "--name", "repo", "--config", config)

    assert first.code == 3
    assert "error: HTTP 404" in first.err
    assert "2 records in the collection repo" in first.err
    assert "the same command resumes it" in first.err
    assert "the last harvest was interrupted: run it again" in listed.out
    assert second.code == 0
    assert second.err.startswith("resumed; 3 records on 2 pages: 3 new")


def test_harvest_of_what_is_no_repository(run: Run, repository: Repository, config: str) -> None:
    """Nothing came: exit code 4."""
    repository.decorate = lambda _: "<html><body>Welcome</body></html>"

    outcome = run("harvest", repository.url, "--name", "repo", "--config", config)

    assert outcome.code == 4
    assert "Check that this is the base URL of a repository." in outcome.err


def test_harvest_of_an_address_inside_the_network(run: Run, repository: Repository) -> None:
    """The guard says which key lets it through."""
    outcome = run("harvest", repository.url, "--name", "repo")

    assert outcome.code == 4
    assert "is not at a public address" in outcome.err
    assert "add its host:port to `allow`" in outcome.err
    assert repository.seen == []


def test_harvest_tells_what_it_could_not_read(
    run: Run, repository: Repository, config: str
) -> None:
    repository.items["oai:x:bare"] = Item("2024-01-01T00:00:00Z", "")

    outcome = run("harvest", repository.url, "--name", "repo", "--config", config)

    assert outcome.code == 3
    assert "could not be read: oai:x:bare has no metadata" in outcome.err


def test_harvest_of_one_set(run: Run, repository: Repository, config: str) -> None:
    """The protocol's own words for what is wanted; the collection is called after the host."""
    repository.items["oai:x:3"].sets = ("theses",)

    outcome = run(
        "harvest",
        repository.url,
        "--set",
        "theses",
        "--from",
        "2020-01-01",
        "--config",
        config,
        "-q",
    )

    assert (outcome.code, outcome.err) == (0, "")
    assert repository.lists == [{"metadataPrefix": "oai_dc", "set": "theses", "from": "2020-01-01"}]
    assert run("collections", "list").out.startswith("127-0-0-1  1 record; from http://127.0.0.1:")


# --------------------------------------------------------------------------- collections


def test_list_and_remove(run: Run, refs: Path, repository: Repository, config: str) -> None:
    run("index", str(refs))
    run("harvest", repository.url, "--name", "repo", "--config", config)

    listed = run("collections", "list")
    found = json.loads(run("collections", "list", "--json").out)
    removed = run("collections", "remove", "refs", "--yes")

    assert listed.out.splitlines() == [
        f"refs  3 records; from {refs}",
        f"repo  5 records; from {repository.url} oai_dc; as of 2024-05-01T12:00:00Z",
    ]
    assert [(it["name"], it["kind"], it["records"], it["problem"]) for it in found] == [
        ("refs", "files", 3, None),
        ("repo", "oai", 5, None),
    ]
    assert removed.err == "removed the collection refs\n"
    assert [it["name"] for it in json.loads(run("collections", "list", "--json").out)] == ["repo"]
    assert refs.is_dir()


def test_list_tells_which_cannot_be_used(run: Run, refs: Path, tmp_path: Path) -> None:
    """Exit code 3: one is broken, or hidden by a source of its name."""
    run("index", str(refs))
    config = tmp_path / "my.toml"
    config.write_text('[collections]\ndir = "own"\n')
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "bad.sqlite").write_bytes(b"no database")
    run("index", str(refs), "--config", str(config))
    (tmp_path / "own" / "refs.sqlite").rename(tmp_path / "own" / "crossref.sqlite")

    outcome = run("collections", "list", "--config", str(config))

    assert outcome.code == 3
    assert outcome.out.splitlines()[0].startswith(
        "bad       cannot be used: the collection cannot be read"
    )
    assert "crossref  3 records" in outcome.out
    assert "no search asks it" in outcome.out


def test_no_collections(run: Run) -> None:
    outcome = run("collections", "list")

    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.startswith("there are no collections")


def test_a_collection_is_in_the_list_of_sources(run: Run, refs: Path) -> None:
    """Asked by default, without a key; what is known of it can be shown."""
    run("index", str(refs))

    rows = json.loads(run("sources", "list", "--json").out)
    shown = run("sources", "show", "refs")

    assert [it["default"] for it in rows if it["name"] == "refs"] == [True]
    assert shown.code == 0
    assert "collection:refs" in shown.out


# ------------------------------------------------------------------------ what fails leaves nothing


def _as_if_nothing_had_been(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "metasearch" / "collections"

    assert list(folder.glob("*")) == []
    assert run("collections", "list").out == ""
    assert json.loads(run("collections", "list", "--json").out) == []
    assert run("-s", "repo", "gene").code == 2  # there is no such source


def _identify_only(repository: Repository) -> None:
    repository.replies = [Reply(404)]


def _says_nothing(repository: Repository) -> None:
    repository.decorate = lambda _: "<html><body>Welcome</body></html>"


def _refuses_the_format(repository: Repository) -> None:
    error = '<error code="cannotDisseminateFormat">no</error>'
    repository.replies = [Reply(body=HEAD.format(repository.now, error).encode())]


def _holds_only_deleted(repository: Repository) -> None:
    for key in repository.items:
        repository.items[key] = Item("2024-01-01T00:00:00Z", None)
    repository.replies = [
        repository.answer({"verb": "ListRecords", "metadataPrefix": "oai_dc"}),
        Reply(404),
    ]


@pytest.mark.parametrize(
    "fail", [_identify_only, _says_nothing, _refuses_the_format, _holds_only_deleted]
)
def test_a_harvest_that_brings_no_record_leaves_nothing_behind(
    run: Run,
    repository: Repository,
    config: str,
    tmp_path: Path,
    fail: Callable[[Repository], None],
) -> None:
    """Exit code 4; no collection that a later search would ask, and no file of one."""
    fail(repository)

    outcome = run("harvest", repository.url, "--name", "repo", "--config", config)

    assert outcome.code == 4
    assert "so the collection repo was not made" in outcome.err
    _as_if_nothing_had_been(run, tmp_path)


def test_a_harvest_of_a_wrong_address_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    assert run("harvest", "https://127.0.0.1:1/oai", "--name", "repo").code == 4
    _as_if_nothing_had_been(run, tmp_path)


def test_a_harvest_of_an_empty_repository_makes_no_collection(
    run: Run, repository: Repository, config: str, tmp_path: Path
) -> None:
    """It is no failure; and there is nothing that a search could ask."""
    repository.items.clear()

    outcome = run("harvest", repository.url, "--name", "repo", "--config", config)

    assert outcome.code == 0
    assert "so the collection repo was not made" in outcome.err
    _as_if_nothing_had_been(run, tmp_path)


def test_an_index_that_brings_no_record_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    """A file that cannot be read, a folder without records, and a collection that never was."""
    broken = tmp_path / "broken.ris.gz"
    broken.write_bytes(b"\x1f\x8b\x08 no gzip")
    (tmp_path / "empty").mkdir()

    assert run("index", str(broken), "--name", "repo").code == 4
    assert run("index", str(tmp_path / "empty"), "--name", "repo").code == 2
    assert run("index", "--name", "repo").code == 2
    _as_if_nothing_had_been(run, tmp_path)


def test_a_failed_harvest_leaves_an_earlier_collection_as_it_was(
    run: Run, repository: Repository, config: str
) -> None:
    run("harvest", repository.url, "--name", "repo", "--config", config)
    _says_nothing(repository)

    outcome = run("harvest", repository.url, "--name", "repo", "--config", config)

    assert outcome.code == 4
    assert "5 records in the collection repo" in outcome.err
    assert "the same command resumes it" in outcome.err
    assert len(titles(run, "-s", "repo", "work")) == 5


# --------------------------------------------------------------------------- as a process


@pytest.mark.slow
def test_a_harvest_that_is_killed_before_its_first_record_leaves_no_collection(
    repository: Repository, config: str, tmp_path: Path
) -> None:
    """Nothing that a search asks; the next harvest begins anew."""
    env = {
        **os.environ,
        "METASEARCH_COLLECTIONS_DIR": str(tmp_path / "own"),
        "METASEARCH_CONFIG": config,
    }
    command = [sys.executable, "-m", "metasearch"]
    harvest = [*command, "harvest", repository.url, "--name", "repo"]
    running = subprocess.Popen(
        harvest, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def kill(body: str) -> str:
        if repository.lists:
            running.kill()
            running.wait()
        return body

    repository.decorate = kill
    assert running.wait() != 0
    listed = subprocess.run(
        [*command, "collections", "list", "--json"], env=env, capture_output=True, check=True
    )
    repository.decorate = lambda body: body
    done = subprocess.run(harvest, env=env, capture_output=True, text=True, check=True)

    assert json.loads(listed.stdout) == []
    assert "5 records in the collection repo" in done.stderr
    assert sorted(it.suffix for it in (tmp_path / "own").iterdir()) == [".lock", ".sqlite"]


@pytest.mark.slow
def test_a_harvest_that_is_killed_goes_on(
    repository: Repository, config: str, tmp_path: Path
) -> None:
    """What came before is in the collection, and the next process asks for what follows."""
    env = {
        **os.environ,
        "METASEARCH_COLLECTIONS_DIR": str(tmp_path / "own"),
        "METASEARCH_CONFIG": config,
    }
    command = [sys.executable, "-m", "metasearch", "harvest", repository.url, "--name", "repo"]
    running = subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def kill(body: str) -> str:
        if len(repository.lists) == 3:  # whoever asks for the third page has kept the first two
            running.kill()
            running.wait()
        return body

    repository.decorate = kill
    assert running.wait() != 0
    repository.seen.clear()

    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)

    assert repository.lists == [{"resumptionToken": "4!!!"}]
    assert done.stderr.startswith("resumed; 1 record on 1 page: 1 new")
    assert "5 records in the collection repo" in done.stderr


@pytest.mark.slow
def test_local_and_remote_hits_are_one_list(
    refs: Path, repository: Repository, config: str, tmp_path: Path
) -> None:
    """Files and a harvested repository, each filled and asked by a process of its own; equal works
    are one hit."""
    (refs / "c.bib").write_text(
        "@article{x, title={Work number 4}, author={Doe, Jane}, year={2020}, doi={10.1000/4}}"
    )
    env = {
        **os.environ,
        "METASEARCH_COLLECTIONS_DIR": str(tmp_path / "own"),
        "METASEARCH_CONFIG": config,
    }

    def command(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "metasearch", *args],
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )

    command("index", str(refs))
    command("harvest", repository.url, "--name", "repo")
    done = command("-s", "refs,repo", "doe", "--json")
    answer = json.loads(done.stdout)

    assert {source["source"]: source["count"] for source in answer["sources"]} == {
        "refs": 4,
        "repo": 5,
    }
    (both,) = [hit for hit in answer["hits"] if len(hit["sources"]) == 2]
    assert both["title"] == "Work number 4"
    assert {it["source"] for it in both["sources"]} == {"refs", "repo"}
