"""Logs of presentations: candidates with features, the order presented, and the clicks or corrections.

One object a line::

    {"id": "q1", "candidates": [{"id": "a", "features": {"price": 2.5, "new": 1}}, …],
     "presented": ["b", "a"], "clicked": ["a"]}

Features are named, those not named being 0, or a list of numbers, whose names are then "1", "2", …. A named feature is
a number, true or false, which are 1 and 0, or a text, which is a category. ``user`` may say who answered. What was not
presented stood below what was, in the order of the candidates. The answer is ``clicked``, in the order
of the clicks, or ``improved``, which may be the top of an order only: what it leaves out follows as it stood.
``[]`` says that nothing was clicked or changed; such a round counts as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from warnings import warn

from penchant.checks import shown
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats.parsing.candidates import CandidateParser, Features, Parsed, one_by_one
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.objects import id_of, page_of
from penchant.formats.parsing.reading import Refusal, Wrong, rejected_in_short
from penchant.formats.parsing.rows import first_twice
from penchant.formats.parsing.source import Limits, Source
from penchant.progress import step_done

_NAME = re.compile(r'"\s*:')  # the end of a name in an object; texts may hold others


@dataclass(frozen=True)
class Candidates:
    """Items to be ranked together.

    Attributes
    ----------
    line : int
        The line in the file.
    id : str
        The number of the line, unless the file has an id.
    items : tuple of str
    features : tuple of dict
        One an item: name → value, a number or, for a category, a text; absent features are 0.

    Examples
    --------
    >>> Candidates(1, "q1", ("a", "b"), ({"price": 2.5}, {"price": 1.0})).items
    ('a', 'b')
    """

    line: int
    id: str
    items: tuple[str, ...]
    features: tuple[Features, ...]


@dataclass(frozen=True)
class Presentation(Candidates):
    """Candidates as they were presented, and the answer.

    Attributes
    ----------
    presented : tuple of str
        All items, best first.
    n_shown : int
        How many of them, from the first, were shown.
    answer : tuple of str
        The items that a person put first, by clicks or by hand.
    by_clicks : bool
        Whether ``answer`` are clicks.
    user : str, optional
        Who answered.

    Examples
    --------
    >>> page = Presentation(1, "q1", ("a", "b"), ({"price": 2.5}, {"price": 1.0}), ("b", "a"), 2, ("a",), True)
    >>> page.presented, page.answer, page.by_clicks
    (('b', 'a'), ('a',), True)
    """

    presented: tuple[str, ...]
    n_shown: int
    answer: tuple[str, ...]
    by_clicks: bool
    user: str | None = None

    def to_json(self) -> str:
        """Return the presentation as a line of a log, from which `read_presentations` reads it again.

        Examples
        --------
        >>> features = ({"price": 2.5}, {"colour": "red"})
        >>> page = Presentation(1, "q1", ("a", "b"), features, ("b", "a"), 1, ("b",), True)
        >>> page.to_json()[-39:]
        ', "presented": ["b"], "clicked": ["b"]}'
        """
        below = [item for item in self.items if item not in set(self.presented[: self.n_shown])]
        if list(self.presented[self.n_shown :]) != below:
            raise InvalidInput.of(
                "presented",
                "end with what was not shown in the order of the candidates, as a log has it",
                shown(self.presented),
                "order it so, or count all of them as shown",
            )
        candidates = [
            {"id": item, "features": dict(values)}
            for item, values in zip(self.items, self.features, strict=True)
        ]
        line: dict[str, Any] = {"id": self.id} | ({} if self.user is None else {"user": self.user})
        line |= {"candidates": candidates, "presented": list(self.presented[: self.n_shown])}
        line["clicked" if self.by_clicks else "improved"] = list(self.answer)
        return json.dumps(line, ensure_ascii=False, allow_nan=False)


class PresentationLog:
    r"""A log of presentations, read anew by each iteration.

    Lines that cannot be used are left out; ``refusals`` lists those of the last iteration.

    Parameters
    ----------
    path : str or Path
        JSONL, gzipped or not.
    strict : bool
        Stop at the first line that cannot be used.
    answered : bool
        Whether lines have a presentation and its answer; otherwise they give `Candidates`.
    limits : Limits, optional
        The most that the file may hold.

    Each iteration reports the bytes that it has read as steps (`penchant.progress.reported_to`).

    Examples
    --------
    >>> import json, tempfile
    >>> place = Path(tempfile.mkdtemp()) / "log.jsonl"
    >>> line = {"candidates": [{"id": "a", "features": {"x": 1}}, {"id": "b", "features": {"x": 2}}]}
    >>> _ = place.write_text(json.dumps(line | {"presented": ["a", "b"], "clicked": ["b"]}) + "\n" + "broken")
    >>> log = PresentationLog(place)
    >>> [page.answer for page in log]
    [('b',)]
    """

    def __init__(
        self, path: str | Path, *, strict: bool = False, answered: bool = True, limits: Limits | None = None
    ) -> None:
        self.source = Source.of(path, limits, step_done)
        self.strict, self.answered = strict, answered
        self.refusals: list[Refusal] = []
        self.n_rows = 0

    def __iter__(self) -> Iterator[Any]:
        self.refusals, self.n_rows = [], 0
        limits = self.source.limits
        form, candidates = _Form(), CandidateParser(limits)
        plain, checked = JsonDecoder(limits), JsonDecoder(limits, _once)
        with self.source.open_text() as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                self.n_rows += 1
                try:
                    value = plain.decode(line)
                    if not isinstance(value, dict):
                        raise Wrong(f"an object must stand on each line, got {shown(value)}")
                    usual = candidates.usual(value.get("candidates"))
                    if not _has_each_name_once(value, usual, line):
                        checked.decode(line)
                    parsed = usual or one_by_one(value.get("candidates"), limits)
                    found = _read(number, value, self.answered, parsed, limits)
                    form.take(parsed.form)
                except Wrong as wrong:
                    self._reject(number, wrong.args[0])
                else:
                    yield found
        if len(self.refusals) == self.n_rows:
            raise InvalidInput(
                f"{self.source.path} must hold at least one usable line, got none "
                f"({rejected_in_short(self.refusals)}): repair the lines"
            )

    def _reject(self, line: int, reason: str) -> None:
        if self.strict:
            raise InvalidInput(
                f"{self.source.path}:{line}: {reason}: repair the line, or read the file without strict"
            )
        limits = self.source.limits
        if len(self.refusals) >= limits.refused:
            raise limits.reject("refused", f"lines of {self.source.path} that cannot be used")
        self.refusals.append(Refusal(line, reason))


def read_presentations(
    path: str | Path, *, strict: bool = False, limits: Limits | None = None
) -> Iterator[Presentation]:
    r"""Yield the presentations of a log, one a line.

    Lines that cannot be used are left out, with a warning at the end that counts them and names the first.

    The parameters are those of `PresentationLog`.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "log.jsonl"
    >>> _ = place.write_text(
    ...     '{"candidates": [{"id": "a", "features": [1, 0]}, {"id": "b", "features": [0, 2]}],'
    ...     ' "presented": ["a", "b"], "clicked": ["b"]}\n'
    ... )
    >>> for presentation in read_presentations(place):
    ...     print(presentation.presented, presentation.answer, presentation.features)
    ('a', 'b') ('b',) ({'1': 1.0, '2': 0.0}, {'1': 0.0, '2': 2.0})
    """
    return _warning(PresentationLog(path, strict=strict, limits=limits))


def read_candidates(
    path: str | Path, *, strict: bool = False, limits: Limits | None = None
) -> Iterator[Candidates]:
    """Yield the candidates of a file, one set a line, as `read_presentations` does; it may be a log.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "today.jsonl"
    >>> _ = place.write_text('{"candidates": [{"id": "a", "features": {"x": 1}}, {"id": "b", "features": {"x": 2}}]}')
    >>> [candidates.items for candidates in read_candidates(place)]
    [('a', 'b')]
    """
    return _warning(PresentationLog(path, strict=strict, answered=False, limits=limits))


def _warning(log: PresentationLog) -> Iterator[Any]:
    """Yield the entries of a log, and warn of its rejected lines at the end."""
    yield from log
    if log.refusals:
        warn(f"{log.source.path}: {rejected_in_short(log.refusals)}", PenchantWarning, stacklevel=2)


class _Form:
    """How the features of a file are written: named, or so many numbers. The first usable line decides."""

    def __init__(self) -> None:
        self._first: int | str | None = "unknown"

    def take(self, form: int | None) -> None:
        if self._first == "unknown":
            self._first = form
        if form != self._first:
            raise Wrong(
                f"features must be {_described(self._first)} as in the lines before, got {_described(form)}"
            )


def _described(form: int | str | None) -> str:
    return "named" if form is None else f"a list of {form} numbers"


def _read(line: int, value: dict[str, Any], answered: bool, parsed: Parsed, limits: Limits) -> Candidates:
    """Return the candidates or the presentation of a line."""
    items, features = parsed.items, parsed.features
    given = value.get("id")
    name = str(line) if given in (None, "") else id_of(given, "id", limits)
    if not answered:
        return Candidates(line, name, items, features)
    presented, kind, answer = page_of(value, ("clicked", "improved"), limits)
    known = set(items)
    for key, ids in (("presented", presented), (kind, answer)):
        if not known.issuperset(ids):
            unknown = next(item for item in ids if item not in known)
            raise Wrong(f"{key} must name candidates, got {shown(unknown)}: add it to them with its features")
    order = presented if len(presented) == len(items) else dict.fromkeys((*presented, *items))
    who = value.get("user")
    user = None if who in (None, "") else id_of(who, "user", limits)
    by_clicks = kind == "clicked"
    return Presentation(
        line, name, items, features, tuple(order), len(presented), tuple(answer), by_clicks, user
    )


def _has_each_name_once(value: dict[str, Any], usual: Parsed | None, line: str) -> bool:
    """Return whether no object of a line can hold a name twice, which decoding hides; False where that is unclear.

    As many names were decoded as the line has colons, or at least colons behind quotes.
    """
    colons = line.count(":")
    if usual is not None and len(value) + (usual.n_names or 0) == colons:
        return True
    decoded = len(value) + sum([len(entry) for entry in value.values() if type(entry) is dict])
    listed = value.get("candidates")
    candidates = [entry for entry in listed if type(entry) is dict] if type(listed) is list else []
    features = [entry.get("features") for entry in candidates]
    decoded += sum(map(len, candidates)) + sum([len(entry) for entry in features if type(entry) is dict])
    return decoded == colons or decoded == len(_NAME.findall(line))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Wrong(f"not JSON ({shown(first_twice(name for name, _ in pairs))} stands twice)")
    return found
