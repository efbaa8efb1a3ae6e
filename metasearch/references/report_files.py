"""What a check of references found, as files: an annotated page, SARIF and JUnit for CI."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import orjson

from metasearch.bib.notices import OF_RETRACTION
from metasearch.formats.text import line
from metasearch.references.check import CheckedReference
from metasearch.references.report import (
    LABELS,
    check_object,
    counts_object,
    sentence,
    severity,
    text_lines,
)

#: A report of references in the file of this name that took so many requests.
ReportWriter = Callable[[Sequence[CheckedReference], str, int], bytes]

_CAVEAT = (
    "“Not found” does not mean invented: no database holds every work, and only those that are "
    "named with a reference were asked for it."
)


def write_text(checked: Sequence[CheckedReference], _name: str, _requests: int) -> bytes:
    return "".join(f"{text}\n" for text in text_lines(checked)).encode()


def write_json(checked: Sequence[CheckedReference], _name: str, requests: int) -> bytes:
    document = check_object(checked, requests=requests)
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _sentences(checked: CheckedReference) -> list[str]:
    """What differs or was not found, a sentence each; at least one."""
    found = [sentence(difference) for difference in checked.differences]
    if checked.reason:
        found.append(line(str(checked.reason)))
    return found or [LABELS[checked.verdict].capitalize() + "."]


def _name_of(checked: CheckedReference) -> str:
    record = checked.reference.record
    return line(record.title or checked.reference.text or record.doi or "")[:300]


# HTML: one file without scripts.

_STYLE = """
body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
li{margin:0 0 1.2rem}ul{list-style:none;padding-left:1rem}ol{padding-left:2rem}
b{padding:0 .4em;border-radius:.2em;background:#ddd;color:#222}b.serious{background:#a11;color:#fff}
b.confirmed{background:#171;color:#fff}li.serious{border-left:.2rem solid #a11;padding-left:.5rem}
small,dfn{color:#666;font-style:normal}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}small,dfn{color:#aaa}}
"""


def write_html(checked: Sequence[CheckedReference], name: str, requests: int) -> bytes:
    """All references, the worst first, each with what differs and who was asked."""
    title = f"References of {line(name)}"
    counts = ", ".join(f"{count} {what}" for what, count in counts_object(checked).items() if count)
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1><p>{escape(counts)}; {requests:,} requests.</p>",
        f"<p>{_CAVEAT}</p><ol>",
        *(part for each in sorted(checked, key=severity) for part in _html_item(each)),
        "</ol></body></html>\n",
    ]
    return "\n".join(parts).encode()


def _html_item(checked: CheckedReference) -> Iterator[str]:
    look = "serious" if checked.serious else checked.verdict
    label = LABELS[checked.verdict] + (", serious" if checked.serious else "")
    key = escape(line(checked.reference.key))
    yield f'<li><b class="{look}">{label}</b> <code>{key}</code> {escape(_name_of(checked))}'
    if checked.hit is not None and (doi := checked.hit.record.doi):
        yield f'<a href="https://doi.org/{escape(quote(doi))}">{escape(line(doi))}</a>'
    yield "<ul>"
    for difference in checked.differences:
        mark = ' class="serious"' if difference.serious else ""
        yield f"<li{mark}>{escape(line(str(difference.why)))}"
        if difference.written:
            yield f"<br><dfn>{escape(difference.field)}</dfn> {escape(line(difference.written))}"
        if difference.found:
            source = f" <small>({escape(difference.source)})</small>" if difference.source else ""
            yield f"<br><dfn>found</dfn> {escape(line(difference.found))}{source}"
        yield "</li>"
    if checked.reason:
        yield f"<li>{escape(line(str(checked.reason)))}</li>"
    yield "</ul>"
    asked = ", ".join(f"{each.source} ({each.status})" for each in checked.asked)
    yield f"<small>Asked: {escape(asked or 'nobody')}</small></li>"


# SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/

#: Rule -> what it says.
_RULES: Mapping[str, str] = {
    "title": "The title is not that of the work.",
    "authors": "The authors are not those of the work.",
    "year": "The year is not that of the work.",
    "venue": "The work did not appear there.",
    "number": "Volume, issue or pages are not those of the work.",
    "identifier": "An identifier is unknown, or that of another work.",
    "another-version": "Another version of the work exists.",
    "retracted": "The work was retracted or withdrawn.",
    "notice": "There is concern about the work, or a correction of it.",
    "not-found": "No database that was asked has the work; it may exist.",
    "unchecked": "The reference could not be checked.",
}
_RULE_OF = {
    "title": "title", "authors": "authors", "year": "year", "venue": "venue", "volume": "number",
    "issue": "number", "pages": "number", "version": "another-version", "notice": "notice",
}  # fmt: skip


def write_sarif(checked: Sequence[CheckedReference], name: str, _requests: int) -> bytes:
    """A result for each difference, and for each reference that was not found or not checked; in
    the order of the file.
    """
    path = PurePath(name)
    address = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    rules = [
        {"id": rule, "name": rule, "shortDescription": {"text": text}}
        for rule, text in _RULES.items()
    ]
    driver = {"name": "metasearch", "rules": rules}
    results = [
        _sarif_result(each, address, rule, level, text)
        for each in checked
        for rule, level, text in _findings(each)
    ]
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _findings(checked: CheckedReference) -> Iterator[tuple[str, str, str]]:
    """(rule, level, sentence) of each."""
    if checked.verdict in ("not-found", "unchecked"):
        yield checked.verdict, "note", _sentences(checked)[0]
    for difference in checked.differences:
        rule = _RULE_OF.get(difference.field, "identifier")
        if rule == "notice" and difference.found.startswith(tuple(OF_RETRACTION)):
            rule = "retracted"
        yield rule, "error" if difference.serious else "warning", sentence(difference)


def _sarif_result(
    checked: CheckedReference, address: str, rule: str, level: str, text: str
) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": address}}
    if checked.reference.line:
        place["region"] = {"startLine": checked.reference.line}
    return {
        "ruleId": rule,
        "ruleIndex": list(_RULES).index(rule),
        "level": level,
        "message": {"text": f"{line(checked.reference.key)}: {text}"},
        "locations": [{"physicalLocation": place}],
    }


# JUnit XML, as CI servers read it.


def write_junit(checked: Sequence[CheckedReference], name: str, _requests: int) -> bytes:
    """A case for each reference: serious is a failure, unchecked is skipped; what else was found
    stands in its output.
    """
    from lxml import etree

    counts = counts_object(checked)
    suite = etree.Element(
        "testsuite",
        name=line(name),
        tests=str(len(checked)),
        failures=str(counts["serious"]),
        errors="0",
        skipped=str(counts["unchecked"]),
    )
    for each in checked:
        case = etree.SubElement(
            suite, "testcase", classname=line(name), name=line(each.reference.key)
        )
        if each.reference.line:
            case.set("line", str(each.reference.line))
        label = LABELS[each.verdict]
        if each.verdict == "confirmed":
            continue
        sentences = [_name_of(each), *_sentences(each)]
        if each.serious:
            found = etree.SubElement(case, "failure", type=each.verdict, message=label)
        elif each.verdict == "unchecked":
            found = etree.SubElement(case, "skipped", message=sentences[-1])
        else:
            found = etree.SubElement(case, "system-out")
            sentences.insert(0, label)
        found.text = "\n".join(sentences)
    suites = etree.Element("testsuites")
    suites.append(suite)
    document = etree.tostring(suites, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return bytes(document)


#: Name -> the endings of its files, and what writes it.
REPORTS: Mapping[str, tuple[tuple[str, ...], ReportWriter]] = {
    "text": ((".txt",), write_text),
    "json": ((".json",), write_json),
    "html": ((".html", ".htm"), write_html),
    "sarif": ((".sarif", ".sarif.json"), write_sarif),
    "junit": ((".xml",), write_junit),
}
