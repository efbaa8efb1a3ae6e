"""Our own query syntax: read by `parser.py`, written by `printer.py`."""

from __future__ import annotations

from metasearch.query.simple.parser import parse

__all__ = ["parse"]
