"""Sentences for people that can be shown in another language than English.

A `Message` is the English sentence, a str like any other, and remembers what it was made of: its
template and the values in it. Whoever shows it to a person may translate the template and fill it
again (`translated`). The code that writes a sentence knows no language, and what only compares,
stores or prints a sentence sees no difference.

`pybabel extract -k message:1 -k message_n:1,2 -k message_in:1c,2` finds the templates, so that they
are literals where these are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Self

_PLACE = re.compile(r"\{([a-z_][a-z_0-9]*)\}")


class Message(str):
    """An English sentence that remembers its template.

    Attributes:
        template: The sentence with a place such as `{name}` for each value.
        values: Name of a place -> what stands there; a value may be a `Message` itself.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]

    def __new__(cls, text: str, template: str, values: Mapping[str, object]) -> Self:
        self = str.__new__(cls, text)  # at half the time of `super()`: each pair of records has one
        self.template = template
        self.values = values
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.template, dict(self.values))


class PluralMessage(Message):
    """A sentence with a number.

    Attributes:
        plural: The template for any number but one.
        number: What is counted; it decides between `template` and `plural`.
    """

    __slots__ = ("number", "plural")

    plural: str
    number: int

    def __new__(
        cls, text: str, template: str, values: Mapping[str, object], plural: str, number: int
    ) -> Self:
        self = super().__new__(cls, text, template, values)
        self.plural = plural
        self.number = number
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        kind, given = super().__reduce__()
        return kind, (*given, self.plural, self.number)


class ContextMessage(Message):
    """A sentence that other languages say otherwise where it stands in another `context`."""

    __slots__ = ("context",)

    context: str

    def __new__(cls, text: str, template: str, values: Mapping[str, object], context: str) -> Self:
        self = super().__new__(cls, text, template, values)
        self.context = context
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        kind, given = super().__reduce__()
        return kind, (*given, self.context)


def message(template: str, /, **values: object) -> Message:
    """Returns the sentence with its values in their places.

    Args:
        template: English, with places such as `{name}`; other braces are text.
        values: What stands in the places, already in the form that people read.

    Raises:
        KeyError: A place has no value.
    """
    return Message(_fill(template, values), template, values)


def message_n(template: str, plural: str, count: int, /, **values: object) -> Message:
    """Returns the sentence for this number.

    Args:
        template: For one.
        plural: For any other number.
        count: The number. It also stands in the place `{count}`, unless `values` has another form
            of it, as "1,000".
        values: As in `message`.
    """
    values.setdefault("count", count)
    chosen = template if count == 1 else plural
    return PluralMessage(_fill(chosen, values), template, values, plural, count)


def message_in(context: str, template: str, /, **values: object) -> Message:
    """Returns the sentence, which catalogues have under this context; else as `message`."""
    return ContextMessage(_fill(template, values), template, values, context)


def N_(template: str) -> str:  # noqa: N802 - the usual name of such a mark
    """Marks a text that stands in a table, and is filled or translated where it is shown."""
    return template


_NO_VALUES: Mapping[str, object] = {}


class TextList(Message):
    """Several texts, the `parts`, with a separator between them; `template` is a row of
    `SEPARATORS`.
    """

    __slots__ = ("parts",)

    parts: tuple[str, ...]

    def __new__(cls, text: str, template: str, parts: tuple[str, ...]) -> Self:
        self = super().__new__(cls, text, template, _NO_VALUES)
        self.parts = parts
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.template, self.parts)


#: What stands between the texts of a list -> a template by which it is translated.
SEPARATORS: Mapping[str, str] = {
    "; ": N_("{first}; {second}"),
    ", ": N_("{first}, {second}"),
    " or ": N_("{first} or {second}"),
}
#: The same, by the template.
_OF_TEMPLATE = {template: separator for separator, template in SEPARATORS.items()}


def join_texts(separator: str, parts: Iterable[str]) -> Message:
    """Returns `separator.join(parts)`, in which the separator and all parts that are messages can
    be translated.

    Args:
        separator: A key of `SEPARATORS`.
        parts: Texts.
    """
    listed = tuple(parts)
    return TextList(separator.join(listed), SEPARATORS[separator], listed)


def map_values(text: str, change: Callable[[str], str]) -> str:
    """Returns `change(text)`; of a message a message, in whose values the same is changed."""
    new = change(text)
    if not isinstance(text, Message):
        return new
    if isinstance(text, TextList):
        return TextList(new, text.template, tuple(map_values(part, change) for part in text.parts))
    values = {
        name: map_values(value, change) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    kind, (_, template, _, *more) = text.__reduce__()
    made: Message = kind(new, template, values, *more)
    return made


def translate(
    text: str, gettext: Callable[[str], str], ngettext: Callable[[str, str, int], str]
) -> str:
    """Returns a sentence in another language.

    A translation that has another place than the sentence, or lacks one, is not used: the English
    text is returned. Of a sentence with a count, a translation may have `{count}` where the
    English for one says it in a word.

    Args:
        text: A `Message`; any other text is returned as it is.
        gettext: Template -> its translation, or the same where there is none.
        ngettext: The same for a template, its plural and the number.
    """
    if not isinstance(text, Message) or not text:
        return text  # gettext("") is the head of the catalogue
    english = text.template
    if isinstance(text, TextList):
        separator = _separator(gettext(english), english)
        return separator.join(translate(part, gettext, ngettext) for part in text.parts)
    values = {
        name: translate(value, gettext, ngettext) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    if isinstance(text, PluralMessage):
        english = text.template if text.number == 1 else text.plural
        template = ngettext(text.template, text.plural, text.number)
    elif isinstance(text, ContextMessage):
        template = gettext(f"{text.context}{_BEHIND_CONTEXT}{english}")
    else:
        template = gettext(english)
    if not {*_pieces(english)[1::2]} <= {*_pieces(template)[1::2]} <= text.values.keys():
        template = english
    if _BEHIND_CONTEXT in template:  # there is no translation
        template = english
    return _fill(template, values)


#: Between a context and its text, in a catalogue.
_BEHIND_CONTEXT = "\N{END OF TRANSMISSION}"


def _separator(template: str, english: str) -> str:
    """What stands between the two places of a template of `SEPARATORS`, of the English one if it
    has others.
    """
    match _pieces(template):
        case ["", "first", separator, "second", ""]:
            return separator
    return _pieces(english)[2]


def _pieces(template: str) -> list[str]:
    """What a template is made of: text and the name of a place by turns."""
    return _PLACE.split(template)


def _fill(template: str, values: Mapping[str, object]) -> str:
    """The template with its values; braces inside a value are text."""
    return _filler(template)(values) if values else template


@lru_cache(maxsize=2_000)
def _filler(template: str) -> Callable[[Mapping[str, object]], str]:
    """Fills a template. `str.format_map` takes a third of the time of a substitution, and finds in
    it nothing but the places.
    """
    pieces = [piece.replace("{", "{{").replace("}", "}}") for piece in _pieces(template)]
    pieces[1::2] = [f"{{{name}}}" for name in pieces[1::2]]
    return "".join(pieces).format_map


# Messages that are kept as JSON, beside their English text.

#: Messages within messages; each takes two levels of the JSON, of which an archive reads 30.
_DEEPEST = 10
#: Characters of a template.
_LONGEST = 1_000


def message_to_json(text: str, depth: int = 0) -> Any:
    """A text as a value of JSON, with all by which it can be translated: a message as its template
    and its values, or its parts; any other text as it is. `depth`: of messages around it.
    """
    if not isinstance(text, Message) or depth == _DEEPEST:
        return str(text)
    if isinstance(text, TextList):
        return [text.template, [message_to_json(part, depth + 1) for part in text.parts]]
    values = {
        name: message_to_json(value, depth + 1) if isinstance(value, str) else str(value)
        for name, value in text.values.items()
    }
    counted = (text.plural, text.number) if isinstance(text, PluralMessage) else ()
    return [text.template, values, *counted]


def message_from_json(plain: str, held: Any) -> str:
    """The text `plain` as the message that was packed; as it is where something else is held."""
    try:
        made = _from_json(held)
    except (ValueError, RecursionError):
        return plain
    return made if made == plain else plain


def _from_json(held: Any) -> str:
    """What was packed. It is no longer than what is held, whoever has written that."""
    if isinstance(held, str):
        return held
    match held:
        case [str(template), list(parts)] if template in _OF_TEMPLATE:
            return join_texts(_OF_TEMPLATE[template], map(_from_json, parts))
        case [str(template), dict(values)] if _places(template) <= values.keys():
            return message(template, **{name: _from_json(each) for name, each in values.items()})
        case [str(template), dict(values), str(plural), int(number)] if (
            _places(template) | _places(plural) <= values.keys()
        ):
            made = {name: _from_json(each) for name, each in values.items()}
            return message_n(template, plural, number, **made)
    raise ValueError("no text that was packed")


@lru_cache(maxsize=1_000)
def _places(template: str) -> frozenset[str]:
    """Names of the places. Raises ValueError: one stands twice: what stands there, in messages
    within messages, would grow without end; or the template is longer than any that we have.
    """
    names = _pieces(template)[1::2]
    if len(template) > _LONGEST or len(names) != len({*names}):
        raise ValueError("no template of ours")
    return frozenset(names)
