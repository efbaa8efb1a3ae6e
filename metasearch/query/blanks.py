"""Which characters separate words, and belong to none."""

from __future__ import annotations

# Control, zero-width and direction characters come with copied text; none of them belongs to a
# word.
_INVISIBLE = frozenset(
    map(
        chr,
        [
            *range(32),
            *range(0x7F, 0xA0),
            0x200B,
            0x200E,
            0x200F,
            *range(0x202A, 0x202F),
            *range(0x2066, 0x206A),
        ],
    )
) | {"\ufeff", "\ufffe", "\uffff"}


def is_blank(char: str) -> bool:
    """Whether a character separates words."""
    return char.isspace() or char in _INVISIBLE


def plain(text: str) -> str:
    """Single blanks between words, and nothing that cannot be seen."""
    return " ".join("".join(" " if is_blank(char) else char for char in text).split())
