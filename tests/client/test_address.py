"""Where a server is: only what is safe is accepted, and no message quotes a token."""

from __future__ import annotations

import pytest

from penchant.client.address import Address
from penchant.errors import InvalidInput
from tests.client.fake import TOKEN


@pytest.mark.parametrize(
    ("url", "kept", "local"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("http://127.3.2.1:8000/", "http://127.3.2.1:8000", True),
        ("http://[::1]:8000", "http://[::1]:8000", True),
        ("http://localhost", "http://localhost", True),
        ("https://example.org/penchant/", "https://example.org/penchant", False),
    ],
)
def test_servers_on_this_computer_and_encrypted_ones_are_accepted(url: str, kept: str, local: bool) -> None:
    """Plain HTTP is for loopback; a path stays, its last slash does not."""
    assert Address.of(url, TOKEN) == Address(kept, TOKEN, local)


@pytest.mark.parametrize(
    "url", ["http://example.org", "http://10.0.0.1:8000", "http://localhost.example.org"]
)
def test_a_token_is_not_sent_unencrypted_unless_told(url: str) -> None:
    """Plain HTTP over a network needs allow_http=True, which the message names."""
    with pytest.raises(InvalidInput, match=r"https.*allow_http=True"):
        Address.of(url, TOKEN)
    assert Address.of(url, TOKEN, allow_http=True).url == url


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8000",
        "ftp://127.0.0.1",
        "http://",
        "http://127.0.0.1:0",
        "http://127.0.0.1:99999",
        "http://[::1",
        f"http://ann:{TOKEN}@127.0.0.1",
        f"http://127.0.0.1/?token={TOKEN}",
        f"http://127.0.0.1/#judge=ann&token={TOKEN}",
        TOKEN,
        None,
        7,
    ],
)
def test_another_address_is_rejected_without_quoting_it(url: object) -> None:
    """Addresses that hold more than a server, a whole link among them, may hold a token."""
    with pytest.raises(InvalidInput) as caught:
        Address.of(url, TOKEN)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("token", ["", "a b", "a\n", "ä", None, 7])
def test_a_token_is_one_word(token: object) -> None:
    """What no header can carry is rejected, and not quoted."""
    with pytest.raises(InvalidInput, match="token must be a text without blanks, got another"):
        Address.of("http://127.0.0.1", token)


@pytest.mark.parametrize(
    ("link", "url"),
    [
        (f"http://127.0.0.1:8000/#judge=ann%20b&token={TOKEN}", "http://127.0.0.1:8000"),
        (f"http://127.0.0.1:8000/owner#token={TOKEN}", "http://127.0.0.1:8000"),
        (f"http://127.0.0.1:8000/search#user=shop&token={TOKEN}", "http://127.0.0.1:8000"),
        (f"https://example.org/penchant/owner#token={TOKEN}", "https://example.org/penchant"),
    ],
)
def test_a_printed_link_holds_both(link: str, url: str) -> None:
    """A judge's link and an owner's."""
    found = Address.of_link(link)
    assert (found.url, found.token) == (url, TOKEN)
    assert TOKEN not in repr(found)


def test_a_link_without_a_token_is_rejected() -> None:
    """And one to a computer elsewhere must be encrypted as an address must."""
    for link in ("http://127.0.0.1:8000/", "http://127.0.0.1/#token=a&token=b"):
        with pytest.raises(InvalidInput, match="whole link"):
            Address.of_link(link)
    with pytest.raises(InvalidInput, match="allow_http"):
        Address.of_link(f"http://example.org/#token={TOKEN}")
