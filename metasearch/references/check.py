"""Check references against databases: look each up, and judge it by what they say.

A reference that no database knows is "not-found" only if each database answered; if one that would
know failed, or was not asked, it is "unchecked". Neither says that it was invented.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from metasearch.engine.lookup import (
    LookupOptions,
    SourceOutcome,
    WantedWork,
    WorkState,
    hit_of,
    shares_doi,
)
from metasearch.message import join_texts, message, message_n
from metasearch.references.compare import Difference, Judgement, judge
from metasearch.references.reference import Reference

if TYPE_CHECKING:
    from metasearch.adapters.spec import AdapterSpec
    from metasearch.engine.engine import Engine
    from metasearch.record import Hit

Verdict = Literal["confirmed", "differs", "another-version", "retracted", "not-found", "unchecked"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedReference:
    """What databases say about a reference.

    Attributes:
        serious: Whether a reader would be led astray; never of what was not found or checked.
        differences: Field by field; none of what is confirmed.
        hit: The work, merged from all records of it; None where none is known.
        asked: How each database answered that was asked.
        reason: Why it could not be checked, or what was not found; "" otherwise.
    """

    reference: Reference
    verdict: Verdict
    serious: bool = False
    differences: tuple[Difference, ...] = ()
    hit: Hit | None = None
    asked: tuple[SourceOutcome, ...] = ()
    reason: str = ""


class ReferenceCheck:
    """A list of references that is checked while it is iterated: yields each as soon as all is
    known of it, in no order.

    Args:
        references: Keys are unique.
        options: Which sources are asked, and how.
        journal: As in `Engine.lookup`.

    Raises:
        UsageError: There are too many references, or no source can be asked.
    """

    def __init__(
        self,
        engine: Engine,
        references: Sequence[Reference],
        options: LookupOptions | None = None,
        *,
        journal: Path | None = None,
    ) -> None:
        self._engine = engine
        self.references = references
        self._by_key = {each.key: each for each in references}
        #: By key, of those that are not told yet.
        self._judgements: dict[str, Judgement] = {}
        self._lookup = engine.lookup(
            (WantedWork(each.key, each.record) for each in references),
            options,
            is_settled=self._is_settled,
            journal=journal,
        )
        #: Sources that tell retractions and other notices, of many DOIs in one request.
        self._of_notices = {
            name for name in self._lookup.sources if _tells_notices(engine.registry.spec(name))
        }

    @property
    def sources(self) -> Sequence[str]:
        """Names of the sources that may be asked."""
        return self._lookup.sources

    @property
    def requests(self) -> int:
        """Requests that were made."""
        return self._lookup.requests

    async def __aiter__(self) -> AsyncIterator[CheckedReference]:
        async for state in self._lookup:
            yield self._checked(state)

    def _is_settled(self, state: WorkState) -> bool:
        """Whether all is confirmed, and a source that would know a notice was asked for it."""
        # Nothing is asked between the last of these and the end of a work.
        found = self._judgements[state.work.key] = self._judge(state)
        if not found.certain or state.work.record.doi is None:
            return found.certain
        told = any(record.source in self._of_notices for record in found.records)
        return told or self._of_notices <= state.asked.keys()

    def _judge(self, state: WorkState) -> Judgement:
        reference = self._by_key[state.work.key]
        # In one order, however fast each database was: it decides which of equal ones is named.
        records = sorted(state.records, key=lambda record: record.key)
        return judge(reference, records, doi_known=_doi_known(state))

    def _checked(self, state: WorkState) -> CheckedReference:
        found = self._judgements.pop(state.work.key, None) or self._judge(state)
        asked = tuple(state.asked.values())
        reference = self._by_key[state.work.key]
        if found.verdict:
            return CheckedReference(
                reference=reference,
                verdict=found.verdict,
                serious=found.serious,
                differences=found.differences,
                hit=hit_of(found.records, self._engine.strategy),
                asked=asked,
            )
        failed = [outcome.source for outcome in asked if outcome.status == "failed"]
        if not asked:
            reason = reference.problem or message("it has neither an identifier nor a title")
        elif failed:
            reason = message("no answer of {sources}", sources=join_texts(", ", failed))
        else:
            reason = message_n(
                "not found in {count} database", "not found in {count} databases", len(asked)
            )
        return CheckedReference(
            reference=reference,
            verdict="unchecked" if failed or not asked else "not-found",
            asked=asked,
            reason=reason,
        )


def _tells_notices(spec: AdapterSpec) -> bool:
    rules = spec.shapes[0].shape().rules if spec.lookup.get("doi", 0) > 1 else ()
    return any(rule.field == "notices" for rule in rules)


def _doi_known(state: WorkState) -> bool | None:
    """Whether a database knows the DOI: False where all that were asked for it answered without;
    None where one of them failed, or none was asked.
    """
    wanted = state.work.record
    if wanted.doi is None:
        return None
    if any(shares_doi(wanted, record) for record in state.records):
        return True
    asked = [outcome for outcome in state.asked.values() if "doi" in outcome.fields]
    if not asked or any(outcome.status == "failed" for outcome in asked):
        return None
    return False
