"""How good the merged list is: nDCG@10 of the ways to rank it, beside reciprocal rank fusion.

    python3 tasks.py bench ranking [--runs FOLDER] [--collections FOLDER ...] [--seeds N] [--rerank]

Two parts. Lists of real systems with judgements, in TREC format (`qrels.trec.gz`, `runs/`,
`runs-masked/`), measure what positions are worth; they have no texts. Simulated databases over
collections with texts (the demo's catalogue, and folders in SMART's format) measure what the words
add, in 3 numbers of sources x 2 lengths of lists a collection. The last line is the CPU time of
ranking 200 hits; with `--rerank` (its extra must be installed) also that of comparing meanings.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import process_time

from benchmarks.collections import (
    Collection,
    Database,
    databases,
    demo_collection,
    ndcg,
    smart_collection,
    trec_judgements,
    trec_lists,
)
from metasearch.engine.facets import RankMode
from metasearch.engine.rank import MOST_HITS, Ranking, check, nearness, rank
from metasearch.query.tree import Query, Term
from metasearch.record import Hit, Record

ROOT = Path(__file__).resolve().parent.parent
NUMBERS, LENGTHS = (3, 6, 12), (20, 50)

#: Hits of one query, and the query -> ids, best first.
Way = Callable[[Sequence[Hit], Query | None], list[str]]


def fused(constant: int) -> Way:
    """Reciprocal rank fusion with a constant."""

    def way(hits: Sequence[Hit], _: Query | None) -> list[str]:
        scores = {hit.id: sum(1 / (constant + r.position) for r in hit.records) for hit in hits}
        return sorted(scores, key=lambda name: (-scores[name], name))

    return way


def ours(mode: RankMode) -> Way:
    """The way that a search ranks."""

    def way(hits: Sequence[Hit], query: Query | None) -> list[str]:
        return [hit.id for hit in rank(hits, query, mode=mode)]

    return way


def reranked(hits: Sequence[Hit], query: Query | None) -> list[str]:
    """The way that a search with `rerank` ranks."""
    ranking = Ranking(query)
    first = ranking.rank(hits)[:MOST_HITS]
    ranking.add_nearness(nearness(query, first) if query is not None else {})
    return ranking.ids(hits)


WAYS: dict[str, Way] = {
    "RRF, K 60": fused(60),
    "RRF, K 10": fused(10),
    "positions": ours("positions"),
    "words": ours("words"),
}


def hits_of(
    lists: Mapping[str, Sequence[str]],
    texts: Mapping[str, tuple[str, str]] | None = None,
    abstracts: Iterable[str] = (),
) -> list[Hit]:
    """The hits of one query.

    Args:
        lists: Source -> documents, best first.
        texts: Document -> title, abstract; the name of the document is its title without them.
        abstracts: Sources whose records have abstracts.
    """
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for source, documents in lists.items():
        for place, document in enumerate(documents, 1):
            found[document][source] = place
    giving = set(abstracts)
    hits = []
    for document, places in found.items():
        title, abstract = texts[document] if texts else (document, "")
        records = tuple(
            Record(
                source=source,
                source_id=document,
                position=place,
                title=title,
                abstract=abstract if source in giving and abstract else None,
            )
            for source, place in sorted(places.items())
        )
        best = max(records, key=lambda record: record.abstract is not None)
        hits.append(Hit(document, best, records, {}))
    return hits


def _row(name: str, values: Iterable[float]) -> str:
    return f"{name:<28}" + "".join(f"{value:>14.4f}" for value in values)


def _header(name: str) -> str:
    return f"{name:<28}" + "".join(f"{way:>14}" for way in WAYS)


def real_lists(folder: Path) -> None:
    """What positions are worth over lists of real systems."""
    judgements = trec_judgements(folder / "qrels.trec.gz")
    print(_header(f"real lists, {len(judgements)} queries"))
    chance = random.Random(7)
    for part in ("runs", "runs-masked"):
        lists = {p.name.split(".")[0]: trec_lists(p) for p in sorted((folder / part).glob("*.gz"))}
        draws = [chance.sample(sorted(lists), 5) for _ in range(20)]
        for depth in (20, 100):
            for title, sets in ((f"all {len(lists)}", [sorted(lists)]), ("20 draws of 5", draws)):
                values = [
                    sum(
                        ndcg(way(hits_of({s: lists[s].get(q, [])[:depth] for s in some}), None), g)
                        for some in sets
                        for q, g in judgements.items()
                    )
                    / (len(sets) * len(judgements))
                    for way in WAYS.values()
                ]
                print(_row(f"{part}, {title}, {depth} each", values), flush=True)


def simulated(collection: Collection, seeds: int) -> list[tuple[float, ...]]:
    """nDCG@10 of each way in each setting of a collection, mean over the seeds."""
    settings: dict[tuple[int, int], list[list[float]]] = defaultdict(list)
    for seed in range(1, seeds + 1):
        asked = databases(collection, max(NUMBERS), seed)
        for number in NUMBERS:
            for length in LENGTHS:
                settings[number, length].append(_measured(collection, asked[:number], length))
    rows = []
    for (number, length), measured in settings.items():
        means = tuple(sum(column) / len(measured) for column in zip(*measured, strict=True))
        print(_row(f"{collection.name}, {number} sources, {length} each", means), flush=True)
        rows.append(means)
    return rows


def _measured(collection: Collection, asked: Sequence[Database], length: int) -> list[float]:
    sums = [0.0] * len(WAYS)
    giving = [database.name for database in asked if database.abstracts]
    for query, words in collection.queries.items():
        lists = {database.name: database.lists[query][:length] for database in asked}
        hits = hits_of(lists, collection.texts, giving)
        for place, way in enumerate(WAYS.values()):
            ranked = way(hits, Term(words)) if hits else []
            sums[place] += ndcg(ranked, collection.judgements[query])
    return [total / len(collection.queries) for total in sums]


def cpu_of_ranking(collection: Collection) -> float:
    """CPU milliseconds of ranking 200 new hits by words; the quickest of 20 rounds."""
    asked = databases(collection, 8, 1)
    giving = [database.name for database in asked if database.abstracts]
    query, words = max(
        collection.queries.items(),
        key=lambda item: sum(len(database.lists[item[0]]) for database in asked),
    )
    hits = hits_of({d.name: d.lists[query] for d in asked}, collection.texts, giving)[:200]
    short = Term(" ".join(sorted(words.split(), key=len, reverse=True)[:3]))
    best = float("inf")
    for _ in range(20):
        began = process_time()
        rank(hits, short)
        best = min(best, process_time() - began)
    return 1000 * best * 200 / len(hits)


def cpu_of_meaning(collection: Collection) -> float:
    """CPU milliseconds of comparing the meaning of 100 hits; the quickest of 20 rounds."""
    documents = [name for name, (_, abstract) in collection.texts.items() if abstract][:MOST_HITS]
    hits = hits_of({"source": documents}, collection.texts, ["source"])
    best = float("inf")
    for _ in range(20):
        began = process_time()
        nearness(Term("wing flutter at supersonic speed"), hits)
        best = min(best, process_time() - began)
    return 1000 * best * MOST_HITS / len(hits)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=Path, default=ROOT.parent / "shared/data/ranking")
    parser.add_argument("--collections", type=Path, nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rerank", action="store_true")
    options = parser.parse_args()
    if options.rerank:
        check()
        WAYS["words, rerank"] = reranked

    if options.runs.is_dir():
        real_lists(options.runs)
    else:
        print("real lists: no folder with them is there; name one with --runs")
    collections = [demo_collection(), *map(smart_collection, options.collections)]
    print()
    print(_header("simulated databases"))
    rows = [row for each in collections for row in simulated(each, options.seeds)]
    base, words = list(WAYS).index("RRF, K 10"), list(WAYS).index("words")
    better = sum(row[words] > row[base] for row in rows)
    gain = sum(row[words] - row[base] for row in rows) / len(rows)
    print(
        f"\nwords: better than RRF with K 10 in {better} of {len(rows)} settings, mean {gain:+.4f}"
    )
    if options.rerank:
        near = list(WAYS).index("words, rerank")
        better = sum(row[near] > row[words] for row in rows)
        gain = sum(row[near] - row[words] for row in rows) / len(rows)
        print(f"rerank: better than words in {better} of {len(rows)} settings, mean {gain:+.4f}")
        print(f"CPU of comparing 100 meanings: {cpu_of_meaning(collections[-1]):.0f} ms")
    print(f"CPU of ranking 200 hits by words: {cpu_of_ranking(collections[-1]):.1f} ms")


if __name__ == "__main__":
    main()
