"""Groups of sources: the shipped ones, those of a configuration, and the set that a search asks
without being told."""

from __future__ import annotations

import pytest

from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import shipped_groups
from metasearch.errors import SettingsError
from metasearch.settings import Settings

USUAL = list(shipped_groups()["default"])
MINE = {"extends": "sru", "url": "http://127.0.0.1:210/x"}


def registry(**settings: object) -> Registry:
    return Registry(Settings(**settings))  # type: ignore[arg-type]


def test_a_group_stands_for_its_sources() -> None:
    """In the place of its name, each source once, whatever else is named."""
    medicine = list(shipped_groups()["medicine"])

    assert "pubmed" in medicine
    assert registry().expand(["arxiv", "medicine", "pubmed"]) == ["arxiv", *medicine]
    assert registry().expand(["nonsense"]) == ["nonsense"]


def test_the_default_set() -> None:
    """The shipped one, with every source that the configuration adds; what it switches off is left
    out."""
    assert registry().default() == USUAL
    assert registry(sources={"mine": MINE}).default() == [*USUAL, "mine"]
    assert registry(sources={"mine": MINE | {"default": False}}).default() == USUAL
    assert registry(sources={"dnb": {"default": True}}).default() == [*USUAL, "dnb"]
    assert "arxiv" not in registry(sources={"arxiv": {"enabled": False}}).default()
    assert "arxiv" not in registry(sources={"arxiv": {"default": False}}).default()


def test_the_configuration_names_its_own_default() -> None:
    """Sources and groups, the usual set among them."""
    named = registry(sources={"mine": MINE}, default_sources=("mine", "default", "loc"))

    assert named.default() == ["mine", *USUAL, "loc"]


def test_groups_of_the_configuration() -> None:
    """They lie over the shipped ones of the same name; what is no source, or is off, is left
    out."""
    own = registry(
        groups={"medicine": ("arxiv", "nonsense"), "mine": ("loc",)},
        sources={"loc": {"enabled": False}},
    )

    assert own.group("medicine") == ["arxiv"]
    assert own.group("mine") == []
    assert {"mine", "medicine", "all", "default"} <= set(own.groups)
    assert own.groups_of("arxiv") == sorted(own.groups_of("arxiv"))
    assert {"default", "medicine"} <= set(own.groups_of("arxiv"))


def test_a_source_is_meant_before_a_group_of_the_same_name() -> None:
    """A user's source that is called as a group is asked alone."""
    assert registry(sources={"medicine": MINE}).expand(["medicine"]) == ["medicine"]


def test_all_is_every_source_that_is_not_off() -> None:
    """Those that are off must be named."""
    found = registry()
    everything = found.group("all")

    assert set(USUAL) <= set(everything)
    assert all(found.spec(name).enabled for name in everything)
    assert all(not found.spec(name).enabled for name in set(found.names()) - set(everything))


def test_no_groups_of_shipped_sources_where_these_are_left_out() -> None:
    """As in the demonstration."""
    bare = registry(shipped=False, sources={"mine": MINE})

    assert (bare.groups, bare.default(), bare.group("all")) == (
        ["all", "default"],
        ["mine"],
        ["mine"],
    )


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('all = ["arxiv"]', "groups.all: must be"),
        ('"Big Ones" = ["arxiv"]', "groups.Big Ones: must be"),
        ('mine = "arxiv"', "groups.mine: must be a list of strings"),
    ],
)
def test_groups_that_cannot_be(tmp_path: object, table: str, told: str) -> None:
    """The error says which."""
    file = tmp_path / "config.toml"  # type: ignore[operator]
    file.write_text(f"[groups]\n{table}\n", encoding="utf-8")

    with pytest.raises(SettingsError) as raised:
        Settings.load(file, {})
    assert told in str(raised.value)


def test_a_group_that_there_is_not() -> None:
    """Is an error of whoever asks for it."""
    with pytest.raises(KeyError):
        registry().group("nonsense")
