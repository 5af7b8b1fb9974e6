"""The loop, on a page: who is asking. The secret of a study in; the owner's and the judges' tokens and links out.

There are no accounts: whoever holds a link is the judge, or the owner, that it was made for. Tokens follow from
the secret, so that nothing has to be kept and links outlive the server.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from penchant.errors import InvalidInput

NAME_LIMIT = 100


@dataclass(frozen=True, repr=False)
class Tokens:
    """The tokens of one study. Its ``repr`` never shows the secret."""

    secret: str

    def owner(self) -> str:
        """Return the token of whoever runs the study."""
        return self._signed("owner")

    def judge(self, name: str) -> str:
        """Return the token of a judge: the name, which it carries, and the proof."""
        return f"{_text64(name.encode())}.{self._signed(f'judge:{name}')}"

    def is_owner(self, token: str) -> bool:
        """Whether the token is the owner's."""
        return _same(token, self.owner())

    def judge_of(self, token: str) -> str | None:
        """Return the name of the judge whose token it is, or None when it is nobody's."""
        name = _bytes64(token.partition(".")[0])
        return name if name is not None and _same(token, self.judge(name)) else None

    def _signed(self, words: str) -> str:
        return _text64(hmac.new(self.secret.encode(), words.encode(), hashlib.sha256).digest())


@dataclass(frozen=True)
class Links:
    """The links to hand out. Tokens stand behind ``#``, which browsers keep to themselves: no log holds them."""

    url: str
    tokens: Tokens

    def owner(self) -> str:
        """Return the link to the ranking."""
        return f"{self.url}/owner#token={self.tokens.owner()}"

    def judge(self, name: str) -> str:
        """Return the link under which one judge answers."""
        return f"{self.url}/#judge={quote(name, safe='')}&token={self.tokens.judge(name)}"


def judge_name(name: str) -> str:
    """Return a judge's name in its one spelling, or refuse it in words."""
    spelled = unicodedata.normalize("NFC", name).strip()
    if not 0 < len(spelled) <= NAME_LIMIT or not spelled.isprintable():
        raise InvalidInput(
            f"name must have 1 to {NAME_LIMIT} printable characters, got {_short(name)}: give the judge a name"
        )
    return spelled


def _same(came: str, right: str) -> bool:
    """Compare in constant time: a guess learns nothing from how long its refusal took."""
    return hmac.compare_digest(came.encode(errors="replace"), right.encode())


def _short(text: str) -> str:
    told = ascii(text)
    return told if len(told) <= 60 else f"{told[:57]}…"


def _text64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def _bytes64(text: str) -> str | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        return None
