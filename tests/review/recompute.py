#!/usr/bin/env python3
"""Recompute the numbers of reports from raw rows, and compare them with a report's JSON.

    python tests/review/recompute.py FILE [PROJECT]                    the numbers as JSON
    python tests/review/recompute.py FILE [PROJECT] --report JSON      compare; exit status 1
                                                                          where a number differs
    ... --report JSON --continues NUMBER   of an update that continues the finished report NUMBER

FILE is an archive of a project, or a workspace and the name of a project in it.

It imports nothing of metasearch: what it computes, it computes another way, with sets of rows in
place of SQL, so that a mistake of the reports is not made twice.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import re
import sqlite3
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
#: Tables that are read, with the column that names the project; "" for one without.
_TABLES = {
    "run": "project",
    "answer": "",
    "finding": "",
    "record": "project",
    "work": "project",
    "work_body": "",
    "work_record": "",
    "pin": "project",
    "strategy": "project",
    "step": "",
    "decision": "",
    "tag": "",
    "other_source": "project",
    "report": "project",
}
#: Modes of the runs of each column of the flow diagram.
_SEARCHES, _CITATIONS = ("records", "import"), ("citations",)


def rows_of(file: Path, name: str = "") -> dict[str, list[Row]]:
    """Table -> its rows, of an archive, or of one project of a workspace."""
    return rows_of_archive(file) if zipfile.is_zipfile(file) else rows_of_workspace(file, name)


def rows_of_archive(file: Path) -> dict[str, list[Row]]:
    """Table -> its rows, of an archive: a member of JSON lines each."""
    with zipfile.ZipFile(file) as archive:
        return {
            table: [
                json.loads(line)
                for line in archive.read(f"tables/{table}.jsonl").decode().splitlines()
            ]
            for table in ("project", *_TABLES)
        }


def rows_of_workspace(file: Path, name: str) -> dict[str, list[Row]]:
    """Table -> its rows, of one project of a workspace file."""
    with sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True) as db:
        db.row_factory = sqlite3.Row
        project = db.execute(
            "SELECT * FROM project WHERE name = ? OR uid = ?", (name, name)
        ).fetchone()
        if project is None:
            raise SystemExit(f"there is no project {name!r} in {file}")
        tables: dict[str, list[Row]] = {"project": [dict(project)]}
        for table, column in _TABLES.items():
            rows = [dict(row) for row in db.execute(f"SELECT * FROM {table}")]
            tables[table] = [row for row in rows if not column or row[column] == project["id"]]
    # Rows without a project belong to the one of the rows that they name.
    for table, column, of in (
        ("answer", "run", "run"),
        ("finding", "answer", "answer"),
        ("work_body", "work", "work"),
        ("work_record", "work", "work"),
        ("step", "strategy", "strategy"),
        ("decision", "work", "work"),
        ("tag", "work", "work"),
    ):
        known = {row["id"] for row in tables[of]}
        tables[table] = [row for row in tables[table] if row[column] in known]
    return tables


class Recomputed:
    """All numbers of one project, or of an update of it.

    Args:
        tables: Of `rows_of_workspace`.
        previous: Number of the finished report of a flow that is continued; "" where none is.
    """

    def __init__(self, tables: dict[str, list[Row]], previous: str = "") -> None:
        self.tables = tables
        continued = [
            row
            for row in tables["report"]
            if row["kind"] == "prisma-flow" and row["number"] == previous
        ]
        if previous and not continued:
            raise SystemExit(f"there is no finished report {previous}")
        #: Id of the last run that the report before covers.
        self.since: int = continued[0]["last_run"] or 0 if continued else 0
        self.before: dict[str, Any] = (
            json.loads(continued[0]["data"])["numbers"]
            if continued
            else {"total_studies": 0, "total_reports": 0, "other": [], "previous": None}
        )
        self.runs = {row["id"]: row for row in tables["run"]}
        self.answers = {
            row["id"]: row for row in tables["answer"] if self.runs[row["run"]]["mode"] != "counts"
        }
        self.records = {row["id"]: row for row in tables["record"]}
        self.work_of = {row["record"]: row["work"] for row in tables["work_record"]}
        self.works = {row["id"]: row for row in tables["work"]}
        self.found: dict[int, set[int]] = {number: set() for number in self.answers}
        for row in tables["finding"]:
            if row["answer"] in self.found:
                self.found[row["answer"]].add(row["record"])
        self.verdicts: dict[int, dict[str, Row]] = {}
        for row in sorted(tables["decision"], key=lambda row: str(row["at"])):
            self.verdicts.setdefault(row["work"], {})[row["stage"]] = row
        self.tags: dict[int, set[str]] = {}
        for row in tables["tag"]:
            self.tags.setdefault(row["work"], set()).add(row["text"])

    # ---------------------------------------------------------------- PRISMA

    def _covered(self, modes: Iterable[str]) -> dict[int, Row]:
        """The answers of the runs of these modes that are covered."""
        return {
            number: answer
            for number, answer in self.answers.items()
            if answer["run"] > self.since and self.runs[answer["run"]]["mode"] in modes
        }

    def identified(self, modes: Iterable[str] = _SEARCHES) -> dict[str, int]:
        """Source -> its records, each key once, of the runs that are covered."""
        keys: dict[str, set[str]] = {}
        for number, answer in self._covered(modes).items():
            if answer["run"] > self.since:
                mine = keys.setdefault(answer["source"], set())
                mine.update(self.records[record]["key"] for record in self.found[number])
        return {source: len(mine) for source, mine in keys.items()}

    def known(self, modes: Iterable[str] = _SEARCHES) -> int:
        """Records of these runs whose work an earlier run has found; one for each source."""
        keys: set[tuple[str, str]] = set()
        for number, answer in self._covered(modes).items():
            for record in self.found[number]:
                work = self.works.get(self.work_of.get(record, -1))
                if self.since and work is not None and work["first_run"] <= self.since:
                    keys.add((answer["source"], self.records[record]["key"]))
        return len(keys)

    def flow(self) -> dict[str, Any]:
        """The boxes of the flow diagram: for databases and registers, and for citations."""
        counted, along = self._column(_SEARCHES), self._column(_CITATIONS)
        studies = self._studies()
        totals = self._totals(counted["included"], along["included"], studies)
        return {**counted, "studies": studies, **totals, "citations": along}

    def _new(self, modes: Iterable[str]) -> list[Row]:
        return [
            work
            for work in self.works.values()
            if work["first_run"] > self.since and self.runs[work["first_run"]]["mode"] in modes
        ]

    def included_works(self) -> list[int]:
        """The included works; of a novelty search those that are related."""
        if any(row["kind"] == "novelty" for row in self.tables["project"]):
            return [work for work in self.works if self.relation(work)]
        return self._included()

    def _included(self) -> list[int]:
        found = []
        for work in self._new((*_SEARCHES, *_CITATIONS)):
            mine = self.verdicts.get(work["id"], {})
            title = mine["title"]["verdict"] if "title" in mine else None
            text = mine["fulltext"]["verdict"] if "fulltext" in mine else None
            if "included" in _boxes(title, text):
                found.append(work["id"])
        return found

    def _studies(self) -> int:
        """Studies of all works that are included, in whichever column."""
        tags = [self.tags.get(work, ()) for work in self._included()]
        studies = [{tag for tag in own if tag.startswith("study:")} for own in tags]
        return sum(not of for of in studies) + _groups(studies)

    def _column(self, modes: Iterable[str]) -> dict[str, Any]:
        works = self._new(modes)
        boxes: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        for work in works:
            mine = self.verdicts.get(work["id"], {})
            title = mine["title"]["verdict"] if "title" in mine else None
            text = mine["fulltext"]["verdict"] if "fulltext" in mine else None
            where = _boxes(title, text)
            boxes.update(where)
            if "excluded_reports" in where:
                reasons[mine["fulltext"]["reason"]] += 1
        identified = self.identified(modes)
        return {
            "identified": identified,
            "records": sum(identified.values()),
            "known": self.known(modes),
            "works": len(works),
            "duplicates": sum(identified.values()) - self.known(modes) - len(works),
            "screened": boxes["screened"],
            "not_screened": boxes["not_screened"],
            "excluded": boxes["excluded"],
            "sought": boxes["sought"],
            "not_retrieved": boxes["not_retrieved"],
            "not_assessed": boxes["not_assessed"],
            "assessed": boxes["assessed"],
            "excluded_reports": boxes["excluded_reports"],
            "reasons": dict(reasons),
            "included": boxes["included"],
        }

    def _totals(self, reports: int, along: int, studies: int) -> dict[str, int]:
        """What is included in all: with other ways of searching, and with the report before."""
        other = sum(one["included"] or 0 for one in self.other())
        return {
            "other_included": other + along,
            "previous_studies": self.before["total_studies"],
            "previous_reports": self.before["total_reports"],
            "total_studies": self.before["total_studies"] + studies + other,
            "total_reports": self.before["total_reports"] + reports + along + other,
        }

    def places(self) -> dict[str, int]:
        """Place -> records: databases, registers, other files."""
        newest: dict[str, Row] = {}
        for answer in self._covered(_SEARCHES).values():
            if answer["run"] > self.since:
                old = newest.get(answer["source"])
                if old is None or old["id"] < answer["id"]:
                    newest[answer["source"]] = answer
        out: Counter[str] = Counter()
        for source, count in self.identified().items():
            out[newest[source]["place"]] += count
        return dict(out)

    def other(self) -> list[dict[str, Any]]:
        """The other ways of searching, with what follows from their numbers; without those that
        the report before covers.
        """
        earlier = self.before["previous"] or {"other_sources": []}
        covered = {one["id"] for one in self.before["other"]} | set(earlier["other_sources"])
        out = []
        for row in self.tables["other_source"]:
            if row["id"] in covered:
                continue
            about = json.loads(row["details"])
            sought, missing = about.get("sought"), about.get("not_retrieved") or 0
            left_out = sum((about.get("excluded") or {}).values())
            assessed = None if sought is None else sought - missing
            included = None if assessed is None else assessed - left_out
            out.append(
                {
                    "id": row["id"],
                    "name": row["name"],
                    "kind": row["kind"],
                    **about,
                    "assessed": assessed,
                    "included": included,
                }
            )
        return out

    def label(self, source: str) -> str:
        """The newest name of a source for people."""
        answers = [row for row in self.answers.values() if row["source"] == source]
        return str(max(answers, key=lambda row: int(row["id"]))["label"])

    def joined(self) -> list[Row]:
        """The bodies of the works that are there because of records that were joined."""
        return [row for row in self.tables["work_body"] if row["work"] in self.works]

    def changed_reports(self) -> list[str]:
        """Finished reports whose document is not that of their digest."""
        return [
            f"{row['kind']} {row['number']}"
            for row in self.tables["report"]
            if hashlib.sha256(row["document"].encode()).hexdigest() != row["digest"]
        ]

    # ---------------------------------------------------------------- searches

    def searches(
        self, modes: Iterable[str] = (*_SEARCHES, *_CITATIONS), *, removed: bool = False
    ) -> list[Row]:
        """Of each step and source the newest whole answer, else one in part, else the failure.

        Args:
            modes: Of the runs.
            removed: Whether those of steps that were removed are there, too.
        """
        steps = {row["id"]: row for row in self.tables["step"]}
        strategies = {row["id"]: row for row in self.tables["strategy"]}
        best: dict[tuple[int, str, int], tuple[tuple[int, int], Row]] = {}
        for answer in self.tables["answer"]:
            run = self.runs[answer["run"]]
            step = steps[answer["step"]]
            if run["mode"] not in modes or answer["status"] == "running":
                continue
            if step["removed"] and not removed:
                continue
            whole = 2 if answer["status"] in ("ok", "empty") else 1
            nothing = run["mode"] != "counts" and answer["fetched"] is None
            rank = (0 if nothing else whole, run["number"])
            # Each run along citations has questions of its own.
            own = run["number"] if run["mode"] in _CITATIONS else 0
            place = (step["id"], answer["source"], own)
            if place not in best or rank >= best[place][0]:
                best[place] = (rank, answer)
        chosen = [answer for _, answer in best.values()]

        def order(answer: Row) -> tuple[int, int, str, str]:
            step = steps[answer["step"]]
            strategy = strategies[step["strategy"]]["id"]
            return strategy, step["number"], answer["label"].casefold(), answer["source"]

        return sorted(chosen, key=order)

    # ---------------------------------------------------------------- 查新

    def relation(self, work: int) -> str:
        """ "close", "general" or "" for a work that is not related."""
        mine = self.verdicts.get(work, {})
        title = mine["title"]["verdict"] if "title" in mine else ""
        text = mine["fulltext"]["verdict"] if "fulltext" in mine else ""
        if text == "excluded":
            return ""
        if title in ("close", "relevant"):
            return "close" if title == "close" else "general"
        return "general" if text == "relevant" else ""

    def novelty(self) -> dict[str, Any]:
        """The numbers of the novelty report: a row for each database, and the summary."""
        relations = {work: self.relation(work) for work in self.works}
        rows, seen = [], set()
        for answer in self.searches():
            its = {self.work_of[record] for record in self.found[answer["id"]]}
            seen |= its
            failed = answer["fetched"] is None
            hits = answer["fetched"] if answer["claimed"] is None else answer["claimed"]
            rows.append(
                {
                    "label": answer["label"],
                    "hits": None if failed else hits,
                    "fetched": answer["fetched"],
                    "related": None if failed else sum(bool(relations[work]) for work in its),
                }
            )
        count = Counter(relations.values())
        points: dict[str, Counter[str]] = {}
        for work, relation in relations.items():
            for tag in self.tags.get(work, ()):
                match = re.fullmatch(r"查新点\s*(\d{1,3})", tag.strip())
                if match and relation:
                    points.setdefault(str(int(match[1])), Counter())[relation] += 1
        return {
            "rows": rows,
            "databases": len({row["label"] for row in rows if row["fetched"] is not None}),
            "records": sum(row["fetched"] or 0 for row in rows),
            "works": len(seen),
            "undecided": sum(work not in self.verdicts for work in seen),
            "related": count["close"] + count["general"],
            "close": count["close"],
            "general": count["general"],
            "points": {point: dict(of) for point, of in sorted(points.items())},
        }

    # ---------------------------------------------------------------- what was missed

    def given(self, *, included: bool = False) -> tuple[set[str], dict[int, set[str]]]:
        """The databases and registers that have answered, and which of them gave each work."""
        databases = {
            answer["source"]
            for answer in self.answers.values()
            if answer["place"] != "other" and answer["status"] in ("ok", "empty")
        }
        of: dict[int, set[str]] = {}
        for record, work in self.work_of.items():
            source = self.records[record]["source"]
            verdicts = {row["verdict"] for row in self.verdicts.get(work, {}).values()}
            wanted = verdicts & {"relevant", "close"} and "excluded" not in verdicts
            if source in databases and (wanted or not included):
                of.setdefault(work, set()).add(source)
        return databases, of

    def missed(self, *, included: bool = False) -> dict[str, Any] | None:
        """Chao's lower bound, or Chapman's estimate for two databases; None where nothing can be
        said.
        """
        databases, of = self.given(included=included)
        counts = Counter(len(sources) for sources in of.values())
        shared = sum(works for number, works in counts.items() if number > 1)
        if len(databases) < 2 or shared < 3:
            return None
        found, once, twice = len(of), counts[1], counts[2]
        if len(databases) == 2:
            first, second = (sum(name in mine for mine in of.values()) for name in databases)
            pairs = (first + 1) * (second + 1)
            total = pairs / (twice + 1) - 1
            variance = pairs * (first - twice) * (second - twice) / (twice + 1) ** 2 / (twice + 2)
        else:
            total, variance = _chao(found, once, twice, len(databases))
        low, high = float(found), max(total, float(found))
        if total > found and variance > 0:
            factor = math.exp(1.959964 * math.sqrt(math.log(1 + variance / (total - found) ** 2)))
            low, high = found + (total - found) / factor, found + (total - found) * factor
        return {
            "databases": len(databases),
            "found": found,
            "once": once,
            "twice": twice,
            "total": total,
            "low": low,
            "high": high,
        }

    def all(self) -> dict[str, Any]:
        """Everything."""
        return {
            "flow": self.flow(),
            "places": self.places(),
            "other": self.other(),
            "novelty": self.novelty(),
            "missed": self.missed(),
            "missed_of_included": self.missed(included=True),
            "changed_reports": self.changed_reports(),
        }


def _boxes(title: str | None, text: str | None) -> set[str]:
    """The boxes in which a work is counted, by its two verdicts."""
    if title is None and text is None:
        return {"not_screened"}
    if title == "excluded":
        return {"screened", "excluded"}
    passed = {"screened", "sought"}
    match text:
        case None:
            return passed | {"not_assessed"}
        case "unavailable":
            return passed | {"not_retrieved"}
        case "excluded":
            return passed | {"assessed", "excluded_reports"}
    return passed | {"assessed", "included"}


def _groups(sets: Iterable[set[str]]) -> int:
    """How many groups there are, where sets with a common member are of one group."""
    groups: list[set[str]] = []
    for one in filter(None, sets):
        touching = [group for group in groups if group & one]
        groups = [group for group in groups if not group & one]
        groups.append(one.union(*touching))
    return len(groups)


def _chao(found: int, once: int, twice: int, occasions: int) -> tuple[float, float]:
    """Chao's lower bound and its variance (Chao 1987, with the factor for few occasions)."""
    part = (occasions - 1) / occasions
    if twice:
        total = found + part * once**2 / (2 * twice)
        ratio = once / twice
        return total, twice * (part / 2 * ratio**2 + part**2 * ratio**3 + part**2 / 4 * ratio**4)
    total = found + part * once * (once - 1) / 2
    variance = part * once * (once - 1) / 2 + part**2 * once * (2 * once - 1) ** 2 / 4
    return total, max(variance - part**2 * once**4 / (4 * total), 0.0) if once else 0.0


# ------------------------------------------------------------------------ a report's own numbers


def differences(report: dict[str, Any], numbers: Recomputed) -> list[str]:
    """What a report says otherwise than the rows, a line each.

    Args:
        report: The JSON of a document, as `metasearch report ... -o FILE.json` writes it.
        numbers: Of the same project.
    """
    compare = {
        "prisma-flow": _flow_differs,
        "prisma-s": _prisma_s_differs,
        "appendix": _appendix_differs,
        "included": _included_differs,
        "chaxin": _novelty_differs,
    }
    if report["kind"] not in compare:
        raise SystemExit(f"there is nothing to compare in a report {report['kind']!r}")
    return list(compare[report["kind"]](report, numbers))


def _included_differs(report: dict[str, Any], numbers: Recomputed) -> list[str]:
    """The table has a row for each included work."""
    (table,) = (block for block in report["blocks"] if block["block"] == "table")
    listed, included = len(table["rows"]), len(numbers.included_works())
    return [] if listed == included else [f"{listed} rows of {included} included works"]


#: Row of the table of the diagram, in English and Chinese -> where its number stands below `flow`.
_FLOW_ROWS = {
    "Removed: found by the earlier search": "known",
    "剔除：既往检索已得": "known",
    "Removed: duplicates": "duplicates",
    "剔除：重复记录": "duplicates",
    "Not yet screened": "not_screened",
    "尚未筛选": "not_screened",
    "Records screened": "screened",
    "筛选记录": "screened",
    "Records excluded": "excluded",
    "排除记录": "excluded",
    "Reports sought": "sought",
    "需获取全文的报告": "sought",
    "Reports not retrieved": "not_retrieved",
    "未获得全文": "not_retrieved",
    "Reports not yet assessed": "not_assessed",
    "尚未评估": "not_assessed",
    "Reports assessed": "assessed",
    "评估全文的报告": "assessed",
    "Reports excluded with a reason": "excluded_reports",
    "排除报告": "excluded_reports",
    "Reports included": "included",
    "纳入报告": "included",
    "Studies of these reports": "studies",
    "所属研究": "studies",
    "Studies of the reports of databases and citations": "studies",
    "数据库与引文检索报告的所属研究": "studies",
    "Reports included by other methods": "other_included",
    "其他途径纳入报告": "other_included",
    "Studies of the earlier review": "previous_studies",
    "既往纳入研究": "previous_studies",
    "Reports of the earlier review": "previous_reports",
    "既往纳入报告": "previous_reports",
    "Studies included in all": "total_studies",
    "纳入研究总数": "total_studies",
    "Reports included in all": "total_reports",
    "纳入报告总数": "total_reports",
}
#: Row of what citations led to -> name of the number.
_CITATION_ROWS = {
    label: name
    for english, chinese, name in (
        ("records identified", "检出记录", "records"),
        ("found by the earlier search", "既往检索已检出", "known"),
        ("duplicates removed", "剔除重复记录", "duplicates"),
        ("not yet screened", "尚未筛选", "not_screened"),
        ("records screened", "筛选记录", "screened"),
        ("records excluded", "排除记录", "excluded"),
        ("reports sought", "需获取全文的报告", "sought"),
        ("reports not retrieved", "未获得全文", "not_retrieved"),
        ("reports not yet assessed", "尚未评估", "not_assessed"),
        ("reports assessed", "评估全文的报告", "assessed"),
    )
    for label in (f"Citation searching: {english}", f"引文检索：{chinese}")
}
#: Rows whose number is always the same: metasearch screens nothing.
_NOTHING = ("Removed by automation tools", "自动化工具剔除")
_PLACES = {
    "Records identified in databases": "database",
    "数据库检出记录": "database",
    "Records identified in registers": "register",
    "注册库检出记录": "register",
    "Records in other imported files": "other",
    "其他导入文件的记录": "other",
}


#: Row of the table of the estimate -> whether it is of the works that are relevant so far.
_ESTIMATES = {
    "All works found": False,
    "检出的全部文献": False,
    "Works judged relevant so far": True,
    "目前判为相关的文献": True,
}


def _missed_differs(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    for table in _tables(report, ("Share found", "检出比例")):
        for cells in table["rows"]:
            label = _plain(cells[0])
            expected = numbers.missed(included=_ESTIMATES[label])
            said = [_count(cell) for cell in cells[1:6]]
            interval = [int(text) for text in re.findall(r"\d+", _plain(cells[6]).replace(",", ""))]
            if expected is None:
                if said[4] is not None:
                    yield f"{label}: an estimate of {said[4]}, and nothing can be said"
                continue
            names = ("databases", "found", "once", "twice", "total")
            for name, count in zip(names, said, strict=True):
                yield from _differs(f"{label}: {name}", count, round(expected[name]))
            for name, count in zip(("low", "high"), interval, strict=True):
                yield from _differs(f"{label}: {name}", count, round(expected[name]))


def _flow_differs(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    flow, places = numbers.flow(), numbers.places()
    figure = next(block for block in report["blocks"] if block["block"] == "figure")
    seen = set()
    for cells in figure["table"]["rows"]:
        label, said = _plain(cells[0]), _count(cells[1])
        if label in _PLACES:
            yield from _differs(label, said, places.get(_PLACES[label], 0))
        elif label in _FLOW_ROWS:
            seen.add(_FLOW_ROWS[label])
            yield from _differs(label, said, flow[_FLOW_ROWS[label]])
        elif label in _NOTHING:
            yield from _differs(label, said, 0)
        elif label in _CITATION_ROWS:
            yield from _differs(label, said, flow["citations"][_CITATION_ROWS[label]])
        else:
            yield f"the row {label!r} is not known here"
    for name in sorted(set(_FLOW_ROWS.values()) - seen):
        # Without other ways of searching, and without a report before, totals are those above.
        if flow[name] and not name.startswith("total_"):
            yield f"{name}: {flow[name]:,} is not in the report"
    boxes = " ".join(" ".join(box["lines"]) for box in figure["boxes"])
    for name in ("screened", "excluded", "sought", "assessed", "included"):
        if f"{flow[name]:,}" not in re.findall(r"\d+(?:,\d{3})*", boxes):
            yield f"{name}: {flow[name]:,} is in no box"
    yield from _sources_differ(report, numbers)
    yield from _missed_differs(report, numbers)
    yield from _shares_differ(report, numbers)


def _sources_differ(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    """The table of the records of each source."""
    expected = Counter({source: count for source, count in numbers.identified().items() if count})
    by_label: Counter[str] = Counter()
    for source, count in expected.items():
        by_label[numbers.label(source)] += count
    for table in _tables(report, ("Records", "记录数")):
        said: Counter[str] = Counter()
        for cells in table["rows"]:
            said[_plain(cells[0])] += _count(cells[3]) or 0
        for label in sorted(set(said) | set(by_label)):
            yield from _differs(f"records of {label}", said[label], by_label[label])


def _prisma_s_differs(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    flow = numbers.flow()
    expected: Counter[str] = Counter()
    for source, count in flow["identified"].items():
        expected[numbers.label(source)] += count
    for table in _tables(report, ("Hits by its own count", "数据库所报命中数")):
        *rows, total = table["rows"]
        said: Counter[str] = Counter()
        for cells in rows:
            said[_plain(cells[0])] += _count(cells[2]) or 0
        for label in sorted(set(said) | set(expected)):
            yield from _differs(f"records of {label}", said[label], expected[label])
        yield from _differs("records in all", _count(total[2]), flow["records"])
        claims = Counter(
            answer["claimed"] for answer in numbers.searches(removed=True) if answer["claimed"]
        )
        told = [cells[1] for cells in rows]
        listed = Counter(
            int(text.replace(",", "")) for cell in told for text in re.findall(r"\d[\d,]*", cell)
        )
        if +claims != Counter({number: times for number, times in listed.items() if number}):
            yield f"hits: the report says {sorted(listed)}, the rows say {sorted(claims)}"
    yield from _runs_differ(report, numbers)
    yield from _merging_differs(report, numbers, flow)
    yield from _hits_differ(report, numbers)


def _runs_differ(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    """The records of each run of item 12."""
    for table in _tables(report, ("Records obtained", "获得记录")):
        if set(table["head"]) & {"Run", "运行"}:
            for cells in table["rows"]:
                run = _count(cells[0])
                fetched = sum(
                    answer["fetched"] or 0
                    for answer in numbers.answers.values()
                    if numbers.runs[answer["run"]]["number"] == run
                )
                yield from _differs(f"records of run {run}", _count(cells[3]), fetched)


def _merging_differs(
    report: dict[str, Any], numbers: Recomputed, flow: dict[str, Any]
) -> Iterable[str]:
    """The sentence and the table of item 16."""
    sentences = [
        _plain(block["text"])
        for block in report["blocks"]
        if block["block"] == "paragraph"
        and re.search("were duplicates|中重复", _plain(block["text"]))
    ]
    for sentence in sentences:
        said = re.findall(r"\d[\d,]*", re.split("Of |。", sentence, maxsplit=1)[1])
        expected = (flow["records"], flow["duplicates"], flow["works"], len(numbers.tables["pin"]))
        for name, text, number in zip(
            ("records", "duplicates", "works", "pins"), said, expected, strict=True
        ):
            yield from _differs(f"{name} of item 16", int(text.replace(",", "")), number)
    pairs = sum(
        match["verdict"] != "different"
        for row in numbers.joined()
        for match in json.loads(_text(row["hit"]))["matches"]
    )
    told = sum(
        _count(cells[1]) or 0
        for table in _tables(report, ("Pairs of records", "记录对"))
        for cells in table["rows"]
    )
    yield from _differs("pairs of records that were joined", told, pairs)


def _hits_differ(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    """The tables of the hits of each database for each step; counts alone are there, too."""
    steps = {row["id"]: row["number"] for row in numbers.tables["step"]}
    expected: Counter[tuple[int, str, int]] = Counter()
    for answer in numbers.searches(("records", "counts", "import")):
        if answer["status"] in ("ok", "empty"):
            hits = answer["fetched"] if answer["claimed"] is None else answer["claimed"]
            if hits is not None:
                expected[steps[answer["step"]], answer["label"], hits] += 1
    said: Counter[tuple[int, str, int]] = Counter()
    for block in report["blocks"]:
        if block["block"] != "table" or block["head"][0] not in ("Step", "步骤"):
            continue
        if set(block["head"]) & {"Syntax", "语法"}:
            continue
        for cells in block["rows"]:
            for label, cell in zip(block["head"][1:], cells[1:], strict=True):
                hits = _count(cell)
                if hits is not None:
                    said[_count(cells[0]) or 0, _plain(label), hits] += 1
    for step, label, hits in sorted((said - expected) | (expected - said)):
        yield f"hits of {label} for step {step}: {hits} differs"


def _appendix_differs(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    steps = {row["id"]: row["number"] for row in numbers.tables["step"]}
    expected = Counter(
        (
            numbers.runs[answer["run"]]["number"],
            steps[answer["step"]],
            answer["label"],
            answer["claimed"],
            answer["fetched"],
        )
        for answer in numbers.answers.values()
    )
    said: Counter[Any] = Counter()
    for table in _tables(report, ("Records", "获得记录")):
        for cells in table["rows"]:
            step = int(_plain(cells[1]).rpartition("#")[2])
            label = re.sub(r" \(by hand\)$|（手工检索）$", "", _plain(cells[2]))
            said[_count(cells[0]), step, label, _count(cells[4]), _count(cells[5])] += 1
    for row in sorted((said - expected) | (expected - said), key=str):
        yield f"a row of all searches differs: {row}"
    yield from _hits_differ(report, numbers)
    yield from _missed_differs(report, numbers)
    yield from _shares_differ(report, numbers)


def _novelty_differs(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    expected = numbers.novelty()
    rows = [cells for table in _tables(report, ("命中篇数",)) for cells in table["rows"]]
    yield from _differs("rows of the table of results", len(rows), len(expected["rows"]))
    # Names in Chinese stand in an order of their own.
    rows.sort(key=lambda cells: _plain(cells[0]))
    for cells, row in zip(
        rows, sorted(expected["rows"], key=lambda row: row["label"]), strict=False
    ):
        label = _plain(cells[0])
        if label != row["label"]:
            yield f"the row of {label} stands where that of {row['label']} should"
        yield from _differs(f"命中篇数 of {label}", _count(cells[3]), row["hits"])
        yield from _differs(f"相关篇数 of {label}", _count(cells[4]), row["related"])
    summary = next(
        _plain(block["text"])
        for block in report["blocks"]
        if block["block"] == "paragraph" and _plain(block["text"]).startswith("共检索")
    )
    names = ("databases", "records", "works", "undecided", "related", "close", "general")
    said = [int(text.replace(",", "")) for text in re.findall(r"\d[\d,]*", summary)]
    for name, count in zip(names, said, strict=True):
        yield from _differs(name, count, expected[name])
    yield from _points_differ(report, expected)


def _points_differ(report: dict[str, Any], expected: dict[str, Any]) -> Iterable[str]:
    """The related works of each point of novelty, and that each stands in the list once."""
    listed = [
        match[1]
        for block in report["blocks"]
        if block["block"] == "paragraph"
        and (match := re.match(r"\[(\d+)\] ", _plain(block["text"])))
    ]
    yield from _differs("works in the list", len(listed), expected["related"])
    if listed != [str(number) for number in range(1, len(listed) + 1)]:
        yield f"the list is numbered {', '.join(listed)}"
    rows = [cells for table in _tables(report, ("对比结果",)) for cells in table["rows"]]
    for cells in rows:
        point = _plain(cells[0]).removeprefix("查新点 ")
        of = expected["points"].get(point, {})
        if len(rows) == 1:  # all works are about the only point
            of = {"close": expected["close"], "general": expected["general"]}
        for cell, name in ((cells[1], "close"), (cells[2], "general")):
            said = len(re.findall(r"\[\d+\]", _plain(cell)))
            yield from _differs(f"{name} works of point {point}", said, of.get(name, 0))


def _shares_differ(report: dict[str, Any], numbers: Recomputed) -> Iterable[str]:
    databases, works = numbers.given()
    _, relevant = numbers.given(included=True)
    names = {numbers.label(source): source for source in databases}
    for table in _tables(report, ("Only here", "独有")):
        for cells in table["rows"]:
            mine = names[_plain(cells[0])]
            every, wanted = (
                [sources for sources in of.values() if mine in sources] for of in (works, relevant)
            )
            alone = [sum(len(one) == 1 for one in of) for of in (every, wanted)]
            expected = [len(every), alone[0], len(wanted), alone[1], len(wanted) - alone[1]]
            for said, number in zip(map(_count, cells[1:6]), expected, strict=True):
                yield from _differs(f"what {_plain(cells[0])} contributed", said, number)


def _tables(report: dict[str, Any], heads: Iterable[str]) -> Iterable[dict[str, Any]]:
    """The tables of a report that have a column with one of these heads."""
    for block in report["blocks"]:
        if block["block"] == "table" and set(heads) & set(block["head"]):
            yield block


def _text(content: Any) -> str:
    """What a column of bytes holds, of a workspace or of an archive."""
    if isinstance(content, dict):
        return base64.b64decode(content["base64"]).decode()
    return content.decode() if isinstance(content, bytes) else str(content)


#: Names of the demo's databases in Chinese -> those of the rows.
_OF_DEMO = {
    "Crossref（模拟）": "Crossref (simulated)",
    "图书馆目录，SRU（模拟）": "Library catalogue, SRU (simulated)",
    "OpenAlex（模拟）": "OpenAlex (simulated)",
    "PubMed（模拟）": "PubMed (simulated)",
    "Semantic Scholar（模拟，失败）": "Semantic Scholar (simulated, failing)",
    "arXiv（模拟）": "arXiv (simulated)",
    "dblp（模拟）": "dblp (simulated)",
    "dblp（模拟，慢）": "dblp (simulated, slow)",
}


def _plain(text: Any) -> str:
    """The words of a cell; databases of the demo have their names of the rows."""
    words: str = text if isinstance(text, str) else "".join(part["text"] for part in text)
    for chinese, english in _OF_DEMO.items():
        words = words.replace(chinese, english)
    return words


def _count(text: Any) -> int | None:
    """The number in a cell; None where it says that there is none."""
    found = re.search(r"\d[\d,]*", _plain(text))
    return int(found[0].replace(",", "")) if found else None


def _differs(what: str, said: int | None, expected: int | None) -> Iterable[str]:
    if said != expected:
        yield f"{what}: the report says {said}, the rows say {expected}"


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description="Recompute the numbers of reports from raw rows.")
    parser.add_argument("file", type=Path, help="an archive of a project, or a workspace")
    parser.add_argument("project", nargs="?", default="", help="of a workspace")
    parser.add_argument("--report", type=Path, help="the JSON of a report: compare")
    parser.add_argument("--continues", default="", help="number of the report that it continues")
    given = parser.parse_args(arguments)
    numbers = Recomputed(rows_of(given.file, given.project), given.continues)
    if given.report is None:
        print(json.dumps(numbers.all(), ensure_ascii=False, indent=1))
        return 0
    found = differences(json.loads(given.report.read_text("utf-8")), numbers)
    print("\n".join(found) or "all numbers agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
