"""Files: limits, encodings, compression, and replacement as a whole."""

from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path
from typing import Any

import pytest

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import (
    Limits,
    read_candidates,
    read_file,
    read_presentations,
    write_file,
)
from penchant.study import read_items
from tests.formats import strategies
from tests.formats.files import LOG, VOTES, peak_memory
from tests.formats.strategies import file


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_are_counted_after_unpacking(packed: bool, tmp_path: Path) -> None:
    """A file beyond the limit is rejected with the limit and what raises it; one at the limit is read."""
    text = (VOTES + "tea,water\n" * 20_000).encode()
    path = file(tmp_path, "votes.csv", gzip.compress(text) if packed else text)
    assert read_file(path, limits=Limits(bytes=len(text))).n_rows == 20_002
    with pytest.raises(InvalidInput) as error:
        penchant.read(path, limits=Limits(bytes=len(text) - 1))
    assert str(error.value) == (
        f"bytes of {path}, unpacked, must be at most {len(text) - 1:,}, got more: "
        f"give less, or limits=Limits(bytes={2 * (len(text) - 1)})"
    )


def test_a_small_file_that_unpacks_to_much_takes_little_memory(tmp_path: Path) -> None:
    """250 MB in a few hundred kB of gzip are rejected at 20 MB, without ever being in memory."""
    path = tmp_path / "votes.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(b"winner,loser\n")
        for _ in range(25):
            out.write(b"tea,coffee\n" * 1_000_000)
    small = Limits(bytes=20_000_000)
    assert peak_memory(lambda: read_file(path, limits=small)) < 10_000_000
    with pytest.raises(InvalidInput, match="must be at most 20,000,000"):
        read_file(path, limits=small)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_no_longer_than_the_limit(end: str, tmp_path: Path) -> None:
    """A line beyond the limit is named; many short ones are fine, whatever ends them."""
    short = end.join(["winner,loser", *["tea,coffee"] * 500, ""])
    assert read_file(file(tmp_path, "short.csv", short), limits=Limits(line=12)).n_rows == 500
    long = end.join(["winner,loser", "tea,coffee", f"tea,{'x' * 40}", "a,b"])
    with pytest.raises(InvalidInput, match=r"bytes of line 3 of .*long.csv must be at most 12, got more"):
        read_file(file(tmp_path, "long.csv", long), limits=Limits(line=12))


def test_limits_reach_every_reader(tmp_path: Path) -> None:
    """Logs, candidates, items, titles, Parquet and saved files are all read within the limits that are given."""
    small = Limits(bytes=40)
    log = file(tmp_path, "log.jsonl", LOG)
    for read in (read_presentations, read_candidates):
        with pytest.raises(InvalidInput, match="must be at most 40"):
            list(read(log, limits=small))
    with pytest.raises(InvalidInput, match="must be at most 40"):
        read_items(file(tmp_path, "items.txt", "tea\n" * 20), limits=small)
    file(tmp_path, "movies.dat", "1::x::y\n" * 20)
    with pytest.raises(InvalidInput, match=r"movies\.dat, unpacked, must be at most 40"):
        read_file(file(tmp_path, "r.dat", "1::2::3\n1::3::4\n"), titles=True, limits=small)
    votes = Preferences.from_pairs([("a", "b")] * 100)
    for name in ("x.penchant", "x.parquet"):
        penchant.write(votes, tmp_path / name)
        with pytest.raises(penchant.errors.PenchantError, match="at most 40"):
            read_file(tmp_path / name, limits=small)


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder"])
def test_what_is_no_regular_file_is_rejected_before_reading(kind: str, tmp_path: Path) -> None:
    """A pipe, a socket, a device and a folder, also behind a link, are named and never opened."""
    path = tmp_path / "x.csv"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        bound = socket.socket(socket.AF_UNIX)
        bound.bind(str(path)[-100:] if len(str(path)) < 100 else os.path.relpath(path))
        bound.close()
    for read in (read_file, read_items, lambda path: list(read_presentations(path))):
        with pytest.raises(InvalidInput, match=f"must be a (regular )?file, got a {kind}"):
            read(path)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"bytes": 0}, "limit bytes must be a whole number above 0, got 0"),
        ({"line": 1.5}, "limit line must be a whole number above 0, got 1.5"),
        ({"digits": 5000}, "limit digits must be at most 4300, got 5000"),
    ],
)
def test_limits_are_whole_numbers(settings: dict[str, Any], words: str) -> None:
    """A limit of nothing, of a half, or beyond what Python converts is rejected."""
    with pytest.raises(InvalidInput, match=words):
        Limits(**settings)


def test_every_limit_is_in_the_docs() -> None:
    """The page about files names each limit with its usual value."""
    page = (Path(__file__).parents[3] / "docs" / "files.md").read_text()
    for name, field in Limits.__dataclass_fields__.items():
        assert f"| `{name}` | {field.default:,} |" in page


def test_encodings(tmp_path: Path) -> None:
    """UTF-8, UTF-16 with a mark and gzipped files are read; Latin-1 is guessed and noted."""
    text = "winner,loser\nØrsted,café\n"
    for name, content in [
        ("utf8.csv", text.encode()),
        ("utf16.csv", text.encode("utf-16")),
        ("zipped.csv.gz", gzip.compress(text.encode())),
        ("latin.csv", text.encode("latin-1")),
    ]:
        reading = read_file(file(tmp_path, name, content))
        assert set(reading.preferences.items) == {"Ørsted", "café"}
        assert bool(reading.notes) == (name == "latin.csv")


def test_a_letter_may_be_cut_between_blocks(tmp_path: Path) -> None:
    """A file of several megabytes is UTF-8 also where a block ends inside a letter."""
    for shift in range(2):
        text = "winner,loser\n" + "x" * shift + "é" * (3 << 19) + ",b\n"
        reading = read_file(file(tmp_path, "long.csv", text.replace("é" * 65536, "é,b\né")))
        assert reading.notes == ()


def test_half_a_letter_of_utf16_is_rejected(tmp_path: Path) -> None:
    """A file cut off inside a letter is rejected with a message."""
    with pytest.raises(InvalidInput, match="must be utf-16"):
        read_file(file(tmp_path, "votes.csv", "winner,loser\na,b\n".encode("utf-16")[:-1]))


def test_a_broken_gzip_is_rejected(tmp_path: Path) -> None:
    """A file cut off while it was copied is rejected with a message."""
    whole = gzip.compress(b"winner,loser\n" + b"a,b\n" * 10000)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_file(file(tmp_path, "votes.csv.gz", whole[:40]))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "got an empty file: write it anew"),
        ("blank.csv", b"\n \n", "got an empty file"),
        ("header.csv", b"winner,loser\n", "it has a header and no rows"),
        ("binary.csv", b"winner,loser\n\x00\x01\x02", "must be text, got binary data"),
        ("one.csv", b"winner\na\n", "columns must say who was preferred, got 'winner'"),
    ],
)
def test_files_that_hold_nothing_are_rejected(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    """Empty, blank, header alone, binary, a single column: each rejected with what to do next."""
    with pytest.raises(InvalidInput, match=words):
        read_file(file(tmp_path, name, content))


def test_places_where_no_file_is_are_rejected(tmp_path: Path) -> None:
    """A missing file, a folder and a missing folder are rejected; a near name is suggested."""
    file(tmp_path, "votes.csv", "winner,loser\na,b\n")
    with pytest.raises(InvalidInput, match=r"got nothing there: did you mean .*votes.csv\?"):
        read_file(tmp_path / "vote.csv")
    with pytest.raises(InvalidInput, match="got a folder: name one file in it"):
        read_file(tmp_path)
    with pytest.raises(InvalidInput, match="no folder"):
        read_file(tmp_path / "nowhere" / "votes.csv")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """What stood there stays if writing fails, and nothing unfinished is left behind."""
    path = strategies.file(tmp_path, "votes.soc", "old")
    with pytest.raises(InvalidInput, match=r"must be one that holds these orders, got .soc: call it .toi"):
        write_file(Preferences.from_rankings([["a", ["b", "c"]], ["a"]]), path)
    with pytest.raises(InvalidInput, match="an order without ties"):
        write_file(Preferences.from_rankings([["a", "b"], [["a", "b"]]])[1:], path, format="sushi")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("votes.xyz", "ending of .* must be known, for instance .csv, .jsonl"),
        (
            "nowhere/votes.csv",
            "must be a file that can be written, got a file in .*nowhere, which is no folder",
        ),
        (".", "ending of|got a folder"),
    ],
)
def test_places_that_cannot_be_written_are_rejected(path: str, words: str, tmp_path: Path) -> None:
    """An unknown ending, a folder and a missing folder are rejected with a message."""
    with pytest.raises(InvalidInput, match=words):
        write_file(Preferences.from_pairs([("a", "b")]), tmp_path / path)
