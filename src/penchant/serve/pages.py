"""The pages of the judge, of the owner and of those who search: HTML, which JavaScript modules fill.

What people wrote reaches the page as text only: through Jinja2 with autoescape here, through textContent there.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from penchant.serve.served import Studies
from penchant.text import visible

HERE = Path(__file__).parent
STATIC = HERE / "static"

router = APIRouter(include_in_schema=False)
_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
)


class Button(NamedTuple):
    """One answer: what is sent, what the button says, the key that presses it and how that key is drawn."""

    choice: str
    words: str
    key: str
    drawn: str


LEFT = Button("left", "Left", "ArrowLeft", "←")
RIGHT = Button("right", "Right", "ArrowRight", "→")
OTHERS = (
    Button("tie", "Tie", "ArrowDown", "↓"),
    Button("both_bad", "Both bad", "b", "B"),
    Button("skip", "Skip", "s", "S"),
)
UNDO = Button("undo", "Undo", "z", "Z")


@router.get("/")
def judge_page(request: Request) -> HTMLResponse:
    """Return the page on which a judge answers."""
    return _page(request, "judge.html")


@router.get("/owner")
def owner_page(request: Request) -> HTMLResponse:
    """Return the page on which the owner sees the ranking."""
    return _page(request, "owner.html")


@router.get("/search")
def search_page(request: Request) -> HTMLResponse:
    """Return the page on which people search in a coactive study, which learns from what they make of the order."""
    return _page(request, "clicks.html")


def _page(request: Request, name: str) -> HTMLResponse:
    studies: Studies = request.app.state.studies
    # Of several studies the token decides, which the server does not see before the page asks with it.
    title = visible(studies.all[0].study.title) if len(studies.all) == 1 else ""
    template = _templates.get_template(name)
    return HTMLResponse(template.render(title=title, left=LEFT, right=RIGHT, others=OTHERS, undo=UNDO))
