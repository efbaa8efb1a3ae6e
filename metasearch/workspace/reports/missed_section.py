"""The section of a report that says how many works the searches have missed, and on what ground."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.workspace.projects import Project
from metasearch.workspace.reports.document import Block, Heading, Items, Paragraph, Table, Text
from metasearch.workspace.reports.missed import FEWEST_SHARED, Estimate, Overlap, estimate, overlap
from metasearch.workspace.reports.words import Say
from metasearch.workspace.store.database import Database


def section(db: Database, project: Project, say: Say, *, level: int = 1) -> Iterator[Block]:
    """The blocks: both estimates, what they are made of, and what they assume."""
    both = (
        (say("All works found", "检出的全部文献"), overlap(db, project)),
        (
            say("Works judged relevant so far", "目前判为相关的文献"),
            overlap(db, project, included=True),
        ),
    )
    yield Heading(text=say("Estimate of what was missed", "漏检估计"), level=level)
    yield Paragraph(
        text=say(
            "From how many works several databases have found, the number of works that none of "
            "them has given can be estimated (capture and recapture).",
            "依据各数据库检出文献的重叠情况，可估计所有数据库均未检出的文献数（捕获—再捕获法）。",
        )
    )
    rows: list[tuple[Text, ...]] = []
    for label, found in both:
        rows.append((label, *_row(found, estimate(found), say)))
    yield Table(
        caption=say("Works that there are, by estimate", "文献总数估计"),
        head=(
            say("Works", "文献"),
            say("Databases", "数据库"),
            say("Found", "检出"),
            say("By one only", "仅一库检出"),
            say("By two", "两库检出"),
            say("Estimated in all", "总数估计"),
            say("95 % interval", "95% 置信区间"),
            say("Share found", "检出比例"),
        ),
        rows=tuple(rows),
        numbers=(1, 2, 3, 4, 5, 6, 7),
        widths=(21, 15, 10, 10, 9, 15, 11, 9),
    )
    yield from _words([estimate(found) for _, found in both], both[0][1], say)


def _row(found: Overlap, guessed: Estimate | None, say: Say) -> tuple[str, ...]:
    said = (
        str(len(found.databases)),
        f"{found.found:,}",
        f"{found.counts.get(1, 0):,}",
        f"{found.counts.get(2, 0):,}",
    )
    if guessed is None:
        none = say("none", "无法估计")
        return (*said, none, "–", "–")
    # A lower bound is no more exact than whole works.
    total = f"{guessed.total:,.0f}"
    if guessed.method == "chao":
        total = say(f"at least {total}", f"至少 {total}")
    return (
        *said,
        total,
        f"{guessed.low:,.0f}\N{EN DASH}{guessed.high:,.0f}",
        f"{guessed.share:.0%}",
    )


def _words(guesses: list[Estimate | None], found: Overlap, say: Say) -> Iterator[Block]:
    methods = {one.method for one in guesses if one is not None}
    if None in guesses:
        yield Paragraph(
            text=say(
                "Nothing can be estimated where fewer than two databases answered, or fewer than "
                f"{FEWEST_SHARED} works were found by two of them.",
                f"数据库不足两个，或两库共同检出的文献不足 {FEWEST_SHARED} 篇时，无法估计。",
            )
        )
    if "chao" in methods:
        yield Paragraph(
            text=say(
                "Method: Chao's lower bound (Chao 1987; for a finite number of occasions Chao and "
                "others 2014) with a log-normal 95 % interval; each database is an occasion.",
                "方法：Chao 下界估计（Chao 1987；有限次捕获的形式见 Chao 等 2014），对数正态 95% "
                "置信区间；每个数据库视为一次捕获。",
            )
        )
    if "chapman" in methods:
        yield Paragraph(
            text=say(
                "Method: Chapman's estimate for two lists (Chapman 1951, variance of Seber 1970) "
                "with a log-normal 95 % interval.",
                "方法：两库 Chapman 估计（Chapman 1951，方差见 Seber 1970），"
                "对数正态 95% 置信区间。",
            )
        )
    if methods:
        yield Paragraph(text=say("What this assumes:", "前提与局限："))
        yield Items(items=_assumptions(say))


def _assumptions(say: Say) -> tuple[str, ...]:
    return (
        say(
            "Databases find works independently. In truth they share much of their content, so "
            "that more is missed than the estimate says.",
            "各数据库独立检出文献。实际上收录内容多有重合，因此真实漏检数高于估计。",
        ),
        say(
            "The same question was put to each of them, and all of its records were obtained; a "
            "source that gave only a part lowers the overlap and raises the estimate.",
            "对各库检索同一问题并获得其全部记录；仅返回部分记录的数据库会降低重叠、抬高估计。",
        ),
        say(
            "Duplicates are recognised; each that is not recognised raises the estimate.",
            "重复记录均已识别；每漏识一条都会抬高估计。",
        ),
        say(
            "Only works that the query describes and a database of this kind may hold are "
            "estimated; nothing is said of works in other words or in no database.",
            "仅估计检索式所能描述、且此类数据库可能收录的文献；对用词不同或未被任何数据库收录的"
            "文献不作推断。",
        ),
    )
