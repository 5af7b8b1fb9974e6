"""``penchant fit``, ``predict`` and ``evaluate``. Graded documents in; a model, scores, figures out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from penchant.cli.documents import (
    Documents,
    Grade,
    Graded,
    Query,
    Without,
    columns_typed,
    features_for,
    read_documents,
)
from penchant.cli.exports import print_json, print_rows
from penchant.cli.learners import LEARNERS, LearnerName
from penchant.cli.linked import Links, fit_linked
from penchant.cli.options import Json, Setting
from penchant.cli.outputs import check_outputs
from penchant.cli.progress import busy
from penchant.cli.refusals import complain, kept_warnings
from penchant.cli.saved import load_model
from penchant.cli.utilities import (
    UTILITIES,
    Decreasing,
    Increasing,
    Items,
    evaluate_utility,
    fit_utility,
    predict_utility,
)
from penchant.errors import InvalidInput

_PRINTED = Path("-")


class TiesName(StrEnum):
    """What ``penchant evaluate --ties`` accepts: the values of `penchant.metrics.ties.Ties`."""

    average = "average"
    order = "order"


Saved = Annotated[Path, typer.Argument(metavar="MODEL", help="What ``penchant fit`` saved.")]


def _picture(help: str) -> Any:
    return typer.Option(metavar="OUT", help=f"{help}: .png, .svg or .html.", show_default=False)


def fit(
    file: Graded,
    save: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Where the model goes.", show_default=False)
    ] = None,
    model: Annotated[LearnerName, typer.Option(help="What to fit.")] = LearnerName.rank_svm,
    setting: Setting = None,
    plot: Annotated[Path | None, _picture("Draw the largest weights of features")] = None,
    curve: Annotated[Path | None, _picture("Draw how more queries, or rounds, help")] = None,
    grade: Grade = "grade",
    query: Query = "qid",
    without: Without = None,
    items: Items = None,
    links: Links = None,
    increasing: Increasing = None,
    decreasing: Decreasing = None,
) -> None:
    """Learn to rank from graded documents, or a utility from comparisons, and save what was learned."""
    from penchant.cli.terminal import Terminal
    from penchant.saving import save as save_model

    if model == LearnerName.linked_gp:
        linked = LEARNERS[model].made(setting) if setting else None
        fit_linked(
            file,
            linked,
            items=items,
            links=links,
            without=without or [],
            save=save,
            plot=plot,
        )
        return
    if links is not None:
        raise InvalidInput(f"--links must be given with linked-gp only, got {model.value}: take that model")
    if model in UTILITIES:
        fit_utility(
            file,
            items,
            model,
            setting=setting or [],
            increasing=increasing,
            decreasing=decreasing,
            without=without or [],
            save=save,
            plot=plot,
        )
        return
    if save is None:
        raise InvalidInput("--save must say where the model goes, got nothing: give --save model.penchant")
    check_outputs([file], [save], [plot, curve])
    ranker = LEARNERS[model].made(setting or [])
    if plot is not None:
        _refuse_without_weights(ranker)
    documents = read_documents(file, grade, query, without)
    if curve is not None and documents.qid is None:
        raise InvalidInput(
            f"--curve needs queries, some of them to hold out, got none in {file}: name --query"
        )
    features = features_for(ranker, documents, file)
    with kept_warnings() as said, busy(f"fitting {LEARNERS[model].name}"):
        _fit(ranker, features, documents)
    save_model(ranker, save)
    for line in said:
        complain(line)
    terminal = Terminal()
    terminal.say(
        f"{ranker!r}, fitted to {len(documents.grades):,} documents of {documents.n_queries:,} queries",
        f"Saved: {save}",
    )
    if plot is not None:
        from penchant.plots import coefficients_chart, save_chart

        terminal.say(f"Picture: {save_chart(coefficients_chart(ranker), plot)}")
    if curve is not None:
        terminal.say(f"Picture: {_draw_curve(ranker, features, documents, curve)}")
    terminal.next(["evaluate", str(save), str(file), *columns_typed(file, grade, query)])


def predict(
    model: Saved,
    file: Graded,
    out: Annotated[Path, typer.Option(metavar="OUT", help="Where the scores go; - prints them.")] = _PRINTED,
    grade: Grade = "grade",
    query: Query = "qid",
    without: Without = None,
) -> None:
    """Score documents, a line each, or give the utility of the items of a table and how sure it is, as CSV."""
    from penchant.rankers.ranker import predicted

    check_outputs([model, file], [out] if out != _PRINTED else [])
    ranker = _loaded(model)
    graded = False
    if _is_utility(ranker):
        text = predict_utility(ranker, file, without or [])
    else:
        documents = read_documents(file, grade, query, without, graded=False)
        graded = documents.grades is not None
        with busy("predicting"):
            answers = predicted(ranker, features_for(ranker, documents, file), documents.qid)
        text = "".join(f"{answer}\n" for answer in answers.tolist())
    if out == _PRINTED:
        print_rows(text)
        return
    from penchant.cli.terminal import Terminal
    from penchant.saving.replacing import replace_text

    replace_text(out, text)
    terminal = Terminal()
    terminal.say(f"Scores: {out}")
    if graded:
        terminal.next(["evaluate", str(model), str(file), *columns_typed(file, grade, query)])


def evaluate(
    model: Saved,
    file: Graded,
    k: Annotated[int, typer.Option(min=1, help="Where NDCG is cut.")] = 10,
    ties: Annotated[
        TiesName, typer.Option(help="Equal scores: average over their orders, or keep the order of the rows.")
    ] = TiesName.average,
    json: Json = False,
    plot: Annotated[Path | None, _picture("Draw where the ranking errs")] = None,
    grade: Grade = "grade",
    query: Query = "qid",
    items: Items = None,
    without: Without = None,
) -> None:
    """Say how well a saved model ranks graded documents, or foretells comparisons, with standard errors."""
    from penchant.cli.terminal import Terminal
    from penchant.metrics import evaluate as measured
    from penchant.metrics import pair_accuracy
    from penchant.rankers.ranker import ranking_scores

    check_outputs([model, file, items], [], [plot])
    ranker = _loaded(model)
    if _is_utility(ranker):
        _evaluate_utility(ranker, file, items, without or [], json, plot)
        return
    documents = read_documents(file, grade, query, without)
    grades, qid = _numbers(ranker, documents.grades), documents.qid
    with busy("evaluating"):
        scores = ranking_scores(ranker, features_for(ranker, documents, file), qid)
        found = measured(grades, scores, qid=qid, k=k, ties=ties.value)
        pairs = pair_accuracy(grades, scores, qid=qid)
    if json:
        print_json({"figures": [vars(figure) for figure in found.figures], "pairs": vars(pairs)})
    else:
        terminal = Terminal()
        terminal.say(*repr(found).splitlines(), _told(pairs))
    if plot is not None:
        from penchant.plots import ranking_errors_chart, save_chart

        with busy("drawing"):
            chart = ranking_errors_chart(grades, scores, qid=qid, depth=k, ties=ties.value)
            picture = save_chart(chart, plot)
        if not json:
            terminal.say(f"Picture: {picture}")
    if not json:
        same = [str(model), str(file), *columns_typed(file, grade, query)]
        terminal.next(
            ["predict", *same, "--out", "scores.txt"] if plot else ["evaluate", *same, "--plot", "errors.png"]
        )


def _evaluate_utility(
    utility: Any, file: Path, items: Path | None, without: list[str], json: bool, plot: Path | None
) -> None:
    from penchant.cli.terminal import Terminal

    if plot is not None:
        raise InvalidInput(
            "--plot must be given with rankers only, got a utility: penchant fit --plot draws it"
        )
    with busy("evaluating"):
        found = evaluate_utility(utility, file, items, without)
    if json:
        print_json(vars(found))
        return
    Terminal().say(
        f"log loss  {found.log_loss:.3f} ± {found.log_loss_se:.3f}  (a coin has 0.693)",
        f"right     {100 * found.accuracy:.1f} ± {100 * found.accuracy_se:.1f} % of {found.count:,} pairs",
    )


def _told(pairs: Any) -> str:
    """Return how many pairs stand right, have equal scores and stand wrong, each apart."""
    shares = (
        f"{100 * getattr(pairs, name) / pairs.n_pairs:.1f} % {name}" for name in ("correct", "tied", "wrong")
    )
    return f"{'pairs':<10}{', '.join(shares)}  ({pairs.n_pairs:,} pairs)"


def _fit(ranker: Any, features: Any, documents: Documents) -> None:
    from inspect import signature

    import numpy as np

    # That a table has no column of queries was reported when it was read: its rows are one list.
    qid = np.zeros(len(documents.grades)) if documents.qid is None else documents.qid
    queries = {"qid": qid} if "qid" in signature(ranker.fit).parameters else {}
    ranker.fit(features, documents.grades, **queries)


def _draw_curve(ranker: Any, features: Any, documents: Documents, out: Path) -> Path:
    from penchant.plots import learning_curve_chart, save_chart
    from penchant.rankers import learning_curve, rounds_curve

    grades = _numbers(ranker, documents.grades)
    if grades is not documents.grades:  # words became numbers, which need no order
        ranker.set_params(categories=None)
    drawn = rounds_curve if hasattr(ranker, "staged_predict") else learning_curve
    with kept_warnings(), busy("fitting again to draw the curve"):
        found = drawn(ranker, features, grades, qid=documents.qid)
        return save_chart(learning_curve_chart(found), out)


def _is_utility(model: Any) -> bool:
    """Whether a model gives utilities of items, with their sd, and not scores of documents."""
    from penchant.gp import MonotoneGP, PreferenceGP

    return isinstance(model, MonotoneGP | PreferenceGP)


def _loaded(path: Path) -> Any:
    """Load a ranker or a utility, or refuse what is neither."""
    from penchant.gp import MonotoneGP, PreferenceGP
    from penchant.rankers import OrdinalRegression, RankerMixin

    loaded = load_model(path)
    if not isinstance(loaded, RankerMixin | OrdinalRegression | MonotoneGP | PreferenceGP):
        raise InvalidInput(
            f"{path} must hold a ranker or a utility of features, got a {type(loaded).__name__}: "
            "save one with penchant fit"
        )
    return loaded


def _numbers(ranker: Any, grades: Any) -> Any:
    """Return grades as numbers; words are those of a fitted ordinal model, lowest 0."""
    if grades.dtype.kind in "biuf" or not hasattr(ranker, "classes_"):
        return grades
    place = {label: number for number, label in enumerate(ranker.classes_.tolist())}
    unknown = next((label for label in grades.tolist() if label not in place), None)
    if unknown is not None:
        raise InvalidInput(
            f"grades must be those that the model was fitted to, got {unknown!r}: leave such rows out"
        )
    import numpy as np

    return np.array([place[label] for label in grades.tolist()])


def _refuse_without_weights(ranker: Any) -> None:
    """Refuse to draw the weights of what will have none, before it is fitted."""
    settings = ranker.get_params(deep=False)
    linear = settings.get("kernel", "linear") == "linear" and settings.get("on", "objects") == "objects"
    if not linear or "estimator" in settings:
        raise InvalidInput(
            f"--plot needs a model with one weight a feature, got {ranker!r}: "
            "take ranksvm with the linear kernel, rankboost or ordinal"
        )
