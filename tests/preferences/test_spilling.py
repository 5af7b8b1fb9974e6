"""Temporary files: read back as written, never left behind, and clear errors where there is no space."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput, NoSpace
from penchant.preferences import Items, PairCounter
from penchant.preferences.pair_sums import count_pairs, merged
from penchant.preferences.spilling import Column, Run, merged_blocks, merged_kinds


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_column_gives_back_what_it_was_given(tmp_path: Path, on_disk: bool) -> None:
    """In parts, in memory as in a file."""
    column = Column(np.arange(10, dtype=np.int32), tmp_path if on_disk else None)
    column.write(3, np.array([-1, -2], dtype=np.int32))
    assert column.read(2, 6).tolist() == [2, -1, -2, 5]
    assert len(column) == 10
    assert (column.folder is not None) == on_disk
    assert list(tmp_path.iterdir()) == []


def test_merged_runs_are_the_merged_sums(tmp_path: Path) -> None:
    """Block by block, also where a pair is in all runs and where a run ends early."""
    rng = np.random.default_rng(0)
    sums = []
    for size in (5_000, 4_000, 10, 3_000):
        better = rng.integers(300, size=size)
        sums.append(count_pairs(better, (better + rng.integers(1, 300, size=size)) % 300, better < 30))
    runs = [Run.of(each, tmp_path) for each in sums]
    blocks = list(merged_blocks(runs, 1))
    assert len(blocks) > 3
    expected = merged(sums)
    np.testing.assert_array_equal(np.concatenate([block.keys for block in blocks]), expected.keys)
    whole = Run(merged_blocks(runs, 1), merged_kinds(runs), tmp_path)
    for found, wanted in zip(whole.read(0, len(whole)).weight, expected.weight, strict=True):
        np.testing.assert_array_equal(found, wanted)


STARTED = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run in the background
import numpy as np
from penchant.preferences import Items, PairCounter
counter = PairCounter(memory=1, folder=sys.argv[1])
counter.add(np.arange(1000), np.arange(1000) + 1)
counts = counter.finish(Items.named(range(1001)))
print(counts.on_disk, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_ends_leaves_no_files(tmp_path: Path, number: signal.Signals) -> None:
    """Interrupted, or killed in a way that it cannot notice."""
    command = [sys.executable, "-c", STARTED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "True"
        process.send_signal(number)
        process.wait()
    assert list(tmp_path.iterdir()) == []


FULL = """
import resource, signal, sys
import numpy as np
from penchant.errors import NoSpace
from penchant.preferences import PairCounter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
counter = PairCounter(memory=160 * 1000, folder=sys.argv[1])
try:
    for start in range(0, 100_000, 1000):
        counter.add(np.arange(1000) + start, np.arange(1000) + start + 1)
except NoSpace as error:
    print(error)
"""


def test_a_full_disk_is_an_error_that_names_the_folder(tmp_path: Path) -> None:
    """A file that may not grow stands for a disk without space."""
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    assert "free some" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_no_space_is_told_from_a_folder_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Space is to be freed; a folder that cannot be written to is to be changed."""

    def failing(number: int) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr("tempfile.TemporaryFile", fail)

    for number, kind, message in (
        (errno.ENOSPC, NoSpace, "no space left"),
        (errno.EACCES, InvalidInput, "can be written to"),
    ):
        failing(number)
        counter = PairCounter(memory=1, folder=tmp_path)
        with pytest.raises(kind, match=message):
            counter.add(np.arange(3), np.arange(3) + 1)
    with pytest.raises(InvalidInput, match="folder must be a folder"):
        PairCounter(folder=tmp_path / "absent").finish(Items.named(range(2)))
