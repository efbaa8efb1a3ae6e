"""SRU reports problems in diagnostics: beside the records, in the place of one, or alone; often
only as a number.

https://www.loc.gov/standards/sru/diagnostics/diagnosticsList.html
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from metasearch.adapters.parse.parse import PageContent, body_steps
from metasearch.adapters.request import Page
from metasearch.adapters.select.xml import parse_xml, text_of
from metasearch.adapters.spec import AdapterSpec
from metasearch.bib import texts
from metasearch.errors import AccessDenied, NotParsable, SourceSaysError
from metasearch.message import message
from metasearch.query.cql_grammar import MEANINGS
from metasearch.record import Record

#: Diagnostics that are reported; more add nothing.
REPORTED = 3
_AUTHENTICATION, _OUT_OF_RANGE = 3, 61


@dataclass(frozen=True, slots=True)
class ReadDiagnostic:
    """One diagnostic: its number, where it is one of SRU's own, and its text."""

    code: int | None
    text: str


def steps(page: Page, spec: AdapterSpec) -> Generator[tuple[Record, ...], None, PageContent | None]:
    """Records with the diagnostics as notes; None where there are no diagnostics, which is usual.
    Raises SourceSaysError: there are diagnostics and no records; AccessDenied: the diagnostic is
    about authentication.
    """
    found = _diagnostics(page.body)
    if not found:
        return None
    try:
        parsed = yield from body_steps(page, spec)
    except NotParsable:  # diagnostics alone
        parsed = PageContent()
    reported = tuple(dict.fromkeys(each.text for each in found))[:REPORTED]
    if parsed.records:
        return replace(parsed, notes=(*parsed.notes, *reported))
    if parsed.total == 0 and all(each.code == _OUT_OF_RANGE for each in found):
        return parsed  # record 1 of no hits is out of range, some servers report
    if found[0].code == _AUTHENTICATION:
        raise AccessDenied(
            spec.name,
            page.status,
            url=page.request.log_url,
            env_name=spec.key_env,
            said=reported[0],
        )
    begin = message("the database reports: {text}", text="")
    text = "; ".join(reported)[: 300 - len(begin)]
    raise SourceSaysError(
        spec.name, message("the database reports: {text}", text=text), url=page.request.log_url
    )


def _diagnostics(body: bytes) -> list[ReadDiagnostic]:
    if b"diagnostic" not in body:  # as nearly always
        return []
    try:
        root = parse_xml(body.removeprefix(b"\xef\xbb\xbf").strip())
    except ValueError:
        return []
    return list(_in(root))


def _in(root: Any) -> Iterator[ReadDiagnostic]:
    for element in root.iter(
        "{*}diagnostic", "{*}diagnostics"
    ):  # Sudoc leaves the inner element out
        parts = {child.tag.rpartition("}")[2]: texts.plain(text_of(child)) for child in element}
        number = parts.get("uri", "").rpartition("info:srw/diagnostic/1/")[2]
        code = int(number) if number.isdecimal() and len(number) < 4 else None
        message = parts.get("message") or MEANINGS.get(code or 0) or parts.get("uri", "")
        text = ": ".join(part for part in (message, parts.get("details", "")) if part)
        if text and code != 0:  # 0 is no number of the list: Sudoc's word for "all is well"
            yield ReadDiagnostic(code, text)
