"""Records with abstracts, some copied and cut, and the works that a job on disk makes of them."""

from __future__ import annotations

import random
from pathlib import Path

from metasearch.bulk.engines import BulkEngine
from metasearch.bulk.staged.stages import JobFolder, StagedJob, run


def records() -> str:
    """RIS of 150 works, of which each third has a copy with another title, another beginning and
    one sentence less."""
    rng = random.Random(6)
    words = ["".join(rng.choices("abcdefghilmnoprstu", k=rng.randrange(4, 10))) for _ in range(900)]
    found = []
    for number in range(150):
        title = " ".join(rng.choices(words, k=7))
        sentences = [f"{' '.join(rng.choices(words, k=14))}." for _ in range(6)]
        found.append((f"w{number}", title, 2000 + number % 20, sentences))
        if number % 3 == 0:
            found.append((f"c{number}", f"{title} again", 2000 + number % 20, sentences[1:]))
    rng.shuffle(found)
    return "\n".join(
        f"TY  - JOUR\nID  - {own}\nTI  - {title}\nPY  - {year}\nAU  - Berg, Anna\n"
        f"AB  - {' '.join(sentences)}\nER  -\n"
        for own, title, year, sentences in found
    )


def works(job: StagedJob, folder: Path, engine: BulkEngine) -> tuple[list[list[str]], bytes]:
    """The keys of each work's records, and the stage `works` as bytes."""
    kept = JobFolder(folder, job.description(), resume=False)
    outcome, _ = run(job, kept, engine)
    found = [[item.key for item in work.items] for work in outcome.works]
    parts = sorted(kept.stage("works").glob("*.parquet"))
    return found, b"".join(part.read_bytes() for part in parts)
