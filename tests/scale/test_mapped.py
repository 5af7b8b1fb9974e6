"""LETOR text becomes a matrix on disk that holds what `penchant.formats.read_file` reads."""

from __future__ import annotations

import errno
import gzip
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.errors import InvalidInput, NoSpace, PenchantWarning
from penchant.formats import Limits, read_file
from penchant.formats.parsing import letor_rows
from penchant.rankers import RankSVM
from penchant.scale import MappedRows, map_letor, mapped

VALUES = st.floats(-1e6, 1e6, width=32)
LINES = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.integers(1, 5),
        st.dictionaries(st.integers(1, 12), VALUES, max_size=6),
    ),
    min_size=1,
    max_size=40,
)


def text_of(lines):
    return "".join(
        f"{grade} qid:{query} {' '.join(f'{column}:{value!r}' for column, value in cells.items())}\n"
        for grade, query, cells in lines
    )


def written(tmp_path, text, name="rows", **options):
    place = tmp_path / f"{name}.txt"
    place.write_text(text)
    return map_letor(place, tmp_path / name, **options)


@settings(deadline=None)
@given(LINES, st.sampled_from(["float32", "float64"]), st.integers(1, 8), st.booleans())
def test_the_matrix_is_what_is_read(tmp_path_factory, lines, dtype, few, large):
    """Whatever the width of the rows, the blocks and the way of parsing, rows equal those of a file that is read."""
    tmp_path = tmp_path_factory.mktemp("letor")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapped, "_VALUES", few)
        patch.setattr(mapped, "_CELLS", 3 * few)
        if large:
            patch.setattr(letor_rows.GradedRows.read, "__kwdefaults__", {"small": 0})
        found = written(tmp_path, text_of(lines), dtype=dtype)
    reading = read_file(tmp_path / "rows.txt", format="letor", ids=False)
    assert found.X.dtype == dtype
    np.testing.assert_array_equal(found.X, reading.features.toarray().astype(dtype))
    np.testing.assert_array_equal(found.grades, reading.grades)
    np.testing.assert_array_equal(found.qid, reading.qid)


def test_a_large_file_is_parsed_in_blocks(tmp_path, monkeypatch):
    """Also one with lines that are unusual, and queries whose labels are text."""
    random = np.random.default_rng(0)
    cells = [" ".join(f"{k + 1}:{x:.4f}" for k, x in enumerate(row)) for row in random.normal(size=(3000, 9))]
    lines = [f"{i % 3} qid:{'tea' if i % 50 == 7 else i // 10} {cell} # c" for i, cell in enumerate(cells)]
    lines[100] = "1 qid:10 2:1e-320 1:3"  # a number that compiled code leaves to Python
    monkeypatch.setattr(letor_rows.GradedRows.read, "__kwdefaults__", {"small": 0})
    monkeypatch.setattr("penchant.formats.parsing.blocks.BLOCK", 1 << 12)
    found = written(tmp_path, "\n".join(lines))
    reading = read_file(tmp_path / "rows.txt", format="letor", ids=False)
    np.testing.assert_array_equal(found.X, reading.features.toarray().astype(np.float32))
    assert found.labels == ("tea",)
    assert [str(number) if number >= 0 else found.labels[-1 - number] for number in found.qid] == list(
        reading.qid
    )


def test_rank_svm_learns_from_the_matrix(tmp_path):
    """The coefficients are those of the features in memory, and the folder opens again."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4)).astype(np.float32)
    grades = np.digitize(X @ [1, 2, 0, -1] + random.normal(size=300), [-1, 1])
    lines = [(grade, row // 10, dict(enumerate(map(float, X[row]), 1))) for row, grade in enumerate(grades)]
    written(tmp_path, text_of(lines))
    rows = MappedRows.open(tmp_path / "rows")
    assert isinstance(rows.X, np.memmap)
    assert repr(rows) == "MappedRows: 300 rows × 4 float32, 30 queries"
    found = RankSVM().fit(rows.X, rows.grades, qid=rows.qid)
    local = RankSVM().fit(X, grades, qid=np.arange(300) // 10)
    np.testing.assert_allclose(found.coef_, local.coef_, rtol=1e-6)


def test_packed_text_is_read_and_bad_rows_are_named(tmp_path):
    """A row that is no LETOR is left out, with a warning that names its line."""
    with gzip.open(tmp_path / "rows.txt.gz", "wt") as file:
        file.write("2 qid:1 1:1\nnonsense\n1 qid:1 2:2\n")
    with pytest.warns(PenchantWarning, match="line 2"):
        found = map_letor(tmp_path / "rows.txt.gz", tmp_path / "rows")
    assert found.X.tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1 qid:1 2:1e39\n", {}, "feature 2 of row 0 must fit into single precision, got 1e\\+39"),
        ("no letor\n", {}, "hold at least one usable row"),
        ("1 qid:1 1:1\n", {"dtype": "int8"}, "dtype must be float32 or float64"),
        ("1 qid:1 70:1\n", {"limits": Limits(columns=69)}, "highest feature of .* must be at most 69"),
        ("1 qid:1 1:1\n" * 9, {"limits": Limits(bytes=50)}, "must be at most 50"),
    ],
)
def test_what_cannot_be_written_leaves_nothing(tmp_path, text, options, message):
    """An error says what is wrong, and neither the folder nor parts of it are left."""
    with pytest.raises(InvalidInput, match=message):
        written(tmp_path, text, **options)
    assert [place.name for place in tmp_path.iterdir()] == ["rows.txt"]


def test_a_folder_that_exists_is_kept(tmp_path):
    """Nothing is written over, and a folder of something else is not opened."""
    (tmp_path / "rows").mkdir()
    with pytest.raises(InvalidInput, match="folder must not exist yet"):
        written(tmp_path, "1 qid:1 1:1\n")
    with pytest.raises(InvalidInput, match="map_letor wrote"):
        MappedRows.open(tmp_path / "rows")
    with pytest.raises(InvalidInput, match="inside a folder that exists"):
        map_letor(tmp_path / "rows.txt", tmp_path / "nowhere" / "rows")


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    """The error names the folder; nothing is left of it."""

    def full(self, path, width):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(mapped.Matrix, "finish", full)
    with pytest.raises(NoSpace, match="space for the matrix"):
        written(tmp_path, "1 qid:1 1:1\n")
    assert [place.name for place in tmp_path.iterdir()] == ["rows.txt"]


def test_memory_does_not_grow_with_the_text(tmp_path):
    """Three times the rows take little more memory, though their matrix is larger by 120 MB."""
    row = "1 qid:%d " + " ".join(f"{k}:.{k:02d}" for k in range(1, 101)) + "\n"
    text = "".join(row % (i // 100) for i in range(10_000))
    program = (
        "import sys\n"
        "from penchant.scale import map_letor\n"
        "from benchmarks.child import peak\n"
        "rows = map_letor(sys.argv[1], sys.argv[2])\n"
        "print(rows.X.nbytes / 2**20, peak())"
    )
    found = []
    for copies in (15, 45):
        place = tmp_path / f"{copies}.txt"
        with place.open("w") as file:
            for _ in range(copies):
                file.write(text)
        command = [sys.executable, "-c", program, place, tmp_path / str(copies)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(tuple(map(float, done.stdout.split())))
    (small, few), (large, many) = found
    assert large - small > 110
    assert many - few < 30
