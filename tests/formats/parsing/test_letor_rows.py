"""Whole LETOR files as arrays: compiled code beside the parser of single lines, which is the reference."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.formats import Limits, read_file
from penchant.formats.parsing import _letor_kernels, blocks
from penchant.formats.parsing._letor_kernels import _real
from penchant.formats.parsing.letor_rows import GradedRows
from penchant.formats.parsing.reading import Findings
from penchant.formats.parsing.source import Source

BY_LINES, COMPILED = 1 << 60, 0
ODD_LINES = (
    "",
    "   ",
    "# a comment",
    "1 2:3",
    "x qid:1 1:2",
    "1 qid: 1:2",
    "1 qid:1 1:2 oops",
    "1 qid:1 0:1",
    "1 qid:1 5:1 5:2",
    "1 qid:1 1:1e999",
    "1e999 qid:1 1:1",
    "1 qid:1 1:",
    "1 qid:1 1234567890:1",
    "1 qid:1 1:2#docid = no gap",
    "-1 qid:tea 3:1 2:-0 # docid = ü",
    "2 qid:12345678901234567890 1:1e-320",
)


def read(path: Path, small: int, limits: Limits | None = None) -> tuple:
    findings = Findings(Source.of(path, limits), "letor")
    rows = GradedRows(findings)
    rows.read(small=small)
    features = rows.features
    features.check_format(full_check=True)
    return (
        (features.shape, features.data.tolist(), features.indices.tolist(), features.indptr.tolist()),
        rows.grades.tolist(),
        rows.qid.tolist(),
        rows.documents,
        rows.n_rows,
        sorted(findings.refusals),
    )


def written(rng: random.Random) -> str:
    """Return a number in one of many ways of writing it."""
    value = rng.gauss(0, 1) * 10.0 ** rng.choice((-30, -3, 0, 0, 2, 20))
    return rng.choice((repr(value), f"{value:.3f}", f"{value:.25f}", f"{value:.19e}", str(rng.randint(0, 9))))


def lines(rng: random.Random, n_rows: int) -> list[str]:
    rows = []
    for row in range(n_rows):
        features = rng.sample(range(1, 30), rng.randint(0, 9))
        if rng.random() < 0.8:
            features.sort()
        cells = "".join(f"{rng.choice((' ', '  ', chr(9)))}{column}:{written(rng)}" for column in features)
        rows.append(f"{rng.randint(0, 4)} qid:{row // 5}{cells} # docid = d{row}")
    return rows


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_compiled_code_reads_what_the_reference_reads(
    end: str, last: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrays, ids, line numbers and reasons are the same, whatever the ends of lines and wherever blocks end."""
    monkeypatch.setattr(blocks, "BLOCK", 1000)
    rng = random.Random(end)
    rows = lines(rng, 300)
    for odd in ODD_LINES:
        rows.insert(rng.randrange(len(rows)), odd)
    path = tmp_path / "x.letor"
    path.write_bytes((end.join(rows) + (end if last else "")).encode())
    reference = read(path, BY_LINES)
    assert len(reference[5]) == 10
    assert read(path, COMPILED) == reference


@settings(max_examples=300)
@given(
    st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True)
)
def test_numbers_are_rounded_as_python_rounds_them(text: str) -> None:
    """A value is the nearest double, or is left to Python; never something near it."""
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    value, end, certain = _real(data, 0, len(data), 300)
    assert end == len(data)
    assert not certain or repr(value) == repr(float(text))


@pytest.mark.parametrize(
    "text", ["9007199254740993", "9007199254740992.5", "0.1", "1e23", "8.5e22", "123456789012345678"]
)
def test_numbers_between_two_doubles_are_exact(text: str) -> None:
    """Whether a number lies exactly in the middle or just beside it decides how it is rounded."""
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    value, _, certain = _real(data, 0, len(data), 300)
    assert not certain or value == float(text)


def test_usual_numbers_need_no_reference() -> None:
    """Numbers as programs write them are parsed by compiled code, all but a few."""
    rng = random.Random(0)
    texts = [repr(rng.random() * 10.0 ** rng.randint(-9, 9)) for _ in range(2000)]
    certain = [_real(np.frombuffer(t.encode(), dtype=np.uint8), 0, len(t), 300)[2] for t in texts]
    assert np.mean(certain) > 0.999


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_other_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    """A byte order mark is no part of the first grade, and comments keep their letters."""
    path = tmp_path / "x.letor"
    path.write_bytes("1 qid:1 1:2 # docid = né\n0 qid:zü 1:3 # docid = b\n".encode(encoding))
    assert read(path, COMPILED) == read(path, BY_LINES)
    assert read(path, COMPILED)[2:4] == (["1", "zü"], ["né", "b"])


def test_packed_files_are_read_with_progress(tmp_path: Path) -> None:
    """gzip and zstd give the same rows, and progress ends with the whole file."""
    text = "\n".join(lines(random.Random(1), 200)).encode()
    plain = tmp_path / "x.letor"
    plain.write_bytes(text)
    for name, packed in (("x.letor.gz", gzip.compress(text)), ("x.letor.zst", zstandard.compress(text) * 2)):
        path = tmp_path / name
        path.write_bytes(packed)
        seen: list[tuple[int, int]] = []
        reading = read_file(path, progress=lambda done, size, seen=seen: seen.append((done, size)))
        assert len(reading.grades) == (200 if name.endswith("gz") else 399)
        assert seen[-1] == (len(packed), len(packed))


def test_a_zstd_file_that_breaks_off_is_an_error(tmp_path: Path) -> None:
    """Half a frame is never taken for a whole file."""
    packed = zstandard.compress("\n".join(lines(random.Random(2), 2000)).encode())
    path = tmp_path / "x.letor.zst"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InvalidInput, match="ends in the middle of a frame"):
        read_file(path)
    path.write_bytes(packed[:4] + b"no frame at all")
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_file(path)


@pytest.mark.parametrize(
    "line",
    [
        "1 qid:" + "x" * 41,
        "1 qid:" + "9" * 31,
        "1 qid:1 1:0." + "1" * 31,
        "1 qid:1 1:0." + "1" * 30,
        "1" * 31 + " qid:1",
        "1 qid:" + "é" * 30 + "x",
    ],
)
def test_what_exceeds_a_limit_is_one_rejected_row(line: str, tmp_path: Path) -> None:
    """A label or number that is too long is rejected with its line by compiled code too."""
    path = tmp_path / "rows.letor"
    path.write_text(f"2 qid:1 1:1\n{line}\n1 qid:1 1:2\n", encoding="utf-8")
    limits = Limits(digits=30, field=40)
    found = read(path, COMPILED, limits)
    assert found == read(path, BY_LINES, limits)
    assert len(found[1]) + len(found[-1]) == 3


def test_features_in_disorder_are_left_to_the_parser_of_lines(tmp_path: Path) -> None:
    """Compiled code sorts a few features; the time for many would grow with their square."""
    path = tmp_path / "rows.letor"
    for count in (900, 1100):
        features = " ".join(f"{column}:{column}" for column in range(count, 0, -1))
        path.write_text(f"1 qid:1 {features}\n", encoding="utf-8")
        assert read(path, COMPILED) == read(path, BY_LINES)
        data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        state = np.zeros(_letor_kernels.N_PLACES, dtype=np.int64)
        state[_letor_kernels.LONGEST] = 300
        columns, numbers = np.empty(count, dtype=np.int32), np.empty(1, dtype=np.int64)
        spans, values = np.empty((1, 4), dtype=np.int64), np.empty(count)
        _letor_kernels.parse(
            data, len(data), values, columns, state, numbers, spans, np.empty(1), numbers.copy()
        )
        assert state[_letor_kernels.IS_ODD] == (count > 1000)
