"""Compiled templates, kept where Python keeps compiled modules: to compile all of them takes a
second of each process that serves pages.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.util import cache_from_source
from marshal import dumps, loads
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

_DIGEST = sha256().digest_size


class CompiledTemplates(BytecodeCache):
    """What templates were compiled to, once for all languages, and for the next process.

    `file`: where it is kept; None for nowhere. `made_by`: all that it depends on besides the
    templates and the version of Python: what was kept with another value is compiled anew.
    """

    def __init__(self, file: Path | None, made_by: bytes) -> None:
        self._file = file
        self._made_by = made_by
        self._code = self._kept()
        self._is_kept = True

    def load_bytecode(self, bucket: Bucket) -> None:
        """Part of the interface of jinja2, which compares the source of the template."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Part of the interface of jinja2."""
        self._code[bucket.key] = bucket.bytecode_to_string()
        self._is_kept = False

    def keep(self) -> None:
        """Write what was compiled; as with modules, not where Python is told to write nothing, and
        where it cannot be written, the next process compiles again.
        """
        if self._file is None or self._is_kept or sys.dont_write_bytecode:
            return
        payload = dumps(self._code)
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with suppress(OSError):
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                draft.write_bytes(self._digest(payload) + payload)
                draft.replace(self._file)
            finally:
                draft.unlink(missing_ok=True)
        self._is_kept = True

    def _kept(self) -> dict[str, bytes]:
        if self._file is None:
            return {}
        try:
            whole = self._file.read_bytes()
        except OSError:
            return {}
        digest, payload = whole[:_DIGEST], whole[_DIGEST:]
        if digest != self._digest(payload):
            return {}
        # Who can write this file can write compiled modules, too.
        kept: dict[str, bytes] = loads(payload)  # noqa: S302
        return kept

    def _digest(self, payload: bytes) -> bytes:
        return sha256(sha256(self._made_by).digest() + payload).digest()


def compiled_beside(module: str, made_by: str) -> CompiledTemplates:
    """What the templates of a module are compiled to, beside the bytecode of that module."""
    try:
        file = Path(cache_from_source(module)).with_suffix(".templates")
        source = Path(module).read_bytes()
    except (NotImplementedError, OSError):  # no bytecode, no source
        return CompiledTemplates(None, b"")
    return CompiledTemplates(file, made_by.encode() + source)
