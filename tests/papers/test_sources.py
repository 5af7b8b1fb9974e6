"""The data sets of the experiments: which of them a folder holds, and their files."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from penchant.errors import InvalidInput
from penchant.papers.sources import BY_NAME, SOURCES, VARIABLE, Source, data_folder, unpacked
from tests.conftest import DATA


def test_a_set_is_there_packed_or_with_all_its_files(tmp_path: Path) -> None:
    """A folder with some of the files, or with a note only, is not the set."""
    sushi = BY_NAME["sushi"]
    assert not sushi.is_in(None)
    assert not sushi.is_in(tmp_path)
    (tmp_path / "sushi").mkdir()
    for name in ("README.txt", "sushi3.udata"):
        (tmp_path / "sushi" / name).write_text("", encoding="utf-8")
        assert not sushi.is_in(tmp_path)
    (tmp_path / "sushi" / "sushi3a.5000.10.order").write_text("", encoding="utf-8")
    assert sushi.is_in(tmp_path)
    (tmp_path / "ml-1m").mkdir()
    (tmp_path / "ml-1m" / "ml-1m.tar.xz").write_bytes(b"")
    assert BY_NAME["ml-1m"].is_in(tmp_path)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_the_files_are_named_as_their_owners_pack_them(source: Source, tmp_path: Path) -> None:
    """Unpacked, each set that is at hand is found by its files."""
    archive = DATA / source.name / f"{source.name}.tar.xz"
    if not archive.exists():
        pytest.skip(f"data set {source.name} is not in {DATA}: set PENCHANT_DATA to the folder that holds it")
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            if member.isfile():  # empty files of the same names are enough
                place = tmp_path / member.name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(b"")
    assert source.is_in(tmp_path)


def test_the_folder_is_given_or_named_by_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An argument wins over the variable; a missing folder is an error that names its origin."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert data_folder() == tmp_path
    assert data_folder(tmp_path / "..") == tmp_path / ".."
    monkeypatch.setenv(VARIABLE, "")
    assert data_folder() is None
    monkeypatch.setenv(VARIABLE, "nowhere")
    with pytest.raises(InvalidInput, match=f"{VARIABLE} must be a folder, got nowhere"):
        data_folder()


def test_a_packed_set_is_read_like_an_unpacked_one(tmp_path: Path) -> None:
    """From a temporary folder, which is deleted afterwards."""
    plain, packed = tmp_path / "plain" / "sushi", tmp_path / "packed" / "sushi"
    for folder in (plain, packed):
        folder.mkdir(parents=True)
    (plain / "notes.txt").write_text("rice", encoding="utf-8")
    with tarfile.open(packed / "sushi.tar.xz", "w:xz") as archive:
        archive.add(plain, "sushi")
    with unpacked(plain.parent, "sushi") as folder:
        assert folder == plain
    with unpacked(packed.parent, "sushi") as folder:
        assert (folder / "notes.txt").read_text(encoding="utf-8") == "rice"
    assert not folder.exists()
    with pytest.raises(InvalidInput, match=r"data must be a folder that holds ml-1m/ml-1m\.tar\.xz, got"):
        unpacked(tmp_path, "ml-1m").__enter__()
