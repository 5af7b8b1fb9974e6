"""What a state must satisfy, part by part, and what the error says where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from penchant.errors import InvalidInput
from penchant.schema import (
    Array,
    Column,
    Either,
    Flag,
    Instance,
    Kind,
    ListOf,
    Maybe,
    Number,
    OneOf,
    Plain,
    Row,
    Schema,
    Sparse,
    Text,
    Texts,
    TupleOf,
    Whole,
    require,
)

GOOD: list[tuple[Kind, Any]] = [
    (Array(("n", 2)), np.zeros((3, 2))),
    (Array((None,), "int64 int32"), np.zeros(2, dtype=np.int32)),
    (Array((None,), nan=True), np.array([np.nan, np.inf])),
    (Array((None,), nan=True, least=0), np.array([np.nan])),
    (Array((None,), "bool"), np.array([True])),
    (Array((0,), least=1), np.zeros(0)),
    (Array((None,), "int64", below=3), np.array([0, 2])),
    (Array((None,), "int64", least=-1, below=3), np.array([-1, 2])),
    (Array((1,), largest=1e308), np.array([1e308])),
    (Sparse((2, 2)), sparse.csr_array(np.eye(2))),
    (Column(), np.array(["a", "b"])),
    (Column(distinct=True), np.array(["a", "b"], dtype=object)),
    (Number(0, 1), np.float32(0.5)),
    (Number(), 2**62),
    (Array((1,), "float32"), np.ones(1, dtype=np.float32)),
    (Number(nan=True), np.nan),
    (Whole(1), np.int64(3)),
    (Flag(), np.bool_(True)),
    (Text(), np.str_("a")),
    (Texts(2), ("a", "b")),
    (Texts(array=True), np.array(["a"], dtype=object)),
    (OneOf(("a", None)), None),
    (TupleOf(Number(), 2), (1, 2.0)),
    (ListOf(Text()), ["a"]),
    (Row((Whole(), Text())), (1, "a")),
    (Maybe(Text()), None),
    (Either((Text(), Number())), 1.0),
    (Instance((dict, list)), {}),
    (Plain(), {"a": [1, (2.0, None, np.zeros(2))], 3: True}),
]

BAD: list[tuple[Kind, Any, str]] = [
    (Array(("n", "n")), np.zeros((3, 2)), r"part must have 3 entries, got 2"),
    (Array((2,)), np.zeros(3), r"part must have shape \(2,\), got \(3,\)"),
    (Array((None,)), [1.0], "part must be an array of float64, got a list"),
    (
        Array((None,)),
        np.zeros(2, dtype=np.int64),
        "part must be an array of float64, got an array of int64",
    ),
    (
        Array((None,)),
        np.array([0.0, np.nan]),
        r"part must hold finite numbers within ±1e\+100, got nan to nan",
    ),
    (Array((None,)), np.array([1e101]), "part must hold finite numbers"),
    (Array((None,), nan=True, least=0), np.array([np.nan, -1.0]), "part must be at least 0, got -1.0"),
    (Array((None,), above=0), np.zeros(1), "part must be above 0, got 0.0"),
    (Array((None,), most=1), np.array([2.0]), "part must be at most 1, got 2.0"),
    (Array((None,), "int64", below=3), np.array([0, 3]), "part must hold indices from 0 to 2, got 0 to 3"),
    (Array((None,), "int64", below=3), np.array([-1]), "part must hold indices from 0 to 2, got -1 to -1"),
    (Sparse((2, 2)), np.eye(2), "part must be a sparse matrix, got an array of float64"),
    (Sparse((2, 2), least=0), sparse.csr_array(-np.eye(2)), "part must be at least 0"),
    (Column(), np.array([1.0, np.nan]), "part must hold finite numbers or texts"),
    (Column(), np.array([1, "a"], dtype=object), "part must be an array of numbers or texts"),
    (Column(distinct=True), np.array([1, 1]), "part must hold different labels"),
    (Number(), True, "part must be a number, got True"),
    (Number(), 2**63, "part must be finite and within .*, got a whole number of more than 63 bits"),
    (Whole(), 2**80, "part must be a whole number from 0 to .*, got a whole number of more than 63 bits"),
    (Number(), np.inf, "part must be finite and within"),
    (Number(below=1), 1.0, "part must be below 1, got 1.0"),
    (Whole(1), 0, "part must be a whole number from 1 to 9223372036854775807, got 0"),
    (Whole(), 2.0, "part must be a whole number, got 2.0"),
    (Flag(), 1, "part must be True or False, got 1"),
    (Text(), b"a", "part must be text, got a bytes"),
    (Texts(), ["a"], "part must be a tuple of texts, got a list"),
    (Texts(), ("a", "a"), "part must be different texts, got one twice"),
    (Texts(3), ("a",), "part must have shape"),
    (OneOf(("a", "b")), "c", "part must be one of 'a', 'b', got 'c'"),
    (OneOf(("a", "b")), np.array(["a"]), "part must be one of 'a', 'b', got an array"),
    (TupleOf(Number()), (1, "a"), r"part\[1\] must be a number, got 'a'"),
    (ListOf(Text()), ("a",), "part must be a list, got a tuple"),
    (Row((Whole(), Text())), (1, 2), r"part\[1\] must be text, got 2"),
    (Row((Whole(),)), (1, 2), "part must have shape"),
    (Maybe(Text()), 3, "part must be text, got 3"),
    (Either((Text(), Number())), None, "part must be a number, got None"),
    (Instance((dict, list)), 3, "part must be a dict or list, got 3"),
    (Plain(), [1, {2}], r"part\[1\] must be a plain value, got a set"),
]


@pytest.mark.parametrize(("kind", "value"), GOOD)
def test_what_is_of_its_kind_passes(kind: Kind, value: Any) -> None:
    """No error for a value that the kind describes."""
    kind.check("part", value, {})


@pytest.mark.parametrize(("kind", "value", "words"), BAD)
def test_what_is_of_another_kind_is_an_error(kind: Kind, value: Any, words: str) -> None:
    """The error names the part, what it must be, and what came."""
    with pytest.raises(InvalidInput, match=f"^{words}"):
        kind.check("part", value, {})


def test_a_number_too_long_to_write_is_an_error_all_the_same() -> None:
    """Python itself refuses to write out 5,000 digits."""
    for kind in (Number(), Whole(), Text(), Array((1,)), OneOf(("a",))):
        with pytest.raises(InvalidInput, match="got a whole number of more than 63 bits"):
            kind.check("part", 10**5000, {})


def few(state: Any) -> None:
    require(state["n"] < 5, "n must be below 5")


SCHEMA = Schema(
    {"rate": Number()}, {"coef": Array(("n",)), "n": Whole(1, size=True)}, {"note": Text()}, (few,)
)


@pytest.mark.parametrize(
    "state",
    [
        {"rate": 1.0},
        {"rate": 1.0, "n": 2, "coef": np.zeros(2)},
        {"rate": 1.0, "n": 2, "coef": np.zeros(2), "note": "x"},
    ],
)
def test_states_that_a_schema_describes(state: dict[str, Any]) -> None:
    """Settings alone, with what was learned, and with what may be there."""
    SCHEMA.check(state)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({}, "'rate' must be there, but is not"),
        ({"rate": 1.0, "n": 2}, "'coef' must be there, but is not"),
        ({"rate": 1.0, "note": "x"}, "'coef' must be there, but is not"),
        ({"rate": 1.0, "more": 2}, "'more' must not be there, but is"),
        ({"rate": 1.0, "n": 3, "coef": np.zeros(2)}, r"coef must have shape \(3,\), got \(2,\)"),
        ({"rate": 1.0, "n": 5, "coef": np.zeros(5)}, "n must be below 5"),
        ({"rate": "a", "n": 2, "coef": np.zeros(2)}, "rate must be a number, got 'a'"),
    ],
)
def test_states_that_it_does_not(state: dict[str, Any], words: str) -> None:
    """Missing and additional parts, sizes that disagree, and rules that fail."""
    with pytest.raises(InvalidInput, match=words):
        SCHEMA.check(state)


def test_a_size_is_known_before_it_is_used() -> None:
    """A size that a later part declares holds for earlier ones; objects declare sizes by their attributes."""
    schema = Schema({"values": Array(("n",)), "owner": Instance(np.ndarray, {"n": "size"})})
    schema.check({"values": np.zeros(4), "owner": np.zeros((2, 2))})
    with pytest.raises(InvalidInput, match=r"values must have shape \(4,\), got \(3,\)"):
        schema.check({"values": np.zeros(3), "owner": np.zeros((2, 2))})


def test_a_schema_can_be_extended() -> None:
    """A class adds to what it inherits, and rules add up."""
    more = SCHEMA.extended(
        {"C": Number(above=0)}, {"extra": Flag()}, rules=[lambda state: require(state["extra"], "no")]
    )
    assert list(more.parts) == ["rate", "C", "coef", "n", "extra", "note"]
    with pytest.raises(InvalidInput, match="no"):
        more.check({"rate": 1.0, "C": 1.0, "n": 1, "coef": np.zeros(1), "extra": False})
