"""Z39.50 is asked in PQF, YAZ's Prefix Query Format, in which operators stand before their two
operands.

https://software.indexdata.com/yaz/doc/tools.html#PQF. Its answers come in SRU's envelope,
diagnostics and all (metasearch/adapters/fetch/z3950.py writes it), and are read as SRU's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from metasearch.adapters.hooks.sru import steps
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import Plan, plan_request
from metasearch.adapters.translate.translate import Translator
from metasearch.query.tree import Query

__all__ = ["PqfTranslator", "plan", "steps"]


class PqfTranslator(Translator):
    """`Translator` for prefix operators, which take the two operands that follow: no brackets."""

    def all_of(self, written: list[str]) -> str:
        return _fold(self.dialect.conjunction, written)

    def one_of(self, written: list[str]) -> str:
        return _fold(self.dialect.disjunction, written)

    def without(self, written: str, inner: str) -> str:
        return f"{self.dialect.negation}{written} {inner}"


def plan(
    query: Query, spec: AdapterSpec, wanted: int, env: Mapping[str, str], depth: int | None = None
) -> Plan:
    """The query in PQF. Raises CannotAsk, KeyMissing: as `plan_request`."""
    return plan_request(query, spec, wanted, env, depth, translator=PqfTranslator)


def _fold(operator: str, written: list[str]) -> str:
    """a, b, c as "@and @and a b c"."""
    return reduce(lambda left, right: f"{operator}{left} {right}", written) if written else ""
