"""The configuration: one file under variables, and every problem at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.adapters.specs.registry import Registry
from metasearch.errors import SettingsError, UnknownSource
from metasearch.settings import ServerSettings, Settings, SharedSettings
from metasearch.settings.users import QUOTAS


def load(folder: Path, text: str = "", **env: str) -> Settings:
    """Settings from a file of that text."""
    file = folder / "my.toml"
    file.write_text(text, encoding="utf-8")
    return Settings.load(file, env)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    """Whoever mends a file needs one look, not six."""
    text = """
        searhc.timeout = 3
        [search]
        timeout = -1
        per_source = "many"
        enrich = "unpaywall"
        colour = true
        [network]
        allow = ["example.org"]
        [dedup]
        versions = "both"
        pins = 1
        strategy = 2
        [server]
        public_url = "javascript:alert(1)"
    """
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, text)

    told = "\n".join(raised.value.problems)
    places = (
        *(
            "searhc",
            "search.timeout",
            "search.per_source",
            "search.colour",
            "network.allow",
            "server.public_url",
        ),
        *("dedup.versions", "dedup.pins", "dedup.strategy", "search.enrich"),
    )
    assert all(1 == told.count(f"{place}: ") for place in places)
    assert str(raised.value).startswith(f"{tmp_path / 'my.toml'}: ")


def test_a_variable_comes_before_the_file(tmp_path: Path) -> None:
    """Timeout, contact, public address and cache folder of the environment win."""
    text = """
        search.timeout = 3
        network.contact = "file@example.org"
        server.public_url = "https://file.example.org"
        cache.dir = "file"
    """
    env = {
        "METASEARCH_TIMEOUT": "4.5",
        "METASEARCH_CONTACT": "env@example.org",
        "METASEARCH_PUBLIC_URL": "https://env.example.org/meta",
        "METASEARCH_CACHE_DIR": str(tmp_path / "env"),
    }
    filed, both = load(tmp_path, text), load(tmp_path, text, **env)

    assert (filed.timeout, filed.contact, filed.public_url) == (
        3.0,
        "file@example.org",
        "https://file.example.org",
    )
    assert (both.timeout, both.contact) == (4.5, "env@example.org")
    assert (both.public_url, both.cache_dir) == ("https://env.example.org/meta", tmp_path / "env")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("search.wait = 16", "search.wait: must be at most the timeout, 15 s, is 16"),
        ("search = {wait = 3, timeout = 2}", "search.wait: must be at most the timeout, 2 s, is 3"),
        ("search.wait = 0", "search.wait: must be a positive number"),
        ("search.wait = true", "search.wait: must be a number, is a boolean"),
    ],
)
def test_a_wait_that_cannot_be(tmp_path: Path, text: str, problem: str) -> None:
    """It is longer than nothing and no longer than the timeout."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, text)
    assert problem in raised.value.problems


@pytest.mark.parametrize("timeout", ["0", '"long"'])
def test_a_wait_beside_a_wrong_timeout(tmp_path: Path, timeout: str) -> None:
    """Only the timeout is reported: it is not known what the wait has to be compared with."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, f"search = {{wait = 20, timeout = {timeout}}}")
    (problem,) = raised.value.problems
    assert problem.startswith("search.timeout: must be a")


def test_a_wait(tmp_path: Path) -> None:
    """None unless the file says so."""
    assert load(tmp_path, "").wait is None
    assert load(tmp_path, "search.wait = 2.5").wait == 2.5


def test_a_wrong_variable_is_named_as_such(tmp_path: Path) -> None:
    """It is not a mistake of the file."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, METASEARCH_TIMEOUT="soon", METASEARCH_PUBLIC_URL="search.example.org")

    assert raised.value.file == "environment"
    assert [problem.partition(":")[0] for problem in raised.value.problems] == [
        "METASEARCH_TIMEOUT",
        "METASEARCH_PUBLIC_URL",
    ]


@pytest.mark.parametrize(
    "address", ["http://localhost:8080", "https://[::1]:8080/meta/", "https://a.example.org/x"]
)
def test_public_addresses(tmp_path: Path, address: str) -> None:
    """An address of the web, with or without port and path."""
    assert load(tmp_path, f'server.public_url = "{address}"').public_url == address


@pytest.mark.parametrize(
    "address", ["ftp://a.org", "a.org", "https://a.org/?q=1", 'https://a.org/\\"x', "https://a b"]
)
def test_what_is_no_public_address(tmp_path: Path, address: str) -> None:
    """Anything else would end up in links that people follow."""
    with pytest.raises(SettingsError, match=r"server\.public_url"):
        load(tmp_path, f'server.public_url = "{address}"')


def test_a_file_that_was_named_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the file in the configuration folder may be missing."""
    with pytest.raises(SettingsError, match="No such file"):
        Settings.load(tmp_path / "none.toml", {})

    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_: str(tmp_path))
    assert Settings.load(None, {}).timeout == 15.0


def test_shipped_sources_can_be_shut_out() -> None:
    """Then only the configured ones are listed, asked and found."""
    registry = Registry(
        Settings(sources={"mine": {"extends": "sru", "url": "https://x.example/"}}, shipped=False)
    )

    assert registry.names() == registry.default() == ["mine"]
    assert registry.spec("mine").name == "mine"
    with pytest.raises(UnknownSource) as raised:
        registry.spec("crossref")
    assert raised.value.near_misses == ("mine",)


# --------------------------------------------------------------------------- server


def test_what_a_server_lets_in(tmp_path: Path) -> None:
    """Names of keys, never keys; the file lies beside the one that names it."""
    text = """
        [server]
        keys = ["ENV:ALICE", "ENV:BOB_2"]
        keys_file = "keys.txt"
        rate_limit = 0
        trusted_proxies = ["127.0.0.1", "10.1.2.3/8", "2001:db8::/32"]
        cors = ["https://Reader.example.org:443", "http://localhost:3000", "http://[::1]:8000"]
        openurl = "https://resolver.example.org:8443/openurl?sid=a%20b&x="
        openurl_name = " 查找全文 "
        server_timing = false
    """
    assert load(tmp_path, text).server == ServerSettings(
        keys=("ALICE", "BOB_2"),
        keys_file=tmp_path / "keys.txt",
        rate_limit=0,
        trusted_proxies=("127.0.0.1", "10.1.2.3/8", "2001:db8::/32"),
        cors=("https://reader.example.org", "http://localhost:3000", "http://[::1]:8000"),
        openurl="https://resolver.example.org:8443/openurl?sid=a%20b&x=",
        openurl_name="查找全文",
        server_timing=False,
    )
    assert load(tmp_path).server == ServerSettings()


def test_a_key_in_the_configuration_is_refused_and_not_repeated(tmp_path: Path) -> None:
    """Configurations are shown to others; so are error messages."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, 'server.keys = ["ENV:ALICE", "correct-horse-battery"]')

    assert 'server.keys: entry 2 is not "ENV:NAME"' in str(raised.value)
    assert "horse" not in str(raised.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("rate_limit = -1", "server.rate_limit: must be 0 to"),
        ("max_query = 0", "server.max_query: must be 1 to 30000"),
        ("max_query = 30001", "server.max_query: must be 1 to 30000"),
        ("rate_limit = 1.5", "server.rate_limit: must be a whole number, is a decimal number"),
        ("rate_limit = true", "server.rate_limit: must be a whole number, is a boolean"),
        (
            'trusted_proxies = ["proxy.example.org"]',
            "server.trusted_proxies: 'proxy.example.org' is no address",
        ),
        ('cors = ["*"]', "server.cors: '*' is no origin such as https://reader.example.org"),
        ('cors = ["null"]', "server.cors: 'null' is no origin"),
        ('cors = ["https://a.example.org/"]', "'https://a.example.org/' is no origin"),
        ('cors = ["https://*.example.org"]', "'https://*.example.org' is no origin"),
        ('cors = ["https://me@example.org"]', "'https://me@example.org' is no origin"),
        ('cors = "https://a.example.org"', "server.cors: must be an array, is a string"),
        ('openurl = "javascript:alert(1)"', "server.openurl: 'javascript:alert(1)' is no address"),
        ('openurl = "//resolver.example.org/"', "server.openurl: '//resolver.example.org/' is no"),
        ('openurl = "https://me@r.example.org/"', "'https://me@r.example.org/' is no address"),
        ('openurl = "https://r.example.org/#top"', "'https://r.example.org/#top' is no address"),
        ('openurl = "https://r.example.org/a b"', "'https://r.example.org/a b' is no address"),
        (f'openurl = "https://r.example.org/{"x" * 1000}"', "of at most 1000 characters"),
        ("openurl = 1", "server.openurl: must be a string, is a whole number"),
        ('openurl_name = " "', "server.openurl_name: must be a text on one line, of 1 to 80"),
        ('openurl_name = "a\\nb"', "server.openurl_name: must be a text on one line"),
        ("trusted_proxies = [1]", "server.trusted_proxies: must be a list of strings"),
        ('keys = "ENV:ALICE"', "server.keys: must be an array, is a string"),
        ("keys_file = 1", "server.keys_file: must be a string, is a whole number"),
        ("server_timing = 0", "server.server_timing: must be true or false, is a whole number"),
    ],
)
def test_what_a_server_cannot_use(tmp_path: Path, line: str, problem: str) -> None:
    """Each says where and what."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, f"[server]\n{line}")

    assert problem in str(raised.value)


# ------------------------------------------------------------------------- pins, versions, strategy


def test_versions_are_grouped_unless_the_file_says_more(tmp_path: Path) -> None:
    """The three modes, and the one that nobody has to name."""
    assert load(tmp_path).versions == "group"
    assert load(tmp_path, 'dedup.versions = "separate"').versions == "separate"


def test_a_strategy_by_name(tmp_path: Path) -> None:
    """A variable comes before the file; whoever uses the name knows whether there is one."""
    text = 'dedup.strategy = "filed"'

    assert load(tmp_path).strategy == "default"
    assert load(tmp_path, text).strategy == "filed"
    assert load(tmp_path, text, METASEARCH_DEDUP="env").strategy == "env"
    assert load(tmp_path, text).with_dedup(strategy="given").strategy == "given"
    assert load(tmp_path, text).with_dedup(versions="merge").strategy == "filed"


def test_pins_lie_beside_the_file_that_names_them(tmp_path: Path) -> None:
    """Wherever the command is run; a variable comes first and is taken as it stands."""
    text = 'dedup.pins = "mine.txt"'

    assert load(tmp_path, text).pins == tmp_path / "mine.txt"
    assert load(tmp_path, 'dedup.pins = "/abs/mine.txt"').pins == Path("/abs/mine.txt")
    assert load(tmp_path, text, METASEARCH_PINS="env.txt").pins == Path("env.txt")
    assert load(tmp_path, "").pins is None


@pytest.fixture
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's configuration folder."""
    import platformdirs

    monkeypatch.setattr(platformdirs, "user_config_dir", lambda _: str(tmp_path / "user"))
    (tmp_path / "user").mkdir()
    return tmp_path / "user"


def test_pins_in_the_configuration_folder(user_folder: Path, tmp_path: Path) -> None:
    """pins.txt counts where it is there, with or without a config.toml, unless that names
    another."""
    assert Settings.load(None, {}).pins is None

    (user_folder / "pins.txt").touch()
    assert Settings.load(None, {}).pins == user_folder / "pins.txt"
    (user_folder / "config.toml").write_text('dedup.pins = "other.txt"')
    assert Settings.load(None, {}).pins == user_folder / "other.txt"


def test_another_configuration_has_no_pins_of_the_folder(user_folder: Path, tmp_path: Path) -> None:
    """What is named replaces the folder as a whole."""
    (user_folder / "pins.txt").touch()
    file = tmp_path / "my.toml"
    file.touch()

    assert Settings.load(file, {}).pins is None
    assert Settings.load(None, {"METASEARCH_CONFIG": str(file)}).pins is None


@pytest.mark.parametrize(
    ("text", "seconds"), [("", 10.0), ("silence = 0", 0), ("silence = 2.5", 2.5)]
)
def test_when_a_worker_is_silent(tmp_path: Path, text: str, seconds: float) -> None:
    """Ten seconds, or as is said; 0 is never."""
    assert load(tmp_path, f"[server]\n{text}").server.silence == seconds


@pytest.mark.parametrize("text", ["0.5", "-1", "nan", "1e9"])
def test_a_silence_that_makes_no_sense(tmp_path: Path, text: str) -> None:
    """A worker must have the time to show that it lives."""
    with pytest.raises(
        SettingsError, match=r"server\.silence: must be 1 to 3600 seconds; 0 is off"
    ):
        load(tmp_path, f"[server]\nsilence = {text}")


def test_an_empty_variable_leaves_the_folder_of_collections_to_the_file(tmp_path: Path) -> None:
    settings = load(tmp_path, '[collections]\ndir = "own"', METASEARCH_COLLECTIONS_DIR="")

    assert settings.collections_dir == tmp_path / "own"


def test_users_and_their_provider(tmp_path: Path) -> None:
    """Secrets are named, never written; `openid` is always asked for."""
    text = """
        [users]
        mode = "oidc"
        guests = true
        default_role = "guest"
        [users.oidc]
        issuer = "https://login.example.org/realms/library"
        client_id = "metasearch"
        client_secret = "ENV:OIDC_SECRET"
        scopes = ["profile"]
        claim = "groups"
        [users.oidc.roles]
        librarians = "administrator"
    """
    users = load(tmp_path, text, OIDC_SECRET="hush").users

    assert (users.mode, users.guests, users.default_role) == ("oidc", True, "guest")
    assert users.oidc.issuer == "https://login.example.org/realms/library"
    assert users.oidc.client_secret == "OIDC_SECRET"
    assert users.oidc.scopes == ("openid", "profile")
    assert users.oidc.roles == {"librarians": "administrator"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('mode = "ldap"', "users.mode"),
        ('default_role = "administrator"', "users.default_role"),
        ('header = "X_Remote_User"', "users.header"),
        ('header = "Cookie"', "users.header"),
        ('header = "X-Forwarded-For"', "users.header"),
        ('header = ""', "users.header"),
        ('mode = "oidc"', "users.oidc.issuer"),
        ('oidc.issuer = "http://login.example.org"', "users.oidc.issuer"),
        ('oidc.issuer = "javascript:alert(1)"', "users.oidc.issuer"),
        ('oidc.client_secret = "hush"', "users.oidc.client_secret"),
        ('oidc.client_secret = "ENV:NOT_THERE"', "users.oidc.client_secret"),
        ('oidc.scopes = ["a b"]', "users.oidc.scopes"),
        ('oidc.scopes = "openid"', "users.oidc.scopes"),
        ('oidc.roles = { staff = "user" }', "users.oidc.roles"),
        ('oidc.claim = "groups"\noidc.roles = { staff = "owner" }', "users.oidc.roles.staff"),
        ('oidc.colour = "red"', "users.oidc.colour"),
    ],
)
def test_users_that_cannot_be_configured_so(tmp_path: Path, text: str, place: str) -> None:
    """Each problem has its place; a secret that was written is not repeated."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, f"[users]\n{text}\n")

    assert any(problem.startswith(f"{place}: ") for problem in raised.value.problems)
    assert "hush" not in str(raised.value)


def test_mail_and_alerts_are_read(tmp_path: Path) -> None:
    """Ports follow the encryption; a password is the name of a variable."""
    text = """
        [mail]
        host = "mail.example.org"
        tls = "tls"
        user = "metasearch"
        password = "ENV:MAIL_PASSWORD"
        sender = "Library alerts <alerts@example.org>"
        to = "me@example.org"
        [alerts]
        run = false
        hours = "22-4"
    """
    settings = load(tmp_path, text)

    assert (settings.mail.port, settings.mail.password) == (465, "MAIL_PASSWORD")
    assert (settings.mail.sender_name, settings.mail.sender) == (
        "Library alerts",
        "alerts@example.org",
    )
    assert (settings.alerts.run, settings.alerts.hours) == (False, (22, 4))
    assert "MAIL_PASSWORD" not in repr(settings.mail)
    plain = load(tmp_path, '[mail]\nhost = "m"\nsender = "a@b.org"\ntls = "none"')
    assert (plain.mail.port, plain.mail.sender_name) == (25, "metasearch")


def test_what_is_wrong_with_mail_and_alerts_is_told_without_secrets(tmp_path: Path) -> None:
    """A password in the file is not repeated; an address that could hold a command is refused."""
    text = """
        [mail]
        host = "mail.example.org/path"
        port = 0
        tls = "ssl"
        user = "metasearch"
        password = "hunter2"
        sender = "alerts@example.org\\r\\nBcc: eve@example.org"
        to = "me@example.org, eve@example.org"
        [alerts]
        hours = "1-25"
    """
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, text)

    told = "\n".join(raised.value.problems)
    for place in ("host", "port", "tls", "password", "sender", "to", "user"):
        assert told.count(f"mail.{place}: ") == 1, place
    assert "alerts.hours: " in told
    assert "hunter2" not in told
    for lines, place in (
        ('[mail]\nhost = "m"', "mail.sender"),
        ('[mail]\nhost="m"\nsender="a@b.org"\nuser="u"\npassword="ENV:P"\ntls="none"', "mail.tls"),
        ('[mail]\nhost="m"\nsender="a@b.org"\nuser="u"', "mail.user"),
        ('[alerts]\nhours = "5-5"', "alerts.hours"),
    ):
        with pytest.raises(SettingsError, match=place):
            load(tmp_path, lines)


def test_quotas_of_users(tmp_path: Path) -> None:
    """Those that are not named are the usual ones; 0 allows nothing."""
    assert load(tmp_path).users.quotas == QUOTAS

    settings = load(tmp_path, "[users.quotas]\nsearches = 5\nexports = 0")
    assert settings.users.quotas == {**QUOTAS, "searches": 5, "exports": 0}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("wishes = 3", "users.quotas.wishes: unknown key; allowed are exports,"),
        ("searches = -1", "users.quotas.searches: must be 0 to 1000000000000"),
        ("searches = 1000000000001", "users.quotas.searches: must be 0 to 1000000000000"),
        ("searches = true", "users.quotas.searches: must be a whole number"),
        ("searches = 1.5", "users.quotas.searches: must be a whole number"),
        ("searches = 'many'", "users.quotas.searches: must be a whole number"),
    ],
)
def test_what_is_no_quota(tmp_path: Path, line: str, problem: str) -> None:
    """It is told with its place."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, f"[users.quotas]\n{line}")

    assert raised.value.problems[0].startswith(problem)


def test_what_replicas_share(tmp_path: Path) -> None:
    """Nothing unless the file or a variable says where; addresses and secrets may be variables."""
    assert load(tmp_path, "").shared == SharedSettings()
    text = 'shared = {url = "ENV:WHERE", replicas = 3, secret = "ENV:HUSH"}'
    env = {"WHERE": "rediss://user:word@redis.example.org:6380/2", "HUSH": "sixteen or more of it"}

    shared = load(tmp_path, text, **env).shared
    assert (shared.url, shared.replicas, shared.secret) == (env["WHERE"], 3, env["HUSH"])
    assert "word" not in repr(shared)
    assert "sixteen" not in repr(shared)
    named = load(tmp_path, text, **env, METASEARCH_SHARED_URL="unix:///run/redis.sock")
    assert named.shared.url == "unix:///run/redis.sock"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('url = "http://redis.example.org"', "shared.url"),
        ('url = "redis://hidden word@redis.example.org"', "shared.url"),
        ('pages = "http://redis.example.org"', "shared.pages"),
        ('pages = "ENV:NOWHERE"', "shared.pages"),
        (f'url = "redis://hidden{"x" * 1000}"', "shared.url"),
        ('url = "ENV:NOT_THERE"', "shared.url"),
        ("replicas = 0", "shared.replicas"),
        ("replicas = 1001", "shared.replicas"),
        ('secret = "hidden and long enough"', "shared.secret"),
        ('secret = "ENV:NOT_THERE"', "shared.secret"),
        ("ttl = 3", "shared.ttl"),
    ],
)
def test_what_replicas_cannot_share(tmp_path: Path, text: str, where: str) -> None:
    """The problem names the place, and repeats no address and no secret."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, f"[shared]\n{text}")

    (problem,) = raised.value.problems
    assert problem.startswith(f"{where}: ")
    assert "hidden" not in problem
