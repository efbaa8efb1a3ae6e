"""Reads the files of deploy/, each by its own grammar, and refuses what is none of it."""

from __future__ import annotations

import json
import re
import shlex
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
#: Who each program runs as, in every file.
METASEARCH, VALKEY, CADDY = 10001, 10002, 10003


class _Strict(yaml.SafeLoader):
    """YAML in which a key may come only once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value if not key.tag.endswith(":merge")]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise ValueError(f"keys that come twice: {twice} {node.start_mark}")
        return super().construct_mapping(node, deep=deep)


def documents(path: Path) -> list[dict[str, Any]]:
    """The documents of a YAML file."""
    return list(yaml.load_all(path.read_text(encoding="utf-8"), _Strict))


@dataclass(frozen=True)
class Instruction:
    """One instruction of a Containerfile; `words` where it is written as a JSON list."""

    stage: int
    name: str
    text: str
    words: tuple[str, ...] | None


#: Those that we use.
_INSTRUCTIONS = set(
    "ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK RUN STOPSIGNAL USER WORKDIR".split()
)


def containerfile() -> list[Instruction]:
    """The instructions of the Containerfile; those before the first stage have number -1."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    found, stage = [], -1
    for line in filter(None, map(str.strip, joined.splitlines())):
        name, _, rest = line.partition(" ")
        if name not in _INSTRUCTIONS:
            raise ValueError(f"no instruction: {line}")
        stage += name == "FROM"
        listed = re.search(r"\[.*\]$", rest) if not rest.startswith("python -m") else None
        words = tuple(json.loads(listed[0])) if listed else None
        found.append(Instruction(stage, name, rest.strip(), words))
    return found


def final(name: str) -> list[Instruction]:
    """The instructions of that name in the last stage."""
    instructions = containerfile()
    last = max(each.stage for each in instructions)
    return [each for each in instructions if (each.stage, each.name) == (last, name)]


def unit(path: Path) -> dict[str, dict[str, list[str]]]:
    """A systemd unit: section -> key -> its values."""
    found: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), defaultdict(list))
            continue
        key, equals, value = line.partition("=")
        if section is None or not equals or not key.isalpha():
            raise ValueError(f"no setting of a section: {line}")
        section[key].append(value)
    return found


@dataclass(frozen=True)
class Directive:
    """A line of a proxy's configuration, with the lines in its braces."""

    words: tuple[str, ...]
    inside: tuple[Directive, ...] = ()

    def all(self, *words: str) -> list[Directive]:
        """Every directive below this one that begins with these words."""
        below = [found for each in self.inside for found in each.all(*words)]
        return ([self] if self.words[: len(words)] == words else []) + below

    def one(self, *words: str) -> Directive:
        """The only one that begins with these words."""
        (found,) = self.all(*words)
        return found


def nginx(path: Path) -> Directive:
    """The configuration of nginx: words end with ";", blocks stand in braces."""
    text = re.sub(r"(?m)(^|\s)#.*$", "", path.read_text(encoding="utf-8"))
    tokens = re.findall(r'"[^"]*"|[{};]|[^\s{};"]+', text)
    return _blocks(tokens, ";")


def caddy(path: Path) -> Directive:
    """A Caddyfile: a line a directive; a block begins at the end of a line, and ends in a line of
    its own.
    """
    tokens: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = shlex.split(line.split("#")[0])
        if words[-1:] != ["{"] and words not in ([], ["}"]):
            words.append("\n")
        tokens += words
    return _blocks(tokens, "\n")


def _blocks(tokens: list[str], end: str) -> Directive:
    stack: list[tuple[tuple[str, ...], list[Directive]]] = [((), [])]
    words: list[str] = []
    for token in tokens:
        if token == end:
            stack[-1][1].append(Directive(tuple(words)))
            words = []
        elif token == "{":
            stack.append((tuple(words), []))
            words = []
        elif token == "}":
            if words or len(stack) == 1:
                raise ValueError(f"a brace that closes nothing, after {words}")
            name, inside = stack.pop()
            stack[-1][1].append(Directive(name, tuple(inside)))
        else:
            words.append(token.strip('"'))
    if words or len(stack) > 1:
        raise ValueError(f"a block or a directive does not end: {words}")
    return Directive((), tuple(stack[0][1]))


_BYTES = {
    "": 1, "k": 10**3, "K": 10**3, "m": 2**20, "M": 2**20, "g": 2**30, "G": 2**30,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "mb": 2**20, "gb": 2**30, "MB": 10**6,
}  # fmt: skip


def size(text: str) -> int:
    """Bytes, as in "64Mi"."""
    match = re.fullmatch(r"(\d+)([A-Za-z]{0,2})", str(text))
    assert match is not None, text
    return int(match[1]) * _BYTES[match[2]]


def cpu(text: str) -> float:
    """Cores, as in "500m"."""
    return int(text[:-1]) / 1000 if text.endswith("m") else float(text)


def seconds(text: str) -> float:
    """Seconds, as in "15s"."""
    match = re.fullmatch(r"(\d+)s?", str(text))
    assert match is not None, text
    return float(match[1])
