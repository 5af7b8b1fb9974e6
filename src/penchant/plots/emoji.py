"""Replace emoji by their names where the renderer has no font for them: it would draw nothing, or an empty box."""

from __future__ import annotations

import re
import unicodedata

_JOINER, _PICTURE, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"
_FLAG = "[\U0001f1e6-\U0001f1ff]"
_TONE = "[\U0001f3fb-\U0001f3ff]"
# Characters of the first plane that are drawn as pictures without being asked to (Emoji_Presentation).
_EARLY = (
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab"
    "\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e"
    "\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55"
)
_EMOJI = re.compile(
    f"{_FLAG}{{2}}|[0-9#*]{_PICTURE}?{_KEYCAP}"
    f"|(?:[\U0001f000-\U0001f1e5\U0001f200-\U0001faff{_EARLY}]|[\u2000-\u3299](?={_PICTURE})){_PICTURE}?{_TONE}?"
    f"(?:{_JOINER}(?:[\U0001f000-\U0001faff\u2000-\u3299]){_PICTURE}?{_TONE}?)*"
)


def spelled_out(text: str) -> str:
    """Return text with the name of each emoji in square brackets in its place; other text stays as it is.

    Examples
    --------
    >>> spelled_out("tea 🍵 and 👩‍🚀, 🇩🇪")
    'tea [teacup without handle] and [woman, rocket], [flag DE]'
    """
    return text if text.isascii() else _EMOJI.sub(_name, text)


def _name(found: re.Match[str]) -> str:
    emoji = found[0]
    if re.match(_FLAG, emoji):
        return f"[flag {''.join(chr(ord(sign) - 0x1F1E6 + ord('A')) for sign in emoji)}]"
    if emoji.endswith(_KEYCAP):
        return f"[{emoji[0]}]"
    signs = [sign for sign in emoji if sign not in (_JOINER, _PICTURE) and not re.match(_TONE, sign)]
    return f"[{', '.join(unicodedata.name(sign, 'emoji').lower() for sign in signs)}]"
