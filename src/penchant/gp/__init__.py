"""Gaussian processes on preferences: utilities of features, or of linked items, with error bars.

Each name is imported when it is first used, so that one model does not load what another needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penchant.gp.certificate import Certificate
    from penchant.gp.generalisation import (
        Generalisation,
        HeldOut,
        LearningCurve,
        cross_validated,
        learning_curve,
    )
    from penchant.gp.inference.predictive import Component
    from penchant.gp.inference.smooth_part import SmoothPart
    from penchant.gp.kernels import (
        Kernel,
        Linear,
        Matern12,
        Matern32,
        Matern52,
        Product,
        SquaredExponential,
        Sum,
        WhiteNoise,
    )
    from penchant.gp.linked_gp import LinkedGP
    from penchant.gp.monotone_gp import MonotoneGP
    from penchant.gp.preference_gp import PreferenceGP
    from penchant.gp.scikit_kernel import ScikitKernel

__all__ = [
    "Certificate",
    "Component",
    "Generalisation",
    "HeldOut",
    "Kernel",
    "LearningCurve",
    "Linear",
    "LinkedGP",
    "Matern12",
    "Matern32",
    "Matern52",
    "MonotoneGP",
    "PreferenceGP",
    "Product",
    "ScikitKernel",
    "SmoothPart",
    "SquaredExponential",
    "Sum",
    "WhiteNoise",
    "cross_validated",
    "learning_curve",
]

_MODULES = {
    "certificate": ("Certificate",),
    "generalisation": ("Generalisation", "HeldOut", "LearningCurve", "cross_validated", "learning_curve"),
    "inference.predictive": ("Component",),
    "inference.smooth_part": ("SmoothPart",),
    "linked_gp": ("LinkedGP",),
    "monotone_gp": ("MonotoneGP",),
    "preference_gp": ("PreferenceGP",),
    "scikit_kernel": ("ScikitKernel",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'penchant.gp' has no attribute {name!r}")
    return getattr(import_module(f"penchant.gp.{_MODULE_OF.get(name, 'kernels')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
