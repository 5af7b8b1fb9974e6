"""Whole runs. Queries or items and a learner's start in, what happened out.

Rankings: one pass over a query's documents scores them, and the documents of the two rankings, which are then in
the cache, move the weights. Items: a step of the weights by x_ȳ − x_y changes all scores by the difference of two
rows of the Gram matrix. All rows of a query are scored with the same instructions, so that equal rows tie exactly.
Callers have checked every argument.
"""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats, Ints
from penchant.compiled import compiled, reassociated
from penchant.simulate.user import TOLERANCE

PERCEPTRON, CONVEX, EXPONENTIATED, SECOND_ORDER = range(4)
STRICT, BETTER, BEST = range(3)
REFRESH = 256  # rounds after which scores are computed anew


@reassociated
def score_rows(X: Floats, first: int, last: int, weights: Floats, scores: Floats) -> None:
    """Write wᵀx of the rows from ``first`` to before ``last`` into ``scores``, four rows at a time.

    The last four overlap the ones before them, so that no row is summed in another way than its neighbours.
    """
    n = last - first
    for place in range(n if n < 4 else 0):
        total = 0.0
        for feature in range(X.shape[1]):
            total += X[first + place, feature] * weights[feature]
        scores[place] = total
    for block in range(0, n if n >= 4 else 0, 4):
        place = min(block, n - 4)
        row = first + place
        one = two = three = four = 0.0
        for feature in range(X.shape[1]):
            weight = weights[feature]
            one += X[row, feature] * weight
            two += X[row + 1, feature] * weight
            three += X[row + 2, feature] * weight
            four += X[row + 3, feature] * weight
        scores[place], scores[place + 1], scores[place + 2], scores[place + 3] = one, two, three, four


@compiled
def largest(scores: Floats, n: int) -> int:
    """Return the place of the largest of the first ``n`` scores, the first of several."""
    best, most = 0, scores[0]
    for place in range(1, n):
        if scores[place] > most:
            best, most = place, scores[place]
    return best


@reassociated
def all_finite(scores: Floats, n: int) -> bool:
    """Say whether none of the first ``n`` scores has become too large to hold."""
    total = 0.0
    for place in range(n):
        total += 0.0 * scores[place]
    return total == 0.0


@compiled
def good_enough(reached: float, best: float, alpha: float) -> float:
    """Return what `penchant.simulate.user.good_enough` does."""
    return min(reached + alpha * (best - reached), best) - TOLERANCE


@compiled
def discounted(values: Floats, top: Ints, count: int, discounts: Floats) -> float:
    """Return the discounted values of the first ``count`` of ``top``."""
    total = 0.0
    for place in range(count):
        total += values[top[place]] * discounts[place]
    return total


@compiled
def put_in(found: int, top: Ints, count: int, places: int, values: Floats) -> None:
    """Put a document among the ``count`` most valued seen so far, behind its equals, if there is a place."""
    place = count
    while place > 0 and values[top[place - 1]] < values[found]:
        place -= 1
    if place < places:
        for later in range(min(count, places - 1), place, -1):
            top[later] = top[later - 1]
        top[place] = found


@compiled
def answer_ranking(
    scores: Floats,
    n: int,
    utilities: Floats,
    values: Floats,
    best_utility: float,
    alpha: float,
    depth: int,
    discounts: Floats,
    presented: Ints,
    feedback: Ints,
) -> None:
    """Write the top of the presented ranking and that of the feedback; ``scores`` are used up.

    With an ``alpha`` above 0 the user is strict and ``values`` are the utilities; with 0 they are labels, seen to
    ``depth``.
    """
    shown = min(len(discounts), n)
    for place in range(shown):
        presented[place] = largest(scores, n)
        scores[presented[place]] = -np.inf
    reached = discounted(utilities, presented, shown, discounts)
    wanted = good_enough(reached, best_utility, alpha)
    seen = 0
    while seen < min(depth, n):
        if seen < shown:
            found = presented[seen]
        else:
            found = largest(scores, n)
            scores[found] = -np.inf
        put_in(found, feedback, min(seen, shown), shown, values)
        seen += 1
        if alpha > 0.0 and seen >= shown and discounted(utilities, feedback, shown, discounts) >= wanted:
            break
    for place in range(seen, shown):  # fewer were looked at than there are places
        feedback[place] = presented[place]


@compiled
def add_difference(
    X: Floats, first: int, presented: Ints, feedback: Ints, shown: int, discounts: Floats, into: Floats
) -> None:
    """Add φ(x, feedback) − φ(x, presented) to ``into``, one pass for each document whose place changed."""
    for place in range(shown):
        row, gain = feedback[place], discounts[place]
        for other in range(shown):
            if presented[other] == row:
                gain -= discounts[other]
        if gain != 0.0:
            for feature in range(X.shape[1]):
                into[feature] += gain * X[first + row, feature]
    for place in range(shown):
        row = presented[place]
        if row not in feedback[:shown]:
            for feature in range(X.shape[1]):
                into[feature] -= discounts[place] * X[first + row, feature]


@reassociated
def product(one: Floats, other: Floats) -> float:
    """Return the inner product of two vectors."""
    total = 0.0
    for place in range(len(one)):
        total += one[place] * other[place]
    return total


@compiled
def add(factor: float, vector: Floats, into: Floats) -> None:
    """Add a multiple of one vector to another."""
    for place in range(len(vector)):
        into[place] += factor * vector[place]


@compiled
def learn_exponentiated(
    t: int, difference: Floats, weights: Floats, logs: Floats, bound: float, horizon: float
) -> None:
    """Algorithm 4 on logarithms; two rows of them are the doubled map of eq. 22 and 23."""
    rate = 1 / (2 * bound * np.sqrt(horizon if horizon > 0 else t + 1.0))
    most = -np.inf
    for side in range(len(logs)):
        add(rate if side == 0 else -rate, difference, logs[side])
        most = max(most, logs[side, largest(logs[side], len(weights))])
    total = 0.0
    for side in range(len(logs)):
        for feature in range(len(weights)):
            total += np.exp(logs[side, feature] - most)
    shift = most + np.log(total)
    for feature in range(len(weights)):
        weights[feature] = 0.0
        for side in range(len(logs)):
            logs[side, feature] -= shift
            weight = np.exp(logs[side, feature])
            weights[feature] += weight if side == 0 else -weight


@compiled
def learn_second_order(
    t: int, difference: Floats, weights: Floats, inverse: Floats, pulls: Floats, radius: float, gamma: float
) -> bool:
    """Algorithm 6 up to the projection; say whether none is needed and all could be held.

    The squares that Sherman and Morrison subtract from A⁻¹ wait in ``pulls`` and are subtracted together, which
    reads and writes the matrix once for many rounds.
    """
    n, count = len(weights), t % len(pulls)
    pull = pulls[count]
    score_rows(inverse, 0, n, difference, pull)
    for past in range(count):
        add(-product(pulls[past], difference), pulls[past], pull)
    growth = 1.0 + gamma * product(difference, pull)
    add(1.0 / growth, pull, weights)
    root = np.sqrt(gamma / growth)
    for feature in range(n):
        pull[feature] *= root
    if count == len(pulls) - 1:
        subtract_squares(inverse, pulls)
    return growth < np.inf and product(weights, weights) <= radius * radius


@compiled
def subtract_squares(matrix: Floats, vectors: Floats) -> None:
    """Subtract Σ v vᵀ from a matrix, four vectors at a time."""
    for row in range(len(matrix)):
        for one in range(0, len(vectors), 4):
            a, b = vectors[one, row], vectors[one + 1, row]
            c, d = vectors[one + 2, row], vectors[one + 3, row]
            for column in range(len(matrix)):
                matrix[row, column] -= (a * vectors[one, column] + b * vectors[one + 1, column]) + (
                    c * vectors[one + 2, column] + d * vectors[one + 3, column]
                )


@compiled
def learn(
    rule: int, settings: Floats, t: int, difference: Floats, weights: Floats, memory: Floats, pulls: Floats
) -> bool:
    """Move the weights after round ``t``, from 0; say whether the run can go on here."""
    if rule == EXPONENTIATED:
        learn_exponentiated(t, difference, weights, memory, settings[0], settings[1])
    elif rule == SECOND_ORDER:
        return learn_second_order(t, difference, weights, memory, pulls, settings[0], settings[1])
    else:
        add(1 / np.sqrt(t + 1.0), difference, weights)
        norm = np.sqrt(product(weights, weights))
        if norm > settings[0]:
            add(settings[0] / norm - 1.0, weights, weights)
        return bool(norm < np.inf)
    return True


@compiled
def end_batch(t: int, batch: int, gathered: Floats, weights: Floats) -> None:
    """Apply what has been gathered if round ``t``, from 0, ends a batch."""
    if (t + 1) % batch == 0:
        for feature in range(len(weights)):
            weights[feature] = gathered[feature]


@compiled
def play_rankings(
    X: Floats,
    starts: Ints,
    queries: Ints,
    utilities: Floats,
    grades: Floats,
    best_utilities: Floats,
    discounts: Floats,
    alpha: float,
    depth: int,
    rule: int,
    settings: Floats,
    weights: Floats,
    memory: Floats,
    pulls: Floats | None,
    scores: Floats,
    presented: Ints,
    feedback: Ints,
    reached: Floats,
) -> bool:
    """Play one run; write presented and feedback's utility and presented DCG. Say whether it came to its end.

    ``weights`` and ``memory`` hold the learner's start and are moved; ``scores`` is room for the longest list. What
    stands behind the last document of a short list is left as it is. Without ``pulls`` the rule is the perceptron's,
    and nothing of the others is compiled.
    """
    difference = np.zeros(len(weights))
    batch = int(settings[0])
    into = weights if batch == 1 else memory[0]
    for t in range(len(queries)):
        first, last = starts[queries[t]], starts[queries[t] + 1]
        n = last - first
        shown = min(len(discounts), n)
        score_rows(X, first, last, weights, scores)
        if not all_finite(scores, n):
            return False
        worth, labels = utilities[first:last], grades[first:last]
        values = worth if alpha > 0.0 else labels
        best = best_utilities[queries[t]]
        answer_ranking(scores, n, worth, values, best, alpha, depth, discounts, presented[t], feedback[t])
        reached[0, t] = discounted(worth, presented[t], shown, discounts)
        reached[1, t] = discounted(worth, feedback[t], shown, discounts)
        reached[2, t] = discounted(labels, presented[t], shown, discounts)
        if pulls is None:
            add_difference(X, first, presented[t], feedback[t], shown, discounts, into)
            if batch > 1:
                end_batch(t, batch, into, weights)
        else:
            for feature in range(len(weights)):
                difference[feature] = 0.0
            add_difference(X, first, presented[t], feedback[t], shown, discounts, difference)
            if not learn(rule, settings, t, difference, weights, memory, pulls):
                return False
    return all_finite(weights, len(weights))


@compiled
def gram_matrix(X: Floats) -> Floats:
    """Return XXᵀ, each entry with the same instructions."""
    gram = np.empty((len(X), len(X)))
    for row in range(len(X)):
        score_rows(X, 0, len(X), X[row], gram[row])
    return gram


@compiled
def lowest_from(wanted: float, utilities: Floats, by_utility: Ints, top: int, left: Ints, jumps: Ints) -> int:
    """Return the item left of the lowest utility from ``wanted`` up; ``jumps`` skip those that are gone.

    The last place to look at is ``top``, whose item is left, whatever is wanted.
    """
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


@compiled
def strike(item: int, members: Ints, first: int, count: int) -> None:
    """Take an item out of a level's members and close the gap."""
    place = first
    while members[place] != item:
        place += 1
    for later in range(place, first + count - 1):
        members[later] = members[later + 1]


@compiled
def step_scores(scores: Floats, gram: Floats, presented: Ints, feedback: Ints) -> None:
    """Move the scores as the weights move by the differences of these rounds."""
    for t in range(len(presented)):
        if presented[t] != feedback[t]:
            better, worse = gram[feedback[t]], gram[presented[t]]
            for item in range(len(scores)):
                scores[item] += better[item] - worse[item]


@compiled
def those_left_finite(scores: Floats, left: Ints) -> bool:
    """Say whether no score of an item that is left has become too large to hold."""
    total = 0.0
    for item in range(len(scores)):
        if left[item] == 1:
            total += 0.0 * scores[item]
    return total == 0.0


@compiled
def play_items(
    X: Floats,
    gram: Floats,
    utilities: Floats,
    by_utility: Ints,
    levels: Ints,
    members: Ints,
    level_starts: Ints,
    counts: Ints,
    kind: int,
    alpha: float,
    draws: Floats,
    rule: int,
    settings: Floats,
    weights: Floats,
    memory: Floats,
    pulls: Floats | None,
    presented: Ints,
    feedback: Ints,
    reached: Floats,
) -> bool:
    """Play one run in which presented and feedback items leave; write the utilities of both and of the best.

    ``by_utility`` is rising; ``members`` are the items by level of rating, ``counts`` of each, and are moved. With
    ``pulls`` all scores are computed anew in every round, else by ``gram``. Say whether the run came to its end.
    """
    n, batch = len(X), int(settings[0])
    scores, difference = np.empty(n), np.empty(len(weights))
    left, jumps = np.ones(n, dtype=np.int64), np.arange(1, n + 1)
    top_level, top = len(counts) - 1, n - 1
    for t in range(len(draws)):
        if pulls is not None or t % REFRESH == 0:
            score_rows(X, 0, n, weights, scores)
            if not all_finite(scores, n):
                return False
            for item in range(n):
                if left[item] == 0:
                    scores[item] = -np.inf
        shown = largest(scores, n)
        while left[by_utility[top]] == 0:
            top -= 1
        while counts[top_level] == 0:
            top_level -= 1
        named, here = shown, utilities[shown]
        if kind == STRICT:
            wanted = good_enough(here, utilities[by_utility[top]], alpha)
            if here < wanted:
                named = lowest_from(wanted, utilities, by_utility, top, left, jumps)
        elif levels[shown] < top_level:
            level = top_level
            if kind == BETTER:
                level = levels[shown] + 1
                while counts[level] == 0:
                    level += 1
            named = members[level_starts[level] + int(draws[t] * counts[level])]
        if not abs(scores[shown]) + abs(scores[named]) < np.inf:
            return False
        presented[t], feedback[t] = shown, named
        reached[0, t], reached[1, t], reached[2, t] = here, utilities[named], utilities[by_utility[top]]
        for feature in range(len(weights)):
            difference[feature] = X[named, feature] - X[shown, feature]
        if pulls is None:
            add(1.0, difference, memory[0])
            end_batch(t, batch, memory[0], weights)
            if (t + 1) % batch == 0:
                step_scores(scores, gram, presented[t + 1 - batch : t + 1], feedback[t + 1 - batch : t + 1])
        elif not learn(rule, settings, t, difference, weights, memory, pulls):
            return False
        for gone in (shown, named):
            if left[gone] == 1:
                level = levels[gone]
                strike(gone, members, level_starts[level], counts[level])
                counts[level] -= 1
                left[gone], scores[gone] = 0, -np.inf
        if (t + 1) % REFRESH == 0 and not those_left_finite(scores, left):
            return False
    return those_left_finite(scores, left) and all_finite(weights, len(weights))
