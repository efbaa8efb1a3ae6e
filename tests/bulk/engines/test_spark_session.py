"""Spark is started with what the user has told it, else for this machine alone; what is missing is
named."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from metasearch.bulk.engines import spark_session
from metasearch.errors import UsageError


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)


def java(folder: Path, said: str) -> Path:
    """A Java that says this of itself; gives its home."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    program.chmod(0o755)
    return folder


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra that brings it."""
    monkeypatch.setattr(spark_session, "is_installed", lambda name: name != "pyspark")

    with pytest.raises(UsageError, match="needs pyspark, and that is not installed") as raised:
        spark_session.check_packages()

    assert 'pip install ".[spark]"' in raised.value.advice


def test_without_java_it_says_which_package_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UsageError, match="none on the PATH") as raised:
        spark_session.check_java()

    assert "openjdk-17-jre-headless" in raised.value.advice


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "version 11"),
        ('java version "1.8.0_392"', "version 1"),
        ("no such command", "version another"),
    ],
)
def test_an_old_java_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, found: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path, said)))

    with pytest.raises(UsageError, match=f"needs Java 17 or newer, .* is {found}"):
        spark_session.check_java()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
@pytest.mark.parametrize("said", ['openjdk version "17.0.15" 2025-04-15', 'java version "25"'])
def test_a_java_that_suffices_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path, said)))

    spark_session.check_java()


@pytest.mark.slow
def test_a_java_home_without_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(UsageError, match="does not run"):
        spark_session.check_java()


def test_on_one_machine_nobody_else_reaches_it(tmp_path: Path) -> None:
    """Its ports are those of the loopback, a secret guards them, and there is no page."""
    found = spark_session.defaults(tmp_path, 3, None, {})

    assert found["spark.master"] == "local[3]"
    assert found["spark.driver.bindAddress"] == found["spark.driver.host"] == "127.0.0.1"
    assert (found["spark.authenticate"], found["spark.ui.enabled"]) == ("true", "false")
    assert found["spark.local.dir"].startswith(str(tmp_path))


@pytest.mark.parametrize(
    ("memory", "heap"), [(None, "2048m"), (4 << 30, "2457m"), (1 << 20, "512m")]
)
def test_java_takes_its_share_of_the_memory(tmp_path: Path, memory: int | None, heap: str) -> None:
    """The rest is left to the Python processes."""
    assert spark_session.defaults(tmp_path, 2, memory, {})["spark.driver.memory"] == heap


def test_a_cluster_is_left_as_the_user_has_set_it(tmp_path: Path) -> None:
    """Neither its addresses nor its page nor its disks are set."""
    found = spark_session.defaults(tmp_path, 2, None, {"spark.master": "spark://one:7077"})

    assert not found.keys() & {
        "spark.master",
        "spark.driver.host",
        "spark.driver.bindAddress",
        "spark.driver.memory",
        "spark.ui.enabled",
        "spark.local.dir",
    }


def test_what_the_user_has_set_is_found_where_spark_looks_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In spark-defaults.conf and, which wins, in the arguments of spark-submit."""
    assert dict(spark_session.user_settings()) == {}
    (tmp_path / "spark-defaults.conf").write_text(
        "# ours\n\nspark.master   yarn\nspark.executor.memory=4g\n  spark.eventLog.enabled true  \n"
        "other.name x\n"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv(
        "PYSPARK_SUBMIT_ARGS",
        "--master=spark://one:7077 --conf 'spark.app.name=a job' --archives e.tgz pyspark-shell",
    )

    assert dict(spark_session.user_settings()) == {
        "spark.master": "spark://one:7077",
        "spark.executor.memory": "4g",
        "spark.eventLog.enabled": "true",
        "spark.app.name": "a job",
    }


def test_unfinished_quotes_are_left_to_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf 'spark.app.name=a")

    assert dict(spark_session.user_settings()) == {}


@pytest.mark.slow
def test_nothing_of_spark_is_imported_before_it_is_used() -> None:
    """Importing the engine costs nothing where another one is chosen."""
    import subprocess

    code = (
        "import sys, metasearch.bulk.engines.spark\n"
        "assert not {'pyspark', 'pandas', 'py4j'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
