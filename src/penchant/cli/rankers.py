"""``penchant fit ranker`` and ``predict``: learn to rank graded documents, and score them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from penchant.cli.command import kept_warnings, note_saved, report
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
from penchant.cli.on_cluster import Dask, fitted_on_cluster, reject_beside_dask
from penchant.cli.on_disk import OnDisk, documents_on_disk
from penchant.cli.options import (
    Force,
    Json,
    Save,
    Setting,
    Without,
    made,
    model_option,
    option,
    picture_option,
)
from penchant.cli.outputs import PRINTED, check_new, check_outputs, print_json, write_rows
from penchant.cli.terminal import Terminal, drawn, rows_table, working
from penchant.cli.utilities import predict_utility
from penchant.errors import InvalidInput
from penchant.registry import find

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
    force: Force = False,
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
    dask: Dask = None,
    on_disk: OnDisk = False,
) -> None:
    """Learn to rank from graded documents, and save the model."""
    from penchant.saving import save as save_model

    if save is None and not summary:
        raise InvalidInput("--save must say where the model goes, got nothing: give --save model.penchant")
    check_outputs([file], [save], [plot, curve])
    check_new([save], force)
    ranker = made(find(model, "ranker"), setting)
    _check_summary(ranker, summary, json)
    if plot is not None:
        _require_weights(ranker)
    if dask is not None:
        reject_beside_dask(
            {"curve": curve, "without": without, "encode": encode, "summary": summary, "on-disk": on_disk}
        )
        named = {"y": grade, "qid": None if query == "qid" else query, "weight": weight}
        fitted = _fitted_on_cluster(ranker, file, dask, named)
    else:
        beside = {"curve": curve, "without": without, "encode": encode, "weight": weight}
        with ExitStack() as stack:
            if on_disk:
                documents, weights = stack.enter_context(documents_on_disk(file, ranker, beside)), None
            else:
                documents, weights = _weighted(read_documents(file, grade, query, without), weight, file)
            if curve is not None and documents.qid is None:
                raise InvalidInput(
                    f"--curve needs queries, some of them to hold out, got none in {file}: name --query"
                )
            fitted = _fitted(ranker, documents, features_for(ranker, documents, file, encode), weights)
    if save is not None:
        save_model(ranker, save)
        note_saved(save)
    for line in fitted.warned:
        report(line)
    if json:
        print_json(ranker.summary().to_json())
        return
    terminal = Terminal()
    terminal.say(f"{ranker!r}, fitted to {fitted.to}")
    if summary:
        table = ranker.summary()
        terminal.show(rows_table(table.rows()))
        terminal.say(*table.notes())
    if save is not None:
        terminal.say(f"Saved: {save}")
    if plot is not None:
        from penchant.plots import coefficients_chart

        terminal.say(f"Picture: {drawn(lambda: coefficients_chart(ranker), plot)}")
    if curve is not None and fitted.documents is not None:
        terminal.say(f"Picture: {_draw_curve(ranker, fitted.features, fitted.documents, curve)}")
    if save is not None:
        terminal.next(["evaluate", str(save), f"UNSEEN{file.suffix}", *columns_typed(file, grade, query)])


class _Fitted(NamedTuple):
    """What a ranker was fitted to, in words, with the warnings; the documents where they were read here."""

    to: str
    warned: list[str]
    documents: Documents | None = None
    features: Any = None


def _fitted(ranker: Any, documents: Documents, features: Any, weights: Any) -> _Fitted:
    """Fit a ranker to documents."""
    with kept_warnings() as warned, working(f"fitting {type(ranker).__name__}"):
        _fit(ranker, features, documents, weights)
    to = f"{len(documents.grades):,} documents of {documents.n_queries:,} queries"
    return _Fitted(to, warned, documents, features)


def _fitted_on_cluster(ranker: Any, file: Path, address: str, named: dict[str, Any]) -> _Fitted:
    """Fit a ranker on a Dask cluster."""
    from penchant.counts import counted

    with kept_warnings() as warned:
        _, count = fitted_on_cluster(ranker, file, address, **named)
    return _Fitted(f"{counted(count, 'partition')} on {address}", warned)


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
    from penchant.rankers.ranker import predicted_in_blocks

    check_outputs([model, file], [out])
    ranker = loaded_ranker(model)
    graded = False
    if is_utility(ranker):
        text = predict_utility(ranker, file, without or [])
    else:
        documents = read_documents(file, grade, query, without, graded=False)
        graded = documents.grades is not None
        with working("predicting"):
            answers = predicted_in_blocks(ranker, features_for(ranker, documents, file), documents.qid)
        text = "".join(f"{answer}\n" for answer in answers.tolist())
    write_rows(out, text)
    if out == PRINTED:
        return
    terminal = Terminal()
    terminal.say(f"Scores: {out}")
    if graded:
        terminal.next(["evaluate", str(model), str(file), *columns_typed(file, grade, query)])


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
    from penchant.plots import learning_curve_chart
    from penchant.rankers import learning_curve, rounds_curve

    grades = as_numbers(ranker, documents.grades)
    if grades is not documents.grades:  # words became numbers, which need no order
        ranker.set_params(categories=None)
    curve = rounds_curve if hasattr(ranker, "staged_predict") else learning_curve
    with kept_warnings(), working("fitting again to draw the curve"):
        found = curve(ranker, features, grades, qid=documents.qid)
    return drawn(lambda: learning_curve_chart(found), out)


def is_utility(model: Any) -> bool:
    """Return whether a model gives utilities of items, with their sd, and not scores of documents."""
    from penchant.gp import MonotoneGP, PreferenceGP

    return isinstance(model, MonotoneGP | PreferenceGP)


def loaded_ranker(path: Path) -> Any:
    """Load a ranker or a utility."""
    from penchant.gp import MonotoneGP, PreferenceGP
    from penchant.rankers import OrdinalRegression, RankerMixin

    kinds = (RankerMixin, OrdinalRegression, MonotoneGP, PreferenceGP)
    loaded = load_model(path, object, what="a model", saved_by="penchant fit")
    last = loaded.steps[-1][1] if hasattr(loaded, "steps") else loaded
    if not isinstance(last, kinds):
        raise InvalidInput.of(
            str(path),
            "hold a ranker or a utility of features",
            f"a {type(last).__name__}",
            "save one with penchant fit",
        )
    return loaded


def as_numbers(ranker: Any, grades: Any) -> Any:
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
