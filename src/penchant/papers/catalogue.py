"""The catalogue of all experiments of the five papers, by paper, figure and data set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Unpack

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.papers.result import Claim, Result
from penchant.papers.run import Options, Run
from penchant.papers.sources import BY_NAME

PAPERS = {
    1: "Shivaswamy and Joachims: Online Learning with Preference Feedback (2011)",
    2: "Shivaswamy and Joachims: Coactive Learning (2015)",
    3: "Huusari and Rousu: Preference Learning, a lecture (2022)",
    4: "Chin, Manzie, Ira, Nešić and Shames: Gaussian Processes with Monotonicity Constraints for Preference "
    "Learning from Pairwise Comparisons (2018)",
    5: "Xu, Kersting and Joachims: Fast Active Exploration for Link-Based Preference Learning using Gaussian "
    "Processes (2010)",
}


@dataclass(frozen=True, eq=False)
class Experiment:
    """One figure or table of a paper on one set of data.

    Attributes
    ----------
    id : str
        PAPER.FIGURE, or PAPER.FIGURE/SET where there are several sets.
    shows : str
        The figure, table or example, as the paper numbers it.
    about : str
        What is compared.
    play : callable
        Takes the options of `penchant.papers.run.Run` and returns a `Result`.
    claims : tuple of Claim
        The paper's claims about it and the rules by which they are judged.
    needs : tuple of str
        Names of `penchant.papers.sources.SOURCES`; none if the data are drawn.
    took : str
        How long the authors' own run took, if the paper reports it.
    """

    id: str
    shows: str
    about: str
    play: Callable[..., Result] = field(repr=False)
    claims: tuple[Claim, ...] = field(repr=False)
    needs: tuple[str, ...] = ()
    took: str = ""

    @property
    def paper(self) -> int:
        """The number of the paper."""
        return int(self.id[0])

    @property
    def on(self) -> str:
        """The data set, or an empty string if the experiment has only one."""
        return self.id.partition("/")[2]

    def has_data(self, data: Path | None) -> bool:
        """Whether the folder ``data`` holds all sets that the experiment reads."""
        return all(BY_NAME[name].is_in(data) for name in self.needs)

    def run(self, **options: Unpack[Options]) -> Result:
        """Run it with the options of `Run`, on a stand-in if its data are not in the folder ``data``."""
        folder = Run(**options).folder
        own = folder if self.needs and self.has_data(folder) else None
        return self.play(**{**options, "data": own})


def chosen(names: Sequence[str]) -> tuple[Experiment, ...]:
    """Return the experiments with the given names: an id, its part before the set, or the number of a paper.

    Examples
    --------
    >>> [experiment.id for experiment in chosen(["2.fig1", "2.lemma3"])]
    ['2.fig1', '2.lemma3']
    """
    named: dict[str, Experiment] = {}
    for name in names:
        found = {each.id: each for each in experiments() if _has_name(each, name)}
        if not found:
            raise InvalidInput(
                f"experiment must be one that penchant papers lists, got {shown(name)}: give for instance "
                f"{experiments()[0].id}, {experiments()[0].id.partition('/')[0]} or {experiments()[0].paper}"
            )
        named |= found
    return tuple(each for each in experiments() if not names or each.id in named)


def _has_name(experiment: Experiment, name: str) -> bool:
    figure = experiment.id.partition("/")[0]
    return name in (experiment.id, figure, figure.partition("-")[0], str(experiment.paper))


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return every experiment, in the order of the papers and their figures."""
    return (*_paper_1(), *_paper_2(), *_paper_3(), *_paper_4(), *_paper_5())


def _on_sets(
    figure: str,
    about: str,
    play: Callable[..., Result],
    claims: Mapping[str, tuple[Claim, ...]],
    *,
    took: str = "",
    **settings: str,
) -> Iterator[Experiment]:
    """Yield the experiment of a figure on several sets, each with its claims."""
    shows = f"Figure {re.findall(r'[0-9]+', figure)[1]}"
    for name, own in claims.items():
        needs = (name,) if name in BY_NAME else ()
        yield Experiment(
            f"{figure}/{name}", shows, about, partial(play, name, **settings), own, needs, took=took
        )


def _by_task(
    web: int, about: str, play: Callable[..., Result], claims: Mapping[str, tuple[Claim, ...]]
) -> Iterator[Experiment]:
    """Yield an experiment that has one figure for web search, and the next one for movies."""
    for name, own in claims.items():
        yield from _on_sets(f"2.fig{web + (name == 'ml-1m')}", about, play, {name: own})


def _paper_1() -> Iterator[Experiment]:
    from penchant.papers.coactive import first_paper
    from penchant.papers.coactive.sets import WEB

    yield from _on_sets(
        "1.fig2",
        "strictly informative feedback, α = 0.1 and 1",
        first_paper.noise_free_feedback,
        dict.fromkeys(WEB, first_paper.NOISE_FREE_CLAIMS),
    )
    yield from _on_sets(
        "1.fig3",
        "labels to depth 25, against the SVM retrained at 10, 5 and 1 % growth",
        first_paper.label_feedback,
        dict.fromkeys(WEB, first_paper.LABELS_CLAIMS),
        took="the authors' run took 20 hours for the SVM and 30 minutes for the perceptron",
    )


def _paper_2() -> Iterator[Experiment]:
    from penchant.papers.coactive import clicks, lower_bound, perceptron, web_and_movies

    clicked = clicks.click_preferences, clicks.CLAIMS
    yield Experiment("2.fig1", "Figure 1", "what clicks say about a ranking", *clicked)
    strict = perceptron.strict_feedback, perceptron.STRICT_CLAIMS
    yield from _on_sets("2.fig2", "strictly informative feedback", *strict)
    noisy = perceptron.noisy_feedback, perceptron.NOISY_CLAIMS
    yield from _on_sets("2.fig3", "feedback by labels or ratings", *noisy)
    batches = perceptron.batch_updates, perceptron.BATCH_CLAIMS
    yield from _on_sets("2.fig4", "batches, strict feedback", *batches)
    yield from _on_sets("2.fig5", "batches, noisy feedback", *batches, feedback="noisy")
    expected = perceptron.expected_feedback, perceptron.EXPECTED_CLAIMS
    yield from _on_sets("2.fig6", "expected feedback", *expected)
    yield from _beside_others()
    yield from _other_updates()
    tasks = web_and_movies.web_and_movies, web_and_movies.CLAIMS, tuple(web_and_movies.PLACES.values())
    yield Experiment("2.web-and-movies", "Figures 2, 15, 16", "the two tasks beside each other", *tasks)
    game = lower_bound.lower_bound, lower_bound.CLAIMS
    yield Experiment("2.lemma3", "Lemma 3", "a game in which every learner loses", *game)


def _beside_others() -> Iterator[Experiment]:
    from penchant.papers.coactive import baselines

    for figure, feedback in (("2.fig7", "strict"), ("2.fig8", "noisy")):
        about, claims = f"the retrained SVM, {feedback} feedback", baselines.SVM_CLAIMS[feedback]
        yield from _on_sets(figure, about, baselines.retrained_svm, claims, feedback=feedback)
    for name, own in baselines.BANDIT_CLAIMS.items():
        for feedback in ("strict", "noisy"):
            figure = f"2.fig{10 if name == 'ml-1m' else 9}-{feedback}"
            about = f"the dueling bandit, {feedback} feedback"
            yield from _on_sets(figure, about, baselines.dueling_bandit, {name: own}, feedback=feedback)


def _other_updates() -> Iterator[Experiment]:
    from penchant.papers.coactive import convex
    from penchant.papers.coactive.exponentiated import CLAIMS, exponentiated_updates

    for figure, feedback in (("2.fig11", "strict"), ("2.fig12", "noisy")):
        about = f"exponentiated updates, {feedback} feedback"
        yield from _on_sets(figure, about, exponentiated_updates, CLAIMS, feedback=feedback)
    yield from _by_task(13, "convex losses", convex.convex_losses, convex.CONVEX_CLAIMS)
    yield from _by_task(15, "γ", convex.gamma_sensitivity, convex.GAMMA_CLAIMS)
    yield from _by_task(17, "convex losses, noisy feedback", convex.noisy_convex_losses, convex.NOISY_CLAIMS)


def _paper_3() -> Iterator[Experiment]:
    from penchant.papers.lecture import boosting, cohen, kendall, label_ranking, object_ranking, rating

    distance, greedy = (kendall.kendall_example, kendall.CLAIMS), (cohen.cohen_example, cohen.CLAIMS)
    yield Experiment("3.kendall", "the example of Kendall's distance", "inverted pairs, drawn", *distance)
    yield Experiment("3.cohen", "the example of Cohen's algorithm", "greedy ordering, step by step", *greedy)
    queries = "letor4-mq2008", "mslr-sample", "letor2-ohsumed"
    objects = object_ranking.object_ranking, object_ranking.CLAIMS, queries
    yield Experiment("3.objects", "object ranking", "rankers on graded queries", *objects)
    labels = label_ranking.label_ranking, label_ranking.CLAIMS, ("label-ranking", "sushi")
    yield Experiment("3.labels", "label ranking", "rankings of labels from features", *labels)
    yield Experiment("3.ratings", "rating", "ordered categories", rating.rating, rating.CLAIMS, ("ordinal",))
    bound = boosting.boosting_bound, boosting.CLAIMS, ("letor4-mq2008",)
    yield Experiment("3.boosting", "RankBoost's bound", "training risk under the bound", *bound)


def _paper_4() -> Iterator[Experiment]:
    from penchant.papers.monotone import experiments as monotone

    pictures = monotone.utility_pictures, monotone.PICTURE_CLAIMS
    yield Experiment("4.pictures", "the contour and two utilities", "not monotone, and monotone", *pictures)
    table = monotone.case_study_table, monotone.TABLE_CLAIMS
    yield Experiment("4.table", "the table", "pairs ordered rightly, 90 comparisons", *table)
    evidence = monotone.evidence_table, monotone.EVIDENCE_CLAIMS
    yield Experiment("4.evidence", "future work", "hyperparameters by evidence", *evidence)
    sensitivity = monotone.sensitivity, monotone.SENSITIVITY_CLAIMS
    about = "noise, lengthscale, number of comparisons"
    yield Experiment("4.sensitivity", "beyond the paper", about, *sensitivity)


def _paper_5() -> Iterator[Experiment]:
    from penchant.papers.linked import cost, pooled, questions, six_papers
    from penchant.papers.linked.sets import SETS

    costs, together = dict.fromkeys(SETS, cost.CLAIMS), dict.fromkeys(SETS, pooled.CLAIMS)
    six = six_papers.six_papers, six_papers.CLAIMS
    yield Experiment("5.fig1", "Figure 1", "six papers and two answers", *six)
    yield from _on_sets("5.fig2", "precision by questions", questions.map_by_questions, questions.CLAIMS)
    yield from _on_sets("5.fig3", "CPU time and precision", cost.cpu_time_and_map, costs)
    yield from _on_sets("5.fig4", "one model over several queries", pooled.pooled_queries, together)
