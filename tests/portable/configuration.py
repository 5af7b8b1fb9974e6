"""The arithmetics that this machine can compute with, as environments of a process.

OpenBLAS chooses its kernels, NumPy its vector instructions and Numba its machine code by the processor. All of them add
up in another order, or fuse a product with a sum, on another processor. Each can be told to take less than it finds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CORES = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids")
"""Kernels of OpenBLAS on x86-64, oldest first; those that it would replace by others are left out."""
COMPILED = ("generic", "native")
THREADS = (1, 2)


@dataclass(frozen=True)
class Configuration:
    """One arithmetic.

    Attributes
    ----------
    core : str or None
        What OpenBLAS is told to take for the processor; None where it is not OpenBLAS, or knows none of `CORES`.
    compiled : {"generic", "native"}
        What Numba compiles for, and whether NumPy uses what the processor has beyond the least of its kind.
    threads : int
        Of BLAS.
    disabled : tuple of str
        The instructions that NumPy is to do without where ``compiled`` is "generic".
    expected : str
        What BLAS reports as its kernels.
    """

    core: str | None
    compiled: str
    threads: int
    disabled: tuple[str, ...]
    expected: str

    @property
    def name(self) -> str:
        """What ``make portable NAME=…`` selects it by."""
        return f"{(self.core or 'blas').lower()}-{self.compiled}-{self.threads}"

    def environment(self, cache: Path) -> dict[str, str]:
        """Return the variables of a process that computes so, with compiled code of its own below ``cache``."""
        chosen = {
            "OPENBLAS_NUM_THREADS": str(self.threads),
            "MKL_NUM_THREADS": str(self.threads),
            "NUMBA_CACHE_DIR": str(cache / f"numba-{self.compiled}"),
        }
        if self.core is not None:
            chosen["OPENBLAS_CORETYPE"] = self.core
        if self.compiled == "generic":
            chosen["NUMBA_CPU_NAME"] = "generic"
            chosen["NPY_DISABLE_CPU_FEATURES"] = " ".join(self.disabled)
        return chosen

    def difference(self) -> str:
        """Return in words what a process of this environment does not do as told; empty if there is nothing."""
        found = probed(**self.environment(ROOT / "out" / "portable"))
        if found is None:
            return "the processor cannot run it"
        generic = self.compiled == "generic"
        wrong = {
            "BLAS kernels": (found["blas"] != [self.expected], found["blas"]),
            "BLAS threads": (found["threads"] != [self.threads], found["threads"]),
            "Numba's processor": ((found["numba"] == "generic") != generic, found["numba"]),
            "NumPy's instructions": (generic and bool(found["numpy"]), found["numpy"]),
        }
        return ", ".join(f"{what} are {value}" for what, (differs, value) in wrong.items() if differs)


def probed(**environment: str) -> dict[str, Any] | None:
    """Return what a process with these variables computes with; None where it does not survive."""
    inherited = {name: value for name, value in os.environ.items() if name not in _CHOSEN}
    done = subprocess.run(
        [sys.executable, "-m", "tests.portable.probe"],
        cwd=ROOT,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, Any] | None = json.loads(done.stdout) if done.returncode == 0 else None
    return found


_CHOSEN = (
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_CPU_NAME",
    "NUMBA_CACHE_DIR",
    "NPY_DISABLE_CPU_FEATURES",
)


def configurations() -> Iterator[Configuration]:
    """Find the arithmetics of this machine, the one that differs most from a new processor first."""
    native = probed()
    if native is None:
        raise RuntimeError("the packages of this interpreter cannot multiply: install them anew")
    most = max(native["threads"], default=1)
    for core, expected in _cores(native):
        for compiled in COMPILED:
            for threads in (number for number in THREADS if number <= most):
                yield Configuration(core, compiled, threads, tuple(native["numpy"]), expected)


def _cores(native: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Return each kernel once: one that OpenBLAS does not have, or the processor cannot run, gives another."""
    own = str(native["blas"][0]) if native["blas"] else "None"
    if not native["openblas"] or len(native["blas"]) != 1:
        return [(None, own)]
    found: dict[str, str] = {}
    for core in CORES:
        told = probed(OPENBLAS_CORETYPE=core)
        if told is not None and len(told["blas"]) == 1:
            found.setdefault(told["blas"][0], core)
    if (
        own in found and found[own].lower() != own.lower()
    ):  # an unknown name, answered by the processor's own kernel
        found = {kernel: core for kernel, core in found.items() if kernel != own}
    named: list[tuple[str | None, str]] = [(core, kernel) for kernel, core in found.items()]
    return named if own in found else [*named, (None, own)]
