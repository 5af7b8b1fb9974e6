"""Estimators of other libraries in a saved file, stored by skops.

skops names members by memory addresses and dates them by the clock. Both are taken out here, so that the same
estimator gives the same bytes; what is read is held to the same rules as the file around it, and `estimators` says
which estimators there may be and checks each.
"""

from __future__ import annotations

import io
import json
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any
from zipfile import ZipFile

from penchant.errors import CannotLoad, CannotSave, InvalidInput
from penchant.saving.archive import JSON_SIZE, Archive, Members, parsed, raising_cannot_load, write
from penchant.saving.arrays import read_header
from penchant.saving.estimators import check_estimator, is_known, known_classes

SCHEMA = "schema.json"
INSTALL = "pip install 'penchant[foreign]'"


def is_estimator(value: object) -> bool:
    """Return whether ``value`` looks like an estimator in the manner of scikit-learn."""
    return hasattr(value, "get_params") and not isinstance(value, type)


def estimator_bytes(estimator: object, path: str) -> bytes:
    """Return ``estimator`` as a skops file that depends on nothing but its state."""
    kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    skops = _skops()
    if skops is None:
        raise CannotSave(f"{path} is a {kind}, which is saved through skops, and that is missing: {INSTALL}")
    try:
        check_estimator(estimator, path)
    except InvalidInput as error:
        raise CannotSave(f"{path} is a {kind} that no load would accept: {error}") from error
    try:
        data = _without_addresses(skops.dumps(estimator))
        check_classes(data)
        untrusted = skops.get_untrusted_types(data=data)
    except Exception as error:  # skops has many ways to say that it cannot
        raise CannotSave(
            f"{path} is a {kind}, which skops cannot save ({error}): use another estimator"
        ) from error
    if untrusted:
        raise CannotSave(
            f"{path} is a {kind}, and holds {', '.join(untrusted)}, which skops does not trust: "
            "use an estimator that does without"
        )
    return data


def estimator_from(data: bytes) -> object:
    """Return the estimator in a skops file, if its state can be checked and holds."""
    skops = _skops()
    if skops is None:
        raise CannotLoad(f"the file holds an estimator of another library, which needs skops: {INSTALL}")
    with raising_cannot_load("an estimator of another library"):
        check_classes(data)
        untrusted = skops.get_untrusted_types(data=data)
        if untrusted:
            raise CannotLoad(
                f"the file asks for {', '.join(untrusted)[:200]}, which skops does not trust: nor should you"
            )
        estimator: object = skops.loads(data, trusted=[])
        check_estimator(estimator)
        return estimator


def _skops() -> ModuleType | None:
    try:
        import skops.io
    except ImportError:
        return None
    module: ModuleType = skops.io
    return module


def _without_addresses(data: bytes) -> bytes:
    with ZipFile(io.BytesIO(data)) as archive:
        members: Members = {}

        def renamed(node: Any) -> Any:
            if isinstance(node, list):
                return [renamed(child) for child in node]
            if not isinstance(node, dict):
                return node
            # Addresses only serve to share objects again; unshared, a second save gives the same bytes.
            node = {key: renamed(child) for key, child in node.items() if key != "__id__"}
            if isinstance(node.get("file"), str):
                name = f"{len(members)}{PurePosixPath(node['file']).suffix}"
                members[name] = [archive.read(node["file"])]
                node["file"] = name
            return node

        schema = renamed(json.loads(archive.read(SCHEMA)))
    tidy = io.BytesIO()
    write(tidy, {SCHEMA: [json.dumps(schema).encode()], **members})
    return tidy.getvalue()


def check_classes(data: bytes) -> None:
    """Raise `CannotLoad` for a skops file that names a class not in the list, or has members other than arrays."""
    archive = Archive(io.BytesIO(data), len(data))
    schema = parsed(archive.read(SCHEMA, JSON_SIZE))
    for module, name in sorted(set(known_classes(schema))):
        if not is_known(module, name):
            raise CannotLoad(
                f"the file asks for {module}.{name}"[:100] + ", which cannot be checked: do not trust it"
            )
    archive.reject_other_members(r"\d+\.npy")
    for name in sorted(archive.unread):
        with archive.open(name) as (member, size):
            read_header(member, size)
