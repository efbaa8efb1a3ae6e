"""The errors of pazpar2's protocol."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

from metasearch.formats.text import line

#: HTTP status of an answer that is an error.
STATUS = 417
NO_SESSION, MISSING, MALFORMED, ENCODING, SETTING = 1, 2, 3, 4, 5
SEARCH_FAILED, NO_RECORD, NO_TARGETS, TARGET, RECORD_FAILED = 6, 7, 8, 9, 10
NOT_IMPLEMENTED, NO_SERVICE, BLOCKED = 11, 12, 13
#: Code -> its text, as clients know it.
MESSAGES: Mapping[int, str] = {
    NO_SESSION: "Session does not exist or it has expired",
    MISSING: "Missing parameter",
    MALFORMED: "Malformed parameter value",
    ENCODING: "Malformed parameter encoding",
    SETTING: "Malformed setting argument",
    SEARCH_FAILED: "Failed to retrieve hitcounts",
    NO_RECORD: "Record missing",
    NO_TARGETS: "No targets",
    TARGET: "Target cannot be configured",
    RECORD_FAILED: "Record command failed",
    NOT_IMPLEMENTED: "Not implemented",
    NO_SERVICE: "No service",
    BLOCKED: "Already blocked in session on: ",
}
_LONGEST_DETAIL = 1_000


class CommandRefused(Exception):
    """A command that cannot be carried out. `code`: a key of `MESSAGES`. `detail`: what is wrong
    and what to do; clients show it behind the text of the code.
    """

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = line(detail)[:_LONGEST_DETAIL]

    def document(self) -> bytes:
        """The answer."""
        root = etree.Element("error", code=str(self.code), msg=MESSAGES[self.code])
        root.text = self.detail
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8")
