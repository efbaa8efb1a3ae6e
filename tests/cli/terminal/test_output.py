"""Where results go: whole files, or none."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from metasearch.cli.output import Sink


def test_file_appears_at_the_end(tmp_path: Path) -> None:
    """Until everything is written there is no file of that name."""
    file = tmp_path / "a.json"
    with Sink(file) as sink:
        sink.write(b"half")
        before = file.exists()
        sink.write(b" and half")

    assert not before
    assert file.read_bytes() == b"half and half"
    assert list(tmp_path.iterdir()) == [file]


def test_error_leaves_the_old_file(tmp_path: Path) -> None:
    """An error on the way takes the draft away and leaves what was there."""
    file = tmp_path / "a.json"
    file.write_bytes(b"old")

    def break_off() -> None:
        with Sink(file) as sink:
            sink.write(b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()

    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_mode_is_kept(tmp_path: Path) -> None:
    """A file that only its owner may read stays so."""
    file = tmp_path / "a.json"
    file.touch(0o600)
    with Sink(file) as sink:
        sink.write(b"new")

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_link_is_followed(tmp_path: Path) -> None:
    """A link stays a link."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.touch()
    link.symlink_to(target)
    with Sink(link) as sink:
        sink.write(b"new")

    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX devices")
def test_device_is_written_to(tmp_path: Path) -> None:
    """What is no regular file is never replaced by one."""
    with Sink(Path(os.devnull)) as sink:
        sink.write(b"gone")

    assert not Path(os.devnull).is_file()


def test_dash_is_stdout(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """ "-" means standard output, which stays open."""
    with Sink(Path("-")) as sink:
        sink.write(b"one")
    with Sink() as sink:
        sink.write(b"two")

    assert capsysbinary.readouterr().out == b"onetwo"


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    """The error names the file that the user has named."""
    file = tmp_path / "nowhere" / "a.json"

    with pytest.raises(OSError, match="nowhere") as caught:
        Sink(file)

    assert caught.value.filename == str(file)
