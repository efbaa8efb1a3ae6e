"""The OpenSearch description document (1.1, draft 6): how a browser learns to search here."""

from __future__ import annotations

from base64 import b64encode

from lxml import etree

from metasearch.formats.text import line
from metasearch.server.pages.environment import ASSETS
from metasearch.server.site import NAME, Site

MEDIA_TYPE = "application/opensearchdescription+xml"
SUGGESTIONS_TYPE = "application/x-suggestions+json"
#: As SRU is sent: its clients expect no other.
SRU_TYPE = "text/xml"
NAMESPACE = "http://a9.com/-/spec/opensearch/1.1/"
DESCRIPTION = "One query to many scholarly databases at once: one merged, ranked list."


def describe_search(site: Site, example: str, *, suggests: bool) -> bytes:
    """The document in UTF-8, with absolute addresses. `suggests`: there is `/suggest`."""
    root = etree.Element(f"{{{NAMESPACE}}}OpenSearchDescription", nsmap={None: NAMESPACE})  # type: ignore[dict-item]
    _add(root, "ShortName", NAME)
    _add(root, "LongName", "metasearch: scholarly databases")
    _add(root, "Description", DESCRIPTION)
    _add(root, "Tags", "scholarly papers bibliography metasearch")
    for media_type, name in (
        ("text/html", "html"),
        ("application/atom+xml", "atom"),
        ("application/rss+xml", "rss"),
        ("application/feed+json", "jsonfeed"),
        ("application/json", "json"),
    ):
        query = "q={searchTerms}&count={count?}&start={startIndex?}"
        template = f"{site.base}/search?{query}&format={name}"
        _add(root, "Url", type=media_type, indexOffset="0", template=template)
    # Plain words are no CQL; records are counted from 1.
    words = "version=2.0&queryType=searchTerms&query={searchTerms}"
    page = "maximumRecords={count?}&startRecord={startIndex?}"
    template = f"{site.base}/sru?{words}&{page}"
    _add(root, "Url", type=SRU_TYPE, indexOffset="1", template=template)
    if suggests:
        _add(
            root,
            "Url",
            type=SUGGESTIONS_TYPE,
            rel="suggestions",
            template=f"{site.base}/suggest?q={{searchTerms}}",
        )
    _add(root, "Url", type=MEDIA_TYPE, rel="self", template=f"{site.base}/opensearch.xml")
    for name, size in (("favicon.ico", "16"), ("icon.png", "64")):
        asset = ASSETS[name]
        data = f"data:{asset.media_type};base64,{b64encode(asset.body).decode()}"
        _add(root, "Image", data, width=size, height=size, type=asset.media_type)
    _add(root, "Query", role="example", searchTerms=line(example))
    _add(root, "InputEncoding", "UTF-8")
    _add(root, "OutputEncoding", "UTF-8")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _add(parent: etree._Element, name: str, text: str | None = None, /, **attributes: str) -> None:
    child = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}", attributes)
    child.text = text
