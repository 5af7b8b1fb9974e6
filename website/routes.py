"""The reference of HTTP routes, made from the description that a server gives of itself."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")


@cache
def description() -> dict[str, Any]:
    """Return the OpenAPI document of a server."""
    from penchant.serve import create_app
    from penchant.study import Study

    with (
        tempfile.TemporaryDirectory() as folder,
        Study.create(Path(folder) / "study.db", ["a", "b"]) as study,
    ):
        document: dict[str, Any] = create_app(study).openapi()
        return document


def page() -> str:
    """Return the page of all routes."""
    document = description()
    lines = [
        "# Routes",
        "",
        document["info"]["description"].strip(),
        "",
        "Made from `/v1/openapi.json` of a server. [Studies over HTTP](../http.md) shows how they are used.",
        "",
    ]
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                lines += _section(method, path, methods[method])
    return "\n".join(lines)


def anchor(method: str, path: str) -> str:
    """Return the id of a route on its page."""
    return f"{method}-{path.strip('/').replace('/', '-').translate(str.maketrans('', '', '{}'))}"


def _section(method: str, path: str, route: dict[str, Any]) -> list[str]:
    lines = [f"## {method.upper()} {path} {{#{anchor(method, path)}}}", ""]
    lines += [route.get("description", route.get("summary", "")).replace("``", "`"), ""]
    fields = [
        (part["name"], f"in the {part['in']}", part.get("schema", {}), part.get("required", False))
        for part in route.get("parameters", ())
    ]
    for kind, content in route.get("requestBody", {}).get("content", {}).items():
        if kind == "application/json":
            schema = _resolved(content["schema"])
            needed = schema.get("required", ())
            fields += [
                (name, "in the body", part, name in needed)
                for name, part in schema.get("properties", {}).items()
            ]
        else:
            lines += [f"Takes `{kind}` too.", ""]
    if fields:
        lines += ["| field | where | type | meaning |", "|---|---|---|---|"]
        for name, where, schema, required in fields:
            meaning = schema.get("description", "").replace("|", "\\|").replace("\n", " ").replace("``", "`")
            must = "required. " if required else ""
            lines.append(f"| `{name}` | {where} | {_type(schema)} | {must}{meaning} |")
        lines.append("")
    reply = route["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema")
    if reply:
        lines += [f"Replies with {_shape(reply)}.", ""]
    codes = [code for code in sorted(route["responses"]) if code != "200"]
    return [*lines, "Errors: " + ", ".join(codes) + ".", ""]


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        found: dict[str, Any] = description()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return found
    return schema


def _shape(schema: dict[str, Any]) -> str:
    whole = _resolved(schema)
    fields = ", ".join(f"`{name}`" for name in whole.get("properties", {}))
    return f"an object of {fields}" if fields else _type(schema)


def _type(schema: dict[str, Any]) -> str:
    """Return the type of a value in a few words."""
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(
            dict.fromkeys(_type(part) for part in schema.get("anyOf", schema.get("oneOf", ())))
        )
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "$ref" in schema:
        return "object"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "anything"))
