"""What a reader has chosen on `/sources`: the ticked sources and what is shown of the list, all in
the address.

A button ends the form: it searches, ticks all or none of a group, or shows a part of the list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from multidict import MultiMapping

from metasearch.formats.text import line
from metasearch.server.pages.terms import N_
from metasearch.server.sources import SourceView

#: Parameters of the page; `sources` is that of a search.
QUERY, SOURCES, FIND, SHOW, CHOSEN, ALL, NONE, DO = (
    "q", "sources", "find", "show", "chosen", "all", "none", "do",
)  # fmt: skip
#: The value of `do` that searches.
SEARCH = "search"
#: Part of the list -> what it is called; "" is the whole.
PARTS: Mapping[str, str] = {
    "": N_("All"),
    "ready": N_("Ready"),
    "key": N_("In need of a key"),
    "failing": N_("Paused or failing"),
    "off": N_("Not asked by programs"),
}
_OF_STATUS = {
    "ok": "ready",
    "half-open": "ready",
    "paused": "failing",
    "open": "failing",
    "misconfigured": "failing",
    "key missing": "key",
    "disabled": "off",
}
#: Characters that are searched for in the list, and names that the page repeats although there is
#: no such source.
_LONGEST, _MOST_UNKNOWN = 100, 5


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """What the address of the page says.

    Attributes:
        query: For the search that follows.
        unknown: Names in the address that are no sources, the first ones.
        find: Shows the sources that have it in their name or description; "" shows all.
        show: One of `PARTS`.
        group: The group that a button has just ticked or cleared; "" for none.
        search: Whether the search shall begin.
    """

    query: str
    ticked: frozenset[str]
    unknown: Sequence[str]
    find: str
    show: str
    group: str
    search: bool

    def shows(self, source: SourceView) -> bool:
        """Whether the source is in the part of the list that is shown."""
        if self.show and _OF_STATUS.get(standing(source)) != self.show:
            return False
        spec = source.spec
        texts = (source.name, source.label, spec.coverage if spec else "")
        return self.find.casefold() in "\n".join(texts).casefold()

    def changed(self, group: str, members: Iterable[SourceView], *, ticked: bool) -> SourceChoice:
        """With all or none of the shown members of a group, of those that can be ticked at once."""
        names = {
            each.name for each in members if self.shows(each) and (not ticked or askable(each))
        }
        return replace(
            self, group=group, ticked=self.ticked | names if ticked else self.ticked - names
        )


def standing(source: SourceView) -> str:
    """The status of a source; one that is off is "disabled" also where its key is missing."""
    is_off = source.spec is not None and not source.spec.enabled
    return "disabled" if is_off else source.status


def askable(source: SourceView) -> bool:
    """Whether a search may ask the source, now or after a pause, without having named it alone."""
    return standing(source) in ("ok", "half-open", "paused", "open")


def tickable(source: SourceView) -> bool:
    """Whether a search that names the source can ask it: one that is off can be named."""
    keyless = any(key.required and not key.set for key in source.keys)
    return source.spec is not None and not keyless and not source.spec.barred


def read_choice(
    given: MultiMapping[str],
    known: Collection[str],
    usual: Sequence[str],
    expand: Callable[[Sequence[str]], Sequence[str]],
    most: int,
) -> SourceChoice:
    """The choice in an address. `usual`: names that are ticked where the address has none."""
    texts = (name.strip() for value in given.getall(SOURCES, []) for name in value.split(","))
    named = [*dict.fromkeys(filter(None, texts))][:most]
    if not named and CHOSEN not in given:
        named = [*usual]
    sources = expand(named)
    show = given.get(SHOW, "")
    return SourceChoice(
        query=given.get(QUERY, "").strip(),
        ticked=frozenset(sources) & frozenset(known),
        unknown=[line(name)[:60] for name in sources if name not in known][:_MOST_UNKNOWN],
        find=line(given.get(FIND, ""))[:_LONGEST],
        show=show if show in PARTS else "",
        group="",
        search=given.get(DO) == SEARCH,
    )
