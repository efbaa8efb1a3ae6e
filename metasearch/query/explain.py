"""A query error for a terminal: the query, a caret line, the reason, what to do."""

from __future__ import annotations

from metasearch.errors import QuerySyntaxError
from metasearch.query.blanks import is_blank


def explain(error: QuerySyntaxError, width: int = 80) -> str:
    """Several lines for a fixed-width font, without a final newline.

        titel:drive AND gene
        ^^^^^
        There is no field "titel"; the fields are any, title, ...
        Try: title:drive AND gene

    Characters are counted as the columns they take: two for full-width ones, none for combining
    ones. A long query is shown around the mistake. Control characters are shown as blanks, so the
    text can do no harm to a terminal.

    Args:
        error: What `parse` or `parse_years` raised.
        width: Columns of the query line, at least 20.
    """
    before, marked, after = window(error, width)
    carets = " " * _columns(before) + "^" * max(1, _columns(marked))
    lines = [f"{before}{marked}{after}", carets, f"{error.reason.rstrip('.')}."]
    if error.advice:
        lines.append(_visible(error.advice))
    return "\n".join(lines)


def window(error: QuerySyntaxError, width: int = 80) -> tuple[str, str, str]:
    """The query around the mistake, on one line: what stands before it, the mistake, what follows.

    The mistake is empty where something is missing at the end. Where the line is cut, an ellipsis
    stands.

    Args:
        error: What `parse` or `parse_years` raised.
        width: Columns of all three, at least 20.
    """
    width = max(width, 20)
    position = min(max(error.position, 0), len(error.text))
    start = max(0, position - width)
    before = _visible(error.text[start:position])
    after = _visible(error.text[position : position + width])
    cut_left, cut_right = start > 0, position + width < len(error.text)
    if cut_left or cut_right or _columns(before + after) > width:
        room = width // 2
        left = _last(before, max(room - 1, width - 2 - _columns(after)))
        right = _first(after, width - 2 - _columns(left))
        cut_left, cut_right = cut_left or left != before, cut_right or right != after
        before, after = "…" * cut_left + left, right + "…" * cut_right
    marked = _first(after, max(1, width - _columns(before)))[: max(1, error.length)]
    return before, marked, after[len(marked) :]


def _visible(text: str) -> str:
    return "".join(
        "\ufffd" if "\ud800" <= char <= "\udfff" else " " if is_blank(char) else char
        for char in text
    )


def _columns(text: str) -> int:
    from wcwidth import wcswidth, wcwidth

    columns = wcswidth(text)
    return columns if columns >= 0 else sum(max(0, wcwidth(char)) for char in text)


def _first(text: str, columns: int) -> str:
    """As much of the beginning as fits."""
    from wcwidth import wcwidth

    used = 0
    for at, char in enumerate(text):
        used += max(0, wcwidth(char))
        if used > columns:
            return text[:at]
    return text


def _last(text: str, columns: int) -> str:
    """As much of the end as fits."""
    return _first(text[::-1], columns)[::-1]
