"""Columns beside those with a role: covariates of a comparison, and labels by which rows are grouped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats, shown
from penchant.errors import InvalidInput

_RELATIVE = re.compile(r"\((.+)\)\s*/\s*\((.+)\)")
_LISTED = 12


class Covariate(NamedTuple):
    """A covariate: a column, the difference of two, or that difference divided by their sum."""

    name: str
    column: str
    less: str | None = None
    relative: bool = False

    def values(self, columns: Mapping[str, Floats]) -> Floats:
        """Return the covariate of each row; a relative difference of 0 and 0 is 0."""
        first = columns[self.column]
        if self.less is None:
            return first
        second = columns[self.less]
        if not self.relative:
            return first - second
        total = first + second
        return np.divide(first - second, total, out=np.zeros_like(first), where=total != 0)


@dataclass(frozen=True)
class Extra:
    """The covariates and labels that a reader was asked for."""

    covariates: tuple[Covariate, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def covariate_names(self) -> tuple[str, ...]:
        """The name of each covariate."""
        return tuple(covariate.name for covariate in self.covariates)

    @property
    def covariate_columns(self) -> tuple[str, ...]:
        """The columns that covariates are computed from, each once."""
        names = [name for each in self.covariates for name in (each.column, each.less) if name is not None]
        return tuple(dict.fromkeys(names))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that must be read, each once."""
        return tuple(dict.fromkeys((*self.covariate_columns, *self.labels)))

    def matrix(self, columns: Mapping[str, Floats]) -> Floats:
        """Return the covariates of each row, shape (n_rows, n_covariates)."""
        return np.column_stack([covariate.values(columns) for covariate in self.covariates])


NO_EXTRA = Extra()


def extra_columns(names: Sequence[str], options: Mapping[str, Any]) -> Extra:
    """Return what the options ``covariates`` and ``labels`` ask for of a table with columns ``names``.

    Examples
    --------
    >>> extra_columns(["a", "b", "len_a", "len_b"], {"covariates": ["length=len_a-len_b"]}).covariates
    (Covariate(name='length', column='len_a', less='len_b', relative=False),)
    """
    covariates = tuple(parsed_covariate(text, names) for text in _texts(options, "covariates"))
    for place, covariate in enumerate(covariates):
        if covariate.name in [each.name for each in covariates[:place]]:
            remedy = "name one of them with NAME=COLUMN"
            raise InvalidInput.of("covariates", "have different names", f"{covariate.name!r} twice", remedy)
    labels = tuple(dict.fromkeys(_texts(options, "labels")))
    for label in labels:
        _check_column("labels", label, names)
    return Extra(covariates, labels)


def _texts(options: Mapping[str, Any], name: str) -> list[str]:
    given = options.get(name) or ()
    return [given] if isinstance(given, str) else [str(text) for text in given]


def parsed_covariate(text: str, names: Sequence[str]) -> Covariate:
    """Return the covariate that a text describes: ``A``, ``A-B`` or ``(A-B)/(A+B)``, perhaps after ``NAME=``."""
    label, equals, rest = text.partition("=")
    if equals and text not in names:
        return _parsed(rest.strip(), names)._replace(name=label.strip() or rest.strip())
    return _parsed(text.strip(), names)


def _parsed(text: str, names: Sequence[str]) -> Covariate:
    if text in names:
        return Covariate(text, text)
    relative = _RELATIVE.fullmatch(text)
    inner = relative[1] if relative else text
    splits = [
        (inner[:place].strip(), inner[place + 1 :].strip()) for place, sign in enumerate(inner) if sign == "-"
    ]
    fitting = [both for both in splits if both[0] in names and both[1] in names]
    if len(fitting) > 1:
        raise InvalidInput.of(
            "covariates",
            "be the difference of two columns",
            f"{text!r}, which has several",
            "rename a column",
        )
    if not fitting:
        absent = next((name for both in splits[:1] for name in both if name not in names), text)
        _check_column("covariates", absent, names)
    (first, second) = fitting[0]
    if relative and [part.strip() for part in relative[2].split("+")] != [first, second]:
        raise InvalidInput.of(
            "covariates",
            "divide a difference by the sum of the same columns",
            repr(text),
            "write (A-B)/(A+B)",
        )
    return Covariate(text, first, second, bool(relative))


def _check_column(option: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        listed = ", ".join(map(shown, names[:_LISTED])) + (", …" if len(names) > _LISTED else "")
        raise InvalidInput.of(option, "name columns", shown(name), f"the file has {listed}")
