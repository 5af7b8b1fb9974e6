"""Reports about a running study: its judges, its items, its history, its predictions, its reasons and its checks.

Each takes what it needs under the lock of the study and computes without it: questions and answers do not wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penchant.counts import as_counts
from penchant.errors import InvalidInput
from penchant.progress import part
from penchant.study.activity import activities
from penchant.study.answers import Answer
from penchant.study.asking import check_askable
from penchant.study.certainty import compute_points, curve_counts, curve_of, digests_of
from penchant.study.columns import AnswerColumns
from penchant.study.folding import StateCopy, check_fold
from penchant.study.history import (
    CHANGES,
    described_comparison,
    in_words,
    recent_events,
)
from penchant.study.item_report import ItemReport, report_item
from penchant.study.items import Item, item_of
from penchant.study.parts import PartOfStudy
from penchant.study.predictions import Predictions
from penchant.study.quality import check_answers
from penchant.study.race import Race
from penchant.study.replay import LAST, predictions_of, replayed
from penchant.study.settings import MODELS, check_together, model_as_stored
from penchant.study.starting import ModelStart
from penchant.study.upcoming import upcoming
from penchant.study.why import Why, why
from penchant.study_reports import Activity, Certainty, Checks, Entry, Upcoming
from penchant.worth import CrowdBradleyTerry
from penchant.worth.judges import Judges


class Reporting(PartOfStudy):
    """The methods of `Study` that report and change nothing."""

    def why(self, a: str, b: str, *, most: int = 10) -> Why:
        """Explain why item ``a`` stands above or below item ``b``, by the answers, links and features behind that.

        Parameters
        ----------
        a, b : str
            Ids.
        most : int
            How many reasons of each kind are named; the others are added up in one more.
        """
        with self._lock:
            self._catch_up()
            belief = self._current.belief(self._state).copy()
            answers, items = list(self._state.comparisons.answers), dict(self._state.items)
        totals = columns_of(answers, items).totals
        titles = {item.id: item.title for item in items.values()}
        return why(belief, a, b, most=most, titles=titles, totals=totals)

    def outcome_probability(self, a: str, b: str) -> tuple[float, float, float]:
        """Return the probabilities that a judge prefers item ``a``, prefers ``b``, and calls them equal."""
        with self._lock:
            self._catch_up()
            first, second = (item_of(self._state.items, id) for id in (a, b))
            if first.id == second.id:
                raise InvalidInput.of("b", "differ from a", repr(b)[:60], "give another item")
            rows = self._state.rows
            found = self._current.belief(self._state).outcome_probabilities(rows[a], rows[b])
        ahead, behind, tie = (float(value) for value in found)
        return ahead, behind, tie

    def upcoming(self, judge: str = "") -> Upcoming:
        """Return the pair that would be asked next (of ``judge``) and why; nothing is recorded.

        It is the question that `ask` records unless something happens before.
        """
        with self._lock:
            self._catch_up()
            state = self._state
            check_askable(state)
            belief = self._current.belief(state)
            last = [state.code(question) for question in state.asked_last.get(judge, ())]
            pending = state.open.codes(self._clock())
            pair = self._asking.choose(state, belief, judge, pending.joined(last), pending)
            return upcoming(state, belief, pair, connected=self._asking.is_connected(state))

    def certainty(self, *, points: int = 12, seconds: float | None = None) -> Certainty:
        """Return how near the ranking was to its goal after some numbers of answers, at most ``points`` of them.

        The belief is started anew at each, which takes long where there are many items or features. What was computed
        is kept while the study is open: later calls compute what is new.

        Parameters
        ----------
        points : int
        seconds : float, optional
            Begin no other point after so many seconds; ``pending`` says how many are left for later calls.
        """
        with self._lock:
            self._catch_up()
            state, current = self._state, self._current
            settings, answers = dict(state.settings), list(state.comparisons.answers)
            counts = curve_counts(len(answers), len(state.items) - len(state.retired), settings, points)
            digests = digests_of(answers, counts)
            about = (state.version, tuple(state.retired), settings["goal"], settings["top"])
            computed = current.points.get(about, digests)
            missing = [count for count in counts if count not in computed]
            if not missing:
                return curve_of(settings["goal"], computed)
            start, belief = ModelStart.of(state), current.shown(state)
            retired = np.array([state.rows[item] for item in state.retired], dtype=np.int64)
        rows = start.encode(answers)
        found = compute_points(start, rows, retired, settings, missing, current=belief, seconds=seconds)
        with self._lock:
            current.points.keep(about, digests, found)
        return curve_of(settings["goal"], computed | found, len(missing) - len(found))

    def item_report(self, id: str, *, most: int = 20) -> ItemReport:
        """Return whom an item was compared with, its last answers (at most ``most``), and its own history."""
        with self._lock:
            self._catch_up()
            item = item_of(self._state.items, id)
            answers, items = list(self._state.live.answers), dict(self._state.items)
            retired, changes = set(self._state.retired), self._state.item_changes[id][::-1]
        entries = [Entry(*change, "", CHANGES[change.kind]) for change in changes]
        return report_item(
            item, answers, items, retired=retired, number_of=self._number_of, changes=entries, most=most
        )

    def _number_of(self, answer: Answer) -> int:
        """Return the place in the log of the event that brought an answer."""
        event = self._log.get(answer.id.rpartition(":")[0] if answer.imported else answer.id)
        return 0 if event is None else event.number

    def history(self, *, before: int | None = None, limit: int = 50) -> list[Entry]:
        """Return the last ``limit`` events (before that of number ``before``) in words, the newest first."""
        found = recent_events(self._log, before, limit)
        with self._lock:
            self._catch_up()
            state = self._state
            return in_words(found, lambda event: described_comparison(state, event))

    def activity(self) -> tuple[Activity, ...]:
        """Return what each judge did, those who were set aside included, the most answers first."""
        with self._lock:
            self._catch_up()
            state = self._state
            aside, items = dict(state.aside), dict(state.items)
            standing = [answer for answer in state.answers.values() if state.is_standing(answer)]
            scores = self._current.belief(state).mean.copy()
        return activities(standing, columns_of(standing, items), scores, aside)

    def predictions(self, *, last: int | None = LAST, level: float = 0.95) -> Predictions:
        """Return how well the study predicted the last answers, each before it learned it.

        Parameters
        ----------
        last : int or None
            How many answers; None is all, which takes long where there are many.
        level : float
            The level of the intervals of its calibration.
        """
        with self._lock:
            self._catch_up()
            state = self._state
            recorded = self._current.recorded(state)
            start = ModelStart.of(state)
            answers, live = list(state.comparisons.answers), list(state.live.answers)
        if recorded is None:
            recorded = replayed(start.learning(), start.encode(answers), last)
        return predictions_of(recorded.last(last), live, level=level)

    def race(
        self,
        models: Iterable[Any] | Mapping[str, Any] | None = None,
        *,
        last: int | None = LAST,
        level: float = 0.95,
    ) -> Race:
        """Compare models by how well each predicts the last answers, learning them as the study does.

        Parameters
        ----------
        models : iterable or mapping of names, optional
            Models or their names; default: that of the study, and the others that its items allow. The name of the
            study's own model means that model with the settings that it has in the study; a model itself, such as
            ``BradleyTerry()``, has its own settings.
        last : int or None
            How many answers are predicted; the ones before are learned. None is all, which takes long where there are
            many.
        level : float
            The level of the intervals, which hold at any time.
        """
        with self._lock:
            self._catch_up()
            settings, items = dict(self._state.settings), dict(self._state.items)
            answers, live = list(self._state.comparisons.answers), list(self._state.live.answers)
        losses, left_out = {}, 0
        racing = _racing(models, settings, items)
        for place, (name, model) in enumerate(racing.items()):
            check_together({**settings, "model": model})
            start = ModelStart(model, items, settings["features"])
            with part(place, len(racing)):
                found = predictions_of(replayed(start.learning(), start.encode(answers), last), live)
            losses[name], left_out = found.losses, found.both_bad + found.skips
        return Race.of(losses, level=level, left_out=left_out)

    def check(self) -> Checks:
        """Check the answers and the state of the study: each check, whether it passed, failed or lacks data."""
        with self._lock:
            self._catch_up()
            state = self._state
            found = StateCopy.of(state, self._current.belief(state))
            live, items, retired = list(state.live.answers), dict(state.items), set(state.retired)
        fold = check_fold(found, self._log.events())
        return check_answers(columns_of(live, items), retired=retired, fold=fold)

    def judges(self, *, level: float = 0.95, programs: Sequence[str] = ()) -> Judges:
        """Return the reliability and the left bias of each judge whose answers count, least reliable first.

        Parameters
        ----------
        level : float
            The confidence level of what is found, for each judge separately.
        programs : sequence of str
            The judges that are programs: agreement is then that with people alone.
        """
        with self._lock:
            self._catch_up()
            preferences, answers = self._state.preferences(), list(self._state.comparisons.answers)
        found = CrowdBradleyTerry().update(preferences).judges(level=level, programs=programs)
        # "Both bad" is two comparisons with the bar, and one answer.
        given = dict.fromkeys(found.judges, 0.0)
        for answer in answers:
            if answer.question.judge in given:
                given[answer.question.judge] += answer.weight
        whole = all(answer.weight.is_integer() for answer in answers)
        return replace(found, answers=as_counts(np.array(list(given.values())), whole=whole))


def columns_of(answers: Sequence[Answer], items: Mapping[str, Item]) -> AnswerColumns:
    """Return answers as columns; the times and sides of imported ones are as far as they are known."""
    questions = [answer.question for answer in answers]
    return AnswerColumns.of(
        [question.left for question in questions],
        [question.right for question in questions],
        [answer.choice for answer in answers],
        items=items,
        judge=[question.judge for question in questions],
        seconds=[None if answer.imported else answer.time - answer.question.time for answer in answers],
        question=[question.id for question in questions],
        repeats=[question.repeats for question in questions],
        lengths=[len(item.title) + len(item.text) for item in items.values()],
        weight=[answer.weight for answer in answers],
        sides=[answer.sides for answer in answers],
    )


def _racing(models: Any, settings: Mapping[str, Any], items: Mapping[str, Item]) -> dict[str, dict[str, Any]]:
    """Return the models of a race by name, as the log stores models; the study's own name means its own settings."""
    if isinstance(models, str):
        raise InvalidInput.of("models", "be a list of models", repr(models), "put it into a list")
    own: dict[str, Any] = settings["model"]

    def stored_of(model: Any) -> dict[str, Any]:
        return own if isinstance(model, str) and model == own["name"] else model_as_stored(model)

    if models is None:
        return {name: stored_of(name) for name in dict.fromkeys([own["name"], *_usual(settings, items)])}
    if isinstance(models, Mapping):
        return {str(name): stored_of(model) for name, model in models.items()}
    found: dict[str, dict[str, Any]] = {}
    for model in models:
        stored = stored_of(model)
        same = sum(earlier["name"] == stored["name"] for earlier in found.values())
        found[f"{stored['name']} {same + 1}" if same else stored["name"]] = stored
    return found


def _usual(settings: Mapping[str, Any], items: Mapping[str, Item]) -> list[str]:
    """Return the names of the models that need nothing but what the items have."""
    features, links = bool(settings["features"]), any(item.links for item in items.values())
    allowed = {"worth": True, "linked": features or links, "utility": features}
    return [
        name for name, entry in MODELS.items() if allowed[entry.family] and "increasing" not in entry.options
    ]
