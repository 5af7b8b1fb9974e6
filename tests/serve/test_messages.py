"""The bodies of requests: the fields that are described, of their types, and no others."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from penchant.preferences.columns import OUTCOMES
from penchant.serve.messages import AnswerIn, Choice, TokenIn
from penchant.study import CompareStudy
from penchant.study.tokens import ROLES
from tests.serve.visitor import Visitor, rejected

GOOD = {"id": "event-1", "question": "q-1", "choice": "left"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"choice": "up"}, "choice must be 'left', 'right', 'tie', 'both_bad' or 'skip', got 'up'"),
        ({"choice": None}, "choice must be"),
        ({"id": ""}, "id must have at least 1 character, got ''"),
        ({"id": "x" * 101}, "id must have at most 100 characters"),
        ({"id": "a b"}, "id must match pattern"),
        ({"id": 7}, "id must be a valid string, got 7"),
        ({"id": "\ud800"}, "id must"),
        ({"question": {"$ne": 1}}, "question must be a valid string"),
        ({"extra": 1}, "extra is no field of this request"),
    ],
)
def test_a_wrong_field_is_named(
    ann: Visitor, study: CompareStudy, change: dict[str, Any], words: str
) -> None:
    """422 says which field, what it must be and what came, however odd that is."""
    body = json.dumps({**GOOD, **change})
    reply = ann.sends("/v1/answers", body)
    assert words in rejected(reply, 422, "invalid")
    assert study.answers() == []


def test_choices_and_roles_are_those_of_a_study() -> None:
    """A choice or role that a study knows can be sent, and no other."""
    assert set(get_args(Choice)) == set(OUTCOMES)
    assert set(get_args(TokenIn.model_fields["role"].annotation)) == set(ROLES)


@pytest.mark.parametrize("change", [{"id": 7}, {"id": ""}, {"id": "a/b"}, {"more": 1}, {"choice": "Left"}])
def test_a_body_is_taken_as_it_is_or_not_at_all(change: dict[str, Any]) -> None:
    """Nothing is converted, shortened or ignored."""
    assert AnswerIn(**GOOD).choice == "left"
    with pytest.raises(ValidationError):
        AnswerIn(**{**GOOD, **change})
