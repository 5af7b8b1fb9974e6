"""Every experiment, figure and table of the five texts, under one name each. Words in, experiments out."""

from __future__ import annotations

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
        Size, seed, data, progress and jobs in, a `Result` out.
    claims : tuple of Claim
        What the paper says of it and how that will be judged, before anything was run.
    needs : tuple of str
        Names of `penchant.papers.sources.SOURCES`; none if the data are drawn.
    took : str
        How long the authors' own run took, if they tell.
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
        """Which of the five texts."""
        return int(self.id[0])

    @property
    def on(self) -> str:
        """The set, or nothing if there is but one."""
        return self.id.partition("/")[2]

    def has_data(self, data: Path | None) -> bool:
        """Whether all that it reads is in the folder ``data``."""
        return all(BY_NAME[name].is_in(data) for name in self.needs)

    def run(self, **options: Unpack[Options]) -> Result:
        """Run it with the options of `Run`, on a stand-in if its data are not in the folder ``data``."""
        folder = Run(**options).folder
        own = folder if self.needs and self.has_data(folder) else None
        return self.play(**{**options, "data": own})


def chosen(words: Sequence[str]) -> tuple[Experiment, ...]:
    """Return the experiments that words name: an id, the part of it before the set, or the number of a paper.

    Examples
    --------
    >>> [experiment.id for experiment in chosen(["2.fig1", "2.lemma3"])]
    ['2.fig1', '2.lemma3']
    """
    named: dict[str, Experiment] = {}
    for word in words:
        found = {each.id: each for each in experiments() if _is_meant(word, each.id)}
        if not found:
            raise InvalidInput(
                f"experiment must be one that penchant papers lists, got {shown(word)}: give for instance "
                f"{experiments()[0].id}, {experiments()[0].id.partition('/')[0]} or {experiments()[0].paper}"
            )
        named |= found
    return tuple(each for each in experiments() if not words or each.id in named)


def _is_meant(word: str, name: str) -> bool:
    figure = name.partition("/")[0]
    return word in (name, figure, figure.partition("-")[0], name[0])


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return every experiment of the five texts, paper by paper, figure by figure."""
    return (*_paper_1(), *_paper_2(), *_paper_3(), *_paper_4(), *_paper_5())


def _on_sets(
    figure: str,
    shows: str,
    about: str,
    play: Callable[..., Result],
    claims: Mapping[str, tuple[Claim, ...]],
    *,
    took: str = "",
    **settings: str,
) -> Iterator[Experiment]:
    """Give one experiment on several sets, each with its claims."""
    for name, said in claims.items():
        needs = (name,) if name in BY_NAME else ()
        yield Experiment(
            f"{figure}/{name}", shows, about, partial(play, name, **settings), said, needs, took=took
        )


def _paper_1() -> Iterator[Experiment]:
    from penchant.papers.coactive.first_paper import (
        LABELS_CLAIMS,
        NOISE_FREE_CLAIMS,
        label_feedback,
        noise_free_feedback,
    )
    from penchant.papers.coactive.sets import WEB

    yield from _on_sets(
        "1.fig2",
        "Figure 2",
        "strictly informative feedback, α = 0.1 and 1",
        noise_free_feedback,
        dict.fromkeys(WEB, NOISE_FREE_CLAIMS),
    )
    yield from _on_sets(
        "1.fig3",
        "Figure 3",
        "labels to depth 25, against the SVM retrained at 10, 5 and 1 % growth",
        label_feedback,
        dict.fromkeys(WEB, LABELS_CLAIMS),
        took="the authors' run took 20 hours for the SVM and 30 minutes for the perceptron",
    )


def _paper_2() -> Iterator[Experiment]:
    from penchant.papers.coactive import clicks, lower_bound, web_and_movies

    yield Experiment(
        "2.fig1", "Figure 1", "what clicks say about a ranking", clicks.click_preferences, clicks.CLAIMS
    )
    yield from _perceptron()
    yield from _beside_others()
    yield from _other_updates()
    beside = web_and_movies.web_and_movies, web_and_movies.CLAIMS
    needs = tuple(web_and_movies.PLACES.values())
    yield Experiment(
        "2.web-and-movies", "Figures 2, 15, 16", "the two tasks beside each other", *beside, needs
    )
    game = lower_bound.lower_bound, lower_bound.CLAIMS
    yield Experiment("2.lemma3", "Lemma 3", "a game in which every learner loses", *game)


def _web_or_movies(web: tuple[Claim, ...], movies: tuple[Claim, ...]) -> dict[str, tuple[Claim, ...]]:
    from penchant.papers.coactive.sets import MOVIES, WEB

    return dict.fromkeys(WEB, web) | dict.fromkeys(MOVIES, movies)


def _perceptron() -> Iterator[Experiment]:
    from penchant.papers.coactive import perceptron as told

    strict = _web_or_movies(told.WEB_STRICT_CLAIMS, told.MOVIES_STRICT_CLAIMS)
    noisy = _web_or_movies(told.LABELS_CLAIMS, told.RATINGS_CLAIMS)
    batches = _web_or_movies(told.BATCH_CLAIMS, told.BATCH_CLAIMS)
    expected = _web_or_movies(told.EXPECTED_CLAIMS, told.EXPECTED_CLAIMS)
    yield from _on_sets("2.fig2", "Figure 2", "strictly informative feedback", told.strict_feedback, strict)
    yield from _on_sets("2.fig3", "Figure 3", "feedback by labels or ratings", told.noisy_feedback, noisy)
    yield from _on_sets("2.fig4", "Figure 4", "batches, strict feedback", told.batch_updates, batches)
    yield from _on_sets(
        "2.fig5", "Figure 5", "batches, noisy feedback", told.batch_updates, batches, feedback="noisy"
    )
    yield from _on_sets("2.fig6", "Figure 6", "expected feedback", told.expected_feedback, expected)


def _beside_others() -> Iterator[Experiment]:
    from penchant.papers.coactive import baselines as told

    strict = _web_or_movies(told.SVM_STRICT_WEB_CLAIMS, told.SVM_STRICT_MOVIES_CLAIMS)
    noisy = _web_or_movies(told.SVM_NOISY_CLAIMS, told.SVM_NOISY_CLAIMS)
    yield from _on_sets(
        "2.fig7", "Figure 7", "the retrained SVM, strict feedback", told.retrained_svm, strict
    )
    yield from _on_sets(
        "2.fig8", "Figure 8", "the retrained SVM, noisy feedback", told.retrained_svm, noisy, feedback="noisy"
    )
    for name, claims in _web_or_movies(told.BANDIT_WEB_CLAIMS, told.BANDIT_MOVIES_CLAIMS).items():
        number = 10 if name == "ml-1m" else 9
        for feedback in ("strict", "noisy"):
            yield from _on_sets(
                f"2.fig{number}-{feedback}",
                f"Figure {number}",
                f"the dueling bandit, {feedback} feedback",
                told.dueling_bandit,
                {name: claims},
                feedback=feedback,
            )


def _other_updates() -> Iterator[Experiment]:
    from penchant.papers.coactive import convex, exponentiated

    claims = _web_or_movies(exponentiated.CLAIMS, exponentiated.CLAIMS)
    for number, feedback in ((11, "strict"), (12, "noisy")):
        yield from _on_sets(
            f"2.fig{number}",
            f"Figure {number}",
            f"exponentiated updates, {feedback} feedback",
            exponentiated.exponentiated_updates,
            claims,
            feedback=feedback,
        )
    told = convex
    for first, about, play, by_set in (
        (13, "convex losses", told.convex_losses, _web_or_movies(told.CONVEX_CLAIMS, told.CONVEX_CLAIMS)),
        (15, "γ", told.gamma_sensitivity, _web_or_movies(told.GAMMA_WEB_CLAIMS, told.GAMMA_MOVIES_CLAIMS)),
        (
            17,
            "convex losses, noisy feedback",
            told.noisy_convex_losses,
            _web_or_movies(told.NOISY_WEB_CLAIMS, told.NOISY_MOVIES_CLAIMS),
        ),
    ):
        for name, said in by_set.items():
            number = first + (name == "ml-1m")
            yield from _on_sets(f"2.fig{number}", f"Figure {number}", about, play, {name: said})


def _paper_3() -> Iterator[Experiment]:
    from penchant.papers.lecture import boosting, cohen, kendall, label_ranking, object_ranking, rating

    distances = kendall.kendall_example, kendall.CLAIMS
    yield Experiment("3.kendall", "the example of Kendall's distance", "inverted pairs, drawn", *distances)
    greedy = cohen.cohen_example, cohen.CLAIMS
    yield Experiment("3.cohen", "the example of Cohen's algorithm", "greedy ordering, step by step", *greedy)
    queries = "letor4-mq2008", "mslr-sample", "letor2-ohsumed"
    objects = object_ranking.object_ranking, object_ranking.CLAIMS, queries
    yield Experiment("3.objects", "object ranking", "rankers on graded queries", *objects)
    labels = label_ranking.label_ranking, label_ranking.CLAIMS, ("label-ranking", "sushi")
    yield Experiment("3.labels", "label ranking", "rankings of labels from features", *labels)
    ratings = rating.rating, rating.CLAIMS, ("ordinal",)
    yield Experiment("3.ratings", "rating", "ordered categories", *ratings)
    bound = boosting.boosting_bound, boosting.CLAIMS, ("letor4-mq2008",)
    yield Experiment("3.boosting", "RankBoost's bound", "training risk under the bound", *bound)


def _paper_4() -> Iterator[Experiment]:
    from penchant.papers.monotone import experiments as told

    pictures = told.utility_pictures, told.PICTURE_CLAIMS
    yield Experiment("4.pictures", "the contour and two utilities", "not monotone, and monotone", *pictures)
    table = told.case_study_table, told.TABLE_CLAIMS
    yield Experiment("4.table", "the table", "pairs ordered rightly, 90 comparisons", *table)
    evidence = told.evidence_table, told.EVIDENCE_CLAIMS
    yield Experiment("4.evidence", "future work", "hyperparameters by evidence", *evidence)
    sensitivity = told.sensitivity, told.SENSITIVITY_CLAIMS
    about = "noise, lengthscale, number of comparisons"
    yield Experiment("4.sensitivity", "beyond the paper", about, *sensitivity)


def _paper_5() -> Iterator[Experiment]:
    from penchant.papers.linked import cost, pooled, questions, six_papers
    from penchant.papers.linked.sets import SETS

    six = six_papers.six_papers, six_papers.CLAIMS
    yield Experiment("5.fig1", "Figure 1", "six papers and two answers", *six)
    asked = questions.map_by_questions
    yield from _on_sets("5.fig2", "Figure 2", "precision by questions", asked, questions.CLAIMS)
    costs = dict.fromkeys(SETS, cost.CLAIMS)
    yield from _on_sets("5.fig3", "Figure 3", "CPU time and precision", cost.cpu_time_and_map, costs)
    together = dict.fromkeys(SETS, pooled.CLAIMS)
    yield from _on_sets(
        "5.fig4", "Figure 4", "one model over several queries", pooled.pooled_queries, together
    )
