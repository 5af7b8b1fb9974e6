"""``penchant fit ranker``, ``predict`` and ``evaluate``: learn to rank graded documents, score them, and measure."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from penchant.cli.command import kept_warnings, report
from penchant.cli.documents import (
    Documents,
    Grade,
    Graded,
    Query,
    columns_typed,
    features_for,
    read_documents,
)
from penchant.cli.inputs import load_model
from penchant.cli.options import (
    Items,
    Json,
    Save,
    Setting,
    Without,
    made,
    model_option,
    option,
    picture_option,
)
from penchant.cli.outputs import PRINTED, check_outputs, print_json, write_rows
from penchant.cli.terminal import Terminal, busy, rows_table
from penchant.cli.utilities import evaluate_utility, predict_utility
from penchant.errors import InvalidInput
from penchant.registry import find


class TiesName(StrEnum):
    """What ``penchant evaluate --ties`` accepts: the values of `penchant.metrics.ties.Ties`."""

    average = "average"
    order = "order"


Encode = Annotated[
    list[str] | None,
    option("COLUMN", "A column of words: each but the first becomes a feature; may be given again."),
]
Weight = Annotated[str | None, option("COLUMN", "The column that says how many rows each row is.")]
Summary = Annotated[
    bool, typer.Option("--summary", help="Show estimates, errors and tests (--model ordinal).")
]
Saved = Annotated[Path, typer.Argument(metavar="MODEL", help="What ``penchant fit`` saved.")]


def fit_ranker(
    file: Graded,
    save: Save = None,
    model: Annotated[str, model_option("ranker", "What to fit.")] = "ranksvm",
    setting: Setting = None,
    plot: Annotated[Path | None, picture_option("Draw the largest weights of features")] = None,
    curve: Annotated[Path | None, picture_option("Draw how more queries, or rounds, help")] = None,
    grade: Grade = "grade",
    query: Query = "qid",
    without: Without = None,
    encode: Encode = None,
    weight: Weight = None,
    summary: Summary = False,
    json: Json = False,
) -> None:
    """Learn to rank from graded documents, and save the model."""
    from penchant.saving import save as save_model

    if save is None and not summary:
        raise InvalidInput("--save must say where the model goes, got nothing: give --save model.penchant")
    check_outputs([file], [save], [plot, curve])
    ranker = made(find(model, "ranker"), setting)
    _check_summary(ranker, summary, json)
    if plot is not None:
        _require_weights(ranker)
    documents, weights = _weighted(read_documents(file, grade, query, without), weight, file)
    if curve is not None and documents.qid is None:
        raise InvalidInput(
            f"--curve needs queries, some of them to hold out, got none in {file}: name --query"
        )
    features = features_for(ranker, documents, file, encode)
    with kept_warnings() as warned, busy(f"fitting {type(ranker).__name__}"):
        _fit(ranker, features, documents, weights)
    if save is not None:
        save_model(ranker, save)
    for line in warned:
        report(line)
    if json:
        print_json(ranker.summary().to_json())
        return
    terminal = Terminal()
    terminal.say(
        f"{ranker!r}, fitted to {len(documents.grades):,} documents of {documents.n_queries:,} queries"
    )
    if summary:
        table = ranker.summary()
        terminal.show(rows_table(table.rows()))
        terminal.say(*table.notes())
    if save is not None:
        terminal.say(f"Saved: {save}")
    if plot is not None:
        from penchant.plots import coefficients_chart, save_chart

        terminal.say(f"Picture: {save_chart(coefficients_chart(ranker), plot)}")
    if curve is not None:
        terminal.say(f"Picture: {_draw_curve(ranker, features, documents, curve)}")
    if save is not None:
        terminal.next(["evaluate", str(save), str(file), *columns_typed(file, grade, query)])


def _check_summary(ranker: Any, summary: bool, json: bool) -> None:
    """Reject ``--summary`` of a model that has none, and ``--json`` without it."""
    if summary and not hasattr(ranker, "summary"):
        raise InvalidInput.of("--summary", "be given with --model ordinal", repr(ranker), "leave it out")
    if json and not summary:
        raise InvalidInput.of("--json", "be given with --summary", "it alone", "give --summary too")


def predict(
    model: Saved,
    file: Graded,
    out: Annotated[Path, typer.Option(metavar="OUT", help="Where the scores go; - prints them.")] = PRINTED,
    grade: Grade = "grade",
    query: Query = "qid",
    without: Without = None,
) -> None:
    """Score documents, a line each, or give the utility of the items of a table and how sure it is, as CSV."""
    from penchant.rankers.ranker import predicted

    check_outputs([model, file], [out])
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
    write_rows(out, text)
    if out == PRINTED:
        return
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
    plot: Annotated[Path | None, picture_option("Draw where the ranking errs")] = None,
    grade: Grade = "grade",
    query: Query = "qid",
    items: Items = None,
    without: Without = None,
) -> None:
    """Measure how well a saved model ranks graded documents, or predicts comparisons, with standard errors."""
    from penchant.metrics import evaluate as measured
    from penchant.metrics import pair_accuracy
    from penchant.rankers.ranker import ranking_scores

    check_outputs([model, file, items], [], [plot])
    ranker = _loaded(model)
    if _is_utility(ranker):
        if plot is not None:
            raise InvalidInput(
                "--plot must be given with rankers only, got a utility: penchant fit utility --plot draws it"
            )
        evaluate_utility(ranker, file, items, without or [], json=json)
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
        terminal.say(*repr(found).splitlines(), _shares(pairs))
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


def _shares(pairs: Any) -> str:
    """Return the shares of pairs in the right order, with equal scores, and in the wrong order."""
    shares = (
        f"{100 * getattr(pairs, name) / pairs.n_pairs:.1f} % {name}" for name in ("correct", "tied", "wrong")
    )
    return f"{'pairs':<10}{', '.join(shares)}  ({pairs.n_pairs:,} pairs)"


def _weighted(documents: Documents, weight: str | None, file: Path) -> tuple[Documents, Any]:
    """Return the documents without the column of weights, and the weights."""
    if weight is None:
        return documents, None
    if weight not in getattr(documents.features, "columns", ()):
        raise InvalidInput.of("weight", f"name a column of a table, {file}", repr(weight), "correct it")
    rest = replace(documents, features=documents.features.drop(columns=weight))
    return rest, documents.features[weight].to_numpy()


def _fit(ranker: Any, features: Any, documents: Documents, weights: Any = None) -> None:
    from inspect import signature

    import numpy as np

    # That a table has no column of queries was reported when it was read: its rows are one list.
    qid = np.zeros(len(documents.grades)) if documents.qid is None else documents.qid
    queries = {"qid": qid} if "qid" in signature(ranker.fit).parameters else {}
    counted = {} if weights is None else {"sample_weight": weights}
    ranker.fit(features, documents.grades, **queries, **counted)


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
    """Say whether a model gives utilities of items, with their sd, and not scores of documents."""
    from penchant.gp import MonotoneGP, PreferenceGP

    return isinstance(model, MonotoneGP | PreferenceGP)


def _loaded(path: Path) -> Any:
    """Load a ranker or a utility."""
    from penchant.gp import MonotoneGP, PreferenceGP
    from penchant.rankers import OrdinalRegression, RankerMixin

    kinds = (RankerMixin, OrdinalRegression, MonotoneGP, PreferenceGP)
    return load_model(path, *kinds, what="a ranker or a utility of features", saved_by="penchant fit")


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


def _require_weights(ranker: Any) -> None:
    """Reject a picture of the weights of a model that will have none, before it is fitted."""
    settings = ranker.get_params(deep=False)
    linear = settings.get("kernel", "linear") == "linear" and settings.get("on", "objects") == "objects"
    if not linear or "estimator" in settings:
        raise InvalidInput(
            f"--plot needs a model with one weight a feature, got {ranker!r}: "
            "take ranksvm with the linear kernel, rankboost or ordinal"
        )
