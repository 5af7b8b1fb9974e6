"""The pages of the judge, of the owner and of those who search: HTML, which JavaScript modules fill.

What people wrote reaches the page as text only: through Jinja2 with autoescape here, through textContent there.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from penchant.serve.errors import not_served
from penchant.serve.served import Studies
from penchant.text import visible

HERE = Path(__file__).parent
STATIC = HERE / "static"

router = APIRouter(include_in_schema=False)
_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
)


class Button(NamedTuple):
    """One answer: what is sent, what the button says, the key that presses it, how that key is drawn, and another key.

    ``meaning`` is what the page says about it.
    """

    choice: str
    words: str
    key: str
    drawn: str
    also: str = ""
    meaning: str = ""


LEFT = Button("left", "Left", "ArrowLeft", "←", "1", "The left one")
RIGHT = Button("right", "Right", "ArrowRight", "→", "2", "The right one")
OTHERS = (
    Button("tie", "Tie", "ArrowDown", "↓", meaning="A tie: both are equally good"),
    Button("both_bad", "Both bad", "b", "B", meaning="Neither is good enough"),
    Button("skip", "Skip", "s", "S", meaning="Skip this pair"),
)
UNDO = Button("undo", "Undo", "z", "Z", meaning="Take the last answer back")
HELP = Button("help", "Help", "?", "?", meaning="Show this again")


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


async def not_found(request: Request, error: Exception) -> Response:
    """Return a page to a person, and the one error shape to a program, where there is nothing at an address."""
    wants_page = "text/html" in request.headers.get("accept", "")
    if wants_page and not request.url.path.startswith("/v1"):
        return _page(request, "missing.html", 404)
    return not_served(request, error)


def _page(request: Request, name: str, status: int = 200) -> HTMLResponse:
    studies: Studies = request.app.state.studies
    # Of several studies the token decides, which the server does not see before the page asks with it.
    title = visible(studies.all[0].study.title) if len(studies.all) == 1 else ""
    template = _templates.get_template(name)
    buttons = {"left": LEFT, "right": RIGHT, "others": OTHERS, "undo": UNDO, "help": HELP}
    return HTMLResponse(template.render(title=title, **buttons), status)
