"""Opens the test room, as if Penchant had one more module."""

from __future__ import annotations

import sys

from tests.saving import testroom

sys.modules[testroom.ROOM] = testroom
