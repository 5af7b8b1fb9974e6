"""Numbers that are typed as options.

They are parsed here and not by Typer, so that a number that is none, or out of range, is reported as every other
error: option, limit, what was typed, and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from inspect import Parameter
from math import isnan
from typing import Annotated, Any, get_args

import typer
from typer.models import OptionInfo


class WrongNumber(typer.BadParameter):
    """A number that cannot be used, with the whole message."""


@dataclass(frozen=True)
class NumberOption:
    """An option that is a number.

    Attributes
    ----------
    name : str
        As it is typed.
    whole : bool
        Whether it is a whole number.
    least, most : float, optional
        The range; None: no limit, or one that the command checks itself.

    Examples
    --------
    >>> NumberOption("--top", True, 1).parse("12")
    12
    """

    name: str
    whole: bool
    least: float | None = None
    most: float | None = None

    def parse(self, text: Any) -> float:
        """Return the number that was typed, or raise `WrongNumber`."""
        try:
            number = int(text) if self.whole else float(text)
        except ValueError:
            number = float("nan")
        low = self.least is not None and number < self.least
        if isnan(number) or low or (self.most is not None and number > self.most):
            raise WrongNumber(f"{self.name} must be {self.limit}, got {str(text)!r}: correct it")
        return number

    @property
    def limit(self) -> str:
        """What it must be."""
        kind = "a whole number" if self.whole else "a number"
        if self.least is None:
            return kind
        if self.most is None:
            return f"{kind} of at least {self.least:g}"
        return f"{kind} from {self.least:g} to {self.most:g}"


def number_options(parameters: Mapping[str, Parameter], names: Mapping[str, str]) -> dict[str, NumberOption]:
    """Return the parameters of a command that are numbers, as options.

    Parameters
    ----------
    parameters : mapping of Parameter
    names : mapping of str
        How each of them that is an option is typed.
    """
    found = {}
    for key, name in names.items():
        kind, *metadata = get_args(parameters[key].annotation)
        kinds = set(get_args(kind) or (kind,)) - {type(None)}
        if kinds in ({int}, {float}):
            info = next(each for each in metadata if isinstance(each, OptionInfo))
            found[key] = NumberOption(name, kinds == {int}, info.min, info.max)
    return found


def with_parser(parameter: Parameter, option: NumberOption) -> Parameter:
    """Return the parameter of a command with the parser of its option in place of Typer's."""
    kind, *metadata = get_args(parameter.annotation)
    place = next(place for place, each in enumerate(metadata) if isinstance(each, OptionInfo))
    info = copy(metadata[place])
    info.parser, info.min, info.max = option.parse, None, None
    info.metavar = info.metavar or ("N" if option.whole else "NUMBER")
    if option.most is not None or (option.least or 0) > 1:
        info.help = f"{info.help} {option.limit[0].upper()}{option.limit[1:]}."
    metadata[place] = info
    return parameter.replace(annotation=Annotated[(kind, *metadata)])
