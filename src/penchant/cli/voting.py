"""What ``penchant rank`` takes for votes: covariates, sides, ties, errors, scales, and boards by category or time."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.checks import one_of
from penchant.cli.command import report
from penchant.cli.inputs import holds_study
from penchant.cli.options import option
from penchant.cli.outputs import PRINTED, print_json, table_csv, write_rows
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, drawn, rows_table
from penchant.counts import counted
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.counts import Count
    from penchant.preferences import Preferences
    from penchant.ranking import Ranking
    from penchant.worth import Boards, Effects

_SCALES = {"log-odds": "log odds", "elo": "elo", "probability": "probability"}

_HALF, _MODEL_TIES = "half", ("unordered", "davidson-luce")

Covariate = Annotated[
    list[str] | None,
    option("COLUMN|A-B", "Adjust for a column or a difference of two, left less right; may be given again."),
]
Side = Annotated[bool, typer.Option("--side", help="Adjust for standing on the left (or playing at home).")]
Errors = Annotated[
    str | None,
    option(
        "auto|model|row|source|judge",
        "What goes together in the errors of bradley-terry and thurstone: judge, for instance, where answers of one "
        "judge are alike; auto unless given.",
    ),
]
Ties = Annotated[
    str | None,
    option(
        "half|unordered|davidson-luce",
        "Count a tie as half a win for each, as Elo ratings do; or, in plackett-luce, as not ranked or as a tie of its "
        "own.",
    ),
]
Scale = Annotated[str | None, option("log-odds|elo|probability", "The scale of the scores.")]
Anchor = Annotated[str | None, option("ITEM=RATING", "The rating of an item, which moves all others.")]
By = Annotated[str | None, option("COLUMN", "One board for each category, and what differs between them.")]
Over = Annotated[
    str | None, option("COLUMN", "One board for each period (dates or numbers), and what changes.")
]
Periods = Annotated[int | None, option("K", "How many periods, with about as many rows each.", min=2)]


@dataclass(frozen=True)
class Voting:
    """The options of votes, as they were typed."""

    covariate: tuple[str, ...] = ()
    side: bool = False
    errors: str | None = None
    ties: str | None = None
    scale: str | None = None
    anchor: str | None = None
    by: str | None = None
    over: str | None = None
    periods: int | None = None

    def check(self, file: StudyPlace, matrix: Path | None) -> None:
        """Reject options that exclude one another, before anything is read."""
        if self.ties is not None:
            one_of("ties", self.ties, (_HALF, *_MODEL_TIES))
        if self.scale is not None:
            one_of("scale", self.scale, tuple(_SCALES))
        if self.by is not None and self.over is not None:
            raise InvalidInput("--by and --over must not both be given, got both: choose one")
        if self.periods is not None and self.over is None:
            raise InvalidInput(
                "--periods must be given with --over, got it alone: name the column of the time"
            )
        if matrix is not None and self.boards:
            raise InvalidInput("--matrix must not be given with boards, got both: rank one category alone")
        columns = {"--by": self.by, "--over": self.over, "--covariate": next(iter(self.covariate), None)}
        for name, typed in columns.items():
            if typed is not None and holds_study(file):
                raise InvalidInput.of(
                    name, "name a column of a file", f"{typed} of a study", "export it first"
                )
        if self.anchor is not None:
            self.pinned()

    @property
    def adjusts(self) -> bool:
        """Whether scores are adjusted for covariates."""
        return bool(self.covariate or self.side)

    @property
    def halves_ties(self) -> bool:
        """Whether a tie counts as half a win for each."""
        return self.ties == _HALF

    @property
    def model_ties(self) -> str | None:
        """How the model reads ties; None where it is not asked to."""
        return None if self.halves_ties else self.ties

    @property
    def boards(self) -> bool:
        """Whether there are several boards."""
        return self.by is not None or self.over is not None

    @property
    def needs_fit(self) -> bool:
        """Whether a study cannot answer by the belief that it has."""
        return bool(self.covariate or self.side or self.errors or self.ties or self.boards)

    @property
    def reads(self) -> dict[str, Any]:
        """What a reader is asked for besides the comparisons."""
        labels = [name for name in (self.by, self.over) if name is not None]
        wanted = {"covariates": list(self.covariate), "labels": labels}
        return {name: columns for name, columns in wanted.items() if columns}

    @property
    def words(self) -> list[str]:
        """Return the options as they were typed."""
        words = [word for text in self.covariate for word in ("--covariate", text)] + ["--side"] * self.side
        for name in ("errors", "ties", "scale", "anchor", "by", "over", "periods"):
            value = getattr(self, name)
            words += [] if value is None else [f"--{name}", str(value)]
        return words

    def fit_options(self, preferences: Preferences) -> dict[str, Any]:
        """Return the arguments of a fit besides the preferences."""
        if not self.adjusts:
            return {}
        return {"covariates": preferences.covariate_names, "side": self.side}

    def pinned(self) -> tuple[str, float] | None:
        """Return the anchor and its rating, None where there is none."""
        if self.anchor is None:
            return None
        item, equals, rating = self.anchor.rpartition("=")
        try:
            if not equals:
                raise ValueError
            return item, float(rating)
        except ValueError:
            raise InvalidInput.of(
                "anchor", "be ITEM=RATING", repr(self.anchor), "give for instance gpt=1000"
            ) from None

    def scaled(self, result: Any) -> Any:
        """Return a ranking or boards on the scale that was asked for."""
        if self.scale is None and self.anchor is None:
            return result
        if getattr(result, "overall", result).scale != _SCALES["log-odds"]:
            raise InvalidInput.of(
                "--anchor" if self.scale is None else "--scale",
                "be given for a model whose scores are log odds",
                "one with a scale of its own",
                "give bradley-terry, plackett-luce or win-rate as --model",
            )
        return result.on_scale(_SCALES[self.scale or "log-odds"], anchor=self.pinned())


def with_half_wins(
    preferences: Preferences, labels: Any, *, mark_rows: bool = False
) -> tuple[Preferences, dict[str, Any], str]:
    """Return preferences with ties as half wins, the labels of their rows, and a line that says so.

    Where ``mark_rows``, the source of each row is the row that it was before, so that two halves go together.
    """
    import numpy as np

    halved = replace(preferences, source=np.arange(len(preferences))).ties_as_half_wins()
    labels = {name: column[halved.source] for name, column in labels.items()}
    source = None if preferences.source is None else preferences.source[halved.source]
    if mark_rows:
        source = halved.source
    return (
        replace(halved, source=source),
        labels,
        half_wins_note(preferences.n_ties),
    )


def half_wins_note(n_ties: Count) -> str:
    """Return the line that says that ties count as half wins."""
    return f"Ties: {counted(n_ties, 'tie')} counted as half a win for each of the two"


def with_unadjusted(rows: list[dict[str, str]], before: Ranking) -> list[dict[str, str]]:
    """Return the rows of a table with the rank that each item has without adjustment."""
    ranks = dict(zip(before.items, before.ranks.tolist(), strict=True))
    return [{**row, "unadjusted rank": str(ranks[row["item"]])} for row in rows]


def about_effects(effects: Effects) -> list[str]:
    """Return what a reader of the table of effects should know."""
    lines = [
        "Scores are those of two items that differ in none of these; an effect is what one unit more adds."
    ]
    if "side" in effects.names:
        lines.append("side: what standing on the left adds")
    return lines


def with_ties_stated(state: str | dict[str, Any]) -> dict[str, Any]:
    """Return JSON, or its text, with the way in which ties were counted."""
    parsed: dict[str, Any] = json.loads(state) if isinstance(state, str) else state
    return {"ties": "half a win each", **parsed}


def adjusted_json(ranking: Ranking, effects: Effects, before: Ranking | None) -> dict[str, Any]:
    """Return the JSON of a ranking with the effects, and the rank and score of each item without adjustment."""
    assert before is not None  # noqa: S101 - for the type checker
    state: dict[str, Any] = json.loads(ranking.to_json())
    places = {item: place for place, item in enumerate(before.items)}
    for row in state["items"]:
        place = places[row["item"]]
        row["unadjusted"] = {"rank": int(before.ranks[place]), "score": float(before.scores[place])}
    columns = effects.to_frame(ranking.level).to_dict(orient="records")
    return state | {"effects": columns}


def boards_of(preferences: Preferences, labels: Any, model: Any, level: float, voting: Voting) -> Boards:
    """Return the boards that were asked for."""
    from penchant.worth import rank_by, rank_over

    fit = voting.fit_options(preferences)
    if voting.over is not None:
        return rank_over(
            preferences, labels[voting.over], periods=voting.periods, model=model, level=level, **fit
        )
    return rank_by(preferences, labels[voting.by], model=model, level=level, **fit)


def without_board(labels: Any, voting: Voting) -> list[str]:
    """Return a line about the rows that are on no board, if there are any."""
    from penchant.counts import counted
    from penchant.worth.periods import is_unlabelled

    return [
        f"Note: {counted(empty, 'row')} without {name} {'is' if empty == 1 else 'are'} on no board"
        for name in (voting.by, voting.over)
        if name is not None and (empty := sum(map(is_unlabelled, labels[name])))
    ]


def show_boards(
    boards: Boards,
    above: list[str],
    warned: list[str],
    *,
    top: int,
    json: bool,
    csv: Path | None,
    plot: Path | None,
    half_ties: bool,
) -> None:
    """Print, write and draw boards as a ranking is printed, written and drawn."""
    from penchant.worth.boards import ALL, TREND

    lines = _written(boards, csv, plot)
    if json or csv == PRINTED:
        if json:
            state = boards.to_json()
            print_json(with_ties_stated(state) if half_ties else state)
        for line in (*above[1:-1], *warned):
            report(line)
        return
    terminal = Terminal()
    terminal.say(*above)
    hidden = terminal.show_fitting(boards.rows(top), always=("item", ALL, TREND))
    if hidden:
        terminal.say(f"… and {counted(hidden, 'more board')}: a wider terminal, --csv or --plot shows them")
    if len(boards.overall) > top:
        terminal.say(f"… and {len(boards.overall) - top:,} more: --top {len(boards.overall)} shows them")
    terminal.say(f"▲ and ▼: surely higher and lower than in {boards.against}", *boards.findings(top))
    if boards.overall_effects is not None:
        terminal.show(rows_table(boards.effect_rows()))
        terminal.say(*about_effects(boards.overall_effects))
    for line in warned:
        report(line)
    terminal.say(*lines)


def _written(boards: Boards, csv: Path | None, plot: Path | None) -> list[str]:
    lines = []
    if csv is not None:
        frame = boards.to_frame().astype(object)
        rows: list[Any] = frame.where(frame.notna(), None).to_dict(orient="records")
        write_rows(csv, table_csv(rows, text=("board", "item")))
        lines.append(f"Table: {csv}")
    if plot is not None:
        from penchant.plots import boards_chart

        lines.append(f"Picture: {drawn(lambda: boards_chart(boards), plot)}")
    return lines
