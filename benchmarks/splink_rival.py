"""The rival in `bench bulk`: Splink 5 links the same file, as a program of its own.

    python -m benchmarks.splink_rival RECORDS.jsonl FOLDER [--workers 2] [--memory-limit 1GB]

Splink (https://moj-analytical-services.github.io/splink/) decides by the model of Fellegi and
Sunter: blocking rules make pairs, comparisons tell at which level each field of a pair agrees, and
every level has a weight. The shares of levels among pairs that are no match (u) come from a random
sample, those among matches (m) from expectation maximisation without labels. Pairs above a
threshold are joined to clusters by connected components.

It is given what a careful user gives it: normalised columns, rows that are the same in all of them
put together beforehand, weights by the frequency of a value (two that are titled "Editorial" agree
in little), several blocking rules of more than one column where a column alone has large blocks.
Written are clusters at each of `THRESHOLDS`, as `metasearch dedup --clusters` writes them, so that
whoever compares can take the best.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

#: Probabilities from which on a pair is a match: what Splink's examples take, and two that are
#: stricter, for one wrong pair joins whole clusters.
THRESHOLDS = (0.95, 0.99, 0.999)
#: Of random pairs for u: Splink's own default. Ten times as many cost 40 s of CPU, whatever the
#: size of the file, and found the same at 20,000 records.
SAMPLED = 1_000_000
#: Of pairs of a blocking rule that expectation maximisation reads.
TRAINED = 1_000_000
#: A blocking rule that makes more pairs than so many a record is left out.
PAIRS_A_RECORD = 100
#: Before the columns of such a rule, in what is printed.
LEFT_OUT = "left out: "
#: Share of the matches that the rules for the prior find, about.
RECALL = 0.8

#: Rows of the file as Splink reads them. `ids` are those of records that are the same in all else.
NORMALISED = r"""
CREATE MACRO plain(text) AS
    nullif(trim(regexp_replace(strip_accents(lower(text)), '[^\p{L}\p{N}]+', ' ', 'g')), '');
CREATE MACRO words(text) AS
    [word for word in string_split(plain(text), ' ')
     if word NOT IN ('a', 'an', 'and', 'for', 'in', 'of', 'on', 'the')];
CREATE TABLE records AS
WITH columns AS (
    SELECT
        id,
        plain(title) AS title,
        left(plain(title), 20) AS title_start,
        plain(split_part(authors[1], ',', 1)) AS family,
        left(plain(split_part(authors[1], ',', 2)), 1) AS initial,
        "year",
        nullif(array_to_string(words(container), ' '), '') AS container,
        nullif(array_to_string([left(word, 1) for word in words(container)], ''), '')
            AS container_initials,
        plain(volume) AS volume,
        nullif(regexp_extract(lower(pages), '^\s*([^\s–-]+)', 1), '') AS page,
        nullif(regexp_replace(lower(trim(doi)), '^(https?://(dx\.)?doi\.org/|doi:\s*)', ''), '')
            AS doi
    FROM read_json($file, format = 'newline_delimited', columns = {
        id: 'VARCHAR', title: 'VARCHAR', authors: 'VARCHAR[]', "year": 'INTEGER',
        container: 'VARCHAR', volume: 'VARCHAR', pages: 'VARCHAR', doi: 'VARCHAR'})
)
SELECT row_number() OVER () AS unique_id, *
FROM (SELECT list(id) AS ids, columns.* EXCLUDE (id) FROM columns GROUP BY ALL)
"""


def comparisons() -> list[Any]:
    """What is compared, each from the level that says most."""
    from splink import comparison_level_library as levels
    from splink import comparison_library as compare

    year = [
        levels.NullLevel("year"),
        levels.ExactMatchLevel("year"),
        levels.AbsoluteDifferenceLevel("year", 1),
        levels.ElseLevel(),
    ]
    container = [
        levels.NullLevel("container"),
        levels.ExactMatchLevel("container", term_frequency_adjustments=True),
        levels.ExactMatchLevel("container_initials"),
        levels.ElseLevel(),
    ]
    title = compare.JaroWinklerAtThresholds("title", [0.95, 0.88])
    return [
        title.configure(term_frequency_adjustments=True),
        compare.NameComparison("family", jaro_winkler_thresholds=[0.92]),
        compare.ExactMatch("initial"),
        compare.CustomComparison(year, output_column_name="year"),
        compare.CustomComparison(container, output_column_name="container"),
        compare.ExactMatch("volume"),
        compare.ExactMatch("page"),
        compare.ExactMatch("doi"),
    ]


def link(file: Path, folder: Path, workers: int, memory_limit: str) -> None:
    """Write `clusters-THRESHOLD.jsonl` for each threshold into the folder.

    Args:
        file: Records as `benchmarks.bulk.write_records` makes them.
        folder: Exists; what does not fit into memory goes into it, too.
        workers: Threads.
        memory_limit: As DuckDB reads it: "1GB".
    """
    import duckdb
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on
    from splink.blocking_analysis import count_comparisons_from_blocking_rules

    connection = duckdb.connect(
        config={
            "threads": workers,
            "memory_limit": memory_limit,
            "temp_directory": str(folder / "scratch"),
            "preserve_insertion_order": False,
        }
    )
    *macros, table = NORMALISED.split(";")
    for macro in macros:
        connection.execute(macro)
    connection.execute(table, {"file": str(file)})
    [(count,)] = connection.execute("SELECT count(*) FROM records").fetchall()
    records = DuckDBAPI(connection).register("records")

    rules = []
    for columns in (
        ("doi",),
        ("title_start", "year"),
        ("title_start", "family"),
        ("family", "initial", "year"),
        ("container_initials", "volume", "page"),
    ):
        rule = block_on(*columns)
        told = count_comparisons_from_blocking_rules(
            records, blocking_rules=rule, link_type="dedupe_only"
        )
        pairs = told[-1]["cumulative_comparison_count"]
        if pairs > PAIRS_A_RECORD * count:
            print(f"{LEFT_OUT}{', '.join(columns)}: {pairs:,.0f} pairs", flush=True)
        else:
            rules.append(rule)
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=comparisons(),
        blocking_rules_to_generate_predictions=rules,
        retain_matching_columns=False,
    )
    linker = Linker(records, settings, log_level=None)
    linker.training.estimate_probability_two_random_records_match(
        [block_on("doi"), block_on("title", "family", "year")], recall=RECALL
    )
    linker.training.estimate_u_using_random_sampling(max_pairs=SAMPLED, seed=1)
    # Fields that a rule blocks on are not trained by it: between them the two train all. Of their
    # pairs some are matches and some are not, as it has to be.
    for rule in (block_on("family", "initial", "year"), block_on("title", "page")):
        linker.training.estimate_parameters_using_expectation_maximisation(
            rule, max_pairs=TRAINED, estimate_without_term_frequencies=True
        )
    scored = linker.inference.predict(threshold_match_probability=min(THRESHOLDS))
    for threshold in THRESHOLDS:
        found = linker.clustering.cluster_pairwise_predictions_at_threshold(
            scored, threshold_match_probability=threshold
        )
        name = str(clusters_at(folder, threshold)).replace("'", "''")
        connection.execute(
            "COPY (SELECT flatten(list(ids)) AS cluster "
            f"FROM {found.physical_name} GROUP BY cluster_id) "
            f"TO '{name}' (FORMAT json)"
        )


def clusters_at(folder: Path, threshold: float) -> Path:
    """Where the clusters at a threshold are written."""
    return folder / f"clusters-{threshold}.jsonl"


def main() -> int:
    """Link one file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory-limit", default="1GB", metavar="SIZE")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    link(options.file, options.folder, options.workers, options.memory_limit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
