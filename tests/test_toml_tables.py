"""Tables of TOML are read into dataclasses by what their fields declare."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from metasearch.toml_tables import NO_KEY, TableReader, key, keys_of, one_of, within
from tests import cases


@dataclass(frozen=True)
class Lamp:
    watts: int = key(40, within(1, 100, " watts"))
    colour: Literal["warm", "cold"] = key("warm", name="color")
    dimmed: float | None = None


@dataclass(frozen=True)
class Room:
    name: str = key("", variable="ROOM")
    lamp: Lamp = key(Lamp())
    doors: tuple[str, ...] = ()
    plan: Path | None = None
    heard: bool = field(default=False, metadata=NO_KEY)


def read(table: dict[str, Any], **env: str) -> tuple[Room, list[str]]:
    reader = TableReader()
    reader.env = env
    return reader.read(Room, table, "room"), reader.problems


def test_a_field_is_a_key() -> None:
    """Under its own name or another; kinds, choices and tables follow from its type."""
    keys, lamp = keys_of(Room), keys_of(Lamp)

    assert list(keys) == ["name", "lamp", "doors", "plan"]
    assert [each.kind for each in keys.values()] == [str, dict, list, str]
    assert (lamp["color"].field, lamp["color"].choices) == ("colour", ("warm", "cold"))
    assert lamp["dimmed"].kind == (int, float)


def test_a_table_is_read_with_the_tables_in_it() -> None:
    """What it does not have is as declared; a variable comes before it."""
    assert read({}) == (Room(), [])
    room, problems = read({"name": "hall", "lamp": {"color": "cold"}, "doors": ["a"]}, ROOM="attic")

    assert problems == []
    assert room == Room("attic", Lamp(colour="cold"), ("a",))


def test_all_that_is_wrong_is_told_with_its_place() -> None:
    """Keys that are not known, values of another kind, and those that a check refuses."""
    _, problems = read(
        {
            "heard": True,
            "name": 7,
            "doors": ["a", 1],
            "lamp": {"watts": 101, "color": "green", "dimmed": "half", "x" * 200: 0},
        }
    )

    assert problems == [
        "room.heard: unknown key; allowed are doors, lamp, name, plan",
        "room.name: must be a string, is a whole number",
        f"room.lamp.{'x' * 80}: unknown key; allowed are color, dimmed, watts",
        "room.lamp.watts: must be 1 to 100 watts",
        "room.lamp.color: 'green' is not allowed; write one of warm, cold",
        "room.lamp.dimmed: must be a number, is a string",
        "room.doors: must be a list of strings",
    ]


@cases.each(
    ("repeat", "told"),
    [(True, "'hush' is not allowed; write one of a, b"), (False, "must be one of a, b")],
)
def test_a_message_repeats_no_value_beside_secrets(repeat: bool, told: str) -> None:
    """It is shown to others."""
    reader = TableReader()
    one_of(("a", "b"), "!", repeat=repeat)(reader, "hush", "here")

    assert reader.problems == [f"here: {told}!"]
