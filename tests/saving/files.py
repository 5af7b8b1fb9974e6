"""Files that `save` would never write, and how to tell whether two values are the same to the last bit."""

from __future__ import annotations

import io
import json
import struct
import warnings
from unittest import mock
from zipfile import ZIP_STORED, ZipFile

import numpy as np
import pytest
from scipy import sparse

from penchant.errors import CannotLoad
from penchant.saving import FORMAT, from_bytes, to_bytes
from penchant.saving.values import Encoder


def zipped(members, compression=ZIP_STORED):
    file = io.BytesIO()
    with ZipFile(file, "w", compression) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a name is there twice
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


def file_of(tree, *members, **head):
    document = {"format": FORMAT, "penchant": "0.1.0", "value": tree} | head
    return zipped([("penchant.json", json.dumps(document)), *members])


def unchecked_bytes(value):
    """Return the file of ``value`` without asking whether it could be loaded, as a stranger would write it."""
    with mock.patch("penchant.saving.objects.check_loadable"):
        return to_bytes(value)


def file_of_state(name, state):
    """Return the file of an object of class ``name`` with ``state``, whatever that is."""
    encoder = Encoder()
    with mock.patch("penchant.saving.objects.check_loadable"):
        encoded = {part: encoder.encode(value) for part, value in state.items()}
    members = [(member, b"".join(parts)) for member, parts in encoder.members.items()]
    return file_of({"object": [name, encoded]}, *members)


def unzipped(data):
    with ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def tree_of(data):
    return json.loads(unzipped(data)["penchant.json"])["value"]


def npy(header, data=b""):
    text = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def header(descr="'<f8'", shape="(1,)", fortran="False"):
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"


def same(one, other):
    """Say whether two values are equal in type and to the last bit, NaN included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        alike = one.dtype == other.dtype and one.shape == other.shape
        return alike and (
            one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes()
        )
    if isinstance(one, np.generic):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if sparse.issparse(one):
        return one.shape == other.shape and one.dtype == other.dtype and (one != other).nnz == 0
    return one == other


NUMBER = npy(header(), struct.pack("<d", 1.5))


def refused(data, words=r"altered|damaged|trust", **options):
    with pytest.raises(CannotLoad, match=words):
        from_bytes(data, **options)
