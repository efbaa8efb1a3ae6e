"""The sources of the page in groups: each source once, in the group where a reader looks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metasearch.server.pages.terms import N_
from metasearch.server.sources import SourceView

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry

#: Group -> its heading, in the order of the page; a source stands in the first of its groups.
#: Groups of the configuration that are not here come second, under their own names.
HEADINGS: Mapping[str, str] = {
    "default": N_("Asked by default"),
    "general": N_("All subjects"),
    "chinese": N_("Chinese databases"),
    "japanese": N_("Japanese databases"),
    "korean": N_("Korean databases"),
    "medicine": N_("Medicine"),
    "registries": N_("Registers of trials"),
    "life-sciences": N_("Life sciences"),
    "physics": N_("Physics"),
    "mathematics": N_("Mathematics"),
    "engineering": N_("Engineering"),
    "computing": N_("Computing"),
    "economics": N_("Economics"),
    "education": N_("Education"),
    "social-sciences": N_("Social sciences"),
    "humanities": N_("Humanities"),
    "patents": N_("Patents"),
    "data": N_("Research data"),
    "preprints": N_("Preprints"),
    "books": N_("Books and library catalogues"),
    "theses": N_("Theses"),
    "open-access": N_("Open access"),
}
#: The group of the page for sources that are in no group; no group of a configuration has this
#: name, which is no name of one.
OTHERS = "-"
_OTHERS_HEADING = N_("Other databases")


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """A group of the page. `name`: as searches name it; `OTHERS` for the rest. `heading`: to be
    translated.
    """

    name: str
    heading: str
    sources: Sequence[SourceView]


def grouped(registry: Registry, sources: Iterable[SourceView]) -> list[SourceGroup]:
    """The groups that have sources, each source in one. `sources`: in the order that they keep
    within a group.
    """
    known = [*HEADINGS]
    own = sorted({*registry.groups} - {*known, "all"})
    order = [known[0], *own, *known[1:]]
    place = {name: at for at, name in enumerate(order)}
    members: dict[str, list[SourceView]] = {}
    for source in sources:
        groups = [name for name in registry.groups_of(source.name) if name in place]
        if not source.default:
            groups = [name for name in groups if name != "default"]
        members.setdefault(min(groups, key=place.__getitem__, default=OTHERS), []).append(source)
    return [
        SourceGroup(name, HEADINGS.get(name, _OTHERS_HEADING if name == OTHERS else name), found)
        for name in (*order, OTHERS)
        if (found := members.get(name))
    ]
