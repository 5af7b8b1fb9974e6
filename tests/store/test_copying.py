"""Copies between files and databases: every row, and back with equal exports."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.errors import InvalidInput, Locked
from penchant.store import SideRows, SQLiteLog, TokenRow, open_log
from penchant.store.copying import back_up, restore
from penchant.store.postgres.log import PostgresLog
from penchant.study import Study
from tests.postgresql import Server

pytestmark = pytest.mark.needs("postgres")
RICH = {"text": 'λ "quoted" \u0000', "numbers": [0.1, -2.5e-300, 2**63 - 1]}
TOKEN = TokenRow("t1", "hash", "judge", "ann", 1.0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A log with an event of each kind of content, contexts, users, a checkpoint, tokens and a snapshot."""
    path = tmp_path / "study.db"
    with SQLiteLog.create(path, [("e1", "note", RICH, 3, 1.5)], clock=lambda: 2.25) as log:
        content = b"\x00context\xff"
        side = SideRows({log.side.hash(content): content}, {"k": "ann"}, b"state")
        log.append_all([("e2", "note", {})], side)
        log.tokens.add(TOKEN)
        log.snapshots.put("belief", 2, "code", b"\x00snapshot" * 40_000)
    return path


def held(place: Path | str) -> tuple[object, ...]:
    with open_log(place, write=False) as log:
        contents = log.side.contexts([log.side.hash(b"\x00context\xff")])
        return (
            list(log.events()),
            log.side.salt,
            contents,
            log.side.users(),
            log.side.checkpoint(),
            log.tokens.list(),
            log.snapshots.get("belief"),
        )


def test_a_log_goes_to_a_database_and_back(postgres: Server, file: Path, tmp_path: Path) -> None:
    """Everything that it holds is the same there, in another study of the database, and in the file that comes back."""
    first, second = postgres.address(), postgres.address()
    before = held(file)
    restore(file, first)
    assert held(first) == before
    with PostgresLog.open(first) as log:
        back_up(log, second)
        back_up(log, tmp_path / "back.db")
        assert held(second) == held(tmp_path / "back.db") == before
        log.append("e3", "note", {})
    assert len(held(first)[0]) == 3  # type: ignore[arg-type]


def test_exports_are_the_same_bytes(postgres: Server, tmp_path: Path) -> None:
    """A study of either kind, exported from a file, from a database, and from the file that it came back to."""
    for kind, place in (("compare", tmp_path / "a.db"), ("coactive", tmp_path / "b.db")):
        with Study.create(place, ["tea", "coffee", "milk"], kind=kind, seed=1) as study:
            if kind == "compare":
                study.tell(study.ask("ann"), "left")
            else:
                films = {"Up": {"funny": 1.0}, "Heat": {"long": 2.0}}
                study.feedback(study.present(films, user="ann"), clicked=["Heat"])
                study.present(films, user="bob")
                study.forget("bob")
            study.export(tmp_path / "1.jsonl")
            address = postgres.address()
            study.backup(address)
        with Study.open(address) as study:
            study.export(tmp_path / "2.jsonl")
            study.backup(tmp_path / f"back-{kind}.db")
        with Study.from_events(postgres.address(), tmp_path / "2.jsonl") as study:
            study.export(tmp_path / "3.jsonl")
        with Study.open(tmp_path / f"back-{kind}.db") as study:
            study.export(tmp_path / "4.jsonl")
        assert len({(tmp_path / f"{number}.jsonl").read_bytes() for number in range(1, 5)}) == 1


def test_what_is_in_the_way_is_replaced_only_on_request(postgres: Server, file: Path, tmp_path: Path) -> None:
    """A study that is replaced is kept, with the tokens as they are now; one that is written is left alone."""
    address = postgres.address()
    with PostgresLog.create(address, [("old", "note", {})]) as log:
        with pytest.raises(Locked):
            restore(file, address, replace=True)
        log.tokens.add(TokenRow("t2", "other", "judge", "bob", 3.0))
    with pytest.raises(InvalidInput, match="must not exist yet"):
        restore(file, address)
    restore(file, address, replace=True)
    with PostgresLog.open(address) as log:
        assert [event.id for event in log.events()] == ["e1", "e2"]
        assert [token.id for token in log.tokens.list()] == ["t2"]
        with pytest.raises(InvalidInput, match="another place"):
            back_up(log, address)
        back_up(log, file, replace=True)
        with pytest.raises(InvalidInput, match="must not exist yet"):
            back_up(log, file)
    with PostgresLog.open(log.address.other(f"{log.name}_replaced"), write=False) as old:
        assert [event.id for event in old.events()] == ["old"]
    with SQLiteLog.open(file) as copied:
        assert [token.id for token in copied.tokens.list()] == ["t2"]
        back_up(copied, address, replace=True)
