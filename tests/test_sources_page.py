"""docs/sources.md says what the specs say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import real_answers, shipped_groups
from metasearch.settings import Settings
from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = Registry(Settings(), late=False)


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "sources_page", ROOT / "tools" / "sources_page.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_specs_say() -> None:
    """Whoever changes a spec runs `python3 tasks.py sources`."""
    assert (ROOT / "docs" / "sources.md").read_text(encoding="utf-8") == tool().page(REGISTRY)


def test_the_counts_of_real_answers_are_those_of_the_tests() -> None:
    """The server shows what the tests read; they are written together with the page."""
    assert tool().COUNTS.read_text(encoding="utf-8") == tool().counts(REGISTRY)
    assert real_answers()["crossref"] > (20, 100)


@each("name", REGISTRY.names())
def test_every_source_states_its_facts(name: str) -> None:
    """What it is, where it is documented, its terms, languages and query language; a key says where
    it is to be had."""
    spec = REGISTRY.spec(name)

    assert all(
        (
            spec.label,
            spec.homepage,
            spec.docs,
            spec.terms,
            spec.coverage,
            spec.languages,
            spec.syntax,
        )
    )
    assert all(auth.get for auth in spec.auth if auth.required)


def test_there_are_sixty_and_half_of_them_need_no_key() -> None:
    """What the project promises."""
    open_ones = [
        name
        for name in REGISTRY.group("all")
        if not any(auth.required for auth in REGISTRY.spec(name).auth)
    ]

    assert len(REGISTRY.names()) >= 60
    assert len(open_ones) >= 30
    assert len(shipped_groups()["default"]) == 15


def test_sources_whose_terms_forbid_programs_are_off() -> None:
    """The page `/sources` reports them as such by their terms."""
    specs = [REGISTRY.spec(name) for name in REGISTRY.names()]
    forbidden = {spec.name for spec in specs if "forbid" in spec.terms}

    assert {"cnki", "wanfang", "google-scholar"} <= forbidden
    assert not [name for name in forbidden if REGISTRY.spec(name).enabled]
