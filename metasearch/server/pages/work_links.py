"""The addresses of record pages, as lists and the pages themselves link to them."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.bib.work_ids import hit_id
from metasearch.server.site import Site, work_path

#: Characters of the address of a record page that names its search; beyond that it names the work
#: alone, so that a page of fifty works does not repeat a long strategy fifty times.
LONGEST_ADDRESS = 1_500


def work_address(site: Site, name: str, search: Mapping[str, str | int], **output: str) -> str:
    """The local address of a record page. `search`: parameters of the search that finds it; left
    out where they are long. `output`: how the work is written; `format` and `style`.
    """
    whole = site.path(work_path(name), **{**search, **output})
    return whole if len(whole) <= LONGEST_ADDRESS else site.path(work_path(name), **output)


def names_search(site: Site, search: Mapping[str, str | int]) -> bool:
    """Whether addresses of record pages name this search; what they lead to must be kept else."""
    return "?" in work_address(site, hit_id(""), search)
