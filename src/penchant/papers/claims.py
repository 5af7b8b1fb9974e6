"""The table of claims: each distinct claim once, with every experiment and setting that tries it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from penchant.papers.experiment import Experiment
from penchant.papers.result import Claim, Whose

WHOSE: dict[Whose, str] = {"paper": "the text's", "theorem": "a theorem's", "ours": "ours"}


@dataclass(frozen=True)
class Trial:
    """One experiment that tries a claim, with one of its settings.

    Attributes
    ----------
    experiment : Experiment
    claim : Claim
        With the rules and limits of this trial.
    """

    experiment: Experiment
    claim: Claim

    @property
    def label(self) -> str:
        """The id of the experiment, with the setting where there are several."""
        return f"{self.experiment.id} ({self.claim.setting})" if self.claim.setting else self.experiment.id

    @property
    def rules(self) -> tuple[str, ...]:
        """The limits on each quantity, as text."""
        return tuple(map(repr, self.claim.checks))

    @property
    def data(self) -> str:
        """The sets that are read, or that the data are drawn."""
        return ", ".join(self.experiment.needs) or self.experiment.on or "drawn"


@dataclass(frozen=True)
class DistinctClaim:
    """A claim with all its trials.

    Attributes
    ----------
    claim : Claim
        As its first trial states it.
    trials : tuple of Trial
    """

    claim: Claim
    trials: tuple[Trial, ...]

    @property
    def quantities(self) -> tuple[str, ...]:
        """The numbers that decide it, in any of the trials."""
        return tuple(dict.fromkeys(check.quantity for trial in self.trials for check in trial.claim.checks))

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings of ours that it was tried with, where there are several."""
        return tuple(dict.fromkeys(trial.claim.setting for trial in self.trials if trial.claim.setting))

    @property
    def data(self) -> tuple[str, ...]:
        """The sets that it was tried on."""
        return tuple(dict.fromkeys(trial.data for trial in self.trials))


def distinct_claims(experiments: Iterable[Experiment]) -> tuple[DistinctClaim, ...]:
    """Return each claim of some experiments once, in the order in which they first appear.

    Examples
    --------
    >>> from penchant.papers.catalogue import chosen
    >>> [row.claim.id for row in distinct_claims(chosen(["2.lemma3"]))]
    ['2.lower-bound', '2.tight']
    """
    trials: dict[str, list[Trial]] = {}
    for experiment in experiments:
        for claim in experiment.claims:
            trials.setdefault(claim.id, []).append(Trial(experiment, claim))
    return tuple(DistinctClaim(own[0].claim, tuple(own)) for own in trials.values())
