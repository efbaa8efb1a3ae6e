"""How figures and names are written in the cells of tables."""

from __future__ import annotations

from metasearch.formats.text import line


def fitted(name: str, width: int) -> str:
    """On one line, of this many characters: cut with an ellipsis, or filled with blanks."""
    name = line(name)
    return (name if len(name) <= width else f"{name[: width - 1]}…").ljust(width)


def share(value: float, digits: int) -> str:
    """As tables of the field write it: ".980"; nearly 1 or 0 is never shown as 1 or 0."""
    shown = f"{value:.{digits}f}"
    if shown.startswith("1") and value < 1:
        return "." + "9" * digits
    if value > 0 and float(shown) == 0:
        return f"<.{'0' * (digits - 1)}1"
    return shown.removeprefix("0") if shown.startswith("0.") else shown


def tiny(value: float) -> str:
    """A share that is mostly far below one: "1.2e-06", ".012", or "0"."""
    return share(value, 3) if value >= 0.001 else f"{value:.1e}" if value else "0"


def number(value: float) -> str:
    """Three figures that matter, as far as there is room: "0.012", "1.23", "12.3", "1234"."""
    if value >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"
