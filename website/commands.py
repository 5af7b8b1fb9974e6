"""The reference of commands, made from what Typer knows about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command by its words, ``penchant tokens make``, groups before their parts."""
    from penchant.cli import app

    yield from _walk("penchant", typer.main.get_command(app))


def page() -> str:
    """Return the page of all commands."""
    lines = [
        "# Commands",
        "",
        "Every command with its arguments and options; made from the program itself.",
        "",
    ]
    for name, command in commands():
        if name != "penchant":
            lines += _section(name, command)
    return "\n".join(lines)


def anchor(name: str) -> str:
    """Return the id of a command on its page."""
    return name.replace(" ", "-")


def _walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for word, part in getattr(command, "commands", {}).items():
        if not part.hidden:
            yield from _walk(f"{name} {word}", part)


def _section(name: str, command: Any) -> list[str]:
    context = typer.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    level = "##" if name.count(" ") == 1 else "###"
    lines = [f"{level} {name} {{#{anchor(name)}}}", "", f"`{usage}`", "", _text(command.help or ""), ""]
    arguments = [part for part in command.params if part.param_type_name == "argument"]
    options = [part for part in command.params if part.param_type_name == "option" and not part.hidden]
    for title, parts in (("argument", arguments), ("option", options)):
        if parts:
            lines += [f"| {title} | meaning |", "|---|---|"]
            lines += [_row(part, context) for part in parts]
            lines.append("")
    return lines


def _row(part: Any, context: Any) -> str:
    """Return a row of a table: what ``--help`` shows of an argument or option."""
    name, meaning = part.get_help_record(context)
    return f"| `{name.replace('|', chr(92) + '|')}` | {_text(meaning)} |"


def _text(words: str) -> str:
    """Return a help text as one cell: marks of Markdown and HTML lose their meaning, code stays code."""
    text = words.replace("\b", "").replace("``", "`").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(text.split())
