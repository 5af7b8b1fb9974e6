"""Decode one line of JSON within limits, before anything large is built from it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.source import Limits

_STRING = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL
)  # also one that is never closed, so that it is linear
_STEP = np.zeros(256, dtype=np.int64)
_STEP[[ord("["), ord("{")]] = 1
_STEP[[ord("]"), ord("}")]] = -1


class JsonDecoder:
    """A decoder of untrusted lines.

    Parameters
    ----------
    limits : Limits
    pairs_hook : callable, optional
        As ``object_pairs_hook`` of `json.JSONDecoder`.
    """

    def __init__(
        self, limits: Limits, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None
    ) -> None:
        self._limits = limits
        self._harmless = min(limits.values, limits.depth)  # a line of so many characters is within all limits
        settings = {"parse_constant": _reject_constant, "object_pairs_hook": pairs_hook}
        self._plain = json.JSONDecoder(**settings)  # type: ignore[arg-type]
        self._counting = json.JSONDecoder(parse_int=self._integer, **settings)  # type: ignore[arg-type]

    def decode(self, line: str) -> object:
        """Return the value of a line, or raise `Wrong` with the reason why there is none."""
        if len(line) > self._harmless:
            self._check_structure(line)
        decoder = self._counting if self._may_exceed_digits(line) else self._plain
        try:
            return decoder.decode(line)
        except RecursionError:
            raise Wrong(
                "not JSON that can be read: lists and objects stand too deep inside one another"
            ) from None
        except ValueError as error:
            raise Wrong(f"not JSON ({error})") from None

    def _check_structure(self, line: str) -> None:
        limits = self._limits
        opened = line.count("[") + line.count("{")
        few = len(line) <= limits.values  # then they cannot be too many
        if opened <= limits.depth and (few or opened + line.count(",") <= limits.values):
            return
        bare = _STRING.sub("", line)
        n_values = bare.count(",") + bare.count("[") + bare.count("{")
        if n_values > limits.values:
            raise Wrong(limits.excess("values", "values of a line", n_values))
        signs = np.frombuffer(bare.encode("latin-1", errors="replace"), dtype=np.uint8)
        depth = int(np.cumsum(_STEP[signs]).max(initial=0))
        if depth > limits.depth:
            raise Wrong(limits.excess("depth", "lists and objects inside one another", depth))

    def _may_exceed_digits(self, line: str) -> bool:
        """Return whether a line may hold more digits in a row than a number may have.

        Such a row contains one of the parts of half that length into which the line is cut, and `str.isdigit` ends at
        the first character that is none: most lines are done after a look at a few characters.
        """
        if len(line) <= self._limits.digits:
            return False
        half = (self._limits.digits + 2) // 2
        return any(line[start : start + half].isdigit() for start in range(0, len(line), half))

    def _integer(self, text: str) -> int:
        n_digits = len(text.lstrip("-"))
        if n_digits > self._limits.digits:
            raise Wrong(self._limits.excess("digits", "digits of a number", n_digits))
        return int(text)


def _reject_constant(name: str) -> float:
    """Reject NaN and the infinities, which some programs write although JSON has none."""
    raise ValueError(f"{name} is no number in JSON")
