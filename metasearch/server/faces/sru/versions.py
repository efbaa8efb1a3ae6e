"""What the versions of SRU call the same things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: The operation -> the element that answers it.
RESPONSES: Mapping[str, str] = {
    "searchRetrieve": "searchRetrieveResponse",
    "scan": "scanResponse",
    "explain": "explainResponse",
}


@dataclass(frozen=True, slots=True)
class Version:
    """A version of SRU.

    Attributes:
        escaping: Name of the parameter, and of the element of a record, that says whether a record
            is XML or a string.
        identifiers: Whether a record has a `recordIdentifier`.
        newest: Whether it is 2.0, which has facets and the precision of the total, and whose
            searchRetrieveResponse does not name its version.
    """

    name: str
    namespace: str
    diagnostics: str
    escaping: str = "recordPacking"
    identifiers: bool = True
    newest: bool = False

    def tag(self, name: str) -> str:
        """An element of the answer."""
        return f"{{{self.namespace}}}{name}"


_ZING = "http://www.loc.gov/zing/srw/"
_OASIS = "http://docs.oasis-open.org/ns/search-ws/"
V1_1 = Version("1.1", _ZING, f"{_ZING}diagnostic/", identifiers=False)
V1_2 = Version("1.2", _ZING, f"{_ZING}diagnostic/")
V2_0 = Version(
    "2.0",
    f"{_OASIS}sruResponse",
    f"{_OASIS}diagnostic",
    escaping="recordXMLEscaping",
    newest=True,
)
VERSIONS: Mapping[str, Version] = {version.name: version for version in (V1_1, V1_2, V2_0)}
#: Namespace of the facets of 2.0.
FACETS = f"{_OASIS}facetedResults"
#: Namespace of a diagnostic in the place of a record.
SURROGATE = "info:srw/schema/1/diagnostics-v1.1"
#: Our own elements in extraResponseData and extraRecordData.
METASEARCH = "urn:metasearch:sru:1"
