"""Compiled rounds of dueling bandits. Callers have checked every argument."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats, Ints
from penchant.compiled import compiled, reassociated

Table = tuple[Floats, Ints, Floats, Floats, Floats, Floats]
"""Features, starts of queries, grades, utilities, each query's best utility, and discounts."""


@reassociated
def score(rows: Floats, weights: Floats, into: Floats) -> None:
    """Write wᵀx of each row; all rows are summed with the same instructions, so that equal rows tie."""
    for row in range(len(rows)):
        total = 0.0
        for feature in range(len(weights)):
            total += rows[row, feature] * weights[feature]
        into[row] = total


@compiled
def first_largest(scores: Floats) -> int:
    """Return the place of the largest score, the first of several."""
    best = 0
    for place in range(1, len(scores)):
        if scores[place] > scores[best]:
            best = place
    return best


@compiled
def discounted(values: Floats, top: Ints, discounts: Floats) -> float:
    """Return the discounted values of ``top``."""
    total = 0.0
    for place in range(len(top)):
        total += values[top[place]] * discounts[place]
    return total


@compiled
def place_by_value(found: int, top: Ints, count: int, values: Floats) -> None:
    """Put a document among the ``count`` most valued in ``top``, behind its equals, if there is a place."""
    place = count
    while place > 0 and values[top[place - 1]] < values[found]:
        place -= 1
    if place < len(top):
        for later in range(min(count, len(top) - 1), place, -1):
            top[later] = top[later - 1]
        top[place] = found


@compiled
def draft(place: int, coins: Ints, mine: Floats, theirs: Floats, teams: Ints) -> int:
    """Return the document that the team draft puts at ``place``, strike it from both scores and note its team."""
    second = coins[(place // 2) % len(coins)] == 0
    team = 1 - int(second) if place % 2 else int(second)
    found = first_largest(theirs if team == 1 else mine)
    mine[found] = theirs[found] = -np.inf
    teams[found] = team
    return found


@compiled
def duel_rankings(
    table: Table,
    queries: Ints,
    user: tuple[float, int, float],
    steps: tuple[float, float],
    chance: tuple[Floats, Ints],
    weights: Floats,
    written: tuple[Ints, Ints, Floats],
) -> None:
    """Play a bandit's rounds on rankings, and move its weights.

    Parameters
    ----------
    table : Table
    queries : array of shape (n_rounds,)
    user : (α, depth, tolerance)
        An α above 0: strictly α-informative but for rounding; 0: one who goes by the grades of the first ``depth``.
    steps : (γ, δ)
    chance : (directions, coins)
        A row for each round.
    weights : array of shape (n_features,)
    written : (presented, feedback, reached)
        Tops of both rankings, and presented and feedback's utility and presented DCG, shape (3, n_rounds).
    """
    features, starts, grades, utilities, best_utilities, discounts = table
    alpha, depth, tolerance = user
    gamma, delta = steps
    directions, coins = chance
    all_presented, all_feedback, reached = written
    longest = 0
    for query in queries:
        longest = max(longest, starts[query + 1] - starts[query])
    room, teams_room, other = np.empty((2, longest)), np.empty(longest, np.int64), np.empty(len(weights))
    for t in range(len(queries)):
        query = queries[t]
        first, last = starts[query], starts[query + 1]
        n = last - first
        rows, worth, labels = features[first:last], utilities[first:last], grades[first:last]
        mine, theirs, teams = room[0, :n], room[1, :n], teams_room[:n]
        for feature in range(len(weights)):
            other[feature] = weights[feature] + gamma * directions[t, feature]
        score(rows, weights, mine)
        score(rows, other, theirs)
        shown = min(len(discounts), n)
        presented, feedback = all_presented[t, :shown], all_feedback[t, :shown]
        for place in range(shown):
            presented[place] = draft(place, coins[t], mine, theirs, teams)
        here = discounted(worth, presented, discounts)
        values, wanted = labels, np.inf
        if alpha > 0.0:
            best = best_utilities[query]
            values, wanted = worth, min(here + alpha * (best - here), best) - tolerance
        seen = 0
        while seen < min(depth, n):
            found = presented[seen] if seen < shown else draft(seen, coins[t], mine, theirs, teams)
            place_by_value(found, feedback, min(seen, shown), values)
            seen += 1
            if seen >= shown and wanted < np.inf and discounted(worth, feedback, discounts) >= wanted:
                break
        for place in range(seen, shown):  # fewer were looked at than there are places
            feedback[place] = presented[place]
        votes = 0
        for place in range(shown):
            votes += 2 * teams[feedback[place]] - 1
        if votes > 0:
            for feature in range(len(weights)):
                weights[feature] += delta * directions[t, feature]
        reached[0, t] = here
        reached[1, t] = discounted(worth, feedback, discounts)
        reached[2, t] = discounted(labels, presented, discounts)


@compiled
def duel_items(
    features: Floats,
    opinion: tuple[Floats, Floats, Ints],
    left: Ints,
    steps: tuple[float, float],
    directions: Floats,
    weights: Floats,
    written: tuple[Ints, Ints, Floats],
) -> None:
    """Play a bandit's rounds on items, of which the two that were compared leave, and move its weights.

    Parameters
    ----------
    features : array of shape (n_items, n_features)
    opinion : (utilities, values, by_utility)
        The user names the item of the larger value, the first of equals; ``by_utility`` is rising.
    left : array of shape (n_items,)
        1 for the items on offer.
    steps, weights
        As of `duel_rankings`.
    directions : array of shape (n_rounds, n_features)
    written : (presented, feedback, reached)
        Both items and the named one, and the utilities of the pair, of the named and of the best, shape (3, n_rounds).
    """
    utilities, values, by_utility = opinion
    gamma, delta = steps
    presented, feedback, reached = written
    mine, along = np.empty(len(features)), np.empty(len(features))
    score(features, weights, mine)
    top = len(features) - 1
    for t in range(len(directions)):
        score(features, directions[t], along)
        first = second = -1
        for item in range(len(features)):
            if left[item] == 1:
                if first < 0 or mine[item] > mine[first]:
                    first = item
                if second < 0 or mine[item] + gamma * along[item] > mine[second] + gamma * along[second]:
                    second = item
        while left[by_utility[top]] == 0:
            top -= 1
        named = second if values[second] > values[first] else first
        if named == second and first != second:
            for item in range(len(features)):
                mine[item] += delta * along[item]
            for feature in range(len(weights)):
                weights[feature] += delta * directions[t, feature]
        presented[t, 0], presented[t, 1], feedback[t, 0] = first, second, named
        reached[0, t] = (utilities[first] + utilities[second]) / 2
        reached[1, t] = utilities[named]
        reached[2, t] = utilities[by_utility[top]]
        left[first] = left[second] = 0
