"""Checks of the state of scikit-learn estimators that come from a file.

scikit-learn trusts the arrays of its estimators, and so does the compiled code below it. Only estimators whose state is
described here are saved and loaded; trees, nearest neighbours and other estimators that hold compiled objects are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from penchant.errors import InvalidInput
from penchant.schema import (
    Array,
    Column,
    Either,
    Flag,
    Kind,
    Maybe,
    Number,
    OneOf,
    Plain,
    Row,
    Schema,
    Sizes,
    Text,
    Texts,
    Whole,
    require,
)

FLOAT = "float64 float32"
FEATURES = "n_features_in_"


@dataclass(frozen=True)
class Estimator:
    """How an estimator is checked.

    Parameters
    ----------
    module : str
        Where it is public.
    settings : mapping of names to kinds
        Settings that must be more than plain values, since predicting uses them.
    constructed : mapping of names to kinds
        Attributes that the constructor sets beside the settings.
    learned, optional, rules
        As in `Schema`; rules take the whole state.
    """

    module: str
    settings: Mapping[str, Kind] = field(default_factory=dict)
    constructed: Mapping[str, Kind] = field(default_factory=dict)
    learned: Mapping[str, Kind] = field(default_factory=dict)
    optional: Mapping[str, Kind] = field(default_factory=dict)
    rules: tuple[Callable[[Mapping[str, Any]], None], ...] = ()

    def check(self, value: object) -> None:
        """Raise `InvalidInput` unless the attributes of ``value`` are a state that it could be in."""
        state, names = vars(value), signature(type(value)).parameters  # settings differ between versions
        settings = {name: self.settings.get(name, Plain()) for name in names}
        settings |= {name: kind for name, kind in self.constructed.items() if name in state}
        named = {"feature_names_in_": Texts(FEATURES, array=True)}
        Schema(settings, self.learned, {**named, **self.optional}, self.rules).check(state)


def check_estimator(value: object, path: str = "") -> None:
    """Raise `InvalidInput` unless ``value`` is an estimator of the list in a state that it could be in."""
    kind = type(value)
    described = ESTIMATORS.get(kind.__name__)
    if described is None or public_class(kind.__name__) is not kind:
        raise InvalidInput(
            f"{path or 'it'} is a {kind.__module__}.{kind.__qualname__}, whose state cannot be checked: "
            f"use one of {', '.join(sorted(ESTIMATORS))}"
        )
    described.check(value)


def public_class(name: str) -> type:
    """Return the class of that name in the list."""
    found: type = getattr(import_module(ESTIMATORS[name].module), name)
    return found


def known_classes(node: Any) -> Iterator[tuple[str, str]]:
    """Walk the classes that the schema of a skops file names."""
    if isinstance(node, list):
        for child in node:
            yield from known_classes(child)
    elif isinstance(node, dict):
        if "__class__" in node or "__module__" in node:
            yield str(node.get("__module__")), str(node.get("__class__"))
        for child in node.values():
            yield from known_classes(child)


def is_known(module: str, name: str) -> bool:
    """Return whether a file may name that class."""
    if name in ESTIMATORS:
        return public_class(name).__module__ == module
    return (module, name) in PARTS


PARTS = {
    *(("builtins", name) for name in ("bool", "dict", "float", "int", "list", "str", "tuple")),
    *(("numpy", name) for name in ("ndarray", "bool", "bool_", "float32", "float64", "int32", "int64")),
    ("sklearn.preprocessing._label", "LabelBinarizer"),
    # Losses of stochastic gradient descent, which have no arrays and which predicting does not use.
    *(
        ("sklearn.linear_model._sgd_fast", name)
        for name in ("Hinge", "SquaredHinge", "ModifiedHuber", "Log", "Huber")
    ),
    *(("sklearn._loss._loss", name) for name in ("CyHalfBinomialLoss", "CyHalfSquaredError", "CyHuberLoss")),
}


@dataclass(frozen=True)
class _Loss(Kind):
    """A loss of stochastic gradient descent; predicting does not use it."""

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        module = type(value).__module__
        known = module.startswith(("sklearn.linear_model", "sklearn._loss"))
        require(known, f"{name} must be a loss of scikit-learn, got a {type(value).__name__}")


@dataclass(frozen=True)
class _Binarizer(Kind):
    """The labels of a ridge classifier."""

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(type(value).__name__ == "LabelBinarizer", f"{name} must be a LabelBinarizer")
        _BINARIZER.check(vars(value))


@dataclass(frozen=True)
class _Steps(Kind):
    """The steps of a pipeline, each an estimator of the list, or nothing."""

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(type(value) is list and value, f"{name} must be a list of steps")
        counts = []
        for step in value:
            require(
                type(step) is tuple and len(step) == 2 and type(step[0]) is str, f"{name} must be named steps"
            )
            if step[1] is None or step[1] == "passthrough":
                continue
            check_estimator(step[1], f"{name} {step[0]!r}")
            counts.append(getattr(step[1], FEATURES, None))
        require(len(set(counts)) <= 1, f"{name} must be taught the same features, got {counts}")


_BINARIZER = Schema(
    {"neg_label": Whole(-(2**31)), "pos_label": Whole(-(2**31)), "sparse_output": Flag()},
    {"classes_": Column(), "y_type_": Text(), "sparse_input_": Flag()},
)


def _classes(state: Mapping[str, Any]) -> int:
    count = len(state["classes_"])
    require(count > 1, f"classes_ must be two or more, got {count}")
    return count


def _check_linear(state: Mapping[str, Any]) -> None:
    count = _classes(state)
    wanted = 1 if count == 2 else count
    rows = 1 if state["coef_"].ndim == 1 else len(state["coef_"])
    fits = rows == wanted and np.size(state["intercept_"]) in (1, wanted)
    require(fits, f"coef_ and intercept_ must have {wanted} rows for {count} classes_")


def _check_support_vectors(state: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` for arrays beyond whose end libsvm, which checks nothing, would read."""
    count, n_support = _classes(state), len(state["support_vectors_"])
    pairs = count * (count - 1) // 2
    require(n_support > 0, "support_vectors_ must be at least one")
    require(
        int(state["_n_support"].sum()) == n_support, f"_n_support must add up to {n_support} support vectors"
    )
    require(state["_sparse"] is False, "_sparse must be False: teach the classifier with dense features")
    for name in ("dual_coef_", "_dual_coef_"):
        require(len(state[name]) == count - 1, f"{name} must have {count - 1} rows for {count} classes_")
    for name in ("intercept_", "_intercept_"):
        require(len(state[name]) == pairs, f"{name} must be one for each two of {count} classes_")
    taught = state.get("_effective_probability", state["probability"]) is True or state["probability"] is True
    for name in ("_probA", "_probB"):
        wanted = (pairs,) if taught else (0, pairs)
        require(len(state[name]) in wanted, f"{name} must be one for each two of {count} classes_")
    n_rows, n_features = state["shape_fit_"]
    fits = n_features == state[FEATURES] and (state["support_"] < n_rows).all()
    require(fits, f"shape_fit_ must be that of rows with {state[FEATURES]} features")


def _check_means(state: Mapping[str, Any]) -> None:
    require(
        state["with_mean"] in (False, None) or state["mean_"] is not None,
        "mean_ must be there where with_mean is",
    )
    require(
        state["with_std"] in (False, None) or state["scale_"] is not None,
        "scale_ must be there where with_std is",
    )


def _check_centre(state: Mapping[str, Any]) -> None:
    for setting, name in (("with_centering", "center_"), ("with_scaling", "scale_")):
        require(not state[setting] or state[name] is not None, f"{name} must be there where {setting} is")


_ANY = Array((None,), "float64 float32 int64 int32")
_COLUMN = Array((FEATURES,), FLOAT)
_SCALE = Array((FEATURES,), FLOAT, above=0, least=1e-100)
_COUNT = {FEATURES: Whole(1, size=True)}
_SEEN = Either((Array((FEATURES,), "int64 int32 float64", least=0), Number(0)))
_ITERATIONS = Maybe(Either((Array((None,), "int32 int64"), Whole(0))))
_WEIGHTS = Either((Array((FEATURES,), FLOAT), Array((None, FEATURES), FLOAT)))
_LINEAR: dict[str, Kind] = {
    **_COUNT,
    "classes_": Column("n_classes", distinct=True),
    "coef_": _WEIGHTS,
    "intercept_": Either((Array((None,), FLOAT), Number())),
}
_DESCENT = {
    "settings": {"loss": Text()},
    "constructed": {
        "loss": Text(),
        **{name: Plain() for name in ("learning_rate", "epsilon", "power_t", "average", "penalty", "C")},
    },
    "learned": {**_LINEAR, "n_iter_": _ITERATIONS},
    "optional": {
        "t_": Number(0),
        "_expanded_class_weight": _ANY,
        "_loss_function_": _Loss(),
        "loss_function_": _Loss(),
        **{f"_{kind}_coef": _WEIGHTS for kind in ("average", "standard")},
        **{f"_{kind}_intercept": _ANY for kind in ("average", "standard")},
    },
    "rules": (_check_linear,),
}
_SUPPORT_VECTORS = {
    "settings": {
        "kernel": OneOf(("linear", "poly", "rbf", "sigmoid")),
        "degree": Whole(0, 100),
        "coef0": Number(),
        "cache_size": Number(1, 1_000_000),
        "decision_function_shape": OneOf(("ovr", "ovo")),
        "break_ties": Flag(),
        "probability": Either((Flag(), OneOf(("deprecated",)))),
    },
    "learned": {
        **_COUNT,
        "classes_": Column("n_classes", distinct=True),
        "support_": Array(("n_support",), "int32", least=0),
        "support_vectors_": Array(("n_support", FEATURES)),
        "_n_support": Array(("n_classes",), "int32", least=0),
        "dual_coef_": Array((None, "n_support")),
        "_dual_coef_": Array((None, "n_support")),
        "intercept_": Array((None,)),
        "_intercept_": Array((None,)),
        "_probA": Array((None,)),
        "_probB": Array((None,)),
        "_gamma": Number(0),
        "_sparse": Flag(),
        "shape_fit_": Row((Whole(1), Whole(1))),
        "fit_status_": Whole(0, 1),
    },
    "optional": {
        "class_weight_": Array(("n_classes",)),
        "_effective_probability": Flag(),
        "_num_iter": _ITERATIONS,
        "n_iter_": _ITERATIONS,
    },
    "constructed": {name: Number() for name in ("nu", "epsilon", "C")},
    "rules": (_check_support_vectors,),
}
_BAYES = {
    **_COUNT,
    "classes_": Column("n_classes", distinct=True),
    "class_count_": Array(("n_classes",), FLOAT, least=0),
}

ESTIMATORS: dict[str, Estimator] = {
    "LogisticRegression": Estimator(
        "sklearn.linear_model", learned={**_LINEAR, "n_iter_": _ITERATIONS}, rules=(_check_linear,)
    ),
    "RidgeClassifier": Estimator(
        "sklearn.linear_model",
        learned={**_LINEAR, "_label_binarizer": _Binarizer()},
        optional={"n_iter_": _ITERATIONS, "solver_": Text()},
        rules=(_check_linear,),
    ),
    "SGDClassifier": Estimator("sklearn.linear_model", **_DESCENT),  # type: ignore[arg-type]
    "Perceptron": Estimator("sklearn.linear_model", **_DESCENT),  # type: ignore[arg-type]
    "LinearSVC": Estimator(
        "sklearn.svm", learned={**_LINEAR, "n_iter_": _ITERATIONS}, rules=(_check_linear,)
    ),
    "SVC": Estimator("sklearn.svm", **_SUPPORT_VECTORS),  # type: ignore[arg-type]
    "NuSVC": Estimator("sklearn.svm", **_SUPPORT_VECTORS),  # type: ignore[arg-type]
    "LinearDiscriminantAnalysis": Estimator(
        "sklearn.discriminant_analysis",
        settings={"covariance_estimator": OneOf((None,))},
        learned={
            **_LINEAR,
            "priors_": Array(("n_classes",), FLOAT),
            "means_": Array(("n_classes", FEATURES), FLOAT),
        },
        optional={
            "xbar_": _COLUMN,
            "scalings_": Array((FEATURES, None), FLOAT),
            "covariance_": Array((FEATURES, FEATURES), FLOAT),
            "explained_variance_ratio_": Array((None,), FLOAT, nan=True),
            "_max_components": Whole(0),
            "_n_features_out": Whole(0),
        },
        rules=(_check_linear,),
    ),
    "GaussianNB": Estimator(
        "sklearn.naive_bayes",
        learned={
            **_BAYES,
            "theta_": Array(("n_classes", FEATURES), FLOAT),
            "var_": Array(("n_classes", FEATURES), FLOAT, above=0, least=1e-100),
            "class_prior_": Array(("n_classes",), FLOAT, above=0, most=1),
            "epsilon_": Number(0),
        },
    ),
    "BernoulliNB": Estimator(
        "sklearn.naive_bayes",
        settings={"binarize": Maybe(Number())},
        learned={
            **_BAYES,
            "feature_count_": Array(("n_classes", FEATURES), FLOAT, least=0),
            "feature_log_prob_": Array(("n_classes", FEATURES), FLOAT, most=-1e-15),
            "class_log_prior_": Array(("n_classes",), FLOAT, most=0),
        },
    ),
    "StandardScaler": Estimator(
        "sklearn.preprocessing",
        learned={**_COUNT, "mean_": Maybe(_COLUMN), "var_": Maybe(_COLUMN), "scale_": Maybe(_SCALE)},
        optional={"n_samples_seen_": _SEEN},
        rules=(_check_means,),
    ),
    "MinMaxScaler": Estimator(
        "sklearn.preprocessing",
        settings={"clip": Flag(), "feature_range": Either((Row((Number(), Number())), Plain()))},
        learned={**_COUNT, "scale_": _COLUMN, "min_": _COLUMN},
        optional={**{f"data_{name}_": _COLUMN for name in ("min", "max", "range")}, "n_samples_seen_": _SEEN},
    ),
    "MaxAbsScaler": Estimator(
        "sklearn.preprocessing",
        learned={**_COUNT, "max_abs_": _COLUMN, "scale_": _SCALE},
        optional={"n_samples_seen_": _SEEN},
    ),
    "RobustScaler": Estimator(
        "sklearn.preprocessing",
        learned={**_COUNT, "center_": Maybe(_COLUMN), "scale_": Maybe(_SCALE)},
        rules=(_check_centre,),
    ),
    "Pipeline": Estimator(
        "sklearn.pipeline",
        settings={"steps": _Steps(), "memory": OneOf((None,)), "transform_input": OneOf((None,))},
    ),
}
"""What is known of each estimator that may be saved."""
