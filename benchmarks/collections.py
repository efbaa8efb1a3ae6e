"""Collections with judged queries, and simulated databases that search them.

Three kinds of collection: lists of real systems with judgements and without texts (TREC format), a
folder in the format of the SMART system (Cranfield, CISI, CACM and others are public in it), and
queries made from the titles of the demo's catalogue.
"""

from __future__ import annotations

import gzip
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from metasearch.demo.catalogue import works

#: Query -> document -> grade; what is not judged is worth nothing.
Judgements = Mapping[str, Mapping[str, int]]
#: Query -> documents, best first.
Lists = Mapping[str, list[str]]

_FIELD = re.compile(r"\.([A-Z])(?:\s+(\S+))?\s*$")
_TOKEN = re.compile(r"\w+")
#: Grades of Cranfield: 1 is a complete answer, 4 of minimum interest.
_CRANFIELD = {1: 4, 2: 3, 3: 2, 4: 1}


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts with judged queries.

    Attributes:
        texts: Document -> title, abstract ("" without one).
        queries: Query -> its words.
    """

    name: str
    texts: Mapping[str, tuple[str, str]]
    queries: Mapping[str, str]
    judgements: Judgements


@dataclass(frozen=True, slots=True)
class Database:
    """A simulated database: what it holds and how it ranks is its own.

    Attributes:
        abstracts: Whether its records have abstracts.
    """

    name: str
    abstracts: bool
    lists: Lists


def ndcg(documents: list[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain of the first documents, 0 to 1."""
    gain = sum(
        grades.get(document, 0) / math.log2(place + 2)
        for place, document in enumerate(documents[:depth])
    )
    best = sorted(grades.values(), reverse=True)[:depth]
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(best))
    return gain / ideal if ideal else 0.0


# --------------------------------------------------------------------------- reading


def trec_lists(path: Path) -> Lists:
    """A run in TREC format, packed with gzip."""
    ranked: dict[str, list[tuple[int, str]]] = defaultdict(list)
    with gzip.open(path, "rt") as lines:
        for line in lines:
            query, _, document, place, *_ = line.split()
            ranked[query].append((int(place), document))
    return {query: [document for _, document in sorted(rows)] for query, rows in ranked.items()}


def trec_judgements(path: Path) -> Judgements:
    """Judgements in TREC format, packed with gzip."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    with gzip.open(path, "rt") as lines:
        for line in lines:
            query, _, document, grade = line.split()
            grades[query][document] = int(grade)
    return grades


def smart_collection(folder: Path) -> Collection:
    """A folder with the files `docs`, `queries` and `qrels` of a SMART collection.

    Where a line of `qrels` has three numbers they are query, document and grade as Cranfield has
    them, else query and document only.
    """
    texts = {
        name: (fields.get("T", "").strip(), fields.get("W", "").strip())
        for name, fields in _smart(folder / "docs")
    }
    rows = [line.split() for line in (folder / "qrels").read_text().splitlines() if line.strip()]
    graded = all(len(row) == 3 for row in rows)
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        grade = _CRANFIELD.get(int(row[2]), 0) if graded else 1
        if grade:
            grades[row[0].lstrip("0")][row[1].lstrip("0")] = grade
    # Cranfield's judgements number its queries by their places in the file.
    queries = {
        (str(place) if graded else name): fields.get("W", "").strip()
        for place, (name, fields) in enumerate(_smart(folder / "queries"), 1)
    }
    kept = {name: words for name, words in queries.items() if grades.get(name) and words}
    return Collection(folder.name, texts, kept, grades)


def _smart(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    name, current = "", ""
    fields: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        match = _FIELD.match(line)
        if match is None:
            if current:
                fields[current] += line + " "
        elif match[1] == "I":
            if name:
                yield name, fields
            name, fields, current = (match[2] or "").lstrip("0"), {}, ""
        elif name:
            current = match[1]
            fields.setdefault(current, "")
    if name:
        yield name, fields


def demo_collection(queries: int = 120) -> Collection:
    """Queries of three words from titles of the demo's catalogue.

    The work itself is the best answer; another work of the same subject whose title holds two of
    the words is a fair one.
    """
    by_id = {work.id: work for work in works()}
    texts = {name: (work.title, work.abstract or "") for name, work in by_id.items()}
    tokens = {name: set(_tokens(title)) for name, (title, _) in texts.items()}
    spread = Counter(token for held in tokens.values() for token in held)
    chosen = random.Random("demo queries")
    wanted: dict[str, str] = {}
    grades: dict[str, dict[str, int]] = {}
    for name in chosen.sample(sorted(by_id), len(by_id)):
        able = sorted(t for t in tokens[name] if len(t) > 3 and spread[t] < len(by_id) / 10)
        if len(able) < 3 or len(wanted) == queries:
            continue
        words = chosen.sample(able, 3)
        wanted[name] = " ".join(words)
        grades[name] = {
            other: 1
            for other, held in tokens.items()
            if by_id[other].subject == by_id[name].subject and len(held.intersection(words)) > 1
        } | {name: 2}
    return Collection("demo", texts, wanted, grades)


# --------------------------------------------------------------------------- databases


def databases(collection: Collection, count: int, seed: int) -> list[Database]:
    """Simulated databases that differ in what they hold, search and prefer.

    Each holds 50 to 80 % of the texts, searches titles or titles and abstracts, and ranks by BM25,
    tf-idf, the number of words or the date, with noise; six in ten return abstracts.
    """
    return [_database(collection, number, seed) for number in range(count)]


def _database(collection: Collection, number: int, seed: int) -> Database:
    chance = random.Random(f"{collection.name} {seed} {number}")
    share = chance.choice((0.5, 0.6, 0.7, 0.8))
    in_abstracts = chance.random() < 0.75
    model = chance.choice(("bm25", "bm25", "tf-idf", "words", "date"))
    noise = chance.choice((0.05, 0.15, 0.3))
    abstracts = chance.random() < 0.6
    index: dict[str, dict[str, int]] = defaultdict(dict)
    lengths: dict[str, int] = {}
    for name, (title, abstract) in sorted(collection.texts.items()):
        if chance.random() < share:
            bag = Counter(_tokens(f"{title} {abstract}" if in_abstracts else title))
            lengths[name] = bag.total() or 1
            for token, count in bag.items():
                index[token][name] = count
    dates = {name: chance.random() for name in lengths}
    mean = sum(lengths.values()) / len(lengths)
    lists: dict[str, list[str]] = {}
    for query, words in sorted(collection.queries.items()):
        scores: dict[str, float] = defaultdict(float)
        held: Counter[str] = Counter()
        for token in sorted(set(_tokens(words))):
            postings = index.get(token, {})
            rare = math.log1p((len(lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for name, count in postings.items():
                held[name] += 1
                if model == "words":
                    scores[name] += 1
                elif model == "tf-idf":
                    scores[name] += (1 + math.log(count)) * rare / math.sqrt(lengths[name])
                else:
                    length = 0.25 + 0.75 * lengths[name] / mean
                    scores[name] += rare * count * 2.2 / (count + 1.2 * length)
        if model == "date":
            least = 0.6 * max(held.values(), default=0)
            scores = {n: dates[n] for n, count in held.items() if count >= least}
        noisy = {name: score * (1 + noise * chance.gauss()) for name, score in scores.items()}
        lists[query] = sorted(noisy, key=lambda name: (-noisy[name], name))[:100]
    return Database(f"source{number:02}", abstracts, lists)


def _tokens(text: str) -> list[str]:
    """Words without a plural s; short ones are left out."""
    return [
        token.removesuffix("s") if len(token) > 4 else token
        for token in _TOKEN.findall(text.lower())
        if len(token) > 2 or not token.isascii()
    ]
