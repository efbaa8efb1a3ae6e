"""Sentences for people that can be shown in another language than English.

A `Message` is the English sentence, a str like any other, and remembers what it was made of: its
template and the values in it. Whoever shows it to a person may translate the template and fill it
again (`translated`). The code that writes a sentence knows no language, and what only compares,
stores or prints a sentence sees no difference.

`pybabel extract -k message:1 -k message_n:1,2` finds the templates, so that they are literals where
`message` and `message_n` are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Self

from metasearch.late_pattern import late_pattern

#: Characters of a text whose template is looked for: a pattern of two places takes quadratic time.
_LONGEST = 1_000
_PLACE = re.compile(r"\{([a-z_][a-z_0-9]*)\}")


class Message(str):
    """An English sentence that remembers its template.

    Attributes:
        template: The sentence with a place such as `{name}` for each value.
        values: Name of a place -> what stands there; a value may be a `Message` itself.
        plural: The template for any number but one; None where the sentence counts nothing.
        number: What is counted; it decides between `template` and `plural`.
    """

    __slots__ = ("number", "plural", "template", "values")

    template: str
    values: Mapping[str, object]
    plural: str | None
    number: int

    def __new__(
        cls,
        text: str,
        template: str,
        values: Mapping[str, object],
        plural: str | None = None,
        number: int = 1,
    ) -> Self:
        self = super().__new__(cls, text)
        self.template = template
        self.values = values
        self.plural = plural
        self.number = number
        return self

    def __reduce__(self) -> tuple[object, ...]:
        parts = (str(self), self.template, dict(self.values), self.plural, self.number)
        return type(self), parts


def message(template: str, /, **values: object) -> Message:
    """Returns the sentence with its values in their places.

    Args:
        template: English, with places such as `{name}`; other braces are text.
        values: What stands in the places, already in the form that people read.

    Raises:
        KeyError: A place has no value.
    """
    return Message(_filled(template, values), template, values)


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
    return Message(_filled(chosen, values), template, values, plural, count)


def message_template(template: str) -> str:
    """Marks a template that stands in a table, and is filled by `message` elsewhere."""
    return template


class Joined(Message):
    """Several texts with a separator between them; `template` is a row of `SEPARATORS`, and
    `values` are the texts in their order.
    """

    __slots__ = ()


#: What stands between the texts of a list -> a template by which it is translated.
SEPARATORS: Mapping[str, str] = {
    "; ": message_template("{first}; {second}"),
    ", ": message_template("{first}, {second}"),
    " or ": message_template("{first} or {second}"),
}


def joined(separator: str, parts: Iterable[str]) -> Message:
    """Returns `separator.join(parts)`, in which the separator and all parts that are messages can
    be translated.

    Args:
        separator: A key of `SEPARATORS`.
        parts: Texts.
    """
    listed = list(parts)
    values = {str(number): part for number, part in enumerate(listed)}
    return Joined(separator.join(listed), SEPARATORS[separator], values)


class Templates:
    """Templates of sentences that are made by the hundred in each search, and therefore as plain
    texts: with `TEMPLATE.format(name=value)`.

    Args:
        templates: Marked by `message_template`. A place stands for at least one character.
    """

    def __init__(self, *templates: str) -> None:
        self._whole = frozenset(text for text in templates if not _PLACE.search(text))
        with_places = sorted(
            set(templates) - self._whole, key=lambda text: (-len(_PLACE.sub("", text)), text)
        )
        self._patterns = [(_pattern(template), template) for template in with_places]

    def message(self, text: str) -> str:
        """Returns the text as a message with its template; the text itself if none fits.

        Of several templates that fit, the one with the most characters beside its places is taken.
        A value that is one of the templates without places, or several of them with commas
        between, is a message, too.
        """
        if text in self._whole:
            return Message(text, text, {})
        return self._matched(text)

    def messages(self, text: str, separator: str = "; ") -> str:
        """Returns a text of several sentences as a message of messages."""
        if separator not in text:
            return self.message(text)
        whole = self._matched(text, separator)
        if isinstance(whole, Message):
            return whole
        return joined(separator, map(self.message, text.split(separator)))

    def _matched(self, text: str, sign: str = "") -> str:
        """The message of the first template that fits and has this sign in it, else the text."""
        if len(text) > _LONGEST:
            return text
        for pattern, template in self._patterns:
            if sign in template and (match := pattern.fullmatch(text)):
                values = {name: self._value(value) for name, value in match.groupdict().items()}
                return Message(text, template, values)
        return text

    def _value(self, value: str) -> str:
        parts = value.split(", ")
        if not self._whole.issuperset(parts):
            return value
        return joined(", ", [Message(part, part, {}) for part in parts])


def _pattern(template: str) -> re.Pattern[str]:
    """What a text of the template looks like; a place that stands twice has one value."""
    pieces = _PLACE.split(template)  # text and name by turns
    seen: set[str] = set()
    out = [re.escape(pieces[0])]
    for name, text in zip(pieces[1::2], pieces[2::2], strict=True):
        out += (f"(?P={name})" if name in seen else f"(?P<{name}>.+?)", re.escape(text))
        seen.add(name)
    return late_pattern("".join(out), re.DOTALL)


def changed(text: str, change: Callable[[str], str]) -> str:
    """Returns `change(text)`; of a message a message, in whose values the same is changed."""
    new = change(text)
    if not isinstance(text, Message):
        return new
    values = {
        name: changed(value, change) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return type(text)(new, text.template, values, text.plural, text.number)


def translated(
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
    values = {
        name: translated(value, gettext, ngettext) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    if isinstance(text, Joined):
        return _separator(gettext(text.template), text.template).join(map(str, values.values()))
    if text.plural is None:
        english, template = text.template, gettext(text.template)
    else:
        english = text.template if text.number == 1 else text.plural
        template = ngettext(text.template, text.plural, text.number)
    places = set(_PLACE.findall(template))
    if not set(_PLACE.findall(english)) <= places <= text.values.keys():
        template = english
    return _filled(template, values)


def _separator(template: str, english: str) -> str:
    """What stands between the two places of a template of `SEPARATORS`, of the English one if it
    has others.
    """
    match _PLACE.split(template):
        case ["", "first", separator, "second", ""]:
            return separator
    return _PLACE.split(english)[2]


def _filled(template: str, values: Mapping[str, object]) -> str:
    """The template with its values; braces inside a value are text."""
    if not values:
        return template
    return _PLACE.sub(lambda place: str(values[place[1]]), template)
