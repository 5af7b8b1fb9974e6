"""The former name of `penchant.papers.coactive.perceptron`."""

import warnings

from penchant.papers.coactive.perceptron import *  # noqa: F403

warnings.warn(
    "penchant.papers.perceptron_experiments is now penchant.papers.coactive.perceptron: import that module",
    FutureWarning,
    stacklevel=2,
)
