"""The Containerfile, as far as it can be tested without a builder of images: what it copies is
there, what it installs exists, and what it starts is what the server understands."""

from __future__ import annotations

import fnmatch
import re
import shlex
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.deploy.files import METASEARCH, ROOT, containerfile, final
from tests.deploy.server import PORT, options_of, paths
from tests.extras import EXTRAS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def copied() -> set[str]:
    """What the first stage copies of the checkout."""
    copies = [each.text.split() for each in containerfile() if each.name == "COPY"]
    return {name for words in copies if words[0][:2] != "--" for name in words[:-1]}


def test_it_has_two_stages_of_one_base() -> None:
    """What builds is not in the image; the base can be named by its digest."""
    bases = [each.text for each in containerfile() if each.name == "FROM"]

    assert bases == ["${PYTHON} AS build", "${PYTHON}"]
    first = containerfile()[0]
    assert (first.stage, first.name, first.text) == (-1, "ARG", "PYTHON=python:3.13-slim")
    assert [each.text.split()[0] for each in final("COPY")] == ["--from=build"]


def test_its_python_is_one_that_we_support() -> None:
    """The version of the base is a classifier of the package."""
    assert "Programming Language :: Python :: 3.13" in PROJECT["project"]["classifiers"]


def test_what_it_copies_is_there_and_is_what_the_wheel_is_made_of() -> None:
    """README, licence, package and specs: what pyproject.toml names."""
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", PROJECT["project"]["readme"], "LICENSE"}
    needed |= {*wheel["packages"], *wheel["force-include"]}

    assert copied() == needed
    assert all((ROOT / name).exists() for name in needed)
    for pattern in PROJECT["project"]["license-files"]:
        assert any(fnmatch.fnmatch(pattern, f"{name}*") for name in needed)


def test_nothing_else_is_sent_to_the_builder() -> None:
    """The file of what is ignored leaves out everything but what is copied, so no key, no cache and
    no history can come into an image."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]

    assert rules[0] == "*"
    assert {rule[1:] for rule in rules if rule.startswith("!")} == copied()
    assert {rule for rule in rules[1:] if not rule.startswith("!")} == {
        "**/__pycache__",
        "**/*.pyc",
    }


def test_extras_exist() -> None:
    """The extras that it installs are those of pyproject.toml, and users, replicas and e-mails can
    be configured with them."""
    (text,) = [
        each.text for each in containerfile() if each.name == "ARG" and "EXTRAS" in each.text
    ]
    extras = set(text.removeprefix("EXTRAS=").split(","))

    assert {"users", "oidc", "mail", "redis"} <= extras <= set(EXTRAS)


def test_pip_takes_wheels_alone_and_from_its_usual_index() -> None:
    """Nothing is built but ourselves and jieba, which has no wheel; pip compiles nothing by itself;
    no other index is named."""
    runs = [each for each in containerfile() if each.name == "RUN"]
    pips = [
        shlex.split(part)
        for run in runs
        for part in (shlex.join(run.words) if run.words else run.text).split("&&")
        if "pip" in shlex.split(part)
    ]

    assert {words[words.index("pip") + 1] for words in pips} == {"wheel", "--python"}
    assert all("--only-binary" in words for words in pips)
    assert [words[words.index("--no-binary") + 1] for words in pips if "--no-binary" in words] == [
        "jieba"
    ]
    assert all("--no-compile" in words for words in pips if "install" in words)
    text = " ".join(each.text for each in containerfile())
    assert not re.search(r"index-url|-i |trusted-host|extra-index", text)
    assert re.findall(r"https?://[^/'\"]+", text) == [f"http://127.0.0.1:{PORT}"]


def test_it_runs_as_the_fixed_user_without_a_shell() -> None:
    """The user has a number, as Kubernetes needs it to know that it is not root; what is started is
    a list of words."""
    (user,), (entry,), (command,) = (final(name) for name in ("USER", "ENTRYPOINT", "CMD"))

    assert user.text == f"{METASEARCH}:{METASEARCH}"
    assert entry.words == ("/opt/metasearch/bin/metasearch",)
    assert command.words is not None
    options = options_of(command.words)
    assert (options["host"], options["port"], options["workers"]) == ("0.0.0.0", PORT, 1)
    assert options["log"] == "json"
    assert [each.text for each in final("EXPOSE")] == [str(PORT)]
    assert [each.text for each in final("STOPSIGNAL")] == ["SIGTERM"]


def test_the_folders_of_the_environment_are_those_of_the_user() -> None:
    """XDG's folders lead to the two folders that the user owns."""
    (env,) = final("ENV")
    variables = dict(word.split("=", 1) for word in shlex.split(env.text))
    made = shlex.split(final("RUN")[0].text.split("&&")[-1])

    assert {variables[f"XDG_{name}_HOME"] + "/metasearch" for name in ("CACHE", "DATA")} == set(
        made[-2:]
    )
    assert made[made.index("--owner") + 1] == str(METASEARCH)
    assert variables["XDG_CONFIG_HOME"] == "/etc"


@pytest.fixture(params=[200, 503])
def answering(request: pytest.FixtureRequest) -> Iterator[tuple[int, int, list[str]]]:
    """A server that answers with that status; its port, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(request.param)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield request.param, server.server_port, asked
        server.shutdown()
        thread.join()


def checked(port: int, **env: str) -> int:
    """The exit code of the HEALTHCHECK, at another port."""
    (check,) = final("HEALTHCHECK")
    assert check.words is not None
    python, *arguments = check.words
    assert python == "/opt/metasearch/bin/python"
    words = [each.replace(f":{PORT}/", f":{port}/") for each in arguments]
    return subprocess.run([sys.executable, *words], capture_output=True, env=env).returncode


@pytest.mark.slow
def test_the_health_check_follows_the_status(answering: tuple[int, int, list[str]]) -> None:
    """It asks an address that the server has, past any proxy of the environment, and fails where
    the answer does."""
    status, port, asked = answering

    code = checked(port, http_proxy="http://127.0.0.1:9/", HTTP_PROXY="http://127.0.0.1:9/")

    assert (code == 0) is (status == 200)
    assert asked == ["/healthz"]
    assert "/healthz" in paths()
