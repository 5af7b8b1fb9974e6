"""The reference of events, made from the kinds that studies of both sorts accept."""

from __future__ import annotations

import ast
import inspect
import re
from itertools import pairwise
from types import ModuleType

from penchant.study import events as compare_events
from penchant.study.coactive import events as coactive_events

SORTS = (("Studies that ask", compare_events), ("Studies that present orders", coactive_events))


def page() -> str:
    """Return the page of all kinds of events."""
    lines = [
        "# Events",
        "",
        "A study is a log of events, which `penchant export study.db events.jsonl` writes. Each has a number, an id, a",
        "kind with a version, a time and these fields; every version that was ever written can be read.",
        "",
    ]
    for title, module in SORTS:
        meanings = _meanings(module)
        lines += [f"## {title}", ""]
        for kind, versions in module.KINDS.items():
            lines += [f"### {kind} {{#{anchor(module, kind)}}}", ""]
            if kind in meanings:
                lines += [meanings[kind], ""]
            lines += ["| version | fields |", "|---|---|"]
            for version, fields in versions.items():
                named = ", ".join(f"`{name}`: {_type(kinds)}" for name, kinds in fields.items())
                lines.append(f"| {version} | {named} |")
            lines.append("")
    return "\n".join(lines)


def anchor(module: ModuleType, kind: str) -> str:
    """Return the id of a kind on its page."""
    return f"{'present' if module is coactive_events else 'ask'}-{kind}"


def _meanings(module: ModuleType) -> dict[str, str]:
    """Return what the docstring of ``KINDS`` says about each kind."""
    body = ast.parse(inspect.getsource(module)).body
    (text,) = (
        inspect.cleandoc(after.value.value)
        for before, after in pairwise(body)
        if isinstance(before, ast.AnnAssign) and getattr(before.target, "id", "") == "KINDS"
        if isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    )
    found = re.findall(r"^(\w[\w, ]*)\n((?:    .*\n?)+)", text, re.MULTILINE)
    return {
        kind: " ".join(words.replace("``", "`").split())
        for kinds, words in found
        for kind in kinds.split(", ")
    }


def _type(kinds: type | tuple[type, ...]) -> str:
    names = [
        kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)) if kind is not type(None)
    ]
    text = " or ".join(names)
    return f"{text}, may be absent" if isinstance(kinds, tuple) and type(None) in kinds else text
