"""PrefLib's counted orders (soc, soi, toc, toi) and categories (cat); a count becomes the weight of its row.

The format is specified at https://preflib.org/format. Its former version has no metadata: the number of alternatives,
a line ``1,name`` for each, a line with the numbers of voters and orders, and then lines ``count,order``. We know of no
specification of categories in that version: they are read where the header is that of orders, and rejected elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import shown
from penchant.counts import counted
from penchant.errors import InvalidInput
from penchant.formats.parsing.reading import Findings, Reading, Written
from penchant.formats.parsing.rows import Part, assembled, distinct, first_twice
from penchant.formats.parsing.source import Source, ending_of, replaced_text
from penchant.formats.parsing.tabulated import has_shared_level, lost_columns, places
from penchant.preferences import BAR, Items, Preferences
from penchant.preferences.items import Vocabulary

NAME = "preflib"
KINDS = ("soc", "soi", "toc", "toi")
CATEGORIES = "cat"
FIRST_LINES = re.compile(r"#[^\S\n]*FILE NAME[^\S\n]*:")
_NOBODY = "orders that nobody gave (count 0)"
_NAME = re.compile(r"#\s*ALTERNATIVE NAME (\d{1,9})\s*:(.*)", re.IGNORECASE | re.ASCII)
_KIND = re.compile(r"#\s*DATA TYPE\s*:\s*(\w+)", re.IGNORECASE)
_NUMBERED = re.compile(r"#\s*NUMBER ([A-Z ]+?)\s*:\s*(\d{1,15})\s*", re.IGNORECASE | re.ASCII)
_LINE = re.compile(r"\s*(\d{1,15})\s*:(.*)", re.ASCII)
_FORMER_LINE = re.compile(r"\s*(\d{1,15})\s*,(.*)", re.ASCII)
_FORMER_TOP = re.compile(r"\s*(\d{1,9})\s*,?\s*", re.ASCII)
_FORMER_NAME = re.compile(r"\s*(\d{1,9})\s*,(.*)", re.ASCII)
_FORMER_TOTALS = re.compile(r"\s*(\d{1,15})\s*,\s*(\d{1,15})\s*,\s*(\d{1,15})\s*", re.ASCII)
_NUMBER = r"\s*\d{1,9}\s*"
_LIST = rf"{_NUMBER}(?:,{_NUMBER})*"
_STRICT = re.compile(_LIST, re.ASCII)
_GROUP = rf"\s*\{{{_LIST}\}}\s*|{_NUMBER}"
_CATEGORY = rf"{_GROUP}|\s*\{{\s*\}}\s*"
_TIED = re.compile(rf"(?:{_GROUP})(?:,(?:{_GROUP}))*", re.ASCII)
_CATEGORISED = re.compile(rf"(?:{_CATEGORY})(?:,(?:{_CATEGORY}))*", re.ASCII)
_PLACE = re.compile(r"\{[^}]*\}|\d+")


def read(source: Source) -> Reading:
    """Read counted orders; a count is the weight of its row, and alternatives are called by their names.

    Categories are levels, best first; alternatives of one category are not compared with each other.
    """
    findings = Findings(source, NAME)
    header = _Header(kind=ending_of(source.path).removeprefix("."))
    orders: list[_Order] = []
    n_rows = total = 0
    with source.open_text() as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or header.takes(line, source.path):
                continue
            _check_kind(header, source.path)
            n_rows += 1
            order = _order(line, number, header)
            if order is None:
                example = "3,1,{2,4},3" if header.former else "3: 1,{2,4},3"
                findings.reject(number, f"a line must be like '{example}', got {shown(line.strip())}")
                continue
            total += order.count
            if _is_usable(order, header.alternatives, findings):
                orders.append(order)
    if not orders:
        raise findings.no_rows()
    findings.doubt(*_contradictions(header, orders, n_rows, total))
    names, note = _different(header.alternatives)
    findings.note(*note)
    if header.former:
        findings.note("the file is in PrefLib's former format, without metadata")
        if header.kind == CATEGORIES:
            findings.note("that format is not specified for categories: they were read as orders are")
    ids = Vocabulary()
    code = {number: ids[name] for number, name in names.items()}
    part = _part(orders, code, tied=header.kind != CATEGORIES)
    items = Items.named(sorted(names.values(), key=lambda name: name == BAR))
    return findings.reading(assembled([part], ids, Vocabulary(), findings, items=items), n_rows)


@dataclass
class _Header:
    """What the lines before the orders declare."""

    kind: str
    alternatives: dict[int, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    former: bool = False
    complete: bool = False

    def takes(self, line: str, path: Path) -> bool:
        """Whether a line is one of the header, which is then recorded."""
        if named := _NAME.match(line):
            self.alternatives[int(named[1])] = named[2].strip()
        elif declared := _KIND.match(line):
            self.kind = declared[1].lower()
        elif numbered := _NUMBERED.fullmatch(line.rstrip("\n")):
            self.numbers[numbered[1].upper()] = int(numbered[2])
        elif line.startswith("#"):
            return True
        elif not self.alternatives and not self.numbers and (top := _FORMER_TOP.fullmatch(line)):
            self.former, self.numbers["ALTERNATIVES"] = True, int(top[1])
        elif self.former and not self.complete:
            self._take_former(line, path)
        else:
            return False
        return True

    def _take_former(self, line: str, path: Path) -> None:
        named, totals = _FORMER_NAME.fullmatch(line.rstrip("\n")), _FORMER_TOTALS.fullmatch(line.rstrip("\n"))
        if len(self.alternatives) < self.numbers["ALTERNATIVES"] and named is not None:
            self.alternatives[int(named[1])] = named[2].strip()
        elif totals is not None:
            voters, _, orders = (int(number) for number in totals.groups())
            self.numbers |= {"VOTERS": voters, "UNIQUE ORDERS": orders}
            self.complete = True
        elif self.kind == CATEGORIES:
            raise InvalidInput(
                f"{path} must be in PrefLib's present format, since the former one is not specified for categories, "
                f"got {shown(line.strip())} where orders have the numbers of voters: get the file anew from preflib.org"
            )
        else:
            raise InvalidInput(
                f"{path} must have, after {len(self.alternatives)} named alternatives, a line with the numbers of "
                f"voters, of their sum and of orders, got {shown(line.strip())}: repair the header"
            )


def _check_kind(header: _Header, path: Path) -> None:
    if header.kind in ("wmd", "dat"):
        what = {"wmd": "weighted matchings"}.get(header.kind, "extra data")
        raise InvalidInput(
            f"{path} must hold orders or categories ({', '.join((*KINDS, CATEGORIES))}), got {what} ({header.kind}): "
            "read the set's files of orders"
        )
    if not header.alternatives:
        raise InvalidInput(
            f"{path} must name its alternatives in lines like '# ALTERNATIVE NAME 1: tea', got none before the "
            "first order: get the file in PrefLib's present format"
        )


def _contradictions(header: _Header, orders: list[_Order], n_rows: int, total: int) -> list[str]:
    """Return what the header declares otherwise than the rows are."""
    number, named = header.numbers, len(header.alternatives)
    unique = number.get("UNIQUE ORDERS", number.get("UNIQUE PREFERENCES", n_rows))
    found = [
        f"the header declares {counted(declared, what)}, and there are {there:,}"
        for what, declared, there in (
            ("alternative", number.get("ALTERNATIVES", named), named),
            ("voter", number.get("VOTERS", total), total),
            ("different order", unique, n_rows),
        )
        if declared != there
    ]
    if header.kind in KINDS:
        tied = sum(max(order.sizes) > 1 for order in orders)
        short = sum(len(order.members) < named for order in orders)
        if header.kind[0] == "s" and tied:
            found.append(
                f"the kind is {header.kind}, strict orders, and {counted(tied, 'order')} with ties are there"
            )
        if header.kind[2] == "c" and short:
            found.append(
                f"the kind is {header.kind}, complete orders, and {counted(short, 'order')} that rank not all are there"
            )
    return found


@dataclass
class _Order:
    """One line: how many gave the order, its alternatives best first, and how many share each place."""

    line: int
    count: int
    members: list[int]
    sizes: list[int]


def _order(line: str, number: int, header: _Header) -> _Order | None:
    found = (_FORMER_LINE if header.former else _LINE).fullmatch(line.rstrip("\n"))
    if found is None:
        return None
    count, text = int(found[1]), found[2].strip()
    if _STRICT.fullmatch(text):
        members = list(map(int, text.split(",")))
        return _Order(number, count, members, [1] * len(members))
    if not (_CATEGORISED if header.kind == CATEGORIES else _TIED).fullmatch(text):
        return None
    groups = [group.strip("{}").split(",") for group in _PLACE.findall(text) if group.strip("{} ")]
    return _Order(
        number, count, [int(member) for group in groups for member in group], list(map(len, groups))
    )


def _is_usable(order: _Order, alternatives: dict[int, str], findings: Findings) -> bool:
    different = set(order.members)
    if not different <= alternatives.keys():
        unknown = min(different - alternatives.keys())
        findings.reject(order.line, f"alternative {unknown} is not one of the {len(alternatives)} named")
    elif len(different) < len(order.members):
        findings.reject(order.line, f"alternative {first_twice(order.members)} is ranked twice")
    elif order.count == 0:
        findings.skipped[_NOBODY] += 1
    else:
        return True
    return False


def _different(alternatives: dict[int, str]) -> tuple[dict[int, str], tuple[str, ...]]:
    """Return the names of the alternatives in the order of their numbers; a name that is not one gets a number."""
    names = distinct(dict(sorted(alternatives.items())))
    odd = sum(names[number] != name for number, name in alternatives.items())
    note = f"{counted(odd, 'alternative')} without a name of their own are called by their number"
    return names, (note,) if odd else ()


def _part(orders: list[_Order], code: dict[int, int], *, tied: bool) -> Part:
    lengths = [len(order.members) for order in orders]
    levels = [place for order in orders for place in range(len(order.sizes))]
    weight = np.array([order.count for order in orders], dtype=np.float64)
    part = Part(
        np.array([order.line for order in orders], dtype=np.int64),
        np.repeat(np.arange(len(orders)), lengths),
        np.fromiter((code[member] for order in orders for member in order.members), np.int64, sum(lengths)),
        np.repeat(levels, [size for order in orders for size in order.sizes]),
        np.full(len(orders), tied),
    )
    part.weight = None if (weight == 1).all() else weight
    return part


def write(preferences: Preferences, path: Path) -> Written:
    """Write orders with their counts; equal ones once, as the format wants it."""
    orders, lost = _counted(preferences)
    kind = _kind(preferences, orders)
    wanted = ending_of(path).removeprefix(".")
    if wanted in KINDS and not _fits(kind, wanted):
        raise InvalidInput(
            f"the ending of {path} must be one that holds these orders, got .{wanted}: call it .{kind}"
        )
    kind = wanted if wanted in KINDS else kind
    names, changed = _one_line_names(preferences)
    with replaced_text(path) as file:
        for key, value in _metadata(path, kind, len(names), orders).items():
            file.write(f"# {key}: {value}".rstrip() + "\n")
        file.writelines(f"# ALTERNATIVE NAME {place}: {name}\n" for place, name in enumerate(names, 1))
        file.writelines(f"{count}: {order}\n" for order, count in orders.items())
    lost += [*changed, *lost_columns(preferences, "weight")]
    if preferences.catalogue.names is None:
        lost.append("that the items are the rows of a table: their numbers become names")
    return Written(path, NAME, len(orders), tuple(lost))


def _metadata(path: Path, kind: str, n_items: int, orders: dict[str, int]) -> dict[str, Any]:
    return {
        "FILE NAME": path.name,
        "TITLE": path.stem,
        "DESCRIPTION": "",
        "DATA TYPE": kind,
        "MODIFICATION TYPE": "original",
        "RELATES TO": "",
        "RELATED FILES": "",
        "PUBLICATION DATE": "",
        "MODIFICATION DATE": "",
        "NUMBER ALTERNATIVES": n_items,
        "NUMBER VOTERS": sum(orders.values()),
        "NUMBER UNIQUE ORDERS": len(orders),
    }


def _counted(preferences: Preferences) -> tuple[dict[str, int], list[str]]:
    """Return the text of each different order with its count, and what that leaves out."""
    statements, lost = preferences.statements, []
    weight = np.ones(len(statements)) if preferences.weight is None else preferences.weight
    if (weight % 1 != 0).any():
        lost.append("weights that are not whole numbers: every row counts once")
        weight = np.ones(len(statements))
    orders: dict[str, int] = {}
    number = {item: str(place) for place, item in enumerate(preferences.items, 1)}
    for order, count in zip(places(preferences), weight.tolist(), strict=True):
        text = ",".join(_grouped([number[item] for item in place]) for place in order)
        if text:
            orders[text] = orders.get(text, 0) + int(count)
    empty = int((statements.sizes == 0).sum())
    if not orders:
        raise InvalidInput("preferences must rank at least one item to be written, got empty rows: add some")
    if empty:
        lost.append(f"rows that name no item: {empty:,}")
    if len(orders) < len(statements) - empty:
        lost.append(
            f"rows of their own: {counted(len(statements) - empty, 'row')} are {len(orders):,} different orders"
        )
    if (has_shared_level(preferences) & ~statements.tied).any():
        lost.append("items that were not told apart, as in grades and choices: they are written as ties")
    return orders, lost


def _grouped(members: list[str]) -> str:
    return members[0] if len(members) == 1 else "{" + ",".join(sorted(members, key=int)) + "}"


def _kind(preferences: Preferences, orders: dict[str, int]) -> str:
    n_items = preferences.n_items
    complete = all(order.count(",") == n_items - 1 for order in orders)
    return ("t" if any("{" in order for order in orders) else "s") + "o" + ("c" if complete else "i")


def _fits(kind: str, wanted: str) -> bool:
    return (kind[0] == "s" or wanted[0] == "t") and (kind[2] == "c" or wanted[2] == "i")


def _one_line_names(preferences: Preferences) -> tuple[list[str], list[str]]:
    names = [" ".join(re.split(r"[\r\n]+", item)).strip() for item in preferences.items]
    if tuple(names) == preferences.items:
        return names, []
    return list(distinct(dict(enumerate(names, 1))).values()), [
        "ends of lines in ids, and spaces around them"
    ]
