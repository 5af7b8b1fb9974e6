"""The docs are true: every code block and command of README and docs/ runs, and prints what it says."""

from __future__ import annotations

import re
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.docs.pages import BLOCK, PAGES, ROOT, pictures, play

JOBS = [
    *(
        "checking",
        "coactive-studies",
        "gaussian-processes",
        "label-ranking",
        "learning-from-logs",
        "monotone",
    ),
    *("object-ranking", "rankers", "ranking", "rating", "search-files", "serving", "surveys", "votes"),
]
"""Pages to which a reader comes with a job."""

DECIMAL = re.compile(r"(?<![\w.,-])-?\d+(?:\.\d+|(?= %))(?![\w.])")


def played(page: Path) -> object:
    """The page as a parameter, which is skipped where it needs a program that is not here."""
    asks = "$ curl" in page.read_text(encoding="utf-8")
    return pytest.param(page, id=page.name, marks=[pytest.mark.needs("curl")] if asks else [])


@pytest.mark.parametrize("page", [played(page) for page in PAGES])
def test_a_page_runs_and_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run again, each block prints what stands below it, and they draw the pictures of the page."""
    monkeypatch.chdir(tmp_path)
    printed, expected = play(page).splitlines(), page.read_text(encoding="utf-8").splitlines()
    assert [
        line if is_rounded(line, old) else (line, old) for line, old in pairs_of(printed, expected)
    ] == printed
    assert [name for name in pictures(page) if not (tmp_path / name).exists()] == []


@pytest.mark.parametrize("job", JOBS)
def test_a_page_goes_from_a_file_to_its_picture(job: str) -> None:
    """The first block writes a file, which the page reads; the last section, to which it links, is a picture."""
    text = (ROOT / "docs" / f"{job}.md").read_text(encoding="utf-8")
    blocks = [body for _, body in BLOCK.findall(text)]
    files = re.findall(r'"([\w-]+\.(?:csv|jsonl|letor|txt))"', blocks[0])
    assert any(file in body for file in files for body in blocks[1:]), f"of {files} none is read"
    assert "](#the-picture)" in text
    picture = text.partition("\n## The picture\n")[2]
    assert re.search(r"^!\[.+\]\((pictures/|owner)", picture, re.MULTILINE)
    assert "\n## " not in picture


def pairs_of(printed: list[str], expected: list[str]) -> list[tuple[str, str]]:
    """Return the lines that stand at one place, as many as were printed or expected."""
    return list(zip_longest(printed, expected, fillvalue=""))


def is_rounded(line: str, expected: str) -> bool:
    """Whether a line is as expected but for the last digit of decimal numbers and percentages, by one.

    Another processor rounds otherwise, and where 96.5 % is printed as 96 or 97 % depends on it.
    """
    if DECIMAL.sub("#", line) != DECIMAL.sub("#", expected):
        return False
    numbers = zip(DECIMAL.findall(line), DECIMAL.findall(expected), strict=True)
    return all(
        len(found.partition(".")[2]) == len(old.partition(".")[2])
        and abs(int(found.replace(".", "")) - int(old.replace(".", ""))) <= 1
        for found, old in numbers
    )


@pytest.mark.parametrize(
    ("line", "expected", "same"),
    [
        ("97 % sure, 0.301", "96 % sure, 0.302", True),
        ("0.30", "0.32", False),
        ("0.3", "0.30", False),
        ("12 answers", "13 answers", False),
        ("a 0.5", "b 0.5", False),
        ("9.99 -0.01", "10.00 0.00", True),
        ("-0.5", "0.5", False),
    ],
)
def test_only_the_last_digit_of_a_decimal_number_may_differ(line: str, expected: str, same: bool) -> None:
    """Counts, names and signs are exact."""
    assert is_rounded(line, expected) is same


def test_every_command_is_documented() -> None:
    """An undocumented command fails here."""
    from penchant.cli import app

    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }
    assert {name for name in names if f"penchant {name}" not in text} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Each relative link names a file that is there."""
    for target in re.findall(r"\]\((?!http|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
