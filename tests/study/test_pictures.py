"""Pictures: what is taken, what is rejected, how it is stored, and what becomes of it in copies."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, PngImagePlugin

from penchant.errors import InvalidInput
from penchant.study import CompareStudy, Item, Study
from penchant.study.coactive import CoactiveStudy
from penchant.study.item_files import read_items
from penchant.study.pictures import (
    LONGEST_SIDE,
    MOST_BYTES,
    MOST_PIXELS,
    Citation,
    cited_pictures,
    is_webp,
    read_picture,
)
from tests.study.drawn import drawn, drawn_at, opened


def png_claiming(width: int, height: int) -> bytes:
    """A PNG of a few hundred bytes that says it is very large."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        sum = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", sum)

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 100_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_four_kinds_are_taken_and_become_one(kind: str) -> None:
    """Whatever the file was, what is stored is WebP of the same size and colour."""
    made = read_picture(drawn(kind, (60, 40)))
    stored = opened(made.content)
    assert (stored.format, stored.size) == ("WEBP", (60, 40))
    assert (made.width, made.height) == (60, 40)
    red, green, blue = stored.convert("RGB").getpixel((30, 20))
    assert max(abs(red - 255), abs(green - 99), abs(blue - 71)) < 12
    assert is_webp(made.content)


def test_nothing_but_pixels_is_kept() -> None:
    """Neither texts nor the place where a photograph was taken, nor what was appended to a file."""
    exif = Image.Exif()
    exif[0x010E] = "secret place"
    photograph = drawn("JPEG", exif=exif, comment=b"secret comment") + b"<script>secret</script>"
    text = PngImagePlugin.PngInfo()
    text.add_text("Author", "secret author")
    for file in (photograph, drawn("PNG", pnginfo=text)):
        content = read_picture(file).content
        assert b"secret" not in content
        assert not {"exif", "xmp", "icc_profile"} & opened(content).info.keys()


def test_a_photograph_stands_upright() -> None:
    """The direction in which the camera was held is applied before it is dropped."""
    exif = Image.Exif()
    exif[0x0112] = 6
    made = read_picture(drawn("JPEG", (60, 40), exif=exif))
    assert (made.width, made.height) == (40, 60)


def test_the_first_frame_of_an_animation_is_taken() -> None:
    """Nothing moves on the page."""
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "lime")]
    file = BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    stored = opened(read_picture(file.getvalue()).content)
    assert getattr(stored, "n_frames", 1) == 1
    red, green, _ = stored.convert("RGB").getpixel((10, 10))
    assert red > 250
    assert green < 5


def test_a_large_picture_is_made_smaller_and_what_is_see_through_stays() -> None:
    """The longer side has at most 1,600 pixels; the other follows."""
    file = BytesIO()
    Image.new("RGBA", (2 * LONGEST_SIDE, 200), (0, 0, 255, 100)).save(file, "PNG")
    made = read_picture(file.getvalue())
    assert (made.width, made.height) == (LONGEST_SIDE, 100)
    assert opened(made.content).mode == "RGBA"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
            "must be a PNG, JPEG, WebP or GIF",
        ),
        (b"", "must be a PNG, JPEG, WebP or GIF"),
        (drawn("TIFF"), "must be a PNG, JPEG, WebP or GIF"),
        (drawn("PNG")[:60], "must be a PNG, JPEG, WebP or GIF"),
        (png_claiming(30_000, 30_000), f"at most {MOST_PIXELS:,} pixels"),
        (png_claiming(9_000, 9_000), f"at most {MOST_PIXELS:,} pixels"),
        (b"\0" * (MOST_BYTES + 1), f"at most {MOST_BYTES:,} bytes"),
        (png_claiming(1, 9_000), "at most 20 times as long as it is wide.* got 1 × 9,000: crop it"),
        (png_claiming(2_100, 100), "got 2,100 × 100: crop it"),
    ],
    ids=["svg", "empty", "tiff", "cut", "bomb", "large", "heavy", "thin", "flat"],
)
def test_what_is_no_picture_is_rejected(content: bytes, words: str) -> None:
    """Also a few bytes that would become gigabytes: its size is read before it is decoded."""
    with pytest.raises(InvalidInput, match=words):
        read_picture(content)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With the item that it is of."""
    with pytest.raises(
        InvalidInput, match=r"the picture of item 'a' must be a file that can be read, got 'none.png'"
    ):
        CompareStudy.create(tmp_path / "s.db", [{"id": "a", "picture": tmp_path / "none.png"}, "b"])
    assert not (tmp_path / "s.db").exists()


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies without pictures need it not."""
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(InvalidInput, match=r"penchant\[pictures\]"):
        read_picture(b"")


def test_a_text_is_never_opened_as_a_file(tmp_path: Path) -> None:
    """It may have come over the network: a path or an address in it is rejected, when made, added and edited."""
    file = drawn_at(tmp_path / "tea.png")
    with pytest.raises(InvalidInput, match="must be a pathlib"):
        CompareStudy.create(tmp_path / "s.db", [{"id": "a", "picture": str(file)}, "b"])
    with CompareStudy.create(tmp_path / "s.db", ["a", "b"]) as study:
        for text in (str(file), "https://example.org/tea.png", f"picture:{'0' * 32}:60x40"):
            with pytest.raises(InvalidInput, match="must be a pathlib"):
                study.add_items([{"id": "c", "picture": text}])
            with pytest.raises(InvalidInput, match="must be a pathlib"):
                study.edit_item("a", picture=text)
        assert study.revision() == 2


@pytest.fixture
def study(tmp_path: Path) -> Any:
    items = [
        {"id": "a", "picture": drawn_at(tmp_path / "a.png")},
        {"id": "b", "image": drawn(colour="navy")},
        "c",
    ]
    with CompareStudy.create(tmp_path / "s.db", items, seed=1) as made:
        yield made


def test_items_cite_their_pictures(study: CompareStudy) -> None:
    """The log holds a hash and a size; the content stands beside it, and is there when the study is opened again."""
    citation = Citation.of(study.items["a"].picture)
    assert citation is not None
    assert (citation.width, citation.height) == (60, 40)
    content = study.picture(citation.hash)
    assert content is not None
    assert opened(content).size == (60, 40)
    assert study.picture("0" * 32) is None
    assert study.items["c"].picture == ""
    assert not any("WEBP" in json.dumps(dict(event.content)) for event in study.events())
    with Study.open(study._log.path, write=False) as again:
        assert isinstance(again, CompareStudy)
        assert again.picture(citation.hash) == content


def test_a_picture_is_added_edited_and_removed(study: CompareStudy, tmp_path: Path) -> None:
    """Under an event id that counts once; an item keeps its picture while its title changes."""
    file = drawn_at(tmp_path / "d.png", size=(30, 30), colour="green")
    for _ in range(2):
        study.add_items([Item("d", "D", picture=file)], event_id="add")
    for _ in range(2):
        study.edit_item("c", picture=file, event_id="edit")
    assert study.items["c"].picture == study.items["d"].picture
    study.edit_item("c", title="See")
    assert study.items["c"].picture == study.items["d"].picture
    study.edit_item("c", picture="")
    assert study.items["c"].picture == ""
    study.edit_item("c", picture=study.items["a"].picture)
    assert len(cited_pictures(study.items.values())) == 3
    assert study.revision() == 7


def test_an_export_holds_the_pictures_and_an_import_checks_them(study: CompareStudy, tmp_path: Path) -> None:
    """They stand after the events; events alone make a study that only lacks them."""
    study.export(tmp_path / "s.jsonl")
    lines = (tmp_path / "s.jsonl").read_text().splitlines()
    assert [json.loads(line).get("side") for line in lines] == [None, None, "salt", "picture", "picture"]
    for name, source in (("whole.db", tmp_path / "s.jsonl"), ("events.db", list(study.events()))):
        with Study.from_events(tmp_path / name, source) as copy:
            assert isinstance(copy, CompareStudy)
            assert copy.items == study.items
            found = [copy.picture(hash) for hash in cited_pictures(study.items.values())]
            wanted = [study.picture(hash) for hash in cited_pictures(study.items.values())]
            assert found == (wanted if name == "whole.db" else [None, None])
    for wrong in (
        [*lines[:3], lines[3].replace("UklG", "AAAA")],
        [*lines[:2], *lines[3:]],
        [*lines, json.dumps({"side": "picture"})],
        [*lines, json.dumps({"side": "user", "key": "k", "name": "n"})],
        [*lines[:1], lines[1].replace("picture:", "sketch:"), *lines[2:]],
    ):
        (tmp_path / "wrong.jsonl").write_text("\n".join(wrong))
        with pytest.raises(InvalidInput, match="export the study anew"):
            Study.from_events(tmp_path / "wrong.db", tmp_path / "wrong.jsonl")


def test_an_export_without_pictures_is_events_alone(tmp_path: Path) -> None:
    """As it always was."""
    with CompareStudy.create(tmp_path / "s.db", ["a", "b"]) as study:
        study.export(tmp_path / "s.jsonl")
    assert "side" not in (tmp_path / "s.jsonl").read_text()


def test_a_backup_holds_the_pictures(study: CompareStudy, tmp_path: Path) -> None:
    """It is a copy of the file."""
    study.backup(tmp_path / "copy.db")
    with Study.open(tmp_path / "copy.db") as copy:
        assert isinstance(copy, CompareStudy)
        for hash in cited_pictures(study.items.values()):
            assert copy.picture(hash) == study.picture(hash)


def test_files_of_a_table_are_relative_to_it(tmp_path: Path) -> None:
    """An address is rejected before anything is fetched: nothing ever is."""
    (tmp_path / "pictures").mkdir()
    drawn_at(tmp_path / "pictures" / "tea.png")
    table = tmp_path / "teas.csv"
    table.write_text("id,title,picture\ntea,Tea,pictures/tea.png\nwater,Water,\n")
    items = read_items(table)
    assert [item.picture for item in items] == [tmp_path / "pictures" / "tea.png", ""]
    assert read_items(table, pictures=False)[0].picture == "pictures/tea.png"
    with CompareStudy.create(tmp_path / "s.db", items) as study:
        assert Citation.of(study.items["tea"].picture) is not None
    table.write_text("id,title,picture\ntea,Tea,https://example.org/tea.png\nwater,Water,\n")
    with pytest.raises(InvalidInput, match="the picture of item 0 must be a file on this computer"):
        read_items(table)


def test_a_study_of_orders_stores_no_pictures(tmp_path: Path) -> None:
    """It keeps texts, and says so of files."""
    with CoactiveStudy.create(tmp_path / "s.db", [{"id": "a", "picture": "tea.png", "x": 1.0}]) as study:
        assert study.items["a"].picture == "tea.png"
        with pytest.raises(InvalidInput, match="must be a text in a study that presents orders"):
            study.add_items([{"id": "b", "picture": drawn(), "x": 1.0}])
