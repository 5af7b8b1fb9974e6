"""Reports about a coactive study: weights, progress, who wins, reasons and checks."""

from __future__ import annotations

from typing import Any

from penchant.checks import shown, whole
from penchant.coactive import (
    Interleaving,
    NamedLearner,
    Progress,
    ProgressTracker,
    WeightReport,
    click_figures,
    order_regret,
)
from penchant.coactive.explaining import ScoreDifference
from penchant.counts import counted
from penchant.errors import InvalidInput, UnknownItem
from penchant.study.coactive.contexts import read_context
from penchant.study.coactive.features import Matrices
from penchant.study.coactive.history import described_presentation
from penchant.study.coactive.interleaving import outcome
from penchant.study.coactive.learning import Models
from penchant.study.coactive.loop import CoactiveLoop
from penchant.study.coactive.presentations import Presentation, Shown
from penchant.study.coactive.state import State
from penchant.study.coactive.users import UserActivity
from penchant.study.folding import NAME as FOLD
from penchant.study.history import in_words, recent_events
from penchant.study.why import Why
from penchant.study_reports import Check, Checks, Entry


class CoactiveReports(CoactiveLoop):
    """The methods of `CoactiveStudy` that report and change nothing."""

    def weights(self, user: str | None = None) -> dict[str, float]:
        """Return the weight of each feature in the next order, of the shared model or of a user's own.

        A user without feedback has the shared weights. With ``scaling`` they are those of the scaled features.
        """
        with self._lock:
            self._current()
            return self._models.weights(None if user is None else self._existing_key(user))

    def learner(self, user: str | None = None) -> NamedLearner:
        """Return a copy of the shared model or of a user's own, which can be saved, and learn elsewhere."""
        with self._lock:
            self._follow()
            return self._models.model(None if user is None else self._existing_key(user)).copy()

    def progress(self) -> str:
        """Return a sentence about the presentations and the feedback so far."""
        with self._lock:
            self._catch_up()
            state = self._state
            answered = sum(map(_is_answered, state.presentations.values()))
            return (
                f"{counted(len(state.presentations), 'presentation')}, {answered:,} with feedback; "
                f"{counted(state.n_rounds, 'round')} learned"
            )

    @property
    def n_presentations(self) -> int:
        """The number of presentations."""
        with self._lock:
            self._catch_up()
            return len(self._state.presentations)

    @property
    def n_rounds(self) -> int:
        """The number of rounds that were learned: feedback that counts and improved an order."""
        with self._lock:
            self._catch_up()
            return self._state.n_rounds

    @property
    def users(self) -> tuple[str, ...]:
        """The names of the users to whom something was presented and who were not forgotten."""
        with self._lock:
            self._current()
            return tuple(name for key, name in self._named_users().items() if key in self._state.by_user)

    def user_activity(self) -> tuple[UserActivity, ...]:
        """Return what was presented to each user who was not forgotten, and given, the most presentations first."""
        with self._lock:
            self._current()
            names = self._named_users()
            found = [UserActivity.of(names[key], shown) for key, shown in self._state.by_user.items()]
        return tuple(sorted(found, key=lambda activity: -activity.presentations))

    def interleaving(self, *, level: float = 0.95) -> Interleaving:
        """Return how often the learned order won against the one that it was interleaved with.

        A presentation counts once it has feedback. The interval may be looked at any time; its level is proven where
        the result of a presentation stays as it was first counted, which later clicks on it can change. Where the two
        orders put the same candidate next, a coin says whose it is: orders that are the same win equally often. No
        theorem about regret is claimed for interleaved rounds.
        """
        with self._lock:
            self._catch_up()
            found = [outcome(presented) for presented in self._state.presentations.values()]
        wins, losses, ties = (found.count(result) for result in (1, -1, 0))
        return Interleaving.of(wins, losses, ties, level=level)

    def history(self, *, before: int | None = None, limit: int = 50) -> list[Entry]:
        """Return the last ``limit`` events (before that of number ``before``) in words, the newest first."""
        found = recent_events(self._log, before, limit)
        with self._lock:
            self._current()
            state, names = self._state, self._named_users()
            return in_words(found, lambda event: described_presentation(state, names, event))

    def weight_report(self) -> WeightReport:
        """Return the shared weights with how steady they are, and how far their direction has turned."""
        with self._lock:
            self._current()
            shared = self._models.shared
            return self._models.steadiness.report(shared.names, shared.vector)

    def learning_curve(self) -> Progress:
        """Return the figures of the presentations with feedback, each made before it was learned from.

        They are the share of those whose first place was clicked or left, NDCG by the clicks, and where a whole order
        was given, by how much it is better than the presented one. All presentations count, also those that were
        interleaved, whose first place may be the other order's, and those that were not learned from.
        """
        with self._lock:
            self._catch_up()
            standing = [found for found in self._state.presentations.values() if _is_answered(found)]
            standing.sort(key=lambda found: found.given[0].number)
            tracker = ProgressTracker()
            for found in standing:
                tracker.add(**_figures(found))
        return tracker.progress()

    def why(self, a: str, b: str, context: Any = None, *, user: str | None = None, most: int = 10) -> Why:
        """Explain why candidate ``a`` stands above or below ``b`` by what is learned now.

        Parameters
        ----------
        a, b : str
            Ids.
        context : Presentation, its id, or a context as in `present`, optional
            Where the two are candidates; default: they are items of the study.
        user : str, optional
            By whose model; default: the shared one.
        most : int
            How many features are named; the others are added up in one more.
        """
        whole("most", most, 1)
        with self._lock:
            self._current()
            key = None if user is None else self._existing_key(user)
            ids, X = self._context(context, a, b)
            places = {id: place for place, id in enumerate(ids)}
            for name, id in (("a", a), ("b", b)):
                if id not in places:
                    raise UnknownItem.of(name, "be a candidate of the context", shown(id), "give one of them")
            difference: ScoreDifference = self._models.model(key).why(X, places[a], places[b])
        parts = list(difference.contributions)
        if len(parts) > most:
            rest = sum(value for _, value in parts[most:])
            parts = [*parts[:most], (f"{len(parts) - most} others", rest)]
        titles = [self._state.items[id].title if id in self._state.items else id for id in (a, b)]
        return Why(a, b, difference.difference, 0.0, (), (), tuple(parts), (titles[0], titles[1]))

    def _context(self, context: Any, a: str, b: str) -> tuple[Any, Any]:
        if isinstance(context, Presentation | str):
            found = self._presented(context.id if isinstance(context, Presentation) else context)
            ids = self._matrices.candidates(found.context).ids
            return ids, self._matrices.of_shown(found, self._models.shared)
        if context is None:
            if a == b:
                raise InvalidInput.of("a and b", "be two candidates", "one", "give another")
            context = [a, b]
        candidates = read_context(context, self._state)
        return candidates.ids, self._matrices.of(candidates, self._models.shared)

    def check(self) -> Checks:
        """Fold the log anew, from the checkpoint where something was erased, and compare it with the running study."""
        with self._lock:
            self._current()
            number, found = self._state.number, _facts(self._state, self._models)
            checkpoint = self._log.side.checkpoint()
        state = State()
        for event in self._log.events(upto=number):
            state.apply(event)
        models = Models(state, Matrices(state, self._log.side.context))
        if checkpoint is not None:
            models.load(checkpoint.state)
        models.advance()
        folded = _facts(state, models)
        wrong = [name for name, value in folded.items() if value != found[name]]
        start = "" if checkpoint is None else f" from the checkpoint of event {checkpoint.number:,}"
        if wrong:
            message = (
                f"the running study has other {', '.join(wrong)} than its log: close it and open it again"
            )
        else:
            message = f"state and models are those of {number:,} events, folded again{start}"
        return Checks((Check(FOLD, not wrong, None, None, message),))


def _is_answered(found: Shown) -> bool:
    return any(given.standing for given in found.given)


def _figures(found: Shown) -> dict[str, float]:
    """Return the figures of one presentation with feedback."""
    order, clicks = found.order, found.clicks()
    whole_orders = [
        given
        for given in found.given
        if given.standing and given.what == "order" and len(given.value) == found.size
    ]
    figures: dict[str, float] = {}
    if any(given.standing and given.what == "clicked" for given in found.given):
        figures["first"], figures["ndcg"] = click_figures(order, clicks)
    else:
        figures["first"] = float(found.improved()[0] == order[0])
    if whole_orders:
        figures["regret"] = order_regret(order, whole_orders[-1].value)
    return figures


def _facts(state: State, models: Models) -> dict[str, Any]:
    """Return the parts of a state and its models that a fold must give again; later events do not change them."""
    return {
        "settings": dict(state.settings),
        "items": dict(state.items),
        "retired items": list(state.retired),
        "presentations": len(state.presentations),
        "feedback": [given.id for given in state.feedback.values() if given.standing],
        "features": models.shared.names,
        "weights": models.shared.state_row().tobytes(),
        "weights of the baseline": b"" if models.rival is None else models.rival.state_row().tobytes(),
        "users": {key: row.tobytes() for key, row in models.users.items()},
        "rounds without effect": models.unlearned,
        "steadiness": {
            name: value.tobytes() if hasattr(value, "tobytes") else value
            for name, value in models.steadiness.__save_state__().items()
        },
    }
