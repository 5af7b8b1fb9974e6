"""The update rules of the coactive learners, and the loops of whole simulated runs that apply them.

Each rule stands here once, as a plain function of arrays. Learners call it as it is, without loading Numba; `loops`
compiles the runs of `penchant.simulate`, which call the same functions. Rules and loops share a file because Numba's
cache only notices changes in the file of the compiled function. Callers have checked every argument.

Rankings: one pass over a query's documents scores them, and the documents of the two rankings, which are then in the
processor's cache, move the weights. Items: a step of the weights by x_ȳ − x_y changes all scores by the difference of
two rows of the Gram matrix. All rows of a query are scored with the same instructions, so that equal rows tie exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from penchant.checks import Floats, Ints

PERCEPTRON, CONVEX, EXPONENTIATED, SECOND_ORDER = range(4)
STRICT, BETTER, BEST = range(3)
REFRESH = 256  # rounds after which the scores of items are computed anew
TOLERANCE = 1e-12
"""By how much rounding may miss the condition of an α-informative user, eqs. 5 and 7."""

Function = TypeVar("Function", bound=Callable[..., Any])
_COMPILED: dict[Callable[..., Any], bool] = {}


def also_compiled(function: Function) -> Function:
    """Return ``function`` as it is; `loops` compiles it as well."""
    _COMPILED[function] = False
    return function


def also_reassociated(function: Function) -> Function:
    """Do as `also_compiled`; compiled, sums may be added in any order, several entries at once."""
    _COMPILED[function] = True
    return function


# -- update rules --------------------------------------------------------------------------------------------


@also_compiled
def perceptron_weights(weights: Floats, correction: Floats, remembered: float) -> Floats:
    """Return the weights of Algorithms 1 and 2 after a correction, of which ``remembered`` 1 forgets nothing."""
    return weights + correction if remembered == 1.0 else remembered * weights + correction


@also_reassociated
def norm(weights: Floats) -> float:
    """Return ‖w‖, summed in the same order whatever the number of threads; infinite where it cannot be held."""
    return float(np.sqrt(np.square(weights).sum()))


@also_compiled
def on_ball(weights: Floats, radius: float) -> Floats:
    """Return the vector of norm at most ``radius`` nearest to ``weights``; NaN where their norm cannot be held."""
    length = norm(weights)
    return weights if length <= radius else weights * (radius / length if length < np.inf else np.nan)


@also_compiled
def convex_weights(weights: Floats, difference: Floats, t: int, radius: float) -> Floats:
    """Return the weights of Algorithm 5 after round ``t``, from 0."""
    return on_ball(weights + 1 / np.sqrt(t + 1) * difference, radius)


@also_compiled
def exponentiated_rate(bound: float, rounds: int) -> float:
    """Return η of Algorithm 4: ``rounds`` is the horizon, or the number of the round where there is none."""
    return float(1 / (2 * bound * np.sqrt(rounds)))


@also_reassociated
def exponentiated_logs(logs: Floats, difference: Floats, rate: float) -> Floats:
    """Return the logarithms of Algorithm 4's weights; two for each feature are the doubled map of eq. 22 and 23."""
    doubled = difference if len(logs) == len(difference) else np.concatenate((difference, -difference))
    moved: Floats = logs + rate * doubled
    most = moved.max()
    return np.asarray(moved - (most + np.log(np.exp(moved - most).sum())))


@also_compiled
def exponentiated_weights(logs: Floats, n_features: int) -> Floats:
    """Return w from its logarithms: as they are, or w⁺ − w⁻ of the doubled map."""
    weights = np.exp(logs)
    return weights if len(logs) == n_features else weights[:n_features] - weights[n_features:]


@also_reassociated
def second_order_step(
    weights: Floats, difference: Floats, pull: Floats, gamma: float
) -> tuple[Floats, Floats, float]:
    """Return the weights of Algorithm 6 before projection, the v with Aₜ⁻¹ = A⁻¹ − vvᵀ, and the growth of A.

    ``pull`` is A⁻¹d of the difference d. By Sherman and Morrison Aₜ⁻¹ = A⁻¹ − γ/growth · (A⁻¹d)(A⁻¹d)ᵀ with
    growth = 1 + γdᵀA⁻¹d, hence Aₜ⁻¹d = A⁻¹d / growth.
    """
    growth = 1.0 + gamma * float((difference * pull).sum())
    return weights + pull / growth, np.sqrt(gamma / growth) * pull, growth


# -- learners in compiled runs -------------------------------------------------------------------------------


class LearnerState(NamedTuple):
    """A learner's rule and state.

    ``settings`` are the batch, the radius, bound and horizon (0: none), or radius and γ. ``memory`` has two dimensions:
    logarithms of weights, or A⁻¹.
    """

    rule: int
    settings: Floats
    weights: Floats
    memory: Floats

    def copy(self) -> LearnerState:
        """Return a state that can be moved without moving this one."""
        return self._replace(weights=self.weights.copy(), memory=self.memory.copy())


@also_compiled
def end_batch(t: int, batch: float, waiting: Floats, weights: Floats) -> bool:
    """Apply the waiting corrections of a perceptron if round ``t``, from 0, ends a batch; return whether it does."""
    ended = (t + 1) % int(batch) == 0
    if ended:
        assign(perceptron_weights(weights, waiting, 1.0), weights)
        waiting.fill(0.0)
    return ended


@also_compiled
def learn(t: int, difference: Floats, learner: LearnerState, pulls: Floats) -> bool:
    """Move the weights of another learner after round ``t``, from 0; return whether the run can go on here."""
    settings, weights, memory = learner.settings, learner.weights, learner.memory
    if learner.rule == SECOND_ORDER:
        return learn_second_order(t, difference, learner, pulls)
    if learner.rule == EXPONENTIATED:
        rate = exponentiated_rate(settings[0], int(settings[1]) if settings[1] > 0 else t + 1)
        assign(exponentiated_logs(memory[0], difference, rate), memory[0])
        assign(exponentiated_weights(memory[0], len(weights)), weights)
    else:
        assign(convex_weights(weights, difference, t, settings[0]), weights)
    return all_finite(weights)


@also_compiled
def learn_second_order(t: int, difference: Floats, learner: LearnerState, pulls: Floats) -> bool:
    """Apply Algorithm 6 up to the projection; return whether none is needed and all numbers could be held.

    The squares to be subtracted from A⁻¹ wait in ``pulls`` and are subtracted together, which reads and writes the
    matrix once for many rounds.
    """
    radius, gamma = learner.settings[0], learner.settings[1]
    weights, inverse = learner.weights, learner.memory
    count = t % len(pulls)
    pull = pulls[count]
    score_rows(inverse, difference, pull)
    for past in range(count):
        add_row(-product(pulls[past], difference), pulls, past, pull)
    moved, square, growth = second_order_step(weights, difference, pull, gamma)
    assign(moved, weights)
    assign(square, pull)
    if count == len(pulls) - 1:
        subtract_squares(inverse, pulls)
    return growth < np.inf and product(weights, weights) <= radius * radius


@also_compiled
def subtract_squares(matrix: Floats, vectors: Floats) -> None:
    """Subtract Σ v vᵀ from a matrix, four vectors at a time."""
    for row in range(len(matrix)):
        for first in range(0, len(vectors), 4):
            a, b = vectors[first, row], vectors[first + 1, row]
            c, d = vectors[first + 2, row], vectors[first + 3, row]
            for column in range(len(matrix)):
                matrix[row, column] -= (a * vectors[first, column] + b * vectors[first + 1, column]) + (
                    c * vectors[first + 2, column] + d * vectors[first + 3, column]
                )


# -- sums ----------------------------------------------------------------------------------------------------


@also_reassociated
def score_rows(rows: Floats, weights: Floats, scores: Floats) -> None:
    """Write wᵀx of each row into ``scores``, four rows at a time.

    The last four overlap the ones before them, so that no row is summed in another way than its neighbours.
    """
    n, n_features = rows.shape
    for row in range(n if n < 4 else 0):
        total = 0.0
        for feature in range(n_features):
            total += rows[row, feature] * weights[feature]
        scores[row] = total
    for block in range(0, n if n >= 4 else 0, 4):
        row = min(block, n - 4)
        a = b = c = d = 0.0
        for feature in range(n_features):
            weight = weights[feature]
            a += rows[row, feature] * weight
            b += rows[row + 1, feature] * weight
            c += rows[row + 2, feature] * weight
            d += rows[row + 3, feature] * weight
        scores[row], scores[row + 1], scores[row + 2], scores[row + 3] = a, b, c, d


@also_reassociated
def all_finite(values: Floats) -> bool:
    """Return whether no value is infinite or NaN."""
    total = 0.0
    for place in range(len(values)):
        total += 0.0 * values[place]
    return total == 0.0


@also_reassociated
def product(first: Floats, second: Floats) -> float:
    """Return the inner product of two vectors."""
    total = 0.0
    for place in range(len(first)):
        total += first[place] * second[place]
    return total


@also_compiled
def assign(values: Floats, into: Floats) -> None:
    """Write one vector over another; a slice takes longer to compile."""
    for place in range(len(values)):
        into[place] = values[place]


@also_compiled
def add_row(factor: float, rows: Floats, row: int, into: Floats) -> None:
    """Add a multiple of a row to a vector; a slice would count references in every round."""
    for place in range(len(into)):
        into[place] += factor * rows[row, place]


@also_compiled
def largest(scores: Floats) -> int:
    """Return the place of the largest score, the first of several."""
    best, most = 0, scores[0]
    for place in range(1, len(scores)):
        if scores[place] > most:
            best, most = place, scores[place]
    return best


@also_compiled
def discounted(values: Floats, top: Ints, discounts: Floats) -> float:
    """Return the discounted values of ``top``."""
    total = 0.0
    for place in range(len(top)):
        total += values[top[place]] * discounts[place]
    return total


@also_compiled
def good_enough(reached: float, best: float, alpha: float) -> float:
    """Return the lowest utility that a strictly α-informative answer may have, eq. 5.

    Rounding may not lift it over the best, which could then never be reached.
    """
    return min(reached + alpha * (best - reached), best) - TOLERANCE


@also_compiled
def random_mass(answered: float, by_chance: float, wanted: float) -> float:
    """Return the largest p from 0 to 1 with (1 − p)·answered + p·by_chance at least ``wanted``, up to rounding.

    A mean of equal utilities can be a rounding below them: without the tolerance that would decide between 0 and 1.

    Examples
    --------
    >>> random_mass(4.0, 1.0, 2.0), random_mass(4.0, 3.0, 2.0), random_mass(2.0, 1.0, 2.0)
    (0.6666666666666666, 1.0, 0.0)
    """
    if by_chance >= wanted - TOLERANCE * max(1.0, abs(wanted)):
        return 1.0
    return max(0.0, (answered - wanted) / (answered - by_chance)) if answered > by_chance else 0.0


class Lapses(NamedTuple):
    """The random answers of `penchant.simulate.ExpectedUser`, eq. 7; none where ``objects`` has no columns.

    ``objects`` are the tops of drawn rankings, shape (n_rounds, n_objects, places), or numbers in [0, 1) that draw
    items, with one place. ``luck`` are two such numbers for each round.
    """

    alpha: float
    objects: Floats
    luck: Floats


# -- runs over rankings --------------------------------------------------------------------------------------


class Web(NamedTuple):
    """Queries with graded documents, as in `penchant.simulate.WebSearch`."""

    features: Floats
    starts: Ints
    grades: Floats
    utilities: Floats
    best_utilities: Floats
    discounts: Floats


class Rounds(NamedTuple):
    """What a run writes: objects of each round, and three figures, shape (3, n_rounds)."""

    presented: Ints
    feedback: Ints
    reached: Floats


@also_compiled
def put_in(found: int, top: Ints, count: int, values: Floats) -> None:
    """Put a document among the ``count`` most valued seen so far, behind its equals, if there is a place."""
    place = count
    while place > 0 and values[top[place - 1]] < values[found]:
        place -= 1
    if place < len(top):
        for later in range(min(count, len(top) - 1), place, -1):
            top[later] = top[later - 1]
        top[place] = found


@also_compiled
def take_largest(scores: Floats) -> int:
    """Return the place of the largest score, which becomes −∞."""
    found = largest(scores)
    scores[found] = -np.inf
    return found


@also_compiled
def improve(
    scores: Floats,
    user: tuple[Floats, Floats, float, int],
    discounts: Floats,
    presented: Ints,
    feedback: Ints,
) -> None:
    """Write the top of the ranking that a user returns; ``scores`` are those of documents that are not presented.

    The user (utilities, values, wanted, depth) puts the documents of the highest values on top, and goes down the list
    until the utility of the top is ``wanted`` or ``depth`` documents were seen.
    """
    utilities, values, wanted, depth = user
    shown, seen = len(presented), 0
    while seen < min(depth, len(scores)):
        found = presented[seen] if seen < shown else take_largest(scores)
        put_in(found, feedback, min(seen, shown), values)
        seen += 1
        if seen >= shown and wanted < np.inf and discounted(utilities, feedback, discounts) >= wanted:
            break
    for place in range(seen, shown):  # fewer were looked at than there are places
        feedback[place] = presented[place]


@also_compiled
def lapse_on_ranking(
    t: int,
    lapses: Lapses,
    utilities: Floats,
    best: float,
    discounts: Floats,
    presented: Ints,
    feedback: Ints,
) -> None:
    """Replace the answer of round ``t`` by a drawn one as often as it stays α-informative in expectation."""
    n_objects, by_chance = lapses.objects.shape[1], 0.0
    for one in range(n_objects):
        for place in range(len(feedback)):
            by_chance += utilities[int(lapses.objects[t, one, place])] * discounts[place] / n_objects
    reached = discounted(utilities, presented, discounts)
    wanted = reached + lapses.alpha * (best - reached)
    if lapses.luck[t, 0] < random_mass(discounted(utilities, feedback, discounts), by_chance, wanted):
        drawn = int(lapses.luck[t, 1] * n_objects)
        for place in range(len(feedback)):
            feedback[place] = int(lapses.objects[t, drawn, place])


@also_compiled
def add_difference(rows: Floats, presented: Ints, feedback: Ints, discounts: Floats, into: Floats) -> None:
    """Add φ(x, feedback) − φ(x, presented) to ``into``, one pass for each document whose place changed."""
    for place in range(len(feedback)):
        gain = discounts[place]
        for before in range(len(presented)):
            if presented[before] == feedback[place]:
                gain -= discounts[before]
        if gain != 0.0:
            add_row(gain, rows, feedback[place], into)
    for place in range(len(presented)):
        if presented[place] not in feedback:
            add_row(-discounts[place], rows, presented[place], into)


@also_compiled
def play_rankings(
    web: Web,
    queries: Ints,
    user: tuple[float, int, Lapses],
    learner: LearnerState,
    pulls: Floats | None,
    rounds: Rounds,
) -> bool:
    """Play one run; write presented and feedback's utility and presented DCG. Return whether it came to its end.

    The user is α, how many documents are looked at, and lapses: with an α above 0 strict, with 0 one who goes by
    grades. The learner is moved; without ``pulls`` it is a perceptron, and no other rule is compiled. What stands
    behind the last document of a short list is left as it is.
    """
    features, starts, grades, utilities, best_utilities, discounts = web
    alpha, depth, lapses = user
    longest = 0
    for query in range(len(best_utilities)):
        longest = max(longest, starts[query + 1] - starts[query])
    all_scores, weights = np.empty(longest), learner.weights
    correction = np.zeros(len(weights))
    for t in range(len(queries)):
        first, last = starts[queries[t]], starts[queries[t] + 1]
        rows, worth, labels = features[first:last], utilities[first:last], grades[first:last]
        scores, shown = all_scores[: last - first], min(len(discounts), last - first)
        score_rows(rows, weights, scores)
        if not all_finite(scores):
            return False
        presented, feedback = rounds.presented[t, :shown], rounds.feedback[t, :shown]
        for place in range(shown):
            presented[place] = take_largest(scores)
        reached = discounted(worth, presented, discounts)
        wanted = good_enough(reached, best_utilities[queries[t]], alpha) if alpha > 0.0 else np.inf
        answering = (worth, worth if alpha > 0.0 else labels, wanted, depth)
        improve(scores, answering, discounts, presented, feedback)
        if lapses.objects.shape[1] > 0:
            lapse_on_ranking(t, lapses, worth, best_utilities[queries[t]], discounts, presented, feedback)
        rounds.reached[0, t] = reached
        rounds.reached[1, t] = discounted(worth, feedback, discounts)
        rounds.reached[2, t] = discounted(labels, presented, discounts)
        add_difference(rows, presented, feedback, discounts, correction)
        if pulls is None:
            end_batch(t, learner.settings[0], correction, weights)
        elif learn(t, correction, learner, pulls):
            correction.fill(0.0)
        else:
            return False
    return all_finite(weights)


# -- runs over items -----------------------------------------------------------------------------------------


class Offer(NamedTuple):
    """Items, as in `penchant.simulate.Movies`, and what one user thinks of them.

    ``by_utility`` is rising. ``members`` are the items by level of rating, which begin at ``level_starts`` and are
    ``counts``; ``left`` is 1 for items on offer, and ``jumps`` lead over those that are gone. All four are moved.
    ``gram`` is XXᵀ, or empty where scores are computed anew in every round.
    """

    features: Floats
    gram: Floats
    utilities: Floats
    by_utility: Ints
    levels: Ints
    members: Ints
    level_starts: Ints
    counts: Ints
    left: Ints
    jumps: Ints


@also_compiled
def gram_matrix(X: Floats) -> Floats:
    """Return XXᵀ, each entry with the same instructions."""
    gram = np.empty((len(X), len(X)))
    for row in range(len(X)):
        score_rows(X, X[row], gram[row])
    return gram


@also_compiled
def lowest_from(wanted: float, offer: Offer, top: int) -> int:
    """Return the item left of the lowest utility from ``wanted`` up.

    The last place to look at is ``top``, whose item is left, whatever is wanted.
    """
    utilities, by_utility, left, jumps = offer.utilities, offer.by_utility, offer.left, offer.jumps
    first, last = 0, top
    while first < last:
        middle = (first + last) // 2
        if utilities[by_utility[middle]] < wanted:
            first = middle + 1
        else:
            last = middle
    place = first
    while left[by_utility[place]] == 0:
        place = jumps[place]
    while first < place:
        following = jumps[first]
        jumps[first] = place
        first = following
    return int(by_utility[place])


@also_compiled
def lapse_on_item(t: int, lapses: Lapses, offer: Offer, best: float, shown: int, named: int) -> int:
    """Return the answer of round ``t``: the named item, or a drawn one as `lapse_on_ranking` has it."""
    n_objects, by_chance, n_left = lapses.objects.shape[1], 0.0, 0
    for item in range(len(offer.left)):
        n_left += offer.left[item]
    utilities, answer = offer.utilities, named
    for one in range(n_objects):
        before = int(lapses.objects[t, one, 0] * n_left)
        item = 0
        while before > 0 or offer.left[item] == 0:
            before -= offer.left[item]
            item += 1
        by_chance += utilities[item] / n_objects
        if one == int(lapses.luck[t, 1] * n_objects):
            answer = item
    wanted = utilities[shown] + lapses.alpha * (best - utilities[shown])
    return answer if lapses.luck[t, 0] < random_mass(utilities[named], by_chance, wanted) else named


@also_compiled
def strike(item: int, offer: Offer) -> None:
    """Take an item out of its level's members and close the gap."""
    level = offer.levels[item]
    first, count = offer.level_starts[level], offer.counts[level]
    place = first
    while offer.members[place] != item:
        place += 1
    for later in range(place, first + count - 1):
        offer.members[later] = offer.members[later + 1]
    offer.counts[level] = count - 1


@also_compiled
def step_scores(scores: Floats, gram: Floats, presented: Ints, feedback: Ints) -> None:
    """Move the scores as the weights move by the differences of these rounds."""
    for t in range(len(presented)):
        if presented[t] != feedback[t]:
            better, worse = gram[feedback[t]], gram[presented[t]]
            for item in range(len(scores)):
                scores[item] += better[item] - worse[item]


@also_compiled
def those_left_finite(scores: Floats, left: Ints) -> bool:
    """Return whether no score of an item that is left has become too large to hold."""
    total = 0.0
    for item in range(len(scores)):
        if left[item] == 1:
            total += 0.0 * scores[item]
    return total == 0.0


@also_compiled
def play_items(
    offer: Offer,
    user: tuple[int, float, Floats, Lapses],
    learner: LearnerState,
    pulls: Floats | None,
    rounds: Rounds,
) -> bool:
    """Play one run in which presented and feedback items leave; write the utilities of both and of the best.

    The user is a kind, α, random numbers of each round and lapses. Offer and learner are moved; ``pulls`` are those of
    `play_rankings`. Return whether the run came to its end.
    """
    features, utilities, by_utility, counts = offer.features, offer.utilities, offer.by_utility, offer.counts
    kind, alpha, draws, lapses = user
    n = len(features)
    scores, weights = np.empty(n), learner.weights
    correction = np.zeros(len(weights))
    left = offer.left
    top_level, top, applied = len(counts) - 1, n - 1, 0
    for t in range(len(draws)):
        if pulls is not None or t % REFRESH == 0:
            score_rows(features, weights, scores)
            if not all_finite(scores):
                return False
            for item in range(n):
                if left[item] == 0:
                    scores[item] = -np.inf
        shown = largest(scores)
        while left[by_utility[top]] == 0:
            top -= 1
        while counts[top_level] == 0:
            top_level -= 1
        named, here = shown, utilities[shown]
        if kind == STRICT:
            wanted = good_enough(here, utilities[by_utility[top]], alpha)
            if here < wanted:
                named = lowest_from(wanted, offer, top)
        elif offer.levels[shown] < top_level:
            level = top_level
            if kind == BETTER:
                level = offer.levels[shown] + 1
                while counts[level] == 0:
                    level += 1
            named = offer.members[offer.level_starts[level] + int(draws[t] * counts[level])]
        if lapses.objects.shape[1] > 0:
            named = lapse_on_item(t, lapses, offer, utilities[by_utility[top]], shown, named)
        if not abs(scores[shown]) + abs(scores[named]) < np.inf:
            return False
        rounds.presented[t], rounds.feedback[t] = shown, named
        rounds.reached[0, t], rounds.reached[1, t] = here, utilities[named]
        rounds.reached[2, t] = utilities[by_utility[top]]
        for feature in range(len(correction)):
            correction[feature] += features[named, feature] - features[shown, feature]
        if pulls is None:
            if end_batch(t, learner.settings[0], correction, weights):
                step_scores(
                    scores, offer.gram, rounds.presented[applied : t + 1], rounds.feedback[applied : t + 1]
                )
                applied = t + 1
        elif learn(t, correction, learner, pulls):
            correction.fill(0.0)
        else:
            return False
        for gone in (shown, named):
            if left[gone] == 1:
                strike(gone, offer)
                left[gone], scores[gone] = 0, -np.inf
        if (t + 1) % REFRESH == 0 and not those_left_finite(scores, left):
            return False
    return those_left_finite(scores, left) and all_finite(weights)


class Loops(NamedTuple):
    """The compiled functions."""

    play_rankings: Callable[[Web, Ints, tuple[float, int, Lapses], LearnerState, Floats | None, Rounds], bool]
    play_items: Callable[
        [Offer, tuple[int, float, Floats, Lapses], LearnerState, Floats | None, Rounds], bool
    ]
    gram_matrix: Callable[[Floats], Floats]


@cache
def loops() -> Loops:
    """Load Numba and return the compiled loops."""
    from penchant.compiled import compiled_together

    compiled = compiled_together(globals(), _COMPILED)
    return Loops(compiled["play_rankings"], compiled["play_items"], compiled["gram_matrix"])
