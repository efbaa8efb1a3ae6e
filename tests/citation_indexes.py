"""Two simulated indexes of citations, in the shapes of OpenAlex and Crossref, over a few works."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from metasearch.adapters.request import Page, Request
from metasearch.settings import Settings

#: Number of a work -> its title. The DOI of number 1 is 10.1000/1, its id in Alpha W1.
TITLES = {
    1: "Salt marsh birds of the northern coast in winter",
    2: "Eelgrass meadows and the memory of storms",
    3: "A census of waders under changing tides",
    4: "Dredging harbours without losing oystercatchers",
    5: "Sediment budgets of estuaries after embankment",
    6: "Mussel beds as nurseries for flatfish",
}
#: (who cites, who is cited) that each index knows: Beta has the references of works alone.
ALPHA = {(1, 2), (4, 1), (5, 1), (5, 2), (4, 6)}
BETA = {(1, 2), (1, 3), (4, 6)}
#: What work 1 cites beside them: a DOI that nobody knows, and a text.
UNKNOWN, TEXT = "10.9999/nowhere", "Byron A. Notes on a drowned coast. Norwich 1911"


class CitationIndexes:
    """A transport that answers for both. `fails`: names of those that answer with an error."""

    def __init__(self, fails: Collection[str] = ()) -> None:
        self.asked: list[Request] = []
        self.fails = fails

    @staticmethod
    def settings() -> Settings:
        limits = {"requests": 1000, "per": 1, "concurrency": 4}
        tables = {
            name: {
                "extends": extends,
                "label": name.capitalize(),
                "url": f"https://{name}.example/works",
                "limits": limits,
            }
            for name, extends in (("alpha", "openalex"), ("beta", "crossref"))
        }
        return Settings(sources=tables, default_sources=("alpha", "beta"), shipped=False)

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.asked.append(request)
        if request.source in self.fails:
            return Page(request=request, status=400, body=b'{"message": "out of order"}')
        values = {name: str(value) for name, value in request.params}
        answer = self._alpha if request.source == "alpha" else self._beta
        return Page(request=request, body=json.dumps(answer(values)).encode())

    async def close(self) -> None:
        """Nothing to close."""

    def _alpha(self, values: dict[str, str]) -> Any:
        kind, _, value = values.get("filter", "").partition(":")
        numbers = {int(number) for number in re.findall(r"\b(?:[Ww]|10\.1000/)(\d)\b", value)}
        if kind == "cites":
            numbers = {citing for citing, cited in ALPHA if cited in numbers}
        elif kind == "title.search":
            numbers = _titled(value)
        found = [
            {
                "id": f"https://openalex.org/W{number}",
                "doi": f"https://doi.org/10.1000/{number}",
                "title": TITLES[number],
                "publication_year": 2010 + number,
                "referenced_works": [
                    f"https://openalex.org/W{cited}"
                    for citing, cited in sorted(ALPHA)
                    if citing == number
                ],
            }
            for number in sorted(numbers)
        ]
        return {"meta": {"count": len(found)}, "results": found}

    def _beta(self, values: dict[str, str]) -> Any:
        numbers = {
            int(number) for number in re.findall(r"10\.1000/(\d)\b", values.get("filter", ""))
        }
        found = [
            {
                "DOI": f"10.1000/{number}",
                "title": [TITLES[number]],
                "issued": {"date-parts": [[2010 + number]]},
                "reference": [
                    *({"DOI": f"10.1000/{to}"} for of, to in sorted(BETA) if of == number),
                    *([{"DOI": UNKNOWN}, {"unstructured": TEXT}] if number == 1 else []),
                ],
            }
            for number in sorted(numbers | _titled(values.get("query.title", "")))
        ]
        return {"message": {"total-results": len(found), "items": found}}


def _titled(query: str) -> set[int]:
    words = set(re.findall(r"\w+", query.lower()))
    return {
        number for number, title in TITLES.items() if words and words <= set(title.lower().split())
    }
