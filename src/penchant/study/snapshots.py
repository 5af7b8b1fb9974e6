"""Snapshots of the belief of a study: caches that are used where nothing they depend on has changed."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from penchant._version import __version__
from penchant.belief import LiveBelief
from penchant.study.encoding import Encoded
from penchant.study.items import Item
from penchant.study.learning import Predicted

NAME = "belief"
_JSON = "json"


def digest_of(settings: Mapping[str, Any], items: Iterable[Item]) -> str:
    """Return a digest of what a belief starts from: settings, and of each item what models take.

    The items are taken one at a time. As one text they would be hundreds of thousands of objects at once, and the
    garbage collector would look at all objects of the process while turns wait.
    """
    digest = blake2b(_part(json.dumps(settings, sort_keys=True)), digest_size=16)
    for item in items:
        digest.update(_part(json.dumps([item.id, list(item.fields.items()), dict(item.links)])))
    return digest.hexdigest()


def fingerprint(about: str, answers: Encoded) -> str:
    """Return a digest of everything a belief depends on: `digest_of` its start, answers, code and arithmetic."""
    digest = blake2b(_part(about), digest_size=16)
    for column in ("left", "right", "outcome", "weight"):
        digest.update(answers[column].tobytes())
    for part in (code(), arithmetic()):
        digest.update(_part(part))
    return digest.hexdigest()


def _part(text: str) -> bytes:
    return text.encode(errors="replace") + b"\x1e"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A belief after ``count`` answers, started from the first ``base`` of them, and its predictions."""

    belief: LiveBelief
    count: int
    base: int
    predicted: Predicted | None


def pack(snapshot: Snapshot) -> bytes:
    """Return a snapshot as bytes."""
    kind = type(snapshot.belief)
    plain: dict[str, Any] = {"class": f"{kind.__module__}:{kind.__qualname__}"}
    plain |= {"count": snapshot.count, "base": snapshot.base}
    arrays: dict[str, Any] = {}
    plain["state"] = _taken_out(snapshot.belief.state(), arrays, "state")
    if snapshot.predicted is not None:
        arrays |= {"probability": snapshot.predicted.probability, "outcome": snapshot.predicted.outcome}
    file = BytesIO()
    arrays[_JSON] = np.frombuffer(json.dumps(plain).encode(), dtype=np.uint8)
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def unpack(content: bytes) -> Snapshot | None:
    """Return the snapshot that `pack` made into bytes, None where it cannot be read."""
    try:
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        plain = json.loads(arrays.pop(_JSON).tobytes())
        module, _, name = plain["class"].partition(":")
        if not module.startswith("penchant."):
            return None
        belief = getattr(import_module(module), name).from_state(_put_back(plain["state"], arrays))
        predicted = None
        if "probability" in arrays:
            predicted = Predicted(arrays["probability"], arrays["outcome"])
        return Snapshot(belief, plain["count"], plain["base"], predicted)
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        ImportError,
        BadZipFile,
        EOFError,
        NotImplementedError,
    ):
        return None


def _taken_out(value: Any, arrays: dict[str, Any], path: str) -> Any:
    """Return ``value`` as JSON, its arrays replaced by names under which ``arrays`` holds them."""
    if isinstance(value, np.ndarray):
        arrays[path] = value
        return {"array": path}
    if isinstance(value, Mapping):
        return {"object": {key: _taken_out(inner, arrays, f"{path}.{key}") for key, inner in value.items()}}
    if isinstance(value, list | tuple):
        return [_taken_out(inner, arrays, f"{path}.{place}") for place, inner in enumerate(value)]
    return value.item() if isinstance(value, np.generic) else value


def _put_back(value: Any, arrays: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        if "array" in value:
            return arrays[value["array"]]
        return {key: _put_back(inner, arrays) for key, inner in value["object"].items()}
    return [_put_back(inner, arrays) for inner in value] if isinstance(value, list) else value


@cache
def code() -> str:
    """Return a digest of the source of the package."""
    root = Path(__file__).parents[1]
    digest = blake2b(__version__.encode(), digest_size=16)
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


@cache
def arithmetic() -> str:
    """Return a digest of versions and of the last bits of a few computations on this machine."""
    import numba
    import scipy

    x = np.linspace(0.1, 3.0, 257)
    square = np.exp(-np.abs(x[:64, None] - x[None, :64]))
    results = (np.exp(x), np.log(x), square @ square, np.linalg.inv(square), scipy.special.ndtr(x))
    versions = (
        np.__version__,
        scipy.__version__,
        numba.__version__,
        platform.python_version(),
        platform.machine(),
    )
    digest = blake2b("\x1f".join(versions).encode(), digest_size=16)
    digest.update(str(numba.core.config.CPU_NAME or "").encode())
    for result in results:
        digest.update(np.ascontiguousarray(result).tobytes())
    return digest.hexdigest()
