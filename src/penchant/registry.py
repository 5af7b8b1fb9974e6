"""The models by the names under which commands and studies know them. A class is imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal, NamedTuple

from penchant.errors import InvalidInput

Family = Literal["worth", "ranker", "utility", "linked", "coactive"]


class ModelEntry(NamedTuple):
    """One model.

    Attributes
    ----------
    family : str
        The models of one family learn from the same data and are fitted by the same command.
    package, class_name : str
        Where its class is.
    summary : str
        One line for help texts and docs.
    options : tuple of str
        The options of its command that only some models of the family take.
    in_studies : bool
        Whether a study can learn with it.
    """

    family: Family
    package: str
    class_name: str
    summary: str
    options: tuple[str, ...] = ()
    in_studies: bool = False

    def load(self) -> Any:
        """Return the model's class."""
        return getattr(import_module(self.package), self.class_name)


MODELS: dict[str, ModelEntry] = {
    "bradley-terry": ModelEntry(
        "worth", "penchant.worth", "BradleyTerry", "comparisons of two, logistic", ("prior",), in_studies=True
    ),
    "thurstone": ModelEntry(
        "worth", "penchant.worth", "Thurstone", "comparisons of two, probit", ("prior",), in_studies=True
    ),
    "plackett-luce": ModelEntry(
        "worth", "penchant.worth", "PlackettLuce", "rankings of several", ("prior", "ties")
    ),
    "elo": ModelEntry("worth", "penchant.worth", "Elo", "ratings of games in their order, k points at most"),
    "glicko": ModelEntry("worth", "penchant.worth", "Glicko", "the same with a deviation of each rating"),
    "glicko2": ModelEntry(
        "worth", "penchant.worth", "Glicko2", "the same with a volatility of each, for strengths that change"
    ),
    "win-rate": ModelEntry("worth", "penchant.worth", "WinRate", "the share of wins", ("prior",)),
    "crowd": ModelEntry(
        "worth", "penchant.worth", "CrowdBradleyTerry", "judges of different reliability", ("prior",)
    ),
    "ranksvm": ModelEntry(
        "ranker", "penchant.rankers", "RankSVM", "a linear or kernel support vector machine"
    ),
    "rankboost": ModelEntry("ranker", "penchant.rankers", "RankBoost", "boosted thresholds"),
    "pairwise": ModelEntry("ranker", "penchant.rankers", "PairwiseRanker", "any classifier of pairs"),
    "ordinal": ModelEntry("ranker", "penchant.rankers", "OrdinalRegression", "grades as ordered categories"),
    "preference-gp": ModelEntry(
        "utility", "penchant.gp", "PreferenceGP", "a smooth function of the features", in_studies=True
    ),
    "monotone-gp": ModelEntry(
        "utility",
        "penchant.gp",
        "MonotoneGP",
        "one that provably rises or falls in some of them",
        ("increasing", "decreasing"),
        in_studies=True,
    ),
    "linked-gp": ModelEntry(
        "linked", "penchant.gp", "LinkedGP", "items with features, links or both", in_studies=True
    ),
    "perceptron": ModelEntry(
        "coactive",
        "penchant.coactive",
        "PreferencePerceptron",
        "adds corrections; logs of what another system presented",
        ("batch", "forget", "averaged"),
    ),
    "perturbed": ModelEntry(
        "coactive",
        "penchant.coactive",
        "PerturbedPerceptron",
        "swaps neighbours at random; logs of what it presented itself",
        ("seed", "batch", "forget", "averaged"),
    ),
    "exponentiated": ModelEntry(
        "coactive",
        "penchant.coactive",
        "ExponentiatedPerceptron",
        "multiplies weights; few of many features matter",
        ("bound", "horizon", "signed", "forget", "averaged"),
    ),
    "convex": ModelEntry(
        "coactive",
        "penchant.coactive",
        "ConvexPerceptron",
        "smaller steps each round, within a ball",
        ("radius", "forget", "averaged"),
    ),
    "second-order": ModelEntry(
        "coactive",
        "penchant.coactive",
        "SecondOrderPerceptron",
        "steps by what is known of each direction; few features",
        ("radius", "epsilon", "gamma", "averaged"),
    ),
}


def find(name: str, among: Family) -> ModelEntry:
    """Return a model of one family by its name.

    Examples
    --------
    >>> find("glicko", "worth").class_name
    'Glicko'
    >>> find("glicko", "utility")
    Traceback (most recent call last):
    penchant.errors.InvalidInput: model must be one of preference-gp, monotone-gp, got 'glicko': choose one of these
    """
    entry = MODELS.get(name)
    if entry is not None and entry.family == among:
        return entry
    argument, limit = "learner" if among == "coactive" else "model", f"be one of {', '.join(family(among))}"
    raise InvalidInput.of(argument, limit, repr(name), "choose one of these")


def family(name: Family) -> dict[str, ModelEntry]:
    """Return the models of one family by their names, the usual one first.

    Examples
    --------
    >>> list(family("utility"))
    ['preference-gp', 'monotone-gp']
    """
    return {key: entry for key, entry in MODELS.items() if entry.family == name}
