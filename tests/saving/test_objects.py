"""Penchant's own objects: found by public name, restored from attributes or by their own hands."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import CannotLoad, CannotSave
from penchant.saving import from_bytes, to_bytes
from penchant.saving.values import DEPTH
from tests.saving import testmodels
from tests.saving.files import file_of, same, tree_of
from tests.saving.testmodels import (
    Choice,
    Frozen,
    Guarded,
    Hidden,
    Impostor,
    Model,
    Names,
    Silent,
    Slots,
    Slotted,
    WrongState,
)


def test_nested_objects_come_back():
    """Objects inside lists inside objects are restored as themselves."""
    model = from_bytes(to_bytes(Model(parts=[Model(depth=1), Frozen(scores=(1, 2))], weights=np.arange(3))))
    assert type(model) is Model
    assert model.parts[0].depth == 1
    assert model.parts[1] == Frozen(scores=(1, 2))
    assert same(model.weights, np.arange(3))


@pytest.mark.parametrize("kind", [Frozen, Slotted])
def test_frozen_dataclasses_come_back(kind):
    """Frozen dataclasses are their fields, with or without slots."""
    result = kind(scores=(1.0, 2.0), note="fit")
    assert from_bytes(to_bytes(result)) == result


def test_cached_properties_are_not_state():
    """What a frozen result has computed meanwhile changes no byte."""
    result = Frozen(scores=(1.0, 2.0))
    before = to_bytes(result)
    assert result.total == 3.0
    assert to_bytes(result) == before


def test_hooks_decide_what_is_state_and_check_it():
    """__save_state__ may leave things out, __load_state__ may refuse."""
    assert from_bytes(to_bytes(Guarded([1, 0, 2]))).order.tolist() == [1, 0, 2]
    with pytest.raises(CannotLoad, match=r"Guarded rejects its state \(order must be a permutation\)"):
        from_bytes(to_bytes(Guarded([5, 0, 2])))


@pytest.mark.parametrize("state", [{}, {"order": 3}, {"order": None, "more": 1}, []])
def test_a_hook_may_fail_in_any_way(state):
    """Whatever __load_state__ raises on a hostile state is told as CannotLoad."""
    with pytest.raises(CannotLoad):
        from_bytes(file_of({"object": ["penchant.testmodels:Guarded", state]}))


def test_a_hook_must_give_its_own_class():
    """__load_state__ that gives something else is an error of the class, and told so."""
    with pytest.raises(CannotLoad, match="Impostor gave a str"):
        from_bytes(to_bytes(Impostor()))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("os:system", "no model"),
        ("builtins:eval", "no model"),
        ("penchant:Model", "no model"),
        ("penchant.cli:main", "no model"),
        ("penchant.saving:save", "no model"),
        ("penchant.store:Store", "no model"),
        ("penchant._version:Model", "no model"),
        ("penchant.testmodels.model:Model", "no model"),
        ("penchant.testmodels:Model.fit", "no model"),
        ("penchant.testmodels:Model\n", "no model"),
        ("penchant.ｔestroom:Model", "no model"),
        ("penchant.testmodels:__doc__", "no model"),
        ("penchant.testmodels:Hidden", "no public class"),
        ("penchant.testmodels:function", "no public class"),
        ("penchant.testmodels:OrderedDict", "no public class"),
        ("penchant.errors:CannotLoad", "no public class"),
        ("penchant.nosuchroom:Model", "cannot be imported"),
        ("penchant.testmodels:Silent", "which no file of Penchant's holds: do not trust it"),
        ("penchant.simulate:ProbitJudge", "which no file of Penchant's holds"),
        ("penchant.schema:Schema", "which no file of Penchant's holds"),
        (7, "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_only_public_classes_are_made(name, reason):
    """A file cannot name anything but a public class of a package that may be loaded."""
    with pytest.raises(CannotLoad, match=reason):
        from_bytes(file_of({"object": [name, {}]}))


def test_nothing_is_imported_for_a_name_that_is_not_allowed(monkeypatch):
    """The name is judged before any import, since an import runs code."""
    monkeypatch.setattr("penchant.saving.objects.import_module", lambda name: pytest.fail(f"imported {name}"))
    for name in ("os:system", "penchant.cli:main", "penchant.serve:app", "penchant.a.b:C", "antigravity:x"):
        with pytest.raises(CannotLoad):
            from_bytes(file_of({"object": [name, {}]}))


@pytest.mark.parametrize("name", ["__class__", "__dict__", "fit", "a b", "", "__init__"])
def test_attributes_cannot_be_smuggled(name):
    """Neither methods nor the machinery of a class can be replaced."""
    with pytest.raises(CannotLoad, match="no attribute of its own"):
        from_bytes(file_of({"object": ["penchant.testmodels:Model", {name: 1}]}))


@pytest.mark.parametrize(
    "state", [{}, {"scores": 1, "note": "", "hidden": 0, "more": 1}, {"scores": 1, "note": ""}]
)
def test_dataclasses_have_all_their_fields(state):
    """A dataclass with missing or further fields is rejected."""
    with pytest.raises(CannotLoad, match="other fields"):
        from_bytes(file_of({"object": ["penchant.testmodels:Frozen", state]}))


def test_classes_without_plain_state_are_rejected_at_load():
    """A file cannot make members of an enumeration or fill slots."""
    for tree in (
        {"object": ["penchant.testmodels:Choice", {}]},
        {"object": ["penchant.testmodels:Slots", {"x": 1}]},
    ):
        with pytest.raises(CannotLoad):
            from_bytes(file_of(tree))


def cycle():
    model = Model()
    model.self = [model]
    return model


def deep():
    value: object = 1
    for _ in range(DEPTH + 1):
        value = [value]
    return Model(value=value)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            Model(kernel=Model(callback=len)),
            r"^kernel\.callback is a function, which has no safe form in a file: ",
        ),
        (Model(kernel=lambda x: x), r"^kernel is a function, which has no safe form"),
        (Model(kind=Model), "^kind is a class"),
        (Model(parts=[1, {"a": {3}}]), r"^parts\[1\]\['a'\] is a set, .* keep a sorted tuple"),
        (Model(z=3j), "^z is a complex, which has no safe form"),
        (Model(rng=np.random.RandomState(0)), r"^rng is a numpy.*default_rng"),
        (
            Model(rng=np.random.Generator(np.random.MT19937(0))),
            r"^rng must be a PCG64 generator, got MT19937",
        ),
        (Model(x=np.array([1, "a"], dtype=object)), r"^x\[0\] must be text, .* got int"),
        (Model(x=np.array([["a"]], dtype=object)), r"^x must be an array of numbers.* got dtype object"),
        (Model(x=np.zeros(2, dtype="f8,i4")), r"^x must be an array of numbers.* got dtype \["),
        (Model(x=np.zeros(2, dtype=np.longdouble)), r"^x must be an array of numbers"),
        (Model(x=np.longdouble(1)), r"^x must be an array of numbers"),
        (Model(x=np.ma.masked_array([1])), r"^x is a numpy.*MaskedArray"),
        (Model(x={1.5: 2}), r"^a key of x must be text.* got float"),
        (Model(x={True: 2}), r"^a key of x must be text.* got bool"),
        (Model(x={(1, 2.5j): 2}), r"^the key \(1, 2.5j\) of x\[1\] is a complex"),
        (Model(x="\ud800"), r"^x must be valid Unicode"),
        (
            Model(x=Hidden()),
            r"^x is a penchant\.testmodels\.hidden\.Hidden, .* put Hidden into penchant\.testmodels\.",
        ),
        (
            Model(x=Silent()),
            r"^x is a Silent, which does not state in __saved__ what its file may hold: keep its",
        ),
        (Model(x=Slots(1)), r"^x is a Slots, .* __save_state__"),
        (Model(x=Names([1])), r"^x is a Names, .* keep a plain value"),
        (Model(x=Choice.LEFT), r"^x is a Choice, .* keep a plain value"),
        (Model(x=WrongState()), r"^__save_state__ of x must give a dict"),
        (len, "^the model is a function"),
        (cycle(), r"^self\[0\] contains itself: break the circle"),
        (deep(), r"nested more than 64 deep: flatten it"),
    ],
)
def test_what_has_no_safe_form_is_rejected_by_its_place(model, words):
    """CannotSave names the attribute, what it is, and what to do."""
    with pytest.raises(CannotSave, match=words):
        to_bytes(model)


def test_sparse_of_other_forms_is_rejected():
    """Only CSR, CSC and COO are written."""
    from scipy import sparse

    with pytest.raises(CannotSave, match=r"x must be a two-dimensional CSR, CSC or COO matrix, got lil"):
        to_bytes(Model(x=sparse.lil_array((2, 2))))


def test_what_can_be_saved_can_be_loaded_however_deep():
    """The two limits on depth agree, whatever stands at the bottom."""
    for leaf in (1, float("nan"), 2**80, np.eye(1)):
        value: object = leaf
        while True:
            try:
                data = to_bytes(value)
            except CannotSave:
                break
            from_bytes(data)
            value = [value]


def test_long_lists_belong_into_arrays(monkeypatch):
    """JSON that no load would read is not written."""
    monkeypatch.setattr("penchant.saving.JSON_SIZE", 1000)
    with pytest.raises(
        CannotSave, match=r"at most 1000 bytes in a file, got \d+: keep long lists in NumPy arrays"
    ):
        to_bytes(list(range(1000)))


def test_the_same_object_twice_is_no_circle():
    """Sharing is allowed; after loading each place has its own."""
    shared = [1]
    assert from_bytes(to_bytes([shared, shared, (shared,)])) == [[1], [1], ([1],)]


def test_names_are_short():
    """The public package is written, never the file that a class happens to stand in."""
    assert tree_of(to_bytes(Frozen(1)))["object"][0] == "penchant.testmodels:Frozen"
    assert testmodels.Frozen.__module__ == "penchant.testmodels.frozen"
