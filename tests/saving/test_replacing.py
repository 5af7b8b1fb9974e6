"""Files are replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from penchant.errors import InvalidInput
from penchant.saving.replacing import replace_text, replaced


def test_mode_of_what_is_replaced_is_kept(tmp_path: Path) -> None:
    """A private file stays private, and an executable one executable."""
    for mode in (0o600, 0o640, 0o755):
        place = tmp_path / "file"
        place.write_text("old")
        place.chmod(mode)
        replace_text(place, "new")
        assert (place.read_text(), stat.S_IMODE(place.stat().st_mode)) == ("new", mode)


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    """A new file gets what the umask leaves, as any other program's would."""
    (tmp_path / "other").touch()
    replace_text(tmp_path / "file", "new")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """Writing through a symbolic link, also one that leads nowhere yet, replaces what it leads to."""
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "file", tmp_path / "link"
    link.symlink_to(target)
    for text in ("new", "newer"):
        replace_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert [path.name for path in target.parent.iterdir()] == ["file"]


def test_another_hard_link_keeps_the_old_contents(tmp_path: Path) -> None:
    """A file is replaced, not changed: its other names keep what they had."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("old")
    os.link(first, second)
    replace_text(first, "new")
    assert (first.read_text(), second.read_text()) == ("new", "old")


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """An error while writing changes nothing."""
    place = tmp_path / "file"
    place.write_text("old")
    with pytest.raises(TypeError), replaced(place) as file:
        file.writelines([b"half", "no bytes"])  # type: ignore[list-item]
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """A process that may write no more bytes reports it and leaves what was there."""
    place = tmp_path / "file"
    place.write_text("old")
    code = (
        "import resource, signal, sys\n"
        "from penchant.saving.replacing import replace_text\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: replace_text(sys.argv[1], 'x' * 5000)\n"
        "except OSError as error: sys.exit(error.errno)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(place)], check=False)
    assert done.returncode == errno.EFBIG
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    """The temporary file needs no longer a name than the file."""
    place = tmp_path / ("x" * 250)
    replace_text(place, "new")
    assert place.read_text() == "new"


def test_devices_are_written_to_and_never_replaced(tmp_path: Path) -> None:
    """The null device stays one; a pipe that nobody reads and a folder are rejected."""
    replace_text(os.devnull, "gone")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="must be a pipe that is read"):
        replace_text(tmp_path / "pipe", "x")
    with pytest.raises(InvalidInput, match="got a folder"):
        replace_text(tmp_path, "x")


def test_a_pipe_that_is_read_gets_everything(tmp_path: Path) -> None:
    """More than a pipe holds arrives whole at its reader."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["wc", "-c", pipe], stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        for _ in range(1000):
            try:
                replace_text(pipe, "x" * 300_000)
                break
            except InvalidInput:
                os.sched_yield()
                subprocess.run(["sleep", "0.01"], check=True)
        assert reader.stdout.read().split()[0] == b"300000"
