#!/usr/bin/env python3
"""Bring the catalogues of the pages up to date with the texts of the templates and messages.

    python tools/messages.py            add new texts to each catalogue, drop those that are gone
    python tools/messages.py --check    only report; exit status 1 where a text has no translation

A text that changed begins without a translation: nothing is guessed ("fuzzy").
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "metasearch"
CATALOGUES = PACKAGE / "locale"
#: Functions whose arguments are texts, beside those of gettext; `N_` marks a text that is
#: translated where it is shown.
KEYWORDS = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "N_": None,
    "message": (1,),
    "message_n": (1, 2),
    "message_in": ((1, "c"), 2),
    "pgettext": ((1, "c"), 2),
    "phrase": None,
    "_phrase": None,
}
_JINJA = "jinja2.ext:babel_extract"
_METHODS = [("**.py", "python"), ("**.html", _JINJA), ("**.xml", _JINJA)]
_OPTIONS = {"**.html": {"trimmed": "true"}}
_PLACE = re.compile(r"%\((\w+)\)[sd]|\{(\w+)\}")


def texts() -> Catalog:
    """All texts of the package, without translations."""
    catalogue = Catalog(project="metasearch", charset="utf-8")
    for name, _, text, comments, context in extract_from_dir(
        PACKAGE, _METHODS, _OPTIONS, KEYWORDS, comment_tags=("Translators:",)
    ):
        place = (Path("metasearch", name).as_posix(), 0)
        catalogue.add(text, None, [place], auto_comments=comments, context=context)
    return catalogue


def catalogue_of(path: Path, template: Catalog) -> Catalog:
    """The catalogue in a file, with the texts of the template and no others."""
    known = read_po(BytesIO(path.read_bytes()), locale=path.parents[1].name)
    known.update(template, no_fuzzy_matching=True)
    known.obsolete.clear()
    return known


def faults(catalogue: Catalog) -> Iterator[str]:
    """What is wrong with each translation."""
    for text in catalogue:
        if text.id and (fault := _fault(text)):
            yield f"{text.id!r}: {fault}"


def _fault(text: Message) -> str:
    said = text.string if isinstance(text.string, tuple) else (text.string,)
    if not all(said):
        return "no translation"
    if text.fuzzy:
        return "marked as fuzzy"
    wanted = {name for one in _ids(text) for name in _places(one)}
    # A plural form may leave a place out: "one work".
    if any(not _places(one) <= wanted for one in said):
        return "a place for a value that the text does not have"
    if wanted - {name for one in said for name in _places(one)} - {"num", "count"}:
        return "a value has no place"
    return ""


def _ids(text: Message) -> tuple[str, ...]:
    return text.id if isinstance(text.id, tuple) else (text.id,)


def _places(text: str) -> set[str]:
    return {found.group(1) or found.group(2) for found in _PLACE.finditer(text)}


def written(catalogue: Catalog) -> bytes:
    """As the file holds it: in the order of the texts, without dates and line numbers."""
    out = BytesIO()
    catalogue.header_comment = "# Chinese (simplified) words of metasearch's pages."
    write_po(out, catalogue, sort_output=True, include_lineno=False, width=100, omit_header=False)
    lines = out.getvalue().decode().splitlines(keepends=True)
    kept = [
        line
        for line in lines
        if not line.startswith(('"POT-Creation', '"PO-Revision', '"Generated-By', '"Last-Trans'))
    ]
    return "".join(kept).encode()


def main() -> int:
    check = "--check" in sys.argv[1:]
    template, wrong = texts(), 0
    for path in sorted(CATALOGUES.glob("*/LC_MESSAGES/metasearch.po")):
        catalogue = catalogue_of(path, template)
        for fault in faults(catalogue):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: {fault}")
        if not check:
            path.write_bytes(written(catalogue))
        elif path.read_bytes() != written(catalogue):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: not up to date; run python tools/messages.py")
    print(f"{wrong} faults" if wrong else "all texts are translated")
    return 1 if wrong and check else 0


if __name__ == "__main__":
    sys.exit(main())
