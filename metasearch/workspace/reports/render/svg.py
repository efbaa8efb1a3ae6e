"""The diagram of a `Figure` as SVG: attributes and classes only, so that it is drawn where style
sheets are forbidden, and a style sheet may still colour it.
"""

from __future__ import annotations

from typing import Any

from lxml import etree
from lxml.builder import ElementMaker

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace.reports.document import Arrow, Box, Document, Figure

NAMESPACE = "http://www.w3.org/2000/svg"
#: Distances inside a box, from its edge to the first base line and between lines.
TOP, LINE, LEFT = 21, 17, 12
_FONT = "Arial, Helvetica, 'Noto Sans', 'Noto Sans CJK SC', 'Microsoft YaHei', sans-serif"
_INK, _RULE, _BAND = "#182326", "#76868d", "#e3eff1"


def drawing(figure: Figure, make: ElementMaker, mark: str = "flow") -> Any:
    """The element `svg`. `make`: makes its elements: with the name space in a file, without in
    HTML. `mark`: what the ids of its title and description begin with; one of each page.
    """
    svg = make.svg(
        make.title(figure.title, id=f"{mark}-title"),
        make.desc(figure.description, id=f"{mark}-text"),
        {
            "class": "flow",
            "viewBox": f"0 0 {figure.width} {figure.height}",
            "width": str(figure.width),
            "height": str(figure.height),
            "role": "img",
            "aria-labelledby": f"{mark}-title {mark}-text",
            "font-family": _FONT,
            "font-size": "12",
            "fill": _INK,
        },
    )
    for arrow in figure.arrows:
        svg.extend(_arrow(arrow, make))
    for box in figure.boxes:
        svg.extend(_box(box, make))
    return svg


def file(document: Document) -> bytes:
    """The first diagram of a document as a file. Raises UsageError: it has none."""
    figures = [block for block in document.blocks if isinstance(block, Figure)]
    if not figures:
        raise UsageError(
            message("This report has no diagram"),
            advice=message("Choose another format; the flow diagram can be written as SVG."),
        )
    make = ElementMaker(namespace=NAMESPACE, nsmap={None: NAMESPACE})
    content: bytes = etree.tostring(
        drawing(figures[0], make), encoding="UTF-8", xml_declaration=True, pretty_print=True
    )
    return content


def _box(box: Box, make: ElementMaker) -> list[Any]:
    place = {name: str(getattr(box, name)) for name in ("x", "y", "width", "height")}
    if box.role == "stage":
        x, y = box.x + box.width // 2 + 4, box.y + box.height // 2
        turned = {"transform": f"translate({x} {y}) rotate(-90)", "text-anchor": "middle"}
        return [
            make.rect(place, {"class": "stage", "rx": "2", "fill": _BAND}),
            make.text(" ".join(box.lines), turned, {"font-weight": "bold"}),
        ]
    out = []
    if box.role == "box":
        out.append(
            make.rect(place, {"class": "box", "rx": "2", "fill": "#ffffff", "stroke": _RULE})
        )
    for number, line in enumerate(box.lines):
        where = {
            "x": str(box.x + LEFT * (box.role == "box")),
            "y": str(box.y + TOP + LINE * number),
        }
        look = {} if number else {"font-weight": "bold"}
        out.append(make.text(line, where, look))
    return out


def _arrow(arrow: Arrow, make: ElementMaker) -> list[Any]:
    line = "M" + "L".join(f"{x} {y}" for x, y in arrow.points)
    (from_x, from_y), (x, y) = arrow.points[-2:]
    if from_x == x:
        back = -7 if y > from_y else 7
        head = f"M{x} {y}l-4 {back}h8z"
    else:
        back = -7 if x > from_x else 7
        head = f"M{x} {y}l{back} -4v8z"
    return [
        make.path({"class": "way", "d": line, "fill": "none", "stroke": _RULE}),
        make.path({"class": "tip", "d": head, "fill": _RULE}),
    ]
