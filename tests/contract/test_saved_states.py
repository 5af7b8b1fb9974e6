"""Every class that can be saved states what its file may hold, and the statement bites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from penchant.coactive import ItemMap
from penchant.errors import CannotLoad, CannotSave, InvalidInput
from penchant.saving import from_bytes, to_bytes
from penchant.saving.objects import name_of, state_of
from penchant.schema import (
    Array,
    Column,
    Either,
    Flag,
    Instance,
    Kind,
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
)
from tests.saving.examples import Example, examples, saveable
from tests.saving.files import file_of_state

KINDS = (
    Array,
    Column,
    Either,
    Flag,
    Instance,
    Kind,
    Maybe,
    Number,
    OneOf,
    Plain,
    Row,
    Sparse,
    Text,
    Texts,
    TupleOf,
    Whole,
)
EXAMPLES = examples()
NAMES = [f"{place}-{type(example.value).__name__}" for place, example in enumerate(EXAMPLES)]
every_example = pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)


def test_every_class_that_can_be_saved_has_an_example() -> None:
    """A class that states ``__saved__`` and has no example here fails."""
    assert {kind.__name__ for kind in saveable() - {type(example.value) for example in EXAMPLES}} == set()
    assert len(saveable()) > 50


@pytest.mark.parametrize("kind", sorted(saveable(), key=repr), ids=lambda kind: kind.__name__)
def test_what_a_class_states_is_a_schema(kind: Any) -> None:
    """Nothing of the package's opts out with a check of its own."""
    assert type(kind.__saved__) is Schema


@every_example
def test_an_example_comes_back_and_works(example: Example) -> None:
    """Loading gives the same bytes back, and an object that can be used."""
    data = to_bytes(example.value)
    loaded = from_bytes(data)
    assert to_bytes(loaded) == data
    assert example.use(loaded)


def test_what_does_not_satisfy_its_schema_is_not_saved() -> None:
    """A model that no load would accept is an error when it is saved, not when it is needed."""
    model = from_bytes(to_bytes(EXAMPLES[0].value))
    model.scores_ = model.scores_ * np.nan
    with pytest.raises(
        CannotSave, match=r"a BradleyTerry that no load would accept \(scores_ must hold finite"
    ):
        to_bytes(model)


# -- mutations -----------------------------------------------------------------------------------------------


@every_example
def test_a_wrong_part_is_not_loaded(example: Example) -> None:
    """Each part, replaced by one of another shape, dtype, range or kind, is an error of the file."""
    state = dict(state_of(example.value, ""))
    name = name_of(type(example.value), "")
    assert type(from_bytes(file_of_state(name, state))) is type(example.value)
    for part, wrong in mutations(type(example.value).__saved__, state):
        data = file_of_state(name, {**state, part: wrong})
        assert not loads(data), f"{name} was loaded with {part}={wrong!r}"


def loads(data: bytes) -> bool:
    try:
        from_bytes(data)
    except CannotLoad:
        return False
    return True


@every_example
def test_a_missing_or_additional_part_is_not_loaded(example: Example) -> None:
    """The parts of a file are those of the class, no fewer and no more."""
    state = dict(state_of(example.value, ""))
    name, schema = name_of(type(example.value), ""), type(example.value).__saved__
    for part in schema.settings.keys() | (schema.learned.keys() & state.keys()):
        with pytest.raises(CannotLoad, match="must be there, but is not"):
            from_bytes(file_of_state(name, {key: value for key, value in state.items() if key != part}))
    with pytest.raises(CannotLoad, match="'stranger_' must not be there, but is"):
        from_bytes(file_of_state(name, {**state, "stranger_": 1}))


def mutations(schema: Schema, state: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for part, value in state.items():
        for wrong in wrong_values(schema.parts[part], value):
            yield part, wrong
        if f"'{part}'" in repr([kind for kind in schema.learned.values() if isinstance(kind, Array)]):
            yield part, value + 1  # a size that arrays have


def wrong_values(kind: Kind, value: Any) -> Iterator[Any]:
    """Values that a part of this kind, now ``value``, must not have."""
    match kind:
        case Maybe():
            wrong = (ItemMap(), b"bytes") if value is None else wrong_values(kind.kind, value)
            yield from (other for other in wrong if other is not None)
        case Either():
            yield from (b"bytes", ItemMap())
        case Array():
            yield from wrong_arrays(kind, value)
        case Sparse():
            yield from (None, value * np.nan, value[:, :-1], value.astype(complex), value.toarray())
        case Number():
            yield from ("1", None, [1.0], True, 1e300, *(() if kind.nan else (np.nan, -np.inf)))
            yield from [limit - 1 for limit in (kind.least, kind.above) if limit is not None]
            yield from [2 * limit + 1 for limit in (kind.most, kind.below) if limit is not None]
        case Whole():
            yield from ("1", None, 1.5, True, kind.least - 1, kind.most + 1)
            yield from (10**9,) if kind.size else ()
        case Flag():
            yield from (2, None, "yes")
        case Text():
            yield from (3, None, b"bytes")
        case Texts():
            yield from (None, "text", [*value], (*value, 3), np.zeros(3))
        case Column():
            yield from (
                None,
                value.tolist(),
                value[:, None],
                value.astype(complex) if value.dtype.kind in "if" else 3,
            )
        case OneOf():
            yield from ("nothing of this kind", 17.5, b"bytes", [1])
        case TupleOf() | Row():
            yield from (None, 3, "text", {1: 2})
        case Instance():
            yield from (None, 3, "text", b"bytes", np.zeros(2))
        case Plain():
            yield from (ItemMap(), b"bytes")


def wrong_arrays(kind: Array, value: Any) -> Iterator[Any]:
    yield from (
        None,
        3,
        "text",
        value.tolist(),
        value[..., None],
        value.astype("S8"),
        value.astype(np.complex128),
    )
    if any(size is not None for size in kind.shape[:1]) and len(kind.shape) == value.ndim:
        yield np.concatenate([value, np.ones((1, *value.shape[1:]), dtype=value.dtype)])
    if not value.size:
        return
    if value.dtype.kind == "f" and not kind.nan:
        yield from (replaced(value, np.nan), replaced(value, -np.inf))
        if kind.largest < 1e300:
            yield replaced(value, 1e300)
    for limit in (kind.least, kind.above):
        if limit is not None and value.dtype.kind in "if":
            yield replaced(value, limit - 1)
    if kind.below is not None:
        yield replaced(value, -1 if kind.least is None else kind.least - 1)
        yield replaced(value, 2**30)


def replaced(array: Any, entry: Any) -> Any:
    """Return ``array`` with its last entry replaced."""
    changed = array.copy()
    changed.reshape(-1)[-1] = entry
    return changed


@pytest.mark.parametrize("kind", [Kind, *Kind.__subclasses__()], ids=lambda kind: kind.__name__)
def test_every_kind_has_mutations(kind: type) -> None:
    """A kind of part that no mutation above knows would go untested."""
    assert kind in KINDS or not kind.__module__.startswith("penchant.schema")


def test_sparse_support_vectors_are_checked() -> None:
    """The sparse form of a part is held to the same shape as the dense one."""
    kind = Either((Sparse((None, "d")), Array((None, "d"))))
    kind.check("rows", sparse.csr_array(np.eye(2)), {"d": 2})
    kind.check("rows", np.eye(2), {"d": 2})
    for wrong in (sparse.csr_array(np.eye(3)), np.eye(3), sparse.csr_array(np.full((2, 2), np.nan))):
        with pytest.raises(InvalidInput):
            kind.check("rows", wrong, {"d": 2})
