"""Run the numerical tests under every arithmetic of this machine: ``python -m tests.portable [NAME …]``.

``make portable`` calls it. A run stops after ``--minutes`` and continues where it stopped when it is started again. The
figures of each configuration that is complete are written to ``docs/figures/portability.json``, from which the table in
``docs/reliability.md`` is made.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from tests.commit import current_commit
from tests.portable.configuration import ROOT, Configuration, configurations
from tests.portable.selection import NOT_QUICK, NUMERICAL
from tests.portable.table import write_table

FIGURES = ROOT / "docs" / "figures" / "portability.json"
WORK = ROOT / "out" / "portable"
QUICK = {"PENCHANT_EXAMPLES": "12"}
"""Variables of a quick run."""
PYTHON = ".".join(platform.python_version_tuple()[:2])


def main(arguments: list[str] | None = None) -> int:
    """Run the named configurations, or all, and return 1 if a test of one of them failed."""
    parser = argparse.ArgumentParser(
        prog="make portable", description="Run the numerical tests under every arithmetic of this machine."
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="beginnings of configurations' names; none: all"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        help="start no package later; 15 unless given, or no limit where nothing is recorded",
    )
    parser.add_argument(
        "--one", action="store_true", help="the first only, which differs most from a new machine"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="without slow tests and long simulations, with fewer examples of each property; not recorded",
    )
    parser.add_argument("--packages", nargs="+", metavar="PACKAGE", help="some packages only; not recorded")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes test; 2 unless given")
    parser.add_argument("--list", action="store_true", help="list the configurations, and end")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.packages or () if name not in NUMERICAL]
    if unknown:
        parser.error(f"there is no package {unknown[0]!r}: choose from {', '.join(NUMERICAL)}")
    found = {configuration.name: configuration for configuration in configurations()}
    chosen = [name for name in found if name.startswith(tuple(options.names) or "")]
    if not chosen:
        parser.error(f"there is no configuration {options.names[0]!r}: choose from {', '.join(found)}")
    chosen = chosen[:1] if options.one else chosen
    console = Console(highlight=False, soft_wrap=True)
    if options.list:
        for name in chosen:
            console.print(f"{name}: BLAS kernels {found[name].expected}")
        return 0
    recorded = not (options.quick or options.packages)  # what is not recorded could not be continued
    minutes = options.minutes if options.minutes is not None else 15.0 if recorded else float("inf")
    end = time.monotonic() + 60 * minutes
    for name in chosen:
        if not Run(found[name], options, console, recorded=recorded).until(end):
            return 1
    return 0


class Run:
    """The tests of one configuration, package by package, and what is known of those that are done."""

    def __init__(
        self, configuration: Configuration, options: argparse.Namespace, console: Console, *, recorded: bool
    ) -> None:
        self.configuration, self.options, self.console = configuration, options, console
        packages = options.packages or list(NUMERICAL)
        self.recorded = recorded
        # What is recorded can be continued after any package; all else starts pytest and its processes once.
        self.parts = {package: [package] for package in packages} if recorded else {"all": packages}
        self.kept = WORK / f"{PYTHON}-{configuration.name}.json"
        self.done: dict[str, Any] = self._continued() if self.recorded else {}

    def until(self, end: float) -> bool:
        """Test what is left until ``end`` and print one line; return whether nothing failed."""
        left = [part for part in self.parts if part not in self.done]
        if not left:
            self._print("passed", "")
            return True
        wrong = self.configuration.difference() if time.monotonic() < end else ""
        failures = [f"cannot be had: {wrong}"] if wrong else []
        for part in () if wrong else left:
            if time.monotonic() >= end:
                break
            seconds, passed, failed = self._tested(part)
            failures += failed
            if not failed:
                self.done[part] = {"seconds": round(seconds), "passed": passed}
                self._keep()
        for failure in failures:
            self.console.print(f"    {failure}", markup=False)
        complete = len(self.done) == len(self.parts)
        waiting = [part for part in self.parts if part not in self.done]
        self._print(
            "failed" if failures else "passed" if complete else "unfinished",
            "" if complete else f"; {len(waiting)} of {len(self.parts)} packages left",
        )
        if complete and self.recorded:
            self._record()
        return not failures

    def _tested(self, part: str) -> tuple[float, int, list[str]]:
        """Run the tests of the packages of one part; return the seconds, how many passed, and the failures."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            str(self.options.jobs),
            "-p",
            "no:cacheprovider",
        ]
        command += [f"tests/{package}" for package in self.parts[part]]
        if self.options.quick:
            command += ["-m", "not slow", *(f"--deselect=tests/{name}" for name in NOT_QUICK)]
        begun = time.monotonic()
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={
                **os.environ,
                **(QUICK if self.options.quick else {}),
                **self.configuration.environment(WORK),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - begun
        WORK.mkdir(parents=True, exist_ok=True)
        log = WORK / f"{PYTHON}-{self.configuration.name}-{Path(part).stem}.log"
        log.write_text(done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        if done.returncode and not failed:
            failed = [f"{part}: pytest ended with {done.returncode}, see {log.relative_to(ROOT)}"]
        return seconds, passed_tests(lines), failed

    def _print(self, outcome: str, rest: str) -> None:
        seconds = sum(part["seconds"] for part in self.done.values())
        tests = sum(part["passed"] for part in self.done.values())
        self.console.print(
            f"{self.configuration.name}: {outcome}, {tests} tests passed, {seconds} s{rest}", markup=False
        )

    def _continued(self) -> dict[str, Any]:
        """Return what an unfinished run of this very commit has done, or nothing."""
        if self.kept.exists():
            state = json.loads(self.kept.read_text())
            if state["commit"] == current_commit():
                done: dict[str, Any] = state["done"]
                return done
        return {}

    def _keep(self) -> None:
        if self.recorded:
            WORK.mkdir(parents=True, exist_ok=True)
            self.kept.write_text(json.dumps({"commit": current_commit(), "done": self.done}))

    def _record(self) -> None:
        every = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
        every.setdefault(PYTHON, {})[self.configuration.name] = {
            "blas": self.configuration.expected,
            "passed": sum(part["passed"] for part in self.done.values()),
            "seconds": sum(part["seconds"] for part in self.done.values()),
            "commit": current_commit(),
        }
        FIGURES.write_text(json.dumps(every, indent=2, sort_keys=True) + "\n")
        write_table(FIGURES)


def passed_tests(lines: list[str]) -> int:
    """Return how many tests passed, as the last line of pytest says."""
    words = lines[-1].replace(",", " ").split() if lines else []
    return int(words[words.index("passed") - 1]) if "passed" in words else 0


if __name__ == "__main__":
    sys.exit(main())
