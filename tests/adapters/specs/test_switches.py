"""Sources that an administrator has switched on or off while a server runs."""

from __future__ import annotations

import pytest

from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.errors import SwitchedOff
from metasearch.query.simple import parse
from metasearch.settings import Settings


@pytest.fixture
def registry() -> Registry:
    return Registry(Settings())


def test_a_source_that_is_off_leaves_its_groups(registry: Registry):
    """It is asked by no search that names it in a group, or names none."""
    assert "crossref" in registry.default()
    registry.switch({"crossref": False})

    assert "crossref" not in registry.default()
    assert "crossref" not in registry.expand(["all"])
    assert "crossref" in registry.names()
    assert "crossref" not in registry.disabled_members()  # naming it would not help


def test_a_source_that_is_off_is_not_asked_by_its_name(registry: Registry):
    """Nothing is sent; the reason is told, and whom to ask."""
    registry.spec("crossref")
    registry.switch({"crossref": False})
    with pytest.raises(SwitchedOff, match="switched off on this server"):
        plan(parse("gene"), registry.spec("crossref"))


def test_a_source_that_is_off_by_itself_joins_its_groups_when_it_is_on(registry: Registry):
    """As if the configuration had enabled it."""
    name = next(name for name in registry.names() if not registry.is_enabled_in_settings(name))
    assert name not in registry.expand(["all"])
    registry.switch({name: True})

    assert name in registry.expand(["all"])
    assert registry.spec(name).enabled
    assert not registry.is_enabled_in_settings(name)


def test_without_a_switch_all_is_as_configured(registry: Registry):
    """The spec is built anew."""
    registry.switch({"crossref": False})
    assert registry.spec("crossref").barred
    registry.switch({})

    assert registry.spec("crossref").enabled
    assert not registry.spec("crossref").barred
    assert "crossref" in registry.default()


def test_a_source_that_the_configuration_names_for_all_searches_can_be_switched_off():
    """A search that names none does not tell of it any more."""
    registry = Registry(Settings(default_sources=("crossref", "pubmed")))
    registry.switch({"crossref": False})

    assert registry.default() == ["pubmed"]
