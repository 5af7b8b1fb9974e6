"""Draw every page in every state: ``python -m tests.browser.screenshots [FOLDER]``, which ``make screenshots`` calls.

The pictures go to ``out/screenshots``, to be looked at; the first one of the README is one of them.
"""

from __future__ import annotations

import io
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from penchant.examples.documents import FEATURES, document_items
from penchant.study import Study
from penchant.study.tokens import Links
from tests.browser.conftest import QUIET
from tests.browser.pleasures import PLEASURES

ROOT = Path(__file__).parents[2]
README = ROOT / "docs" / "owner.png"
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1180, "height": 820}, "color_scheme": "light"},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "color_scheme": "dark",
        "has_touch": True,
        "device_scale_factor": 2,
    },
}
PARTS = ("ranking", "people", "things", "history", "learning", "checks", "exports", "settings")
SETTLED_AFTER = 300
_LONG = "A paragraph that goes on.\n\n" + 12 * "It has many sentences, of which each says a little more. "


@dataclass
class Served:
    """Studies behind one server, by the names of their files."""

    folder: Path
    url: str

    def link(self, study: str, role: str, name: str = "ann") -> str:
        """Return a new link to a study."""
        with Study.open(self.folder / f"{study}.db", write=False) as found:
            return Links(self.url).to(role, name, found.tokens.make(role, name), kind=found.kind)


def picture(colour: tuple[int, int, int]) -> bytes:
    """Return a small picture as PNG."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (640, 400), colour).save(file, "PNG")
    return file.getvalue()


def answer(study: Any, count: int) -> None:
    """Let simulated judges give answers; what comes first among the items is mostly preferred."""
    luck, order = random.Random(7), list(study.items)
    for number in range(count):
        asked = study.ask(("ann", "bob", "cem")[number % 3])
        better = order.index(asked.right) - order.index(asked.left)
        study.tell(asked, "left" if luck.random() < 1 / (1 + exp(-better)) else "right")


def make_studies(folder: Path) -> None:
    """Make a study for each state: new, begun, settled, with long texts and pictures, and one to search in."""
    words = {"question": "Which would you rather have now?", "instructions": "Answer by taste."}
    for name, answers in (("new", 0), ("begun", 40), ("settled", SETTLED_AFTER)):
        with Study.create(
            folder / f"{name}.db", PLEASURES, title="Small pleasures", seed=1, **words
        ) as study:
            answer(study, answers)
    things = [
        {"title": "A long text", "text": _LONG},
        {"title": "A picture", "picture": picture((90, 130, 180)), "made": "2024"},
        {"title": "Some code", "text": "def f(x):\n    return 2 * x\n", "format": "code"},
        {"title": "Another long text, whose title is long too, and goes on for a while", "text": _LONG},
    ]
    Study.create(folder / "things.db", things, title="Things", show=("made",), seed=2).close()
    Study.create(
        folder / "search.db",
        document_items(),
        kind="coactive",
        features=FEATURES,
        per_user=True,
        title="Sixty things to read",
        seed=1,
    ).close()


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """Serve all studies of a folder until the end."""
    files = sorted(path.name for path in folder.glob("*.db"))
    words = [sys.executable, "-m", "penchant", "serve", *files, "--port", "0", "--for", "600"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = next(line for line in process.stdout if "://" in line)
        try:
            yield Served(folder, "/".join(line.split()[-1].split("/")[:3]))
        finally:
            process.terminate()
            process.communicate(timeout=60)


def judged(page: Page) -> None:
    """Wait for a question; instructions stand before it the first time."""
    page.wait_for_selector("#questions[data-state=ready][data-question]", state="attached")
    page.wait_for_timeout(400)


def begun(page: Page) -> None:
    judged(page)
    page.keyboard.press("Escape")
    page.wait_for_timeout(400)


def thanked(page: Page) -> None:
    """Wait until there are words in place of questions."""
    page.wait_for_selector("#end")


def part(name: str) -> Callable[[Page], None]:
    """Return what opens a part of the owner's page."""

    def opened(page: Page) -> None:
        page.click(f"#tab-{name}")
        page.wait_for_timeout(
            4000 if name in ("learning", "checks") else 1500
        )  # the stream of changes never ends

    return opened


def linked(page: Page) -> None:
    """Make a link for a judge, which is shown with a QR code."""
    page.click("#tab-people")
    page.fill("#panel-people input", "dora")
    page.keyboard.press("Enter")
    page.wait_for_selector("#links .judge")
    page.wait_for_timeout(600)


def compared(page: Page) -> None:
    page.click("#tab-ranking")
    for place in (0, 3):
        page.locator("#ranking .tick input").nth(place).click()
    page.wait_for_selector(".reasons li")


def searched(page: Page) -> None:
    """Choose two results, search again, and let a simulated reader use it."""
    page.wait_for_selector("#page[data-state=ready]")
    for place in (3, 5):
        page.locator(".result .choose").nth(place).click()
        page.locator("#status", has_text="Learned").wait_for()
    page.fill("#query", "cooking")
    page.click("#search button")
    page.wait_for_timeout(1000)
    page.click("#simulate")
    page.wait_for_selector("#regret[data-rounds]")


def states(place: Served) -> Iterator[tuple[str, str, Callable[[Page], None]]]:
    """Yield the name of each state, a link to its page, and what leads to it."""
    yield "judge-instructions", place.link("new", "judge"), judged
    yield "judge-question", place.link("new", "judge"), begun
    yield "judge-things", place.link("things", "judge"), begun
    yield "judge-thanked", place.link("settled", "judge"), thanked
    yield "judge-bad-link", f"{place.url}/#judge=ann&token=wrong", thanked
    yield "unknown-address", f"{place.url}/nothing", lambda page: None
    yield "owner-new", place.link("new", "owner"), lambda page: page.wait_for_timeout(1500)
    for name in PARTS:
        yield f"owner-{name}", place.link("settled", "owner"), part(name)
    yield "owner-begun", place.link("begun", "owner"), part("ranking")
    yield "owner-link", place.link("begun", "owner"), linked
    yield "owner-compared", place.link("settled", "owner"), compared
    yield "owner-coactive", place.link("search", "owner"), lambda page: page.wait_for_timeout(1500)
    yield "reader", place.link("settled", "reader"), lambda page: page.wait_for_timeout(1500)
    yield "search", place.link("search", "app"), searched


def draw(browser: Browser, place: Served, out: Path) -> None:
    """Draw every state in every look."""
    for look, options in LOOKS.items():
        for name, link, lead in states(place):
            context = browser.new_context(**options)
            page = context.new_page()
            page.goto(link)
            lead(page)
            whole = not name.startswith("judge")
            page.screenshot(path=out / f"{name}-{look}.png", full_page=whole, animations="disabled")
            context.close()


def main(arguments: list[str]) -> None:
    """Draw everything into a folder, and the first picture of the README."""
    out = Path(arguments[0]) if arguments else ROOT / "out" / "screenshots"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        make_studies(Path(folder))
        with served(Path(folder)) as place, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
            draw(browser, place, out)
            browser.close()
    shutil.copy(out / "owner-ranking-light.png", README)
    print(f"{len(list(out.glob('*.png')))} pictures in {out}; the first of the README is {README.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
