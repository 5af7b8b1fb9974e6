"""``penchant evaluate``: measure how well a model, scores of any other model or a run rank, and compare two of them."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.command import limits, report
from penchant.cli.documents import Documents, Grade, Query, columns_typed, features_for, read_documents
from penchant.cli.inputs import STANDARD_INPUT, file_or_input
from penchant.cli.options import Items, Json, Level, Without, option, picture_option
from penchant.cli.outputs import check_outputs, print_json
from penchant.cli.rankers import as_numbers, is_utility, loaded_ranker
from penchant.cli.terminal import Terminal, drawn, working
from penchant.cli.utilities import evaluate_utility
from penchant.counts import counted
from penchant.errors import InvalidInput
from penchant.progress import Parts, step_done
from penchant.text import percent

if TYPE_CHECKING:
    from penchant.metrics import Comparison, Difference

USUAL_CUT = 10
_ZIP = b"PK"
_LISTED = 3


class TiesName(StrEnum):
    """What ``penchant evaluate --ties`` accepts: the values of `penchant.metrics.ties.Ties`."""

    average = "average"
    order = "order"


class MetricName(StrEnum):
    """What ``penchant evaluate --metric`` accepts: the names of `penchant.metrics.by_query.METRICS`."""

    ndcg = "ndcg"
    map = "map"
    tau = "tau"
    precision = "precision"
    recall = "recall"
    rr = "rr"
    err = "err"


def evaluate(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="What ``penchant fit`` saved, a file with a score a line, or a TREC run.",
            show_default=False,
        ),
    ],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Graded documents (LETOR or a table), comparisons for a utility, or judgements (qrels) for a run.",
            show_default=False,
        ),
    ],
    against: Annotated[
        Path | None, option("OTHER", "Compare with another model, file of scores or run, query by query.")
    ] = None,
    k: Annotated[int, typer.Option(min=1, help="Where metrics are cut.")] = USUAL_CUT,
    metric: Annotated[
        list[MetricName] | None,
        typer.Option(help="What to measure, may be given again; ndcg, map and tau unless given."),
    ] = None,
    ties: Annotated[
        TiesName, typer.Option(help="Equal scores: average over their orders, or keep the order of the rows.")
    ] = TiesName.average,
    level: Level = 0.95,
    json: Json = False,
    plot: Annotated[
        Path | None, picture_option("Draw where the ranking errs, or of two the difference in each query")
    ] = None,
    grade: Grade = "grade",
    query: Query = "qid",
    items: Items = None,
    without: Without = None,
) -> None:
    """Measure how well a model, scores or a run rank graded documents, with standard errors, and compare two."""
    given = [model, file, against, items]
    check_outputs(given, [], [plot])
    if given.count(STANDARD_INPUT) > 1:
        raise InvalidInput(
            "- must be given once, the standard input can be read once, got it again: name a file"
        )
    with ExitStack() as inputs:
        model, file = (inputs.enter_context(file_or_input(path)) for path in (model, file))
        against = None if against is None else inputs.enter_context(file_or_input(against))
        _evaluate(
            model,
            file,
            against,
            metric=metric,
            k=k,
            ties=ties,
            level=level,
            json=json,
            plot=plot,
            grade=grade,
            query=query,
            items=items,
            without=without,
            from_input=STANDARD_INPUT in given,
        )


def _evaluate(
    model: Path,
    file: Path,
    against: Path | None,
    *,
    metric: list[MetricName] | None,
    k: int,
    ties: TiesName,
    level: float,
    json: bool,
    plot: Path | None,
    grade: str,
    query: str,
    items: Path | None,
    without: list[str] | None,
    from_input: bool,
) -> None:
    if _holds_text(model) and _are_runs(model, file):
        if metric or ties is not TiesName.average:
            raise InvalidInput(
                f"{'--metric' if metric else '--ties'} must be given with graded documents only, got a run, which is "
                "measured as trec_eval does: leave it out"
            )
        _evaluate_run(model, file, against, k, level, json=json, plot=plot, suggest=not from_input)
        return
    ranker = None if _holds_text(model) else loaded_ranker(model)
    if ranker is not None and is_utility(ranker):
        if plot is not None or against is not None:
            raise InvalidInput(
                f"{'--plot' if plot else '--against'} must be given with rankers only, got a utility: "
                "penchant fit utility --plot draws it"
            )
        evaluate_utility(ranker, file, items, without or [], json=json)
        return
    chosen = [name.value for name in metric or (MetricName.ndcg, MetricName.map, MetricName.tau)]
    documents = read_documents(file, grade, query, without)
    typed = [] if from_input else [str(model), str(file), *columns_typed(file, grade, query)]
    measures = [*_cut_typed(k), *(word for name in metric or () for word in ("--metric", name.value))]
    measures += [] if ties is TiesName.average else ["--ties", ties.value]
    _evaluate_documents(
        ranker,
        model,
        documents,
        file,
        against,
        chosen,
        typed,
        measures,
        k=k,
        ties=ties,
        level=level,
        json=json,
        plot=plot,
    )


def _cut_typed(k: int) -> list[str]:
    """Return where metrics are cut as it is typed; nothing where it is as usual."""
    return [] if k == USUAL_CUT else ["--k", str(k)]


def _evaluate_documents(
    ranker: Any,
    model: Path,
    documents: Documents,
    file: Path,
    against: Path | None,
    metrics: list[str],
    typed: list[str],
    measures: list[str],
    *,
    k: int,
    ties: TiesName,
    level: float,
    json: bool,
    plot: Path | None,
) -> None:
    from penchant.metrics import compare, pair_accuracy
    from penchant.metrics import evaluate as measured

    grades, qid = as_numbers(ranker, documents.grades), documents.qid
    settings: dict[str, Any] = {"qid": qid, "k": k, "ties": ties.value, "metrics": metrics}
    if against is not None and qid is None:
        raise InvalidInput(f"--against compares queries, got none in {file}: name their column with --query")
    steps = Parts(3 if against is None else 5)
    with working("evaluating"):
        with steps.next():
            scores = _scores(ranker, model, documents, file)
        with steps.next():
            found = measured(grades, scores, **settings)
        with steps.next():
            pairs = pair_accuracy(grades, scores, qid=qid)
        with steps.next():
            others = None if against is None else _scores(None, against, documents, file)
        with steps.next():
            compared = None if others is None else compare(grades, scores, others, level=level, **settings)
    shown: dict[str, Any] = {"figures": [vars(figure) for figure in found.figures], "pairs": vars(pairs)}
    terminal = Terminal()
    if json:
        print_json(shown | _as_json(compared))
    else:
        terminal.say(*repr(found).splitlines(), _shares(pairs))
        _say_compared(terminal, compared, model, against, level)
    if plot is not None:
        picture = drawn(lambda: _chart(grades, scores, others, compared, settings, model, against), plot)
        if not json:
            terminal.say(f"Picture: {picture}")
    if typed and not json:
        same = typed if against is None else [*typed, "--against", str(against)]
        terminal.next(
            ["predict", *typed, "--out", "scores.txt"]
            if plot and ranker is not None
            else ["evaluate", *same, *measures, "--plot", "errors.png"]
        )


def _chart(
    grades: Any,
    scores: Any,
    others: Any,
    compared: Comparison | None,
    settings: dict[str, Any],
    model: Path,
    against: Path | None,
) -> Any:
    from penchant.plots import query_values_chart, ranking_errors_chart

    if compared is None or against is None:
        return ranking_errors_chart(
            grades, scores, qid=settings["qid"], depth=settings["k"], ties=settings["ties"]
        )
    import numpy as np

    from penchant.metrics.by_query import by_query

    first, second = (by_query(grades, column, relevant=1.0, **settings) for column in (scores, others))
    name = compared.differences[0].metric
    values, defined = first.values[name]
    labels = np.asarray(settings["qid"])[np.unique(first.queries.codes, return_index=True)[1]]
    apart = (values - second.values[name][0])[defined]
    heading = _heading(compared.differences[0], model, against)
    return query_values_chart(labels[defined].tolist(), apart, **heading)


def _evaluate_run(
    run: Path,
    qrels: Path,
    against: Path | None,
    k: int,
    level: float,
    *,
    json: bool,
    plot: Path | None,
    suggest: bool,
) -> None:
    from penchant.formats.trec import read_qrels, read_run
    from penchant.metrics import Run, compare_runs, evaluate_run
    from penchant.metrics.trec import CUTS

    cuts = sorted({*CUTS, k})
    runs: list[Run] = []
    steps = Parts(3 if against is None else 5)
    with working("evaluating"):
        with steps.next():
            judged = read_qrels(qrels, limits=limits())
        for path in (run, against) if against is not None else (run,):
            with steps.next():
                runs.append(read_run(path, limits=limits()))
        with steps.next():
            found = evaluate_run(runs[0], judged, k=cuts)
        measures = ("map", f"ndcg_cut_{k}", "recip_rank", f"P_{k}")
        with steps.next():
            compared = (
                None
                if against is None
                else compare_runs(runs[0], runs[1], judged, measures=measures, k=cuts, level=level)
            )
    for queries, what in (
        (found.without_judgements, "without judgements"),
        (found.not_found, "that the run lacks"),
    ):
        if queries:
            some = ", ".join(queries[:_LISTED]) + (", …" if len(queries) > _LISTED else "")
            report(f"Note: queries {what}, which are left out: {len(queries):,} ({some})")
    terminal = Terminal()
    if json:
        by_query = {
            query: {measure: float(values[row]) for measure, values in found.values.items()}
            for row, query in enumerate(found.queries)
        }
        means = {measure: found[measure] for measure in found.values}
        print_json(
            {"queries": len(found.queries), "measures": means, "by_query": by_query} | _as_json(compared)
        )
    else:
        terminal.say(*repr(found).expandtabs(4).splitlines())
        _say_compared(terminal, compared, run, against, level)
    if plot is not None:
        picture = drawn(lambda: _chart_of_runs(runs, judged, compared, run, against), plot)
        if not json:
            terminal.say(f"Picture: {picture}")
    elif suggest and not json:
        more = [] if against is None else ["--against", str(against)]
        terminal.next(["evaluate", str(run), str(qrels), *more, *_cut_typed(k), "--plot", "queries.png"])


def _chart_of_runs(
    runs: list[Any], judged: Any, compared: Comparison | None, run: Path, against: Path | None
) -> Any:
    from penchant.metrics import evaluate_run
    from penchant.plots import query_values_chart

    if compared is None or against is None:
        found = evaluate_run(runs[0], judged)
        title = f"Average precision of {run.name} in each query"
        return query_values_chart(
            found.queries, found.values["map"], metric="average precision", title=title,
            subtitle=f"MAP {found['map']:.4f}, the dashed line",
        )  # fmt: skip
    first, second = (evaluate_run(each, judged, complete=True) for each in runs)
    apart = first.values["map"] - second.values["map"]
    heading = _heading(compared.differences[0], run, against)
    return query_values_chart(first.queries, apart, **heading)


def _heading(difference: Difference, model: Path, against: Path) -> dict[str, str]:
    return {
        "metric": f"difference in {difference.metric}",
        "title": f"{model.name} less {against.name}, query by query",
        "subtitle": f"better in {difference.better:,} and worse in {difference.worse:,} of {difference.queries:,} "
        f"queries; mean {difference.difference:+.4f}, the dashed line",
    }


def _say_compared(
    terminal: Terminal, compared: Comparison | None, model: Path, against: Path | None, level: float
) -> None:
    if compared is None or against is None:
        return
    terminal.say(
        f"{model.name} − {against.name}, with {100 * level:g} % intervals and p-values of the randomisation test:"
    )
    for row in compared.differences:
        terminal.say(
            f"{row.metric:<12}{row.difference:+.4f} [{row.low:+.4f}, {row.high:+.4f}]  p = {row.p_randomisation:.4f}  "
            f"(better in {row.better:,}, worse in {row.worse:,} of {row.queries:,} queries)"
        )


def _as_json(compared: Comparison | None) -> dict[str, Any]:
    return {} if compared is None else {"differences": [vars(row) for row in compared.differences]}


def _shares(pairs: Any) -> str:
    """Return the shares of pairs in the right order, with equal scores, and in the wrong order."""
    shares = (
        f"{percent(getattr(pairs, name) / pairs.n_pairs, 1)} {name}" for name in ("correct", "tied", "wrong")
    )
    return f"{'pairs':<10}{', '.join(shares)}  ({counted(pairs.n_pairs, 'pair')})"


def _scores(ranker: Any, path: Path, documents: Documents, file: Path) -> Any:
    """Return a score for each document, of a saved model or from a file."""
    from penchant.rankers.ranker import ranking_scores

    if not _holds_text(path):
        model = loaded_ranker(path) if ranker is None else ranker
        return ranking_scores(model, features_for(model, documents, file), documents.qid)
    return _read_scores(path, len(documents.grades), file)


def _read_scores(path: Path, n_rows: int, file: Path) -> Any:
    import numpy as np

    from penchant.formats.parsing.comparisons import number
    from penchant.formats.parsing.source import Source

    scores = []
    with Source.of(path, limits(), step_done).open_text() as lines:
        for place, line in enumerate(lines, 1):
            value = number(line.strip())
            if np.isnan(value) and line.strip():
                raise InvalidInput(
                    f"{path}:{place}: a line must be one score, a number, got {line.strip()[:60]!r}: "
                    "give a file with a score a line, a model that penchant fit saved, or a TREC run"
                )
            if line.strip():
                scores.append(value)
    if len(scores) != n_rows:
        raise InvalidInput(
            f"{path} must have a score for each of the {counted(n_rows, 'document')} of {file}, got {len(scores):,}: "
            "score the same documents, in their order"
        )
    return np.array(scores)


def _holds_text(path: Path) -> bool:
    """Whether a file is no saved model, which is a zip; one that is not there is reported by its reader."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(2) != _ZIP


def _are_runs(model: Path, file: Path) -> bool:
    """Whether a text and the file to measure it with are a run and judgements; one of them is enough."""
    from penchant.formats.trec import looks_like_qrels, looks_like_run

    if looks_like_run(model, limits=limits()) or looks_like_qrels(file, limits=limits()):
        return True
    if looks_like_run(file, limits=limits()):
        raise InvalidInput(
            f"FILE must hold judgements or graded documents, got a run in {file}: give the run first"
        )
    return False
