"""Covariates and labels that a reader is asked for."""

from __future__ import annotations

import re

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.formats.parsing.extra import Covariate, extra_columns, parsed_covariate

NAMES = ["a", "b", "len_a", "len_b", "x-y", "home"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("home", Covariate("home", "home")),
        ("len_a-len_b", Covariate("len_a-len_b", "len_a", "len_b")),
        (" len_a - len_b ", Covariate("len_a - len_b", "len_a", "len_b")),
        ("x-y", Covariate("x-y", "x-y")),
        ("x-y-home", Covariate("x-y-home", "x-y", "home")),
        ("length=len_a-len_b", Covariate("length", "len_a", "len_b")),
        ("(len_a-len_b)/(len_a+len_b)", Covariate("(len_a-len_b)/(len_a+len_b)", "len_a", "len_b", True)),
    ],
)
def test_a_covariate_is_a_column_or_a_difference(text: str, expected: Covariate) -> None:
    """A name that holds a minus is a column first."""
    assert parsed_covariate(text, NAMES) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("len_c", "covariates must name columns, got 'len_c': the file has 'a', 'b'"),
        ("len_a-len_c", "covariates must name columns, got 'len_c'"),
        ("(len_a-len_b)/(len_a+home)", "covariates must divide a difference by the sum of the same columns"),
    ],
)
def test_other_texts_are_rejected(text: str, message: str) -> None:
    """The message names the column that is not there."""
    with pytest.raises(InvalidInput, match=re.escape(message)):
        parsed_covariate(text, NAMES)


def test_an_ambiguous_difference_is_rejected() -> None:
    """p-q-r may be p less q-r or p-q less r."""
    with pytest.raises(InvalidInput, match="which has several"):
        parsed_covariate("p-q-r", ["p", "q-r", "p-q", "r"])


def test_values_are_differences_and_shares_of_the_sum() -> None:
    """Two empty texts differ by nothing."""
    columns = {"len_a": np.array([3.0, 0.0]), "len_b": np.array([1.0, 0.0])}
    extra = extra_columns(NAMES, {"covariates": ["len_a", "len_a-len_b", "(len_a-len_b)/(len_a+len_b)"]})
    assert extra.matrix(columns).tolist() == [[3, 2, 0.5], [0, 0, 0]]
    assert extra.covariate_columns == ("len_a", "len_b")


def test_names_must_differ_and_labels_be_columns() -> None:
    """Two covariates of one name cannot be told apart."""
    with pytest.raises(InvalidInput, match="covariates must have different names, got 'x' twice"):
        extra_columns(NAMES, {"covariates": ["x=len_a", "x=len_b"]})
    with pytest.raises(InvalidInput, match="labels must name columns, got 'day'"):
        extra_columns(NAMES, {"labels": ["day"]})
    assert extra_columns(NAMES, {"labels": "home", "covariates": "len_a"}).columns == ("len_a", "home")
