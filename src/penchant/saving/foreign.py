"""Estimators of other libraries in a saved file: an estimator in, a skops file out, and back, or a refusal.

skops names members by memory addresses and dates them by the clock. Both are taken out here, so that the same
estimator gives the same bytes; what is read is held to the same rules as the file around it.
"""

from __future__ import annotations

import io
import json
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any
from zipfile import ZipFile

from penchant.errors import CannotLoad, CannotSave
from penchant.saving.archive import JSON_SIZE, Archive, Members, refused_in_words, write
from penchant.saving.arrays import read_header

SCHEMA = "schema.json"
INSTALL = "pip install 'penchant[foreign]'"


def is_estimator(value: object) -> bool:
    """Say whether ``value`` looks like an estimator in the manner of scikit-learn."""
    return hasattr(value, "get_params") and not isinstance(value, type)


def estimator_bytes(estimator: object, path: str) -> bytes:
    """Return ``estimator`` as a skops file that depends on nothing but its state."""
    kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    skops = _skops()
    if skops is None:
        raise CannotSave(f"{path} is a {kind}, which is saved through skops, and that is missing: {INSTALL}")
    try:
        data = _without_addresses(skops.dumps(estimator))
        untrusted = skops.get_untrusted_types(data=data)
        if not untrusted:
            _refuse_strangers(data)
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
    """Return the estimator in a skops file, if skops trusts every type in it."""
    skops = _skops()
    if skops is None:
        raise CannotLoad(f"the file holds an estimator of another library, which needs skops: {INSTALL}")
    with refused_in_words("an estimator of another library"):
        _refuse_strangers(data)
        untrusted = skops.get_untrusted_types(data=data)
        if untrusted:
            raise CannotLoad(
                f"the file asks for {', '.join(untrusted)[:200]}, which skops does not trust: nor should you"
            )
        return skops.loads(data, trusted=[])


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


def _refuse_strangers(data: bytes) -> None:
    archive = Archive(io.BytesIO(data), len(data))
    archive.read(SCHEMA, JSON_SIZE)
    archive.refuse_strangers(r"\d+\.(npy|bin)")
    for name in sorted(archive.unread):
        if name.endswith(".npy"):
            with archive.open(name) as (member, size):
                read_header(member, size)
