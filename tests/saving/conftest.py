"""Register the test classes, as if Penchant had one more package."""

from __future__ import annotations

import sys

from tests.saving import testmodels

sys.modules[testmodels.PACKAGE] = testmodels
