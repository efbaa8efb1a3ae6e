"""Sentences that are kept can be shown in another language."""

from __future__ import annotations

from metasearch.message import Message, join_texts, message, message_from_json, message_n
from metasearch.review.store.values import (
    pack_sentences,
    sentences,
    unpack_sentences,
)
from tests.cases import each


def test_messages_come_back_with_their_templates() -> None:
    """Nested ones too, numbers and lists of parts."""
    error = message("{what}: {reason}", what=message("the note"), reason="too long")
    notes = ["as the source says it", message_n("{count} record", "{count} records", 3)]
    parts = join_texts("; ", [message("the note"), "b"])

    held = unpack_sentences(pack_sentences(error=error, notes=notes, advice=parts))
    read = message_from_json(str(error), held["error"])
    read_notes = sentences([str(note) for note in notes], held["notes"])
    read_parts = message_from_json(str(parts), held["advice"])

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
    assert pack_sentences(error="", notes=["a"]) == ""
    assert message_from_json("plain", None) == "plain"
    assert sentences(["a"], None) == ("a",)


@each(
    "held",
    ["{", "[]", '{"error": 7}', '{"error": ["other", {}]}', '{"error": {"text": "plain"}}'],
)
def test_what_is_damaged_leaves_the_english_text(held: str) -> None:
    """A workspace may have been written by anybody."""
    assert message_from_json("plain", unpack_sentences(held).get("error")) == "plain"


def test_messages_that_are_nested_too_deeply_end_in_their_texts() -> None:
    """Neither writing nor reading them is deeper than the stack."""
    deep = message("end")
    for _ in range(300):
        deep = message("({inner})", inner=deep)

    read = message_from_json(str(deep), unpack_sentences(pack_sentences(error=deep))["error"])

    assert read == deep


@each(
    "held",
    [
        ["{file} exists already", {}],
        ["plain", {}, "{count} records", 2],
        ["no place", ["plain"]],
        ["{x}{x}", {"x": "plain"}],
        ["plain", {"x": {"text": "plain"}}],
        ["plain"],
    ],
)
def test_a_template_without_its_values_leaves_the_english_text(held: list[object]) -> None:
    """As an imported project may have it: a page that translates it would find no value."""
    read = message_from_json("plain", held)

    assert read == "plain"
    assert not isinstance(read, Message)


def test_what_is_nested_grows_no_further() -> None:
    """A text is as long as what is kept of it, whatever its places say."""
    held: object = "x" * 100
    for _ in range(40):
        held = ["{a}{a}", {"a": held}]

    assert message_from_json("plain", held) == "plain"
