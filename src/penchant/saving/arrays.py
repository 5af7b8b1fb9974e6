"""Arrays, scalars, sparse matrices and random generators in a saved file.

Only kinds whose bytes are numbers or text are taken. What comes back is safe to index with: a boolean is 0 or
1, a character is a character, a sparse matrix points nowhere outside itself.
"""

from __future__ import annotations

import io
import math
import re
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from penchant.errors import CannotLoad, CannotSave

Array = NDArray[Any]

UNITS = "Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as"
DTYPE = re.compile(
    rf"\|b1|\|[iu]1|<[iuf][248]|<c(8|16)|(<U|\|S)[1-9]\d{{0,8}}|<[mM]8(\[\d{{0,9}}({UNITS})\])?", re.ASCII
)
MAGIC = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '([^']{1,32})', 'fortran_order': (True|False), "
    rb"'shape': \(((\d{1,19}, )*\d{1,19},?)?\), \} *\n"
)
HEADER_SIZE = 4096
CHUNK = 2**24
LARGEST_CHARACTER = 0x10FFFF


def npy_parts(array: Array, path: str) -> list[bytes | memoryview]:
    """Return the header and the data of ``array`` in the npy format, version 1.0, little-endian.

    Column-major arrays stay so: the order of summation, and with it the last bit, depends on it.
    """
    dtype = _little(array.dtype, path)
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    rows = np.asarray(array.T if fortran else array, dtype=dtype, order="C")
    header = io.BytesIO()
    npy_format.write_array_header_1_0(
        header, {"descr": dtype.str, "fortran_order": fortran, "shape": array.shape}
    )
    return [header.getvalue(), rows.reshape(-1).view(np.uint8).data]


def read_npy(member: IO[bytes], size: int) -> Array:
    """Return the array in ``member``, of ``size`` bytes; its header is checked before memory is taken."""
    dtype, order, shape, length = read_header(member, size)
    data = np.empty(length, dtype=np.uint8)
    for start in range(0, length, CHUNK):
        part = member.read(min(CHUNK, length - start))
        data[start : start + CHUNK] = np.frombuffer(part, dtype=np.uint8)
    return _native(data, dtype).reshape(shape, order=order)


def read_header(member: IO[bytes], size: int) -> tuple[np.dtype[Any], Any, tuple[int, ...], int]:
    """Return dtype, order, shape and bytes of data, after checking that they agree with ``size``."""
    magic = member.read(len(MAGIC) + 2)
    length = int.from_bytes(magic[len(MAGIC) :], "little")
    if not magic.startswith(MAGIC) or length > HEADER_SIZE:
        raise CannotLoad("an array is not in the npy format 1.0: the file was altered, save it anew")
    match = HEADER.fullmatch(member.read(length))
    if match is None:
        raise CannotLoad("an array's header is not as Penchant writes it: the file was altered, save it anew")
    dtype = _dtype(match[1].decode("ascii"))
    shape = tuple(int(number) for number in re.findall(rb"\d+", match[3] or b""))
    expected, received = math.prod(shape) * dtype.itemsize, size - len(magic) - length
    if expected != received:
        raise CannotLoad(
            f"an array of shape {shape} must have {expected} bytes, got {received}: the file was altered"
        )
    return dtype, "F" if match[2] == b"True" else "C", shape, expected


def scalar_parts(scalar: np.generic, path: str) -> list[str]:
    """Return the dtype and the bytes, in hexadecimal, of a NumPy scalar."""
    array = np.asarray(scalar)
    dtype = _little(array.dtype, path)
    return [dtype.str, array.astype(dtype).tobytes().hex()]


def scalar_from(parts: list[Any]) -> object:
    """Return the NumPy scalar that `scalar_parts` took apart."""
    code, data = parts
    dtype = _dtype(code)
    raw = np.frombuffer(bytes.fromhex(data), dtype=np.uint8)
    if len(raw) != dtype.itemsize:
        raise CannotLoad(
            f"a scalar {code} must have {dtype.itemsize} bytes, got {len(raw)}: the file was altered"
        )
    return _native(raw, dtype)[0]


def sparse_parts(matrix: Any, path: str) -> tuple[object, ...]:
    """Return format, kind, shape and the three arrays of a sparse matrix or array."""
    from scipy import sparse

    if matrix.format not in ("csr", "csc", "coo") or matrix.ndim != 2:
        raise CannotSave(
            f"{path} must be a two-dimensional CSR, CSC or COO matrix, got {matrix.format} of shape "
            f"{matrix.shape}: convert it with .tocsr()"
        )
    kind = "array" if isinstance(matrix, sparse.sparray) else "matrix"
    stored = matrix.nnz
    rows, columns = map(int, matrix.shape)
    # The width that SciPy itself chooses for a new matrix, so that saving again changes nothing.
    width = np.int32 if max(rows, columns, stored) <= np.iinfo(np.int32).max else np.int64
    if matrix.format == "coo":
        first, second = matrix.row.astype(width), matrix.col.astype(width)
    else:
        first, second = matrix.indices[:stored].astype(width), matrix.indptr.astype(width)
    return matrix.format, kind, rows, columns, matrix.data[:stored], first, second


def sparse_from(parts: list[Any]) -> object:
    """Return the sparse matrix that `sparse_parts` took apart, every index checked: SciPy's code does not."""
    from scipy import sparse

    form, kind, rows, columns, data, first, second = parts
    if form not in ("csr", "csc", "coo") or kind not in ("array", "matrix"):
        raise CannotLoad("a sparse matrix must be csr, csc or coo: the file was altered, save it anew")
    for array in (data, first, second):
        if type(array) is not np.ndarray or array.ndim != 1 or array.dtype.kind not in "biufc":
            raise CannotLoad("a sparse matrix must have three vectors: the file was altered, save it anew")
    if form == "coo":
        _check_indices(first, rows)
        _check_indices(second, columns)
        inner: tuple[Any, ...] = (data, (first, second))
    else:
        lines, across = (rows, columns) if form == "csr" else (columns, rows)
        _check_indices(first, across)
        _check_pointers(second, lines, stored=len(data))
        inner = (data, first, second)
    if len(first) != len(data):
        raise CannotLoad("a sparse matrix must have one index a value: the file was altered, save it anew")
    return getattr(sparse, f"{form}_{kind}")(inner, shape=(rows, columns))


def generator_parts(generator: np.random.Generator, path: str) -> tuple[object, ...]:
    """Return the state of a PCG64 generator and of the seed that its children would spring from."""
    bits = generator.bit_generator
    seed: Any = bits.seed_seq
    if type(bits) is not np.random.PCG64 or type(seed) is not np.random.SeedSequence or seed.pool_size != 4:
        raise CannotSave(
            f"{path} must be a PCG64 generator, got {type(bits).__name__}: use numpy.random.default_rng"
        )
    state: Any = bits.state
    drawn: Any = seed.entropy
    entropy = int(drawn) if isinstance(drawn, int | np.integer) else tuple(map(int, drawn))
    numbers = (state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"])
    return *map(int, numbers), entropy, tuple(map(int, seed.spawn_key)), int(seed.n_children_spawned)


def generator_from(parts: list[Any]) -> np.random.Generator:
    """Return the generator that `generator_parts` took apart; it goes on where that one stood."""
    *numbers, entropy, spawn_key, children = parts
    for number, bits in zip(numbers, (128, 128, 1, 32), strict=True):
        if type(number) is not int or not 0 <= number < 2**bits:
            raise CannotLoad("a random generator's state is out of range: the file was altered, save it anew")
    seed = np.random.SeedSequence(entropy, spawn_key=spawn_key, n_children_spawned=children)
    stream = np.random.PCG64(seed)
    state, increment, has_half, half = numbers
    stream.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": has_half,
        "uinteger": half,
    }
    return np.random.Generator(stream)


def _little(dtype: np.dtype[Any], path: str) -> np.dtype[Any]:
    little = dtype.newbyteorder("<")
    if dtype.hasobject or not DTYPE.fullmatch(little.str) or dtype.names:
        raise CannotSave(
            f"{path} must be an array of numbers, booleans, dates or fixed-width text, got dtype {dtype}: "
            "convert it with .astype(float) or .astype(str), or keep a list"
        )
    return little


def _dtype(code: object) -> np.dtype[Any]:
    if not isinstance(code, str) or not DTYPE.fullmatch(code):
        raise CannotLoad("an array's dtype is none that Penchant writes: do not trust the file")
    return np.dtype(code)


def _native(data: NDArray[np.uint8], dtype: np.dtype[Any]) -> Array:
    if dtype.kind == "b" and data.size and data.max() > 1:
        raise CannotLoad("a boolean in an array is neither 0 nor 1: the file was altered, save it anew")
    if dtype.kind == "U" and data.size and data.view("<u4").max() > LARGEST_CHARACTER:
        raise CannotLoad("text in an array holds what is no character: the file was altered, save it anew")
    return data.view(dtype).astype(dtype.newbyteorder("="), copy=False)


def _check_indices(indices: Array, size: int) -> None:
    if indices.dtype.kind != "i" or (indices.size and not 0 <= indices.min() <= indices.max() < size):
        raise CannotLoad("a sparse matrix points outside itself: the file was altered, save it anew")


def _check_pointers(pointers: Array, lines: int, *, stored: int) -> None:
    right = pointers.dtype.kind == "i" and len(pointers) == lines + 1
    if not right or pointers[0] != 0 or pointers[-1] != stored or (pointers[1:] < pointers[:-1]).any():
        raise CannotLoad("a sparse matrix points outside itself: the file was altered, save it anew")
