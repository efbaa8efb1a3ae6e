"""What the benchmark of the review sets into strategies, and where."""

from __future__ import annotations

from benchmarks.press_seeds import KINDS, Kind
from benchmarks.press_strategies import Strategy, strategies
from metasearch.query import read
from metasearch.query.syntaxes import SYNTAXES
from tests.cases import each

STRATEGIES = strategies()


def test_there_are_clean_strategies_of_every_syntax():
    """At least forty, and of the usual platforms several."""
    syntaxes = [strategy.syntax for strategy in STRATEGIES]
    assert len(syntaxes) >= 40
    assert {*syntaxes} == {*SYNTAXES}
    assert {name for name in syntaxes if syntaxes.count(name) >= 4} == {
        *("ovid", "pubmed", "embase", "cochrane", "ebsco")
    }


@each("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_a_clean_strategy_is_read_whole(strategy: Strategy):
    assert read(strategy.text, strategy.syntax).clause.widest is not None


def test_there_are_kinds_enough():
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 20


@each("kind", KINDS, ids=lambda kind: kind.name)
def test_each_error_of_a_kind_stands_at_a_line_that_there_is(kind: Kind):
    """And changes the strategy; most kinds are set into many."""
    seeds = [
        (strategy, seed)
        for number, strategy in enumerate(STRATEGIES)
        for seed in kind.seeds(strategy, number)
    ]
    assert len(seeds) >= 5
    for strategy, seed in seeds:
        assert seed.text != strategy.text
        assert seed.lines
        for number in seed.lines:
            assert number is None or str(number) in seed.text
