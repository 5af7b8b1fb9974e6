"""What goes in comes out, to the last bit and type, and its bytes hang on nothing else."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from penchant import saving
from penchant.saving import load, save, to_bytes
from tests.saving.files import tree_of
from tests.saving.testmodels import Model

PROGRAM = """
import numpy as np
import sys
import penchant.saving as saving
saving.__version__ = "0"
state = {"weights": np.arange(6.0).reshape(2, 3), "names": ("a", "ü"), "tol": 1e-4,
         7: [None, True, float("nan")], "seed": np.random.default_rng(5), "n": np.int32(3), "big": 2**100}
sys.stdout.buffer.write(saving.to_bytes(state))
"""


def test_bytes_are_the_same_in_every_process_and_release():
    """Bytes hang on neither clock nor hash seed, and a hash holds them still over releases of what we use."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    one, other = (
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment | {"PYTHONHASHSEED": seed},
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
        for seed in ("1", "2")
    )
    assert one == other
    assert (
        hashlib.sha256(one).hexdigest() == "0d3fb288705f75c69da9d09b70b6bdd009a5e275101387d71bd7020608ac3089"
    )


def test_attributes_are_written_by_name():
    """The order in which attributes were set does not show."""
    assert to_bytes(Model(b=1, a=2)) == to_bytes(Model(a=2, b=1))


def test_save_replaces_whole_files_only(tmp_path, monkeypatch):
    """A save that fails half-way leaves the old file, and nothing else, behind."""
    place = tmp_path / "model.penchant"
    save({"old": 1}, place)

    def full_disk(descriptor):
        raise OSError("no space left on device")

    monkeypatch.setattr(saving.replacing.os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        save({"new": 2}, place)
    assert load(place) == {"old": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["model.penchant"]


def test_save_and_load_take_text_and_paths(tmp_path):
    """A path is a str or a Path, and the file holds what to_bytes gives."""
    place = tmp_path / "model"
    save([1, 2], str(place))
    save([1, 2], place)
    assert load(str(place)) == load(place) == [1, 2]
    assert place.read_bytes() == to_bytes([1, 2])


def test_a_missing_file_is_a_missing_file(tmp_path):
    """The operating system's own words are clear enough."""
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        save(1, tmp_path / "nowhere" / "model")


def test_importing_is_light():
    """Saving plain values loads neither SciPy, scikit-learn nor skops."""
    code = (
        "import sys; from penchant.saving import to_bytes, from_bytes; import numpy\n"
        "from_bytes(to_bytes({'a': numpy.eye(2)}))\n"
        "print([name for name in ('numba', 'pandas', 'scipy', 'sklearn', 'skops') if name in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    shown = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )
    assert shown.stdout.strip() == "[]"


def test_the_tree_reads_as_it_says():
    """The JSON of a small state can be read by a person."""
    assert tree_of(to_bytes(Model(rate=0.5, ids=("a", "b"), w=np.ones(2)))) == {
        "object": [
            "penchant.testmodels:Model",
            {"ids": {"tuple": ["a", "b"]}, "rate": 0.5, "w": {"array": 0}},
        ]
    }


def test_paths_with_dots_are_kept(tmp_path):
    """The name is taken as given; no ending is added."""
    save(1, tmp_path / "a.b.c")
    assert [path.name for path in Path(tmp_path).iterdir()] == ["a.b.c"]
