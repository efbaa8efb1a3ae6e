"""Every adapter against its cassettes: the query gives the request, and the body gives the records
or the error.

A case is a folder `cassettes/<source>/<case>/`:

    request.json    query, wanted, env (secrets are dummies); then what must be planned: method,
                    url, params without secrets, `body`, `json` or `text` where it has one, sent,
                    notes; and `status` where the answer's is not 200
    body.*          as the database writes it
    records.json    the records that must be read from it, without what is empty; or
    error.json      the type of the error that it must raise, and, where it matters, its message
    step2/          the same again for the request that the first answer leads to, where a search
                    takes two
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from metasearch import errors
from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import JSON, Page, Request, public
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import shipped_groups
from metasearch.adapters.translate.plan import plan
from metasearch.query.simple import parse as parse_query
from metasearch.record import PEOPLE, Record
from metasearch.settings import Settings
from tests.cases import each

CASSETTES = Path(__file__).resolve().parent.parent / "cassettes"
CASES = sorted(path.parent for path in CASSETTES.glob("*/*/request.json"))
REGISTRY = Registry(Settings())
SOURCES = REGISTRY.names()


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def filled(record: Record) -> dict[str, Any]:
    """A record as plain JSON, without what is empty."""
    plain = orjson.loads(orjson.dumps(record))
    for role in PEOPLE:
        plain[role] = [
            {k: v for k, v in author.items() if v not in (None, False)} for author in plain[role]
        ]
    return {name: value for name, value in plain.items() if value not in (None, [], {}, "")}


def check_request(request: Request, expected: dict[str, Any]) -> None:
    assert expected["method"] == request.method
    assert expected["url"] == request.url
    assert [tuple(pair) for pair in expected["params"]] == list(public(request.params))
    assert [tuple(pair) for pair in expected.get("body", [])] == list(public(request.body))
    assert expected.get("json") == (
        json.loads(request.content) if request.content_type == JSON else None
    )
    assert expected.get("text", "") == (request.content if request.content_type != JSON else "")


def check_answer(folder: Path, request: Request, spec: AdapterSpec) -> PageContent | None:
    body = next(folder.glob("body.*"))
    page = Page(
        request=request,
        body=body.read_bytes(),
        status=read(folder / "request.json").get("status", 200),
    )
    if (folder / "error.json").exists():
        expected = read(folder / "error.json")
        with pytest.raises(errors.SourceError) as raised:
            parse(page, spec)

        assert expected["type"] == type(raised.value).__name__
        assert expected.get("message", "") in str(raised.value)
        return None
    parsed = parse(page, spec)

    assert read(folder / "records.json") == [filled(record) for record in parsed.records]
    return parsed


@each("folder", CASES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_case(folder: Path) -> None:
    """The query is planned as the case says, and its body is read as the case says."""
    spec, case = REGISTRY.spec(folder.parent.name), read(folder / "request.json")
    planned = plan(parse_query(case["query"]), spec, case["wanted"], case["env"])

    check_request(planned.request, case)
    assert case["sent"] == planned.sent
    assert case["notes"] == list(planned.notes)
    assert not any(
        secret in planned.request.log_url
        for name, secret in case["env"].items()
        if name.endswith("_KEY")
    )

    parsed, step = check_answer(folder, planned.request, spec), folder / "step2"
    if step.is_dir():
        assert parsed is not None
        assert parsed.next is not None
        check_request(parsed.next, read(step / "request.json"))
        check_answer(step, parsed.next, spec)


@each("source", SOURCES)
def test_every_source_has_its_cases(source: str) -> None:
    """A shipped source builds without problems, and has a case with hits, one without, and one that
    fails."""
    spec = REGISTRY.spec(source)
    answers = [read(path) for path in (CASSETTES / source).glob("**/records.json")]

    assert source == spec.name
    assert all((spec.label, spec.homepage, spec.docs, spec.coverage))
    assert any(answers)
    assert [] in answers
    assert list((CASSETTES / source).glob("**/error.json"))


def test_families_are_no_sources() -> None:
    """A family is a base for other specs, and is never asked itself."""
    assert "sru" in REGISTRY.families
    assert not set(REGISTRY.families) & set(SOURCES)


def test_groups_name_sources() -> None:
    """Every group is of sources that there are; the default set needs no key and is not switched
    off."""
    members = {name for group in shipped_groups().values() for name in group}

    assert members <= set(SOURCES)
    for name in shipped_groups()["default"]:
        spec = REGISTRY.spec(name)
        assert spec.enabled
        assert not any(auth.required for auth in spec.auth)
