"""CNKI's expert syntax: words of one field are joined by * + - behind its name, and fields by AND,
OR, NOT.

`SU%=('沉水植物'+'贝类')*'水质'-'综述' AND TI='湖泊'`: what is asked of a field stands together, as
people write it.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import Plan, plan_request
from metasearch.adapters.translate.translate import Translator
from metasearch.query.tree import CODED_FIELDS, IDENTIFIERS, And, Not, Or, Query, Term, conjunction


def plan(
    query: Query, spec: AdapterSpec, wanted: int, env: Mapping[str, str], depth: int | None = None
) -> Plan:
    return plan_request(query, spec, wanted, env, depth, translator=_ByField)


class _ByField(Translator):
    def expression(self, query: Query) -> str:
        if isinstance(query, And):
            query = _gather_fields(query)
        field = _field(query)
        if field is None or isinstance(query, Not):
            return super().expression(query)
        words = self._words(query)
        return self.dialect.fields[field].format(x=words) if words else ""

    def as_operand(self, query: Query) -> str:
        return self.expression(query) if _field(query) is not None else super().as_operand(query)

    def _words(self, query: Query) -> str:
        """What is asked of one field, without its name."""
        match query:
            case Term():
                self.terms.note_lost_characters(query)
                if query.phrase or query.field in IDENTIFIERS:
                    return self.terms.text(query)
                return "*".join(map(self.terms.quote, self.terms.words(query, query.field)))
            case Or(parts):
                return "+".join(filter(None, map(self._as_factor, parts)))
            case And(parts):
                positive = [self._as_factor(part) for part in parts if not isinstance(part, Not)]
                left_out = [self._as_factor(part.part) for part in parts if isinstance(part, Not)]
                return "*".join(filter(None, positive)) + "".join(
                    f"-{words}" for words in left_out if words
                )
        return ""

    def _as_factor(self, query: Query) -> str:
        words = self._words(query)
        return f"({words})" if words and self.several(query) else words


def _field(query: Query) -> str | None:
    """The one field in which all words are looked for; None where there are several, or years."""
    match query:
        case Term(field=field):
            return None if field in CODED_FIELDS else field
        case Not(part):
            return _field(part)
        case And(parts) | Or(parts):
            fields = {_field(part) for part in parts}
            return fields.pop() if len(fields) == 1 else None
    return None


def _gather_fields(query: And) -> Query:
    """The same with the parts of each field together, where at least one of them must occur."""
    if _field(query) is not None:
        return query
    together: dict[str, list[Query]] = {}
    for part in query.parts:
        if (field := _field(part)) is not None:
            together.setdefault(field, []).append(part)
    asked = {
        field: parts
        for field, parts in together.items()
        if not all(isinstance(part, Not) for part in parts)
    }
    first = [parts[0] if len(parts) == 1 else And(tuple(parts)) for parts in asked.values()]
    rest = [part for part in query.parts if _field(part) not in asked]
    return And((*first, *rest)) if len(first) + len(rest) > 1 else conjunction(*first, *rest)
