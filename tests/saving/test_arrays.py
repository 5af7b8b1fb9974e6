"""Arrays in a saved file."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from penchant.saving import from_bytes, to_bytes
from tests.saving.files import NUMBER, file_of, header, npy, refused, same, tree_of, unzipped


def test_arrays_are_referred_to_once():
    """An array used twice, never, or not there is rejected."""
    refused(
        file_of([{"array": 0}, {"array": 0}], ("arrays/0.npy", NUMBER)),
        r"no arrays/0\.npy, or refers to it twice",
    )
    refused(file_of(1, ("arrays/0.npy", NUMBER)), r"holds arrays/0\.npy, to which nothing refers")
    refused(file_of({"array": 1}, ("arrays/0.npy", NUMBER)), r"no arrays/1\.npy")


EVIL = [
    (npy(header("'|O'", "(1,)"), b"\x80\x04."), "none that Penchant writes"),
    (npy(header("'<f16'"), bytes(16)), "none that Penchant writes"),
    (npy(header("'>f8'"), bytes(8)), "none that Penchant writes"),
    (npy(header("'<U0'", "(10000000000000000,)")), "none that Penchant writes"),
    (npy(header("'|V8'"), bytes(8)), "none that Penchant writes"),
    (npy(header("[('a', '|O')]"), bytes(8)), "header is not as Penchant writes it"),
    (npy(header(shape="(1000000000000,)"), bytes(8)), r"must have 8000000000000 bytes, got 8"),
    (npy(header(shape="(2,)"), bytes(8)), r"must have 16 bytes, got 8"),
    (npy(header(shape="(0,)"), bytes(8)), r"must have 0 bytes, got 8"),
    (npy(header(shape="(-1,)"), bytes(8)), "header is not"),
    (npy(header(shape="(1.0,)"), bytes(8)), "header is not"),
    (npy(header(shape="(9**9**9,)"), bytes(8)), "header is not"),
    (npy(header(shape="(0, 999999999999999999, 999999999999999999)")), "too big"),
    (npy(header(shape=f"({'1, ' * 99}1)"), bytes(8)), "maximum supported dimension"),
    (npy("__import__('os').system('true')"), "header is not"),
    (npy("(" * 3000), "header is not"),
    (npy(" " * 60_000), "not in the npy format"),
    (npy(header() + " " * 5000, bytes(8)), "not in the npy format"),
    (b"\x93NUMPY\x02\x00" + NUMBER[8:], "not in the npy format"),
    (b"\x80\x04.", "not in the npy format"),
    (b"", "not in the npy format"),
    (npy(header("'|b1'"), b"\x02"), "neither 0 nor 1"),
    (npy(header("'<U1'"), b"\xff\xff\xff\x7f"), "no character"),
]


@pytest.mark.parametrize(("member", "words"), EVIL)
def test_hostile_arrays(member, words):
    """Headers are matched, never evaluated, and agree with the member before any memory is taken."""
    data = file_of({"array": 0}, ("arrays/0.npy", member))
    tracemalloc.start()
    try:
        refused(data, words)
        assert tracemalloc.get_traced_memory()[1] < 2**21
    finally:
        tracemalloc.stop()


def altered_sparse(matrix, **changes):
    """Return the file of ``matrix`` with some of its three vectors replaced."""
    data = to_bytes(matrix)
    form, kind, rows, columns, *places = tree_of(data)["sparse"]
    members = unzipped(data)
    vectors = {name: members[f"arrays/{n}.npy"] for n, name in enumerate(("data", "first", "second"))}
    vectors |= {
        name: unzipped(to_bytes(vector))["arrays/0.npy"]
        for name, vector in changes.items()
        if name in vectors
    }
    tree = [form, kind, changes.get("rows", rows), changes.get("columns", columns), *places]
    named = zip(("arrays/0.npy", "arrays/1.npy", "arrays/2.npy"), vectors.values(), strict=True)
    return file_of({"sparse": tree}, *named)


def ints(*values):
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(
    "changes",
    [
        {"first": ints(0, 2)},
        {"first": ints(0, -1)},
        {"first": ints(0)},
        {"first": np.array([0.0, 1.0])},
        {"first": ints(0, 1).reshape(2, 1)},
        {"second": ints(0, 5, 2)},
        {"second": ints(0, 1, 3)},
        {"second": ints(0, 1, 1)},
        {"second": ints(1, 1, 2)},
        {"second": ints(0, 2)},
        {"second": ints()},
        {"second": ints(0, 5, 0), "data": np.array([]), "first": ints()},
        {"data": np.array(["a", "b"])},
        {"rows": 10**15, "columns": 10**15},
        {"rows": -1, "columns": -1},
        {"rows": "2", "columns": "2"},
        {"rows": 1.5, "columns": 1.5},
    ],
)
def test_hostile_compressed_sparse(form, changes):
    """No index of a CSR or CSC matrix points outside, not even where SciPy itself would not look."""
    matrix = getattr(sparse, f"{form}_array")(np.eye(2))
    assert (from_bytes(altered_sparse(matrix)) != matrix).nnz == 0
    refused(altered_sparse(matrix, **changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"first": ints(0, 2)},
        {"second": ints(0, 2)},
        {"second": ints(-1, 0)},
        {"first": ints(0)},
        {"second": ints(0)},
    ],
)
def test_hostile_coordinates(changes):
    """No coordinate of a COO matrix lies outside, and there is a pair of them for each value."""
    refused(altered_sparse(sparse.coo_array(np.eye(2)), **changes))


def test_memory_order_is_kept_and_strides_are_not():
    """Column-major arrays stay column-major, since sums depend on it; views become row-major copies."""
    table = np.arange(12.0).reshape(3, 4)
    for array, c_order in ((table, True), (np.asfortranarray(table), False), (table[:, ::2], True)):
        back = from_bytes(to_bytes(array))
        assert same(array, back)
        assert back.flags.c_contiguous is c_order
        assert back.flags.f_contiguous is not c_order


def test_loaded_arrays_can_be_written_to():
    """An online learner can go on updating its weights."""
    weights = from_bytes(to_bytes(np.zeros(3)))
    weights += 1
    assert weights.tolist() == [1, 1, 1]


def test_big_endian_gives_the_same_bytes():
    """The byte order of the machine that saves does not show."""
    assert to_bytes(np.arange(3, dtype=">i4")) == to_bytes(np.arange(3, dtype="<i4"))


def test_arrays_can_be_opened_without_penchant():
    """A member is an ordinary npy file."""
    member = unzipped(to_bytes(np.eye(2)))["arrays/0.npy"]
    assert np.load(io.BytesIO(member), allow_pickle=False).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.bool_])
def test_sparse_comes_back(form, kind, dtype):
    """Sparse matrices keep format, kind, shape, dtype and the order of their entries."""
    matrix = getattr(sparse, f"{form}_{kind}")(np.array([[0, 2, 0], [1, 0, 3]], dtype=dtype))
    data = to_bytes(matrix)
    back = from_bytes(data)
    assert type(back) is type(matrix)
    assert same(matrix, back)
    assert to_bytes(back) == data


def test_sparse_is_kept_as_it_stands():
    """Unsorted indices, spare room and wide indices neither change the values nor stop a second save."""
    matrix = sparse.csr_array(
        (np.array([1.0, 2.0, 9.0]), np.array([2, 0, 1]), np.array([0, 2, 2])), shape=(2, 3)
    )
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    data = to_bytes(matrix)
    back = from_bytes(data)
    assert back.toarray().tolist() == [[2, 0, 1], [0, 0, 0]]
    assert back.indices.tolist() == [2, 0]
    assert to_bytes(back) == data


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_empty_sparse_comes_back(shape):
    """A matrix without rows, columns or entries is a matrix."""
    assert from_bytes(to_bytes(sparse.csr_array(shape))).shape == shape
