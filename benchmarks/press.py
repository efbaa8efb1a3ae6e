"""What the review of a search strategy finds, what it accuses falsely, and what it costs.

    python3 tasks.py bench press [--each] [--mesh FILE] [KIND ...]

Clean strategies of our own, in all syntaxes that are read (`benchmarks/strategies/`), get one error
each, of some twenty kinds, by rule (`press_seeds.py`). An error is found where the review says
something new at its line, of that element of PRESS. A warning or an error on a clean strategy is a
false one. Strategies and errors were written before the rules.

`--each`: print what was missed, and each false warning. `--mesh`: headings of NLM in place of the
few in `strategies/mesh.bin`, which are those of the strategies with numbers of our own; without
headings the same is measured again. KIND: only kinds whose name has this.

Exits 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.press_seeds import KINDS, Kind, Seed
from benchmarks.press_strategies import FOLDER, Join, Line, Strategy, strategies
from metasearch.review.press.findings import Finding, Rule
from metasearch.review.press.mesh_rules import rules_of_headings
from metasearch.review.press.reading import read
from metasearch.review.press.rules import review

#: The goals: share of errors found; false warnings on all clean strategies; seconds of CPU for so
#: many lines.
FOUND, FALSE, SECONDS, LINES = 0.95, 4, 1.0, 1_000


def say(text: str) -> None:
    print(text, flush=True)


@dataclass(slots=True)
class Clean:
    """A clean strategy, and what the review says of it. `rules`: those of the headings."""

    strategy: Strategy
    rules: Sequence[Rule]
    said: Counter[str] = field(default_factory=Counter)
    false: list[Finding] = field(default_factory=list)

    @classmethod
    def of(cls, strategy: Strategy, rules: Sequence[Rule]) -> Clean:
        clean = cls(strategy, rules)
        said = clean.findings(strategy.text)
        clean.said = Counter(name for name, _ in said)
        clean.false = [each for _, each in said if each.severity != "hint"]
        return clean

    def findings(self, text: str) -> list[tuple[str, Finding]]:
        """What the review says of a text. Its name is without numbers of lines, which another
        line may change.
        """
        read_text = read(text, self.strategy.syntax)
        return [
            (
                (
                    f"{each.code} {read_text.text[each.start : each.end]} "
                    f"{re.sub('[0-9]+', '', each.message)}"
                ),
                each,
            )
            for each in review(read_text, *self.rules)
        ]

    def finds(self, kind: Kind, seed: Seed) -> bool:
        """Whether the review says of a seed what it does not say of the clean strategy."""
        alone = seed.lines == {None}  # a single query, whose line some number 1
        counts = Counter(
            name
            for name, each in self.findings(seed.text)
            if each.element in kind.elements and (alone or each.line in seed.lines)
        )
        return any(count > self.said[name] for name, count in counts.items())


def misses(cleans: Sequence[Clean], kind: Kind) -> Iterator[tuple[Clean, Seed, bool]]:
    for number, clean in enumerate(cleans):
        for seed in kind.seeds(clean.strategy, number):
            yield clean, seed, clean.finds(kind, seed)


def share_found(cleans: Sequence[Clean], kinds: Sequence[Kind], *, each: bool) -> bool:
    """Print the share of each kind; whether the goal is reached by all together."""
    found = total = 0
    say(f"{'':<58} found of")
    for kind in kinds:
        results = list(misses(cleans, kind))
        hits = sum(is_found for *_, is_found in results)
        found, total = found + hits, total + len(results)
        say(f"{kind.name:<58} {hits:>5} {len(results):>3}")
        for clean, seed, is_found in results if each else ():
            if not is_found:
                lines = ", ".join(sorted(str(number or "-") for number in seed.lines))
                say(f"    {clean.strategy.name}, line {lines}:")
                say(f"        {changed(clean.strategy.text, seed.text)}")
    say(f"{'all':<58} {found:>5} {total:>3}: {found / total:.1%}; goal {FOUND:.0%}")
    return found / total >= FOUND


def changed(clean: str, seeded: str) -> str:
    """What the seed has in the place of what, with a few words around."""
    start = next(
        (at for at, (old, new) in enumerate(zip(clean, seeded, strict=False)) if old != new),
        min(len(clean), len(seeded)),
    )
    shown = [text[max(0, start - 30) : start + 40] for text in (clean, seeded)]
    return " => ".join(repr(text) for text in shown)


def false_warnings(cleans: Sequence[Clean], *, each: bool) -> bool:
    count = sum(len(clean.false) for clean in cleans)
    hints = sum(clean.said.total() for clean in cleans) - count
    say(
        f"{len(cleans)} clean strategies: {count} false warnings (goal {FALSE} at most), "
        f"{hints} hints"
    )
    for clean in cleans if each else ():
        for finding in clean.false:
            say(f"    {clean.strategy.name}, line {finding.line}: {finding.code}:")
            say(f"        {finding.message}")
    return count <= FALSE


def long_strategy() -> str:
    """So many lines in the syntax of Ovid: those of the strategies again and again, the last of
    which joins them.
    """
    ovid = [each for each in strategies() if each.syntax == "ovid"]
    lines: list[Line] = []
    ends: list[int] = []
    while len(lines) < LINES - 1:
        strategy = ovid[len(ends) % len(ovid)]
        before = len(lines)
        for line in strategy.lines[: LINES - 1 - before]:
            number = before + (line.number or 0)
            body = line.body
            if join := line.join:
                body = Join(join.word, tuple(each + before for each in join.numbers)).text("ovid")
            lines.append(Line(number, f"{number}. ", body))
        ends.append(len(lines))
    return "\n".join(
        [f"{line.before}{line.body}" for line in lines]
        + [f"{LINES}. {' or '.join(str(number) for number in ends)}"]
    )


def made_up_strategy() -> str:
    """So many lines of five words that nobody has seen."""
    rng = random.Random("press")

    def word() -> str:
        parts = (rng.choice("bcdfglmnprst") + rng.choice("aeiou") for _ in range(rng.randint(2, 5)))
        return "".join(parts) + rng.choice(("", "*"))

    lines = [f"{n}. ({' or '.join(word() for _ in range(5))}).ti,ab." for n in range(1, LINES)]
    return "\n".join([*lines, f"{LINES}. or/1-{LINES - 1}"])


def cost(rules: Sequence[Rule]) -> bool:
    fast = True
    for words, text in (
        ("as people write them", long_strategy()),
        ("of made-up words", made_up_strategy()),
    ):
        began = time.process_time()
        said = review(read(text, "ovid"), *rules)
        seconds = time.process_time() - began
        say(
            f"{LINES:,} lines {words}: {seconds:.2f} s of CPU (goal {SECONDS:.0f}), "
            f"{len(said)} findings"
        )
        fast = fast and seconds <= SECONDS
    return fast


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", action="store_true", help="print misses and false warnings")
    parser.add_argument("--mesh", type=Path, metavar="FILE", default=FOLDER / "mesh.bin")
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    kinds = [
        kind
        for kind in KINDS
        if not options.kinds or any(name in kind.name for name in options.kinds)
    ]
    reached = []
    for about, rules in (("with headings", rules_of_headings(options.mesh)), ("without", ())):
        say(f"\n{about}")
        # What is read once, as lists of words, is no part of what a strategy costs.
        cleans = [Clean.of(strategy, rules) for strategy in strategies()]
        found = share_found(cleans, kinds, each=options.each)
        reached += [found or not rules, false_warnings(cleans, each=options.each), cost(rules)]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
