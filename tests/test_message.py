"""Sentences that can be shown in another language."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import pickle
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import orjson
import pytest

import metasearch
from metasearch import errors
from metasearch.dedup import evidence
from metasearch.engine import rank
from metasearch.errors import CannotAsk, QuerySyntaxError, SourceError
from metasearch.message import Message, join_texts, message, message_n, translate
from metasearch.query import parse
from tests import cases

PACKAGE = Path(metasearch.__file__).parent
PLACE = re.compile(r"\{([a-z_][a-z_0-9]*)\}")


class Catalogue:
    """Translations as gettext looks them up: what it lacks is returned as it is."""

    def __init__(self, **of_plurals: str) -> None:
        self.texts = {
            "no {what} for {source}": "{source}没有{what}",
            "an answer": "答复",
        }
        self.texts |= of_plurals

    def gettext(self, text: str) -> str:
        return self.texts.get(text, text or "the head of the catalogue")

    def ngettext(self, one: str, many: str, number: int) -> str:
        return self.texts.get(one, one if number == 1 else many)


def shown(text: str, **texts: str) -> str:
    catalogue = Catalogue()
    catalogue.texts |= texts
    return translate(text, catalogue.gettext, catalogue.ngettext)


def shown_as(template: str, text: str) -> str:
    """The text where its own template is translated as `template`."""
    assert isinstance(text, Message)
    return translate(text, lambda _: template, lambda *_: template)


def test_a_message_is_its_english_text() -> None:
    """It is equal, hashes, prints, joins and is written as JSON as the text is."""
    sentence = message("no {what} for {source}", what="answer", source="alpha")

    assert sentence == "no answer for alpha"
    assert {sentence: 1}["no answer for alpha"] == 1
    assert f"{sentence}." == "no answer for alpha."
    assert orjson.dumps([sentence]) == b'["no answer for alpha"]'
    assert json.dumps([sentence]) == '["no answer for alpha"]'
    assert type(str(sentence)) is str
    assert sentence.count("o") == 2, "methods of str stay"


def test_a_message_is_translated_with_its_values() -> None:
    """Values stand where the translation wants them, in any order."""
    sentence = message("no {what} for {source}", what="answer", source="alpha")

    assert shown(sentence) == "alpha没有answer"
    assert shown(message("unknown to the catalogue {x}", x=1)) == "unknown to the catalogue 1"


def test_a_message_inside_a_message_is_translated() -> None:
    """A reason inside a sentence is in the language of the sentence."""
    sentence = message("no {what} for {source}", what=message("an answer"), source="alpha")

    assert sentence == "no an answer for alpha"
    assert shown(sentence) == "alpha没有答复"


def test_the_parts_of_a_joined_text_are_translated() -> None:
    """A part that is no message stays as it is."""
    text = join_texts("; ", [message("an answer"), "{what}", message("an answer")])

    assert text == "an answer; {what}; an answer"
    assert shown(text) == "答复; {what}; 答复"
    assert shown(text, **{"{first}; {second}": "{first}；{second}"}) == "答复；{what}；答复"
    assert shown(text, **{"{first}; {second}": "{second} {first}"}) == "答复; {what}; 答复"
    assert shown(copy.deepcopy(text)) == shown(text)
    assert shown(join_texts("; ", [])) == "", "the head of the catalogue is no translation"


@cases.each(
    ("number", "english"), [(0, "0 works"), (1, "1 work"), (2, "2 works"), (1000, "1000 works")]
)
def test_a_sentence_with_a_number_has_two_forms(number: int, english: str) -> None:
    """The other language has as many forms as it needs."""
    sentence = message_n("{count} work", "{count} works", number)

    assert sentence == english
    assert shown(sentence) == english, "the catalogue has it under another name"
    assert shown(sentence, **{"{count} work": "{count} 篇"}) == f"{number} 篇"


def test_the_number_may_be_written_in_another_form() -> None:
    """The form is chosen by the number, and shown as it is written."""
    assert message_n("{count} work", "{count} works", 1000, count="1,000") == "1,000 works"


def test_a_translation_may_show_the_number_that_english_says_in_a_word() -> None:
    """English has "a" for one, Chinese has one form for all."""
    sentence = message_n("a work", "{count} works", 1)

    assert sentence == "a work"
    assert shown_as("{count} 篇", sentence) == "1 篇"


@cases.each(
    "template",
    [
        "没有 {what}",
        "{source} {what} {other}",
        "{source.__class__} {what}",
        "{source[0]} {what}",
        "{source!r} {what}",
        "{source:>1000000000} {what}",
        "{0} {what} {}",
        "%(source)s %s",
    ],
    ids=str,
)
def test_a_faulty_translation_is_not_used(template: str) -> None:
    """A place too few, too many, or with an expression in it: the English text is shown."""
    sentence = message("no {what} for {source}", what="answer", source="alpha")

    assert shown_as(template, sentence) == "no answer for alpha"


@cases.each(
    "value",
    ["{source}", "{what}", "{", "}}", "{0}", "{what.__class__}", "%s", "\\1", "\\g<0>", "\udcff"],
    ids=ascii,
)
def test_a_value_is_text_whatever_is_in_it(value: str) -> None:
    """No sign of a value is read as a place."""
    sentence = message("no {what} for {source}", what=value, source="alpha")

    assert sentence == f"no {value} for alpha"
    assert shown(sentence) == f"alpha没有{value}"


def test_a_message_survives_copying_and_another_process() -> None:
    """Its values arrive with it, messages among them."""
    sentence = message("no {what} for {source}", what=message("an answer"), source="alpha")
    counted = message_n("{count} work", "{count} works", 3)

    for again in (pickle.loads(pickle.dumps(sentence)), copy.copy(sentence)):
        assert type(again) is Message
        assert again == sentence
        assert shown(again) == "alpha没有答复"
    assert shown_as("{count} 篇", copy.deepcopy(counted)) == "3 篇"


def test_a_message_without_a_value_is_an_error_of_the_program() -> None:
    """It is not shown with a hole in it."""
    with pytest.raises(KeyError):
        message("no {what}", wat="answer")


def test_any_other_text_is_shown_as_it_is() -> None:
    """What a database says is in its own language."""
    assert shown("no {what} for {source}") == "no {what} for {source}"


# --------------------------------------------------------------------------- errors


def test_the_text_of_an_error_is_the_message() -> None:
    """str() of an error can be translated, after a journey to another process, too."""
    error = CannotAsk("alpha", "title:x")

    for each in (error, pickle.loads(pickle.dumps(error))):
        assert str(each) == "cannot ask for title:x: this source cannot search it"
        text = translate(
            str(each),
            {
                "cannot ask for {clause}: {why}": "不能检索 {clause}：{why}",
                "this source cannot search it": "该数据库不支持",
            }.__getitem__,
            lambda *_: "",
        )
        assert text == "不能检索 title:x：该数据库不支持"


def test_the_reason_and_the_advice_of_a_query_error_are_messages() -> None:
    """Both can be translated, and so can what stands inside them."""
    with pytest.raises(QuerySyntaxError) as caught:
        parse('title:"gene')
    error = caught.value

    assert isinstance(error.reason, Message)
    assert isinstance(error.advice, Message)
    assert error.advice.values["suggestion"] == error.suggestion


# --------------------------------------------------------------------------- the sources


@cache
def calls() -> list[tuple[str, str, ast.Call]]:
    """Every call of the package that may make a sentence, with its place and the last part of its
    name."""
    return list(_calls())


def _calls() -> Iterator[tuple[str, str, ast.Call]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", name, node


def literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


#: What makes or shows a sentence -> which of its arguments are templates.
TEMPLATES = {
    "message": (0,),
    "message_n": (0, 1),
    "message_in": (1,),
    "phrase": (0,),
    "_phrase": (0,),
}


@pytest.mark.slow
def test_each_place_of_a_message_has_its_value() -> None:
    """No sentence fails when it is made, and no value is left over."""
    wrong = []
    for where, name, call in calls():
        positions = TEMPLATES.get(name, ())
        templates = [literal(call.args[at]) for at in positions]
        of_another = name.startswith("message") and not isinstance(call.func, ast.Name)
        if not positions or of_another or None in templates:
            continue
        places = {place for text in templates for place in PLACE.findall(text or "")}
        values = {keyword.arg for keyword in call.keywords}
        if name == "message_n":  # the number is there without being named
            places, values = places | {"count"}, values | {"count"}
        if places != values or any("{" in PLACE.sub("", text or "") for text in templates):
            wrong.append((where, templates))

    assert wrong == []


@pytest.mark.slow
def test_each_place_of_a_template_in_a_table_has_its_value() -> None:
    """The same of those that stand in a table."""
    table = {name: text for name, text in (vars(evidence) | vars(rank)).items() if name.isupper()}
    filled, wrong = set(), []
    for where, name, call in calls():
        template = call.args[0] if name == "message" and call.args else None
        used = getattr(template, "attr", getattr(template, "id", ""))
        if used not in table:
            continue
        filled.add(used)
        if set(PLACE.findall(table[used])) != {keyword.arg for keyword in call.keywords}:
            wrong.append((where, used))

    assert len(filled) > 30
    assert wrong == []


@pytest.mark.slow
def test_the_templates_of_messages_can_be_collected() -> None:
    """Each is a literal where it is called, or stands in a table that marks it."""
    computed = [
        where
        for where, name, call in calls()
        if name in ("message", "message_n", "N_")
        and isinstance(call.func, ast.Name)
        and isinstance(call.args[0], ast.JoinedStr | ast.BinOp | ast.IfExp)
    ]

    assert computed == []


#: Rooms whose errors and notes a page shows.
SHOWN = ("adapters/", "engine/", "query/", "errors.py")
#: What makes an error or note for people -> the arguments that are sentences.
SENTENCES = {
    "needless": (0,),
    "misread": (3,),
    "unlisted": (3,),
    "tell": (0,),
    "BadYears": (0,),
    "note": (0,),
    "QuerySyntaxError": (0,),
    "CannotAsk": (2,),
} | {
    name: (1,)
    for name, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, SourceError) and "text" in inspect.signature(kind).parameters
}


@pytest.mark.slow
def test_what_goes_wrong_with_a_query_or_a_source_can_be_translated() -> None:
    """Where such an error or note is made, its sentence and its advice are messages."""
    assert {"TimedOut", "SourceSaysError", "NotAllowed"} <= SENTENCES.keys()
    plain = []
    for where, name, call in calls():
        if name not in SENTENCES or not where.startswith(SHOWN):
            continue
        arguments = [call.args[at] for at in SENTENCES[name] if at < len(call.args)]
        arguments += [each.value for each in call.keywords if each.arg in ("advice", "why")]
        for argument in arguments:
            parts = (
                [argument.body, argument.orelse] if isinstance(argument, ast.IfExp) else [argument]
            )
            if any(isinstance(part, ast.JoinedStr) or literal(part) for part in parts):
                plain.append(where)

    assert plain == []
