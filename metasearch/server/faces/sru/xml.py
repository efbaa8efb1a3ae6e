"""Elements with text that XML allows."""

from __future__ import annotations

from lxml import etree

from metasearch.formats.text import clean


def add(
    parent: etree._Element, namespace: str, name: str, text: str | None = None, /, **attributes: str
) -> etree._Element:
    """A new last child; characters that XML forbids are taken out of its texts."""
    values = {key: clean(value) for key, value in attributes.items()}
    child = etree.SubElement(parent, f"{{{namespace}}}{name}", values)
    child.text = None if text is None else clean(text)
    return child
