"""Sentences that are kept can be shown in another language."""

from __future__ import annotations

import pytest

from metasearch.message import Message, joined, message, message_n
from metasearch.review.store.values import packed, sentence, sentences, unpacked


def test_messages_come_back_with_their_templates() -> None:
    """Nested ones too, numbers and lists of parts."""
    error = message("{what}: {reason}", what=message("the note"), reason="too long")
    notes = ["as the source says it", message_n("{count} record", "{count} records", 3)]
    parts = joined("; ", [message("the note"), "b"])

    held = unpacked(packed(error=error, notes=notes, advice=parts))
    read = sentence(str(error), held["error"])
    read_notes = sentences([str(note) for note in notes], held["notes"])
    read_parts = sentence(str(parts), held["advice"])

    assert isinstance(read, Message)
    assert (read, read.template) == (error, error.template)
    assert isinstance(read.values["what"], Message)
    assert read_notes == ("as the source says it", "3 records")
    assert not isinstance(read_notes[0], Message)
    assert isinstance(read_notes[1], Message)
    assert (read_notes[1].plural, read_notes[1].number) == ("{count} records", 3)
    assert type(read_parts) is type(parts)


def test_plain_texts_are_kept_as_they_are() -> None:
    """Nothing is kept beside them."""
    assert packed(error="", notes=["a"]) == ""
    assert sentence("plain", None) == "plain"
    assert sentences(["a"], None) == ("a",)


@pytest.mark.parametrize(
    "held",
    ["{", "[]", '{"error": 7}', '{"error": {"text": "other"}}', '{"error": {"text": "plain"}}'],
)
def test_what_is_damaged_leaves_the_english_text(held: str) -> None:
    """A workspace may have been written by anybody."""
    assert sentence("plain", unpacked(held).get("error")) == "plain"


def test_messages_that_are_nested_too_deeply_end_in_their_texts() -> None:
    """Neither writing nor reading them is deeper than the stack."""
    deep = message("end")
    for _ in range(300):
        deep = message("({inner})", inner=deep)

    read = sentence(str(deep), unpacked(packed(error=deep))["error"])

    assert read == deep


@pytest.mark.parametrize(
    "held",
    [
        {"template": "{file} exists already", "values": {}},
        {"template": "a", "plural": "{count} records", "values": {}},
        {"template": "no place", "values": {"0": "a"}, "joined": True},
    ],
)
def test_a_template_without_its_values_leaves_the_english_text(held: dict[str, object]) -> None:
    """As an imported project may have it: a page that translates it would find no value."""
    read = sentence("plain", held | {"text": "plain", "number": 2})

    assert read == "plain"
    assert not isinstance(read, Message)
