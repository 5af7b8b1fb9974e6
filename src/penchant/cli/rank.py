"""``penchant rank``: fit a model of the items' worth, and print and draw the ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.command import kept_warnings, report
from penchant.cli.inputs import files_read, holds_study, read, read_as, unused
from penchant.cli.on_cluster import Dask, fitted_on_cluster, reject_beside_dask
from penchant.cli.options import (
    Csv,
    File,
    Format,
    Json,
    Level,
    Setting,
    Strict,
    made,
    model_option,
    option,
    picture_option,
)
from penchant.cli.outputs import PRINTED, check_outputs, print_json, ranking_csv, write_rows
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, busy, drawn, rows_table, working, working_with
from penchant.cli.voting import (
    Anchor,
    By,
    Covariate,
    Errors,
    Over,
    Periods,
    Scale,
    Side,
    Ties,
    Voting,
    about_effects,
    adjusted_json,
    boards_of,
    half_wins_note,
    show_boards,
    with_half_wins,
    with_ties_stated,
    with_unadjusted,
    without_board,
)
from penchant.counts import counted
from penchant.errors import InvalidInput
from penchant.progress import part
from penchant.registry import find

if TYPE_CHECKING:
    from penchant.counts import Count
    from penchant.formats import Counted, Reading
    from penchant.preferences import Preferences
    from penchant.ranking import Ranking
    from penchant.worth.worth_model import WorthModel

LARGE, PACKED = 2**30, dict.fromkeys((".gz", ".zst", ".parquet"), 2**28)
"""The bytes from which on comparisons are counted, not read, since reading takes several times as much memory."""
_SHOWN = 50
_ASSUMED = {
    "model": "that comparisons are independent of one another",
    "row": "that rows are independent, not the comparisons of one row (sandwich errors, clustered by row)",
    "source": "that pages are independent, not the comparisons of one page (sandwich errors, clustered by page)",
    "judge": "that judges are independent, not the comparisons of one judge (sandwich errors, clustered by judge)",
}

Model = Annotated[
    str | None,
    model_option("worth", "What to fit; chosen by what the rows are unless given.", show_default=False),
]
Prior = Annotated[
    str | None,
    option(
        "PRECISION|learned",
        "The precision of the prior on scores; bradley-terry and thurstone learn it unless given.",
    ),
]
Bootstrap = Annotated[
    int | None,
    option(
        "TIMES",
        "Intervals by the bootstrap: fit so often to rows drawn anew (with --errors judge, to judges).",
        min=20,
    ),
]
Memory = Annotated[
    str | None,
    option(
        "BYTES",
        "Count comparisons in so much memory (2GB) instead of reading FILE, and spill to disk; large files are counted "
        "unless another option needs the rows.",
    ),
]
Top = Annotated[int, typer.Option(min=1, metavar="K", help="How many rows the table shows.")]
Plot = Annotated[Path | None, picture_option("Draw the ranking")]
Matrix = Annotated[Path | None, picture_option("Draw who beats whom")]


def rank(
    file: File,
    columns: Mapping[str, Any],
    model: Model = None,
    level: Level = 0.95,
    prior: Prior = None,
    bootstrap: Bootstrap = None,
    setting: Setting = None,
    top: Top = _SHOWN,
    json: Json = False,
    csv: Csv = None,
    plot: Plot = None,
    matrix: Matrix = None,
    format: Format = None,
    strict: Strict = False,
    covariate: Covariate = None,
    side: Side = False,
    errors: Errors = None,
    ties: Ties = None,
    scale: Scale = None,
    anchor: Anchor = None,
    by: By = None,
    over: Over = None,
    periods: Periods = None,
    memory: Memory = None,
    dask: Dask = None,
) -> None:
    """Rank the items of FILE, with intervals."""
    voting = Voting(tuple(covariate or ()), side, errors, ties, scale, anchor, by, over, periods)
    check_outputs(files_read(file, columns), [csv], [plot, matrix], json=json)
    voting.check(file, matrix)
    if bootstrap is not None and (voting.adjusts or voting.boards):
        remedy = "leave it out, or rank without covariates and boards"
        raise InvalidInput.of("bootstrap", "not be given with covariates or boards", str(bootstrap), remedy)
    if dask is not None:
        kept = {"bootstrap": bootstrap, "covariate": voting.covariate, "side": side, "by": by, "over": over}
        reject_beside_dask(kept | {"ties": voting.halves_ties and ties, "memory": memory})
        options = {
            **columns,
            **({"format": format} if format else {}),
            **({"strict": True} if strict else {}),
        }
        chosen, why = _model(None, model, prior, voting, setting, bootstraps=False)
        with kept_warnings() as warned:
            fitted, n_partitions = fitted_on_cluster(chosen, file, dask, options=options)
            ranking = voting.scaled(fitted.rank(level=level))
        above = [f"{counted(n_partitions, 'partition')} on {dask}", f"Model: {ranking.model}{why}"]
        draw = _picture(ranking, None, None, float(fitted.counts_.sum()) / 2)
        _show(ranking, fitted, above, warned, top, draw, json=json, csv=csv, plot=plot, matrix=matrix)
        return
    typed = (model, prior, bootstrap, setting, format, memory)
    if all(value is None for value in typed) and not voting.needs_fit and holds_study(file):
        _rank_study(file, level, top, json=json, csv=csv, plot=plot, matrix=matrix, voting=voting)
        return
    tallied = None
    is_large = (
        isinstance(file, Path) and file.is_file() and file.stat().st_size >= PACKED.get(file.suffix, LARGE)
    )
    if memory is not None or is_large:
        from penchant.cli.counting import count

        needs_rows = _needs_rows(model, bootstrap, voting)
        tallied = count(file, memory, needs_rows=needs_rows, format=format, strict=strict, columns=columns)
    if tallied is not None:
        chosen, why = _model(None, model, prior, voting, setting, bootstraps=False)
        same = [str(file), *read_as(columns, format)]
        again = ["rank", *same, *_fitted_as(model, prior, None, setting, level), *voting.words]
        again += [] if memory is None else ["--memory", memory]
        # A file that is large would not fit where it is checked, which reads it.
        check = None if is_large else ["check", *same]
        wanted = {"csv": csv, "plot": plot, "matrix": matrix}
        _rank_counts(tallied, chosen, why, level, top, again, check, json=json, voting=voting, **wanted)
        return
    reading = read(file, format=format, strict=strict, columns={**columns, **voting.reads})
    chosen, why = _model(reading, model, prior, voting, setting, bootstraps=bootstrap is not None)
    preferences, labels, notes = reading.preferences, reading.labels, unused(reading)
    whole = preferences  # a tie is drawn as one by the bootstrap
    if voting.boards:
        notes = [*notes, *without_board(labels, voting)]
    halves = voting.halves_ties and not _rates_games(chosen)  # which counts draws so by itself
    if voting.halves_ties:
        # Two halves of a tie are one row; weights, which repeat rows, leave the model's own way.
        marked = halves and voting.errors == "row" and preferences.weight is None
        halved, labels_of_halves, note = with_half_wins(preferences, labels, mark_rows=marked)
        notes = [*notes, note]
        if halves:
            preferences, labels = halved, labels_of_halves
        if marked:
            chosen = type(chosen)(**{**chosen.get_params(deep=False), "errors": "source"})
            notes = [*notes, "The halves of a tie are one row: below, a page is a row of the file"]
    same = [str(file), *read_as(columns, format)]
    again = ["rank", *same, *_fitted_as(model, prior, bootstrap, setting, level), *voting.words]
    if voting.boards:
        with kept_warnings() as warned, working(f"fitting {type(chosen).__name__} to each board"):
            boards = voting.scaled(boards_of(preferences, labels, chosen, level, voting))
        above = [repr(preferences), *notes, f"Model: {boards.overall.model}{why}"]
        show_boards(
            boards, above, warned, top=top, json=json, csv=csv, plot=plot, half_ties=voting.halves_ties
        )
        if not (json or csv == PRINTED):
            Terminal().next([*again, "--plot", "boards.png"] if plot is None else ["check", *same])
        return
    with kept_warnings() as warned, working(f"fitting {type(chosen).__name__}"):
        first = 2 if voting.adjusts else 0  # parts of the work that come before
        before = None
        if voting.adjusts:
            with part(0, 4):
                unadjusted = chosen.fit(preferences)
            with part(1, 4):
                before = voting.scaled(unadjusted.rank(level=level))
        with part(first, first + 2):
            fitted = chosen.fit(preferences, **(voting.fit_options(preferences) if voting.adjusts else {}))
        with part(first + 1, first + 2):
            found = fitted.rank(level=level) if bootstrap is None else None
            effects = fitted.effects_ if voting.adjusts else None
    if found is None:
        found = _bootstrapped(chosen, whole, bootstrap or 0, errors, level, half_ties=halves)
    ranking = voting.scaled(found)
    draw = _picture(ranking, effects, before, preferences.n_answers)
    if json or csv == PRINTED:
        if json:
            state = ranking.to_json() if effects is None else adjusted_json(ranking, effects, before)
            print_json(with_ties_stated(state) if voting.halves_ties else state)
        _write(ranking, fitted, csv, plot, matrix, draw)
        for line in (*notes, *warned):
            report(line)
        return
    terminal = Terminal()
    terminal.say(repr(preferences), *notes, f"Model: {ranking.model}{why}")
    rows = ranking.rows(top)
    terminal.show(rows_table(rows if before is None else with_unadjusted(rows, before)))
    terminal.say(*_below(ranking, fitted if bootstrap is None else None, top))
    if effects is not None:
        terminal.show(rows_table(effects.rows(level)))
        terminal.say(*about_effects(effects))
    for line in warned:
        report(line)
    if csv is not None or plot is not None or matrix is not None:
        terminal.say(*_write(ranking, fitted, csv, plot, matrix, draw))
    doubtful = plot is not None or reading.refusals or warned
    terminal.next(["check", *same] if doubtful else [*again, "--plot", "ranking.png"])


def _needs_rows(model: str | None, bootstrap: int | None, voting: Voting) -> str | None:
    """Return the option among those typed that counts of pairs are not enough for."""
    from penchant.cli.counting import MODELS

    needing = {
        f"--model {model}": model not in MODELS,
        "--bootstrap": bootstrap is not None,
        "--covariate or --side": voting.adjusts,
        "--by or --over": voting.boards,
        f"--errors {voting.errors}": voting.errors not in (None, "auto", "model"),
    }
    return next((name for name, needs in needing.items() if needs), None)


def _rank_counts(
    tallied: Counted,
    chosen: Any,
    why: str,
    level: float,
    top: int,
    again: list[str],
    check: list[str] | None,
    *,
    json: bool,
    csv: Path | None,
    plot: Path | None,
    matrix: Path | None,
    voting: Voting,
) -> None:
    """Rank the items of a file whose comparisons were counted.

    ``again`` is the command that does so, and ``check`` that which looks for what is wrong with the file.
    """
    counts, notes = tallied.counts, unused(tallied)
    if voting.halves_ties:
        ties = counts.outcomes[2]
        notes = [*notes, half_wins_note(int(ties) if ties.is_integer() else ties)]
        counts = counts.ties_as_half_wins()
    with kept_warnings() as warned, working(f"fitting {type(chosen).__name__}"):
        with part(0, 2):
            fitted = chosen.fit(counts)
        with part(1, 2):
            ranking = voting.scaled(fitted.rank(level=level))
    above = [repr(counts), *notes, f"Model: {ranking.model}{why}"]
    draw = _picture(ranking, None, None, counts.n_comparisons)
    if json or csv == PRINTED:
        warned = [*notes, *warned]
    files = {"csv": csv, "plot": plot, "matrix": matrix}
    _show(ranking, fitted, above, warned, top, draw, json=json, half_ties=voting.halves_ties, **files)
    if json or csv == PRINTED:
        return
    if check is not None and (plot is not None or tallied.refusals or warned):
        Terminal().next(check)
    else:
        Terminal().next([*again, *(("--plot", "ranking.png") if plot is None else ("--csv", "ranking.csv"))])


def _show(
    ranking: Ranking,
    fitted: WorthModel,
    above: list[str],
    warned: list[str],
    top: int,
    draw: Callable[[], Any],
    *,
    json: bool,
    csv: Path | None,
    plot: Path | None,
    matrix: Path | None,
    half_ties: bool = False,
) -> None:
    """Print a ranking with lines above and below it, and write the files that were asked for."""
    if json or csv == PRINTED:
        if json:
            print_json(with_ties_stated(ranking.to_json()) if half_ties else ranking.to_json())
        _write(ranking, fitted, csv, plot, matrix, draw)
        for line in warned:
            report(line)
        return
    terminal = Terminal()
    terminal.say(*above)
    terminal.show(rows_table(ranking.rows(top)))
    terminal.say(*_below(ranking, fitted, top))
    for line in warned:
        report(line)
    terminal.say(*_write(ranking, fitted, csv, plot, matrix, draw))


def _rates_games(model: WorthModel) -> bool:
    from penchant.worth.rated import RatedWorth

    return isinstance(model, RatedWorth)


def _fitted_as(
    model: str | None, prior: str | None, bootstrap: int | None, setting: list[str] | None, level: float
) -> list[str]:
    """Return the options with which another command fits the same model."""
    given = {
        "model": model,
        "prior": prior,
        "bootstrap": bootstrap,
        "level": None if level == 0.95 else level,
    }
    words = [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]
    return words + [word for text in setting or () for word in ("--set", text)]


def _picture(ranking: Ranking, effects: Any, before: Ranking | None, n_answers: Count) -> Callable[[], Any]:
    """Return what draws a ranking, or one that is adjusted."""

    def draw() -> Any:
        from penchant.plots import adjusted_chart, ranking_chart

        if effects is None:
            return ranking_chart(ranking, n_answers=n_answers)
        return adjusted_chart(ranking, effects, before)

    return draw


def _rank_study(
    file: StudyPlace,
    level: float,
    top: int,
    *,
    json: bool,
    csv: Path | None,
    plot: Path | None,
    matrix: Path | None,
    voting: Voting,
) -> None:
    """Rank the items of a study by its own belief, from which its questions follow too."""
    from penchant.study import CompareStudy

    with (
        kept_warnings() as warned,
        working_with(f"reading {file.name}", CompareStudy.open, file, write=False) as study,
    ):
        ranking = voting.scaled(study.rank(level=level))
        progress, name = study.progress(), study.settings["model"]["name"]
        fitted = None if matrix is None else study.model()
        settled = None if json or csv == PRINTED else study.settled()
        words = () if json or csv == PRINTED else study.verdict(ranking)
        titles = {item.id: item.title for item in study.items.values()}
        draw = _picture(ranking, None, None, study.preferences().n_answers)
    if json or csv == PRINTED:
        if json:
            print_json(ranking.to_json())
        _write(ranking, fitted, csv, plot, matrix, draw)
        for line in warned:
            report(line)
        return
    terminal = Terminal()
    terminal.say(progress, f"Model: {name}, the study's own (--model takes another)")
    terminal.show(rows_table(_titled(ranking.rows(top), titles)))
    terminal.say(*_below(ranking, fitted, top))
    terminal.say(*words)
    for line in warned:
        report(line)
    terminal.say(*_write(ranking, fitted, csv, plot, matrix, draw))
    first, *others = ranking.items
    enough = settled is not None and settled.enough
    terminal.next(["why", str(file), first, others[0]] if enough else ["compare", str(file)])


def _titled(rows: list[dict[str, str]], titles: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows of a ranking with the titles of the items where these differ from their ids."""
    if all(titles[row["item"]] == row["item"] for row in rows):
        return rows
    return [{"rank": row["rank"], "item": row["item"], "title": titles[row["item"]], **row} for row in rows]


def _bootstrapped(
    model: WorthModel,
    preferences: Preferences,
    times: int,
    errors: str | None,
    level: float,
    *,
    half_ties: bool,
) -> Ranking:
    from penchant.worth import bootstrap

    if errors not in (None, "row", "judge"):
        raise InvalidInput.of("errors", "be row or judge with --bootstrap", repr(errors), "give one of these")
    doing = f"fitting {type(model).__name__} again"
    with busy(doing, steps=True) as show:
        return bootstrap(
            model,
            preferences,
            times=times,
            by=errors or "row",
            level=level,
            half_ties=half_ties,
            progress=lambda done, total: show(doing, done, total),
        )


def _model(
    reading: Reading | None,
    name: str | None,
    prior: str | None,
    voting: Voting,
    setting: list[str] | None,
    *,
    bootstraps: bool,
) -> tuple[Any, str]:
    """Return the model to fit, and the reason for it unless it was asked for, as the end of a sentence.

    Without ``reading`` comparisons were counted, here or on a cluster.
    """
    why = ""
    if name is None:
        several = (
            reading is not None
            and not reading.preferences.statements.only_comparisons
            and _ranks_several(reading.preferences)
        )
        name, about = (
            ("plackett-luce", "are about more than two") if several else ("bradley-terry", "compare two")
        )
        why = f", since rows {about} items (--model takes another)"
    entry = find(name, "worth")
    model: WorthModel = made(entry, setting)
    if voting.adjusts and not hasattr(type(model), "effects_"):
        option_name = "--side" if voting.side else "--covariate"
        raise InvalidInput.of(
            option_name, "be given for bradley-terry or thurstone", name, "give one of these as --model"
        )
    if voting.errors is not None and not bootstraps:
        if "errors" not in model.get_params():
            remedy = "take bradley-terry or thurstone, or give --bootstrap 200"
            raise InvalidInput.of("errors", f"not be given for {name} alone", repr(voting.errors), remedy)
        model.set_params(errors=voting.errors)
    for option_name, value in (("prior", prior), ("ties", voting.model_ties)):
        if value is None:
            continue
        if option_name not in entry.options:
            raise InvalidInput.of(
                option_name, f"not be given for {name}", value, "this model has none, leave it out"
            )
        model.set_params(**{option_name: _precision(value) if option_name == "prior" else value})
    return model, why


def _ranks_several(preferences: Preferences) -> bool:
    """Say whether any row is about more than two items, the bar not counted."""
    import numpy as np

    statements = preferences.statements
    rows = statements.rows
    if preferences.bar is not None:
        rows = rows[statements.members != preferences.bar]
    return bool(np.bincount(rows, minlength=1).max() > 2)


def _precision(typed: str) -> float | str:
    try:
        return float(typed)
    except ValueError:
        return typed  # "learned", or what the model rejects


def _below(ranking: Ranking, fitted: WorthModel | None, top: int) -> list[str]:
    """Return the lines below the table: rows not shown, the bar, and what the intervals assume."""
    lines = []
    n_items = len(ranking.items)
    if n_items > top:
        lines.append(f"… and {n_items - top:,} more: --top {n_items} shows them, --csv keeps them")
    lines += [f"Certain at {100 * ranking.level:g} %: {line}" for line in ranking.certain()]
    lines += ranking.notes()
    errors = getattr(fitted, "errors_", None)
    return lines if errors is None else [*lines, f"Intervals assume {_ASSUMED.get(errors, errors)}"]


def _write(
    ranking: Ranking,
    fitted: WorthModel | None,
    csv: Path | None,
    plot: Path | None,
    matrix: Path | None,
    draw: Callable[[], Any],
) -> list[str]:
    """Write the files that were asked for, and return a line about each."""
    lines = []
    if csv is not None:
        write_rows(csv, ranking_csv(ranking))
        lines.append(f"Table: {csv}")
    if plot is not None or matrix is not None:
        from penchant.plots import win_matrix_chart

        if plot is not None:
            lines.append(f"Picture: {drawn(draw, plot)}")
        if matrix is not None and fitted is not None:
            lines.append(f"Picture: {drawn(lambda: win_matrix_chart(fitted), matrix)}")
    return lines
