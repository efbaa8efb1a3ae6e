"""A session of Spark: that of the user's cluster, or one of this machine.

Whoever has a cluster has told Spark so (spark-submit, `PYSPARK_SUBMIT_ARGS`, spark-defaults.conf),
and nothing of that is set otherwise here. Without any of it Spark runs within this process's child,
is reached from this machine only, and ends with the job.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from metasearch.errors import UsageError
from metasearch.extras import how_to_install, is_installed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES = ("pyspark", "pyarrow", "pandas")
#: PySpark 4 runs on nothing older.
JAVA = 17
#: MiB of Java's heap: the least that Spark starts with, and what it has where no bound is set.
LEAST_HEAP, HEAP = 512, 2_048
#: Share of the bound of memory that is Java's heap; the rest is for the Python processes.
HEAP_SHARE = 0.6
#: What Spark says goes there, in the folder of the job.
LOG = "spark.log"
#: Bytes of a file of settings, or of what Java says, that are read.
MOST_BYTES = 1_000_000
#: Seconds that Java may take to tell its version.
PATIENCE = 60


@contextmanager
def session(folder: Path, *, workers: int, memory: int | None = None) -> Iterator[SparkSession]:
    """The session that is there already, which is left as it is; or a new one, stopped at the end
    with its Java process.

    `workers`: processes, where no cluster is set. `memory`: bytes for Java and Python together,
    where no cluster is set; on a cluster only Java's heap in this machine is made by it. Raises
    UsageError: PySpark or Java is missing, or Spark does not start.
    """
    check_packages()
    with without_warnings():
        from pyspark.sql import SparkSession

        running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    given = user_settings()
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # else spark-submit has started Java
        check_java()
    with without_warnings():
        started = _start(folder, {**defaults(folder, workers, memory, given), **given})
    try:
        yield started
    finally:
        _stop(started)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Keep back PySpark's warning of pandas 3, of which functions on Arrow need nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
        yield


@contextmanager
def own_errors(folder: Path) -> Iterator[None]:
    """Turn errors of Spark into ours. `folder`: where its log lies."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as exc:
        said = str(exc)
        log = folder / LOG
        if "OutOfMemoryError" in said:
            raise UsageError(
                "Spark needs more memory than it may have",
                advice="Allow more with --memory-limit, or fewer --workers.",
            ) from exc
        if "No space left" in said:
            raise UsageError(
                f"{folder}: there is no more room on the disk",
                advice="Name a folder on a larger disk with --tmp.",
            ) from exc
        if "No module named 'metasearch" in said:
            raise UsageError(
                "the workers of Spark have no metasearch installed",
                advice="docs/bulk-spark.md says how to give it to a cluster.",
            ) from exc
        raise UsageError(
            f"Spark cannot go on: {_cause(said.splitlines(), 'no reason was given')}",
            advice=f"All that it said stands in {log}.",
        ) from exc


def check_packages() -> None:
    missing = [name for name in PACKAGES if not is_installed(name)]
    if missing:
        raise UsageError(
            f"the engine spark needs {', '.join(missing)}, and that is not installed",
            advice=f"{how_to_install('spark')} Or take --engine duckdb.",
        )


def check_java() -> None:
    advice = (
        f"Install Java {JAVA} or newer (Debian and Ubuntu: apt install "
        f"openjdk-{JAVA}-jre-headless), and set JAVA_HOME where it is not on the PATH; or take "
        "--engine duckdb."
    )
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        raise UsageError(
            "the engine spark needs Java, and there is none on the PATH", advice=advice
        )
    try:
        said = subprocess.run(  # noqa: S603, the user's own Java
            [java, "-version"], capture_output=True, timeout=PATIENCE, check=False
        ).stderr[:MOST_BYTES]
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise UsageError(
            f"the engine spark needs Java, and {java} does not run", advice=advice
        ) from exc
    version = re.search(rb'version "(\d+)', said)
    if version is None or int(version[1]) < JAVA:
        found = version[1].decode() if version else "another"
        raise UsageError(
            f"the engine spark needs Java {JAVA} or newer, and {java} is version {found}",
            advice=advice,
        )


def user_settings() -> Mapping[str, str]:
    """What the user has told Spark, by the names of Spark's settings."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        from pyspark import SparkConf

        return dict(SparkConf().getAll())
    return {**_of_file(), **_of_arguments(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))}


def _of_file() -> dict[str, str]:
    """Those of spark-defaults.conf: a name and a value a line, apart by blanks or "="."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (Path(home, "conf") if home else None)
    if folder is None:
        return {}
    try:
        with Path(folder, "spark-defaults.conf").open(encoding="utf-8", errors="replace") as file:
            text = file.read(MOST_BYTES)
    except OSError:
        return {}
    found = (
        re.match(r"\s*(spark\.[^\s=:]+)[\s=:]+(\S.*?)\s*$", line) for line in text.splitlines()
    )
    return {match[1]: match[2] for match in found if match}


def _of_arguments(text: str) -> dict[str, str]:
    """Those of `--master X` and `--conf NAME=VALUE`, as spark-submit reads them."""
    try:
        words = shlex.split(text.replace("--master=", "--master ").replace("--conf=", "--conf "))
    except ValueError:  # Spark will say what is wrong with it
        return {}
    found = {}
    for option, value in pairwise(words):
        if option == "--master":
            found["spark.master"] = value
        elif option in ("--conf", "-c"):
            name, _, setting = value.partition("=")
            found[name] = setting
    return found


def defaults(
    folder: Path, workers: int, memory: int | None, given: Mapping[str, str]
) -> dict[str, str]:
    """The settings of a session, where the user has not set them."""
    found = {
        "spark.app.name": "metasearch dedup",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.warehouse.dir": str(folder / "spark-warehouse"),
        # Entries of a chunk may pass 2 GB, the bound of Arrow's small types.
        "spark.sql.execution.arrow.useLargeVarTypes": "true",
    }
    if memory is not None:
        heap = max(LEAST_HEAP, int(memory * HEAP_SHARE) >> 20)
        found["spark.driver.memory"] = f"{heap}m"
    if "spark.master" not in given:
        found |= {
            "spark.master": f"local[{workers}]",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            # Other users of this machine reach its loopback, too.
            "spark.authenticate": "true",
            "spark.ui.enabled": "false",
            "spark.local.dir": str(folder / "spark-local"),
        }
        found.setdefault("spark.driver.memory", f"{HEAP}m")
    return found


def _start(folder: Path, settings: Mapping[str, str]) -> SparkSession:
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False)
    for name, value in settings.items():
        conf.set(name, value)
    # The Python of the workers: that of this process, unless the user has chosen another one.
    python = os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    log = folder / LOG
    try:
        with log.open("ab") as file:
            # What Spark says on starting cannot be switched off otherwise.
            gateway = launch_gateway(conf, popen_kwargs={"stdout": file, "stderr": file})
        SparkContext(conf=conf, gateway=gateway)
        return SparkSession.builder.getOrCreate()
    except (Py4JError, PySparkException, OSError, ValueError) as exc:
        _end_java()
        said = [*_last_words(log), *str(exc).splitlines()]
        raise UsageError(
            f"Spark does not start: {_cause(said, str(exc))}",
            advice=f"All that it said stands in {log}. Check Java, and the settings of Spark.",
        ) from exc
    finally:
        if python == sys.executable:
            del os.environ["PYSPARK_PYTHON"]


def _last_words(log: Path) -> list[str]:
    try:
        return log.read_bytes()[-MOST_BYTES:].decode(errors="replace").splitlines()
    except OSError:
        return []


def _cause(lines: Sequence[str], otherwise: str) -> str:
    """The line that says most: the last cause of a traceback, or of several in Java."""
    causes = [
        line for line in lines if re.search(r"^(Caused by: )?[\w.$]*(Error|Exception)\b", line)
    ]
    return (causes or [otherwise])[-1].strip()[:300]


def _stop(session: SparkSession) -> None:
    try:
        session.stop()
    finally:
        _end_java()


def _end_java() -> None:
    """End the Java process: it would keep its memory until Python ends."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway  # noqa: SLF001, PySpark has no other way
    process = getattr(gateway, "proc", None)
    if gateway is None or process is None:
        return
    gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001
    process.stdin.close()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
