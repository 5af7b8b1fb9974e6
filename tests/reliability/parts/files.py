"""Damaged and hostile files given to every command that reads files.

Trial ``number`` makes a small file of some format, damages it in up to three ways, and runs a command on it through
`penchant.cli.main`, as a shell would. The command must end with status 0, 1 or 2 and at most a few short lines on the
error output, and must leave every file that it does not name as an output as it was.
"""

from __future__ import annotations

import atexit
import contextlib
import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from penchant.cli import main
from penchant.formats import FORMATS
from tests.reliability.part import Part

LINES, LENGTH, SECONDS = 12, 3000, 120
NAMES = ["tea", "coffee", "water", "milk", "Zoë", "=1+1", "a b", "7", "naïve 🙂"]
HUGE = ["9" * 5000, "1e400", "-1", "nan", "inf", "1e-400", "999999999", "0", "9" * 19, "0x10", "1_0", "٣", ""]
ODD = [
    "\x1b[2J", "\x00", "\x07", "\x85", "\u202e", "\u2028", "\ufeff", "\udc80", '"', "'", "\\", "\r", "\r\n", "\n", "\t",
    ",", ";", "::", "{", "}", "[", "]", ":", "#", "qid:", "é", "\U0001f469\u200d\U0001f52c",
]  # fmt: skip
VALUES = [
    "null", "[]", "{}", "true", "1.5", '""', '"\\ud800"', "NaN", '{"id": {}}', "-0", "1e999", '[["a"]]', '"\\u0000"',
    '"order"', '"candidates"', '"winner"', '"weight"', "better", "outcome", "qid:1", "0", "-7", "1:1", '" "', "'=1",
    "2024-13-01",
]  # fmt: skip
TOKEN = re.compile(rb'"[^"]*"|[\w.:-]+')


# --- files -----------------------------------------------------------------------------------------------------------


def pairs(r: random.Random) -> str:
    header = r.choice(
        ["winner,loser", "better,worse,weight", "chosen,rejected,judge,period", "Winner;Loser;Weight"]
    )
    between = ";" if ";" in header else ","
    width = header.count(between) + 1
    rows = [
        between.join([*r.sample(NAMES, 2), *(str(r.randint(1, 5)) for _ in range(width - 2))])
        for _ in range(12)
    ]
    return "\n".join([header, *rows, ""])


def arena(r: random.Random) -> str:
    sides = r.choice(["model_a,model_b", "left,right", "home_team,away_team"])
    if sides.startswith("home"):
        rows = [f"{','.join(r.sample(NAMES, 2))},{r.randint(0, 3)},{r.randint(0, 3)}" for _ in range(12)]
        return "\n".join([f"{sides},home_score,away_score", *rows, ""])
    words = ["left", "right", "tie", "both_bad", "skip"] if sides[0] == "l" else ["model_a", "model_b", "tie"]
    rows = [f"{','.join(r.sample(NAMES, 2))},{r.choice(words)}" for _ in range(12)]
    return "\n".join([f"{sides},winner", *rows, ""])


def statement(r: random.Random) -> dict[str, Any]:
    some = r.sample(NAMES, 4)
    return r.choice(
        [
            {"order": [some[0], some[1:3], some[3]], "weight": 2, "judge": "ann"},
            {"choice": some[0], "offered": some},
            {"presented": some, "clicked": some[2:3]},
            {"winner": some[0], "loser": some[1], "tie": r.random() < 0.2},
            {
                "chosen": [{"role": "user", "content": some[0]}],
                "rejected": [{"role": "user", "content": some[1]}],
            },
            {"left": some[0], "right": some[1], "outcome": "both_bad", "period": "2024-01-31"},
        ]
    )


def jsonl(r: random.Random) -> str:
    return "".join(json.dumps(statement(r), ensure_ascii=r.random() < 0.5) + "\n" for _ in range(10))


def letor(r: random.Random) -> str:
    def row(i: int) -> str:
        features = " ".join(f"{j}:{r.random():.3f}" for j in range(1, 5) if r.random() < 0.8)
        return f"{r.randint(0, 2)} qid:{i // 4} {features}" + (f" #docid = D{i}" if r.random() < 0.7 else "")

    return "\n".join(map(row, range(12))) + "\n"


def preflib(r: random.Random) -> str:
    names = "".join(f"# ALTERNATIVE NAME {i}: {name}\n" for i, name in enumerate(NAMES[:4], 1))
    orders = "".join(f"{r.randint(0, 9)}: {r.choice(['1,2,{3,4}', '4,3,2,1', '2,1'])}\n" for _ in range(6))
    return f"# FILE NAME: x.toi\n# TITLE: x\n# DATA TYPE: toi\n{names}{orders}"


def movielens(r: random.Random) -> str:
    between = r.choice(["::", "\t", ","])
    rows = [
        between.join([str(r.randint(1, 4)), str(r.randint(1, 9)), str(r.randint(1, 5)), "88125"])
        for _ in range(20)
    ]
    return "\n".join((["userId,movieId,rating,timestamp"] if between == "," else []) + rows) + "\n"


def sushi(r: random.Random) -> str:
    return "10 1\n" + "".join(f"0 4 {' '.join(map(str, r.sample(range(10), 4)))}\n" for _ in range(8))


def log(r: random.Random) -> str:
    def line() -> str:
        things = [
            {"id": name, "features": {"price": r.random(), "new": r.randint(0, 1)}}
            for name in r.sample(NAMES, 4)
        ]
        ids = [thing["id"] for thing in things]
        return json.dumps({"candidates": things, "presented": ids, "clicked": ids[2:3]})

    return "".join(line() + "\n" for _ in range(6))


def graded(r: random.Random) -> str:
    rows = [f"{r.randint(0, 2)},{i // 4},{r.random():.3f},{r.random():.3f}" for i in range(12)]
    return "\n".join(["grade,qid,age,size", *rows, ""])


def features(r: random.Random) -> str:
    return "item,price,size\n" + "".join(f"{name},{r.random():.2f},{r.randint(1, 9)}\n" for name in NAMES)


def links(r: random.Random) -> str:
    return "from,to,weight\n" + "".join(
        f"{','.join(r.sample(NAMES, 2))},{r.randint(1, 3)}\n" for _ in range(8)
    )


def items(r: random.Random) -> str:
    if r.random() < 0.5:
        return "\n".join(NAMES) + "\n"
    return "id,title,text\n" + "".join(f'{i},"{name}",about {name}\n' for i, name in enumerate(NAMES))


@cache
def parquet_bytes() -> bytes:
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table(
        {"winner": NAMES[:4], "loser": NAMES[4:8], "weight": [1.0, 2.0, 3.0, 4.0], "order": [["a", "b"]] * 4}
    )
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


@cache
def saved_bytes() -> bytes:
    from penchant import Preferences
    from penchant.saving import to_bytes

    return to_bytes(Preferences.from_pairs([("tea", "coffee"), ("coffee", "water"), ("water", "tea")]))


# --- damage ----------------------------------------------------------------------------------------------------------


def flip(data: bytes, r: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(r.choice([1, 3, 20])):
        if changed:
            changed[r.randrange(len(changed))] = r.randrange(256)
    return bytes(changed)


def cut(data: bytes, r: random.Random) -> bytes:
    return data[: r.randrange(len(data) + 1)]


def insert(data: bytes, r: random.Random) -> bytes:
    place = r.randrange(len(data) + 1)
    sign = r.choice([*ODD, "x" * 140_000]).encode(errors="surrogatepass") * r.choice([1, 1, 40])
    return data[:place] + sign + data[place:]


def number(data: bytes, r: random.Random) -> bytes:
    """Put a number that is odd in the place of another."""
    digits = [i for i, sign in enumerate(data) if chr(sign).isdigit()]
    if not digits:
        return data
    place = r.choice(digits)
    return data[:place] + r.choice(HUGE).encode() + data[place + 1 :]


def nest(data: bytes, r: random.Random) -> bytes:
    place, deep = r.randrange(len(data) + 1), r.choice([50, 500, 5000])
    return data[:place] + b"[" * deep + b"]" * r.choice([0, deep]) + data[place:]


def ends(data: bytes, r: random.Random) -> bytes:
    return data.replace(b"\n", r.choice([b"\r\n", b"\r", b"\n\n", b"", b"\n \n"]))


def encode(data: bytes, r: random.Random) -> bytes:
    text = data.decode("utf-8", errors="replace")
    return text.encode(r.choice(["utf-16", "utf-8-sig", "latin-1", "utf-16-le", "utf-32"]), errors="replace")


def repeat(data: bytes, r: random.Random) -> bytes:
    """Repeat the header, a line, or everything."""
    lines = data.splitlines(keepends=True) or [b""]
    return r.choice([lines[0] + data, data + r.choice(lines), data * 2, lines[0]])


def columns(data: bytes, r: random.Random) -> bytes:
    """Repeat the first cell of each line, or take it away."""
    rows = [line.partition(b",") for line in data.splitlines()]
    twice = r.random() < 0.5
    return (
        b"\n".join((row[0] + b"," if twice else b"") + (b"".join(row) if twice else row[2]) for row in rows)
        + b"\n"
    )


def swap(data: bytes, r: random.Random) -> bytes:
    """Put one cell in the place of another."""
    cells = [cell for line in data.splitlines() for cell in line.replace(b" ", b",").split(b",") if cell]
    return data.replace(r.choice(cells), r.choice([*cells, b"", b"\x1b]0;x\x07"]), 1) if cells else data


def token(data: bytes, r: random.Random) -> bytes:
    """Put a value of another kind in the place of a word, a number or a quoted text."""
    found = list(TOKEN.finditer(data))
    if not found:
        return data
    for one in sorted(r.sample(found, min(len(found), r.choice([1, 1, 5]))), key=lambda one: -one.start()):
        data = data[: one.start()] + r.choice(VALUES).encode() + data[one.end() :]
    return data


def emptied(data: bytes, r: random.Random) -> bytes:
    return b""


def zipped(data: bytes, r: random.Random) -> bytes:
    packed = gzip.compress(data, mtime=0)
    return r.choice([packed, packed, flip(packed, r), packed[:-4], packed + b"x"])


DAMAGE: list[Callable[[bytes, random.Random], bytes]] = [
    token, token, token, flip, cut, insert, insert, number, number, nest, ends, encode, repeat, columns, swap, zipped,
    emptied,
]  # fmt: skip


# --- commands --------------------------------------------------------------------------------------------------------

Command = Callable[[random.Random, str, Path], list[str]]
ANSWERS: list[tuple[Callable[[random.Random], str], list[str]]] = [
    (pairs, ["csv", "tsv", "txt"]),
    (arena, ["csv"]),
    (jsonl, ["jsonl", "json"]),
    (letor, ["letor", "txt"]),
    (preflib, ["toi", "soc"]),
    (movielens, ["dat", "csv", "data"]),
    (sushi, ["order"]),
]


OPTIONS = [
    *(["--format", name] for name in FORMATS),
    ["--no-header", "--better", "1", "--worse", "2"],
    ["--left", "model_a", "--right", "model_b", "--outcome", "winner"],
    ["--no-ids", "--format", "letor"],
    ["--titles", "--format", "movielens"],
    ["--weight", "weight", "--better", "winner", "--worse", "loser"],
    *(
        ["--limit", limit]
        for limit in (
            "bytes=200", "line=20", "field=5", "columns=2", "density=1", "refused=1", "values=3", "depth=1", "digits=1"
        )
    ),
]  # fmt: skip


def reading(r: random.Random, file: str, folder: Path) -> list[str]:
    """Return a command that reads answers, perhaps told of a format or of columns that it does not have."""
    words = command(r, file, folder)
    if r.random() < 0.3:
        words += [
            word.replace("--format", "--from") if words[0] == "convert" else word
            for word in r.choice(OPTIONS)
        ]
    return words


def command(r: random.Random, file: str, folder: Path) -> list[str]:
    to = r.choice(["csv", "jsonl", "toi", "order", "letor", "penchant", "csv.gz", "parquet"])
    model = r.choice(["bradley-terry", "win-rate", "plackett-luce", "glicko", "thurstone"])
    return r.choice(
        [
            ["rank", file, "--model", model],
            ["rank", file, "--model", "win-rate", "--json"],
            ["rank", file, "--model", "win-rate", "--csv", str(folder / "out.csv")],
            ["check", file],
            ["check", file, "--json"],
            ["check", file, "--strict"],
            ["convert", file, str(folder / f"out.{to}")],
            ["convert", file, str(folder / f"out.{to}")],
        ]
    )


def trial(number: int, folder: Path) -> Mapping[str, int]:
    """Give a damaged file to a command, and return how the command ended."""
    r = random.Random(number)
    words, content, name = made(r, folder)
    file = folder / name
    for _ in range(r.choice([0, 1, 1, 1, 2, 3])):
        content = r.choice(DAMAGE)(content, r)
    file.write_bytes(content)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    status, out, err = typed(words)
    told = f"penchant {' '.join(words)}\n{content[:300]!r}\nstatus {status}\n{err[-2000:]}"
    assert status in (0, 1, 2), told
    assert "Traceback" not in err + out, told
    assert ".py:" not in err, told
    assert len(err.splitlines()) <= LINES, told
    assert max(map(len, err.splitlines()), default=0) <= LENGTH, told
    assert not [sign for sign in err + out if sign in "\x1b\x07\x85\u202e\u2028\x00"], told
    assert status == 0 or err, told
    after = {path.name for path in folder.iterdir()} - {path.name for path in before}
    assert all(name.startswith("out.") for name in after), f"{after}\n{told}"
    assert all(path.read_bytes() == content for path, content in before.items()), told
    return {"read" if status == 0 else "rejected": 1}


def made(r: random.Random, folder: Path) -> tuple[list[str], bytes, str]:
    """Return a command, the contents of the file that it reads, and the name of that file."""
    kind = r.random()
    if kind < 0.6:
        make, endings = r.choice(ANSWERS)
        name = f"file.{r.choice([*endings, *endings, 'csv', 'txt', 'csv.gz'])}"
        return reading(r, str(folder / name), folder), make(r).encode(), name
    if kind < 0.66:
        content, name = r.choice([(parquet_bytes(), "file.parquet"), (saved_bytes(), "file.penchant")])
        return reading(r, str(folder / name), folder), content, name
    if kind < 0.74:
        name = r.choice(["file.csv", "file.txt"])
        return ["new", str(folder / "out.db"), str(folder / name)], items(r).encode(), name
    if kind < 0.82:
        words = r.choice([["learn", "FILE", "--save", "OUT"], ["present", "LEARNER", "FILE"]])
        return filled(words, folder, "file.jsonl"), log(r).encode(), "file.jsonl"
    if kind < 0.94:
        make, name = r.choice([(letor, "file.txt"), (graded, "file.csv")])
        saved = "RANKER" if make is letor else "TABULAR"
        words = r.choice(
            [
                ["predict", saved, "FILE"],
                ["predict", saved, "FILE", "--out", "OUT"],
                ["evaluate", saved, "FILE"],
                ["evaluate", saved, "FILE", "--json"],
                ["fit", "ranker", "FILE", "--save", "OUT"],
            ]
        )
        return filled(words, folder, name), make(r).encode(), name
    make, option = r.choice([(features, "--items"), (links, "--links")])
    answers = folder / "answers.csv"
    answers.write_text(pairs(random.Random(1)))
    fit = [
        "fit",
        "linked",
        str(answers),
        "--set",
        "lengthscale=1",
    ]  # nothing is left to be tuned
    words = ["suggest", str(answers)] if r.random() < 0.1 else fit
    return [*words, option, str(folder / "file.csv")], make(r).encode(), "file.csv"


def filled(words: list[str], folder: Path, name: str) -> list[str]:
    places = {"FILE": str(folder / name), "OUT": str(folder / "out.penchant")}
    return [places.get(word) or (str(saved(word)) if word.isupper() else word) for word in words]


@cache
def saved(kind: str) -> Path:
    """Return a saved model, made once a process."""
    folder = Path(tempfile.mkdtemp(prefix="penchant-files-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    make, name = {"LEARNER": (log, "x.jsonl"), "RANKER": (letor, "x.txt"), "TABULAR": (graded, "x.csv")}[kind]
    file, out = folder / name, folder / "model.penchant"
    file.write_text(make(random.Random(0)))
    status, _, err = typed(
        [*(["learn"] if kind == "LEARNER" else ["fit", "ranker"]), str(file), "--save", str(out)]
    )
    assert status == 0, err
    return out


def typed(words: list[str]) -> tuple[int, str, str]:
    """Run ``penchant WORDS`` in this process through its outermost function; a warning that leaks is an error."""
    out, err, status = io.StringIO(), io.StringIO(), 0
    before = sys.argv
    sys.argv = ["penchant", *words]
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
            limited_time(),
        ):
            warnings.simplefilter("error")
            main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        sys.argv = before
    return status, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def limited_time() -> Any:
    """Break off a command that does not end."""

    def late(*_: object) -> None:
        raise AssertionError(f"a command took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


os.environ.pop("PENCHANT_TRACEBACK", None)

PART = Part(
    name="files",
    claim="Whatever a file holds, a command that reads it ends with a result or a short message.",
    unit="damaged files",
    full=5000,
    trial=trial,
)
