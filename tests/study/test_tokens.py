"""Tokens: random, hashed, named, revocable, and in no log."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.errors import CannotStore, InvalidInput, UnknownItem
from penchant.store import SQLiteLog
from penchant.study import Study
from penchant.study.tokens import Links


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "study.db", ["tea", "coffee"], clock=Clock())


def test_a_token_is_found_by_itself_alone(study: Study) -> None:
    """It is known by role and name; another token, its hash, its id and near misses are unknown."""
    token = study.tokens.make("judge", "  ann ")
    found = study.tokens.find(token)
    assert found is not None
    assert (found.role, found.name, found.made) == ("judge", "ann", 1_000_000.0)
    (row,) = study._log.tokens.list()
    for wrong in (
        "",
        token[:-1],
        token + "=",
        token.lower() + "x",
        row.hash,
        row.id,
        "é",
        "\udcff",
        "x" * 100_000,
    ):
        assert study.tokens.find(wrong) is None
    assert len({study.tokens.make("judge", "ann") for _ in range(20)}) == 20
    study.close()


def test_tokens_are_kept_nowhere(study: Study, tmp_path: Path) -> None:
    """No file holds a token or what it could be made from: only hashes are stored, and no event is."""
    made = [study.tokens.make(role, "x") for role in ("owner", "judge", "app", "reader")]
    study.tokens.find(made[0])
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    study.close()
    stored += b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for token in made:
        assert token.encode() not in stored
        assert token not in repr(study.tokens)
    with SQLiteLog.open(tmp_path / "study.db", write=False) as log:
        assert [event.kind for event in log.events()] == ["created", "items"]


def test_tokens_outlive_the_process_and_a_backup_knows_them(study: Study, tmp_path: Path) -> None:
    """Opened again, copied and restored, the study knows the same tokens."""
    token = study.tokens.make("judge", "ann")
    study.backup(tmp_path / "copy.db")
    study.close()
    Study.restore(tmp_path / "copy.db", tmp_path / "restored.db")
    for name in ("study.db", "copy.db", "restored.db"):
        with Study.open(tmp_path / name) as again:
            found = again.tokens.find(token)
            assert found is not None
            assert found.name == "ann"


def test_a_revoked_token_works_no_more(study: Study, tmp_path: Path) -> None:
    """At once here and in a process that had it open before; an unknown id is named."""
    token = study.tokens.make("judge", "ann")
    found = study.tokens.find(token)
    assert found is not None
    with Study.open(tmp_path / "study.db", write=False) as beside:
        assert beside.tokens.find(token) is not None
        beside.tokens.revoke(found.id)
        assert study.tokens.find(token) is None
        assert beside.tokens.find(token) is None
        later = beside.tokens.make("judge", "bob")
        assert study.tokens.find(later) is not None
    with pytest.raises(UnknownItem, match=r"unknown id: list the tokens"):
        study.tokens.revoke(found.id)
    study.close()


def test_a_bad_id_fails_alone(study: Study) -> None:
    """Statements that cannot be run fail for whoever sent them, not for what is written with them."""
    with pytest.raises(UnknownItem):
        study.tokens.revoke("\udcff")
    pending = [
        study._log._writer.submit(lambda connection: int("x")),  # type: ignore[union-attr]
        study._log._writer.submit(lambda connection: 7),  # type: ignore[union-attr]
    ]
    with pytest.raises(ValueError, match="invalid literal"):
        pending[0].result()
    assert pending[1].result() == 7
    study.close()


def test_use_is_recorded_to_the_minute(study: Study) -> None:
    """The first use is recorded, then one a minute; looking at the list is no use."""
    clock = study._clock
    assert isinstance(clock, Clock)
    token = study.tokens.make("judge", "ann")
    assert study.tokens.list()[0].used is None
    for now, used in ((10.0, 10.0), (50.0, 10.0), (70.0, 70.0), (69.0, 69.0)):
        clock.now = now
        study.tokens.find(token)
        assert study.tokens.list()[0].used == used
    study.close()


def test_a_token_expires(study: Study) -> None:
    """After its days it is unknown, though it is listed."""
    clock = study._clock
    assert isinstance(clock, Clock)
    token = study.tokens.make("reader", "board", days=2)
    clock.now += 2 * 86400 - 1
    assert study.tokens.find(token) is not None
    clock.now += 1
    assert study.tokens.find(token) is None
    assert len(study.tokens.list()) == 1
    study.close()


def test_a_full_disk_keeps_nobody_out(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the use of a token cannot be recorded, the token is good all the same."""
    token = study.tokens.make("judge", "ann")

    def full(*_: object) -> None:
        raise CannotStore("full")

    monkeypatch.setattr(study._log.tokens, "touch", full)
    assert study.tokens.find(token) is not None
    study.close()


@pytest.mark.parametrize(
    ("role", "name", "days", "words"),
    [
        ("king", "ann", None, "role must be one of owner, judge, app, reader, got 'king'"),
        ("judge", "", None, "name must have 1 to 100 characters, got 0"),
        ("judge", "x" * 101, None, "got 101"),
        ("judge", "a\x1b[2Jb", None, r"must not hold control characters, got \\x1b"),
        ("judge", "a\u202eb", None, r"got \\u202e"),
        ("judge", 7, None, "name must be a string"),
        ("judge", "ann", 0, "days must be a number from 0.000694444 to 36500, got 0"),
        ("judge", "ann", float("nan"), "got nan"),
        ("judge", "ann", 1e9, "got 1000000000.0"),
        ("judge", "ann", 1e-300, "got 1e-300"),
        ("judge", "ann", "7", "got '7'"),
    ],
)
def test_bad_tokens_are_not_made(study: Study, role: str, name: str, days: float | None, words: str) -> None:
    """Unknown roles, names that cannot be shown and times without end are named; nothing is stored."""
    with pytest.raises(InvalidInput, match=words):
        study.tokens.make(role, name, days=days)
    assert study.tokens.list() == []
    study.close()


def test_names_of_any_script_will_do(study: Study) -> None:
    """Emoji and right-to-left names are fine, and come back in one spelling."""
    for name in ("Zoë", "Zoe\u0308", "👩‍🚀", "דנה", "李"):
        found = study.tokens.find(study.tokens.make("judge", name))
        assert found is not None
        assert found.name == ("Zoë" if name.startswith("Z") else name)
    study.close()


@pytest.mark.parametrize(
    ("role", "kind", "link"),
    [
        ("judge", "compare", "https://rank.example/#judge=Zo%C3%AB%20%26%20Co&token=T"),
        ("app", "coactive", "https://rank.example/search#user=Zo%C3%AB%20%26%20Co&token=T"),
        ("app", "compare", "https://rank.example/owner#token=T"),
        ("owner", "coactive", "https://rank.example/owner#token=T"),
    ],
)
def test_a_link_leads_to_the_page_of_its_role(role: str, kind: str, link: str) -> None:
    """The token stands behind the #, which browsers send to nobody, and so does the name."""
    assert Links("https://rank.example").to(role, "Zoë & Co", "T", kind=kind) == link
