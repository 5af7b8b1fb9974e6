"""Tokens and links: nobody else's, and in no log."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.serve.tokens import Links, Tokens

TOKENS = Tokens("00" * 32)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=100)


@given(NAMES)
def test_a_token_says_who_it_is_for(name: str) -> None:
    """Any name comes back from its token, which is safe in an address and never the owner's."""
    token = TOKENS.judge(name)
    assert TOKENS.judge_of(token) == name
    assert not TOKENS.is_owner(token)
    assert all(sign.isascii() and (sign.isalnum() or sign in "-_.") for sign in token)


@given(NAMES, NAMES)
def test_another_name_or_study_needs_another_token(name: str, other: str) -> None:
    """The proof of one name does not fit another, nor one study's another's."""
    proof = TOKENS.judge(name).partition(".")[2]
    forged = f"{TOKENS.judge(other).partition('.')[0]}.{proof}"
    assert TOKENS.judge_of(forged) == (name if name == other else None)
    assert Tokens("11" * 32).judge_of(TOKENS.judge(name)) is None


@pytest.mark.parametrize(
    "token", ["", ".", "=", "YW5u", "YW5u.", "YW5u.x", "é", "\udcff", "_w.x", "YW5u" * 5000]
)
def test_what_is_no_token_is_nobodys(token: str) -> None:
    """Broken, empty and odd tokens are turned down without an error."""
    assert TOKENS.judge_of(token) is None
    assert not TOKENS.is_owner(token)


def test_a_token_has_one_spelling() -> None:
    """A token that decodes to the same bytes but is written otherwise is nobody's."""
    token = TOKENS.judge("ann")
    assert TOKENS.judge_of(token.replace(".", "=.")) is None
    assert TOKENS.judge_of(f"{token}=") is None
    assert not TOKENS.is_owner(f"{TOKENS.owner()}=")


def test_a_judge_called_owner_is_a_judge() -> None:
    """Names cannot reach the owner's token."""
    assert not TOKENS.is_owner(TOKENS.judge("owner").partition(".")[2])


@given(NAMES)
def test_links_carry_tokens_in_the_fragment_alone(name: str) -> None:
    """What a browser would send or a log would hold has neither the token nor the name."""
    link = urlsplit(Links("http://127.0.0.1:8000", TOKENS).judge(name))
    assert (link.path, link.query) == ("/", "")
    said = parse_qs(link.fragment, keep_blank_values=True)
    assert said == {"judge": [name], "token": [TOKENS.judge(name)]}
    assert urlsplit(Links("http://127.0.0.1:8000", TOKENS).owner()).fragment == f"token={TOKENS.owner()}"


def test_the_secret_is_not_shown() -> None:
    """Neither the secret nor a token stands in what is printed of the object."""
    assert "00" not in repr(TOKENS)
