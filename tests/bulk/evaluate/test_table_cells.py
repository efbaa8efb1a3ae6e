"""Figures in cells."""

from __future__ import annotations

from metasearch.bulk.evaluate.report import fit, number, share, tiny
from tests.cases import each


@each(
    ("value", "shown"),
    [
        (1.0, "1.000"),
        (0.98, ".980"),
        (0.9999, ".999"),
        (0.0001, "<.001"),
        (0.0, ".000"),
        (0.0006, ".001"),
    ],
)
def test_share(value: float, shown: str) -> None:
    """What is only nearly 1 or 0 is never shown as 1 or 0."""
    assert share(value, 3) == shown


def test_other_cells() -> None:
    """Tiny shares, numbers of three figures, and names that are cut."""
    assert (tiny(0.0), tiny(0.00000123), tiny(0.25)) == ("0", "1.2e-06", ".250")
    assert [number(it) for it in (0, 0.01234, 1.234, 12.34, 123.4, 12345)] == [
        "0",
        "0.012",
        "1.23",
        "12.3",
        "123",
        "12345",
    ]
    assert (fit("abc", 5), fit("abcdef", 5), fit("a\x1bb", 3)) == ("abc  ", "abcd…", "ab ")
