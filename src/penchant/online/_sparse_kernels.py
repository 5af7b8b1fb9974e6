"""Compiled expectation propagation on the graph of compared pairs; `sparse` checks the arguments.

Items are rows; row 0 is the bar of both-bad answers. Each compared pair has one site exp(ν·d − ½ τ·d²) in place of the
likelihood of its totals, where d is the score of its first row less that of its second, and sends one message to each
of its two rows: a normal factor with a precision and a shift (precision × mean). The marginal of a row is its prior
times all messages to it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.compiled import compiled

Indices = NDArray[np.int32]

Like = tuple[int, float, float, float]

LOGISTIC, PROBIT = 0, 1
WON, LOST, TIED, TAU, NU, PRECISION, SHIFT = range(7)
"""Columns of ``sites``; `PRECISION` and `SHIFT` are of the message to the first row, two further on to the second."""
NEXT = 2
"""The column of ``pairs`` with the next entry in the list of the first row, one further on in that of the second."""

_ROOT_2, _LOG_2_PI = math.sqrt(2.0), math.log(2 * math.pi)
_LEAST_SHRINK = 0.05
"""A step shrinks a variance to no less than this share of it."""
_MOST_PASSES, _NEAR, _FAR = 20, 0.3, 2.0
_TINY = 1e-300
MOST_PAIRS = 64
"""When a marginal has moved, at most so many of its pairs are updated at a time; the others of a row later."""
SETTLED = 1e-5
"""A move of a marginal, as a share of its sd, that is not passed on."""


class Graph(NamedTuple):
    """The belief: pairs with their sites, rows with their marginals, and the rows whose moves must be passed on.

    Attributes
    ----------
    pairs : int32 array of shape (capacity, 4)
        First row, second row (the larger), and the next entries of the lists of these rows. An entry is twice the
        number of a pair, plus 1 where the row is the second of it; −1 ends a list.
    sites : array of shape (capacity, 9)
        Totals of the three outcomes, τ and ν, and the two messages.
    table : int32 array of shape (2ᵏ,)
        Numbers of pairs by the hash of their rows, −1 where empty (open addressing).
    head, cursor, degree : int32 arrays of shape (n_rows,)
        The first entry of each row's list, the one to continue with, and how many there are.
    prior, precision, shift, mean, variance : arrays of shape (n_rows,)
        The precision of the prior, whose mean is 0, and the marginal.
    moved : array of shape (n_rows,)
        How far the marginal moved since its pairs were updated.
    heap, place : int32 arrays of shape (n_rows,)
        Rows with such a move, the largest first (a binary heap), and the place of each row in it, −1 for none.
    sizes : int64 array of shape (2,)
        The number of pairs and the length of the heap.
    """

    pairs: Indices
    sites: Floats
    table: Indices
    head: Indices
    cursor: Indices
    degree: Indices
    prior: Floats
    precision: Floats
    shift: Floats
    mean: Floats
    variance: Floats
    moved: Floats
    heap: Indices
    place: Indices
    sizes: Ints


# -- likelihood ----------------------------------------------------------------------------------------------


@compiled
def log_normal_share(x: float) -> float:
    """Return log Φ(x), accurate in both tails."""
    if x > 0:
        return math.log1p(-0.5 * math.erfc(x / _ROOT_2))
    if x > -35:
        return math.log(0.5 * math.erfc(-x / _ROOT_2))
    square = 1 / (x * x)
    return -x * x / 2 - math.log(-x) - _LOG_2_PI / 2 + math.log1p(-square + 3 * square * square)


@compiled
def log_likelihood(like: Like, d: float, won: float, lost: float, tied: float) -> float:
    """Return the logarithm of the probability of answers about a pair whose scores differ by d.

    ``like`` is that of `AnswerLikelihood.for_kernels`.
    """
    link, unit, _, tie = like
    if link == LOGISTIC:
        odds = math.exp(-abs(d))
        total = max(-d, 0.0) + math.log1p(odds)  # log(1 + e⁻ᵈ)
        if tie == -math.inf:
            return -lost * d - (won + lost) * total
        total += math.log1p(math.exp(tie - abs(d) / 2) / (1 + odds))
        return tied * (tie - d / 2) - lost * d - (won + lost + tied) * total
    d = d / unit
    result = 0.0
    if won > 0:
        result += won * log_normal_share((d - tie) / _ROOT_2)
    if lost > 0:
        result += lost * log_normal_share((-d - tie) / _ROOT_2)
    if tied > 0:
        upper = log_normal_share((tie - abs(d)) / _ROOT_2)
        lower = log_normal_share((-tie - abs(d)) / _ROOT_2)
        result += tied * (upper + math.log(max(-math.expm1(lower - upper), _TINY)))
    return result


@compiled
def rule_for(sd: float, like: Like, rules: Floats) -> int:
    """Return which of ``rules`` to use: ``rules[rule, 0, :2]`` are its largest sd, in logits, and its length."""
    rule = 0
    while rule < len(rules) - 1 and sd > rules[rule, 0, 0] * like[2]:
        rule += 1
    return rule


@compiled
def log_predicted(
    like: Like, rules: Floats, outcome: int, weight: float, mean: float, variance: float
) -> float:
    """Return log E[P(outcome)^weight], where the difference is normal."""
    sd = math.sqrt(variance)
    rule = rule_for(sd, like, rules)
    won = weight if outcome == WON else 0.0
    lost = weight if outcome == LOST else 0.0
    tied = weight if outcome == TIED else 0.0
    highest, total = -math.inf, 0.0
    for point in range(int(rules[rule, 0, 1])):
        x = rules[rule, 1, point]
        density = log_likelihood(like, mean + sd * x, won, lost, tied) + rules[rule, 2, point] - x * x / 2
        if density > highest:
            total *= math.exp(highest - density)
            highest = density
        total += math.exp(density - highest)
    return highest + math.log(total)


@compiled
def tilted(
    like: Like, rules: Floats, site: Floats, mean: float, sd: float, cavity: float, gradient: float
) -> tuple[float, float]:
    """Return mean and variance of likelihood × exp(gradient·δ − ½ cavity·δ²), δ = d − mean, in units of the sd."""
    rule = rule_for(sd, like, rules)
    highest, mass, first, second = -math.inf, 0.0, 0.0, 0.0
    for point in range(int(rules[rule, 0, 1])):
        x = rules[rule, 1, point]
        away = sd * x
        density = (gradient - cavity / 2 * away) * away + rules[rule, 2, point]
        density += log_likelihood(like, mean + away, site[WON], site[LOST], site[TIED])
        if density > highest:
            shrink = math.exp(highest - density)
            mass, first, second = mass * shrink, first * shrink, second * shrink
            highest = density
        share = math.exp(density - highest)
        mass += share
        first += share * x
        second += share * x * x
    centre = first / mass
    return centre, max(second / mass - centre * centre, _LEAST_SHRINK)


@compiled
def match(like: Like, rules: Floats, site: Floats, mean: float, cavity: float) -> None:
    """Set τ and ν so that the site has the moments of the likelihood, given mean and precision of the cavity of d.

    The quadrature is around the posterior of d with the old site; where the two are far apart, again around the new.
    """
    tau, nu = site[TAU], site[NU]
    pull = cavity * mean
    for _ in range(_MOST_PASSES):
        total = cavity + tau
        sd = 1 / math.sqrt(total)
        d = (pull + nu) / total
        centre, spread = tilted(like, rules, site, d, sd, cavity, tau * d - nu)
        if abs(centre) > _FAR:
            spread = max(spread, 1.0)  # go there first: few points see how narrow it is from afar
        tau = max(total / spread - cavity, 0.0)
        nu = (cavity + tau) * (d + sd * centre) - pull
        if abs(centre) <= _NEAR and abs(spread - 1) <= _NEAR:
            break
    site[TAU], site[NU] = tau, nu


# -- pairs ---------------------------------------------------------------------------------------------------


@compiled
def slot_of(first: int, second: int, mask: int) -> int:
    """Return where the search for a pair in the table starts."""
    mixed = (np.uint64(first) * np.uint64(0x9E3779B97F4A7C15)) ^ (
        np.uint64(second) * np.uint64(0xC2B2AE3D27D4EB4F)
    )
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return int(np.int64(mixed & np.uint64(mask)))


@compiled
def find(graph: Graph, first: int, second: int) -> int:
    """Return the number of a pair, first < second, −1 where it was never compared."""
    mask = len(graph.table) - 1
    slot = slot_of(first, second, mask)
    while graph.table[slot] >= 0:
        pair = graph.table[slot]
        if graph.pairs[pair, 0] == first and graph.pairs[pair, 1] == second:
            return int(pair)
        slot = (slot + 1) & mask
    return -1


@compiled
def fill_table(pairs: Indices, n_pairs: int, table: Indices) -> None:
    """Enter pairs into an empty table."""
    mask = len(table) - 1
    for pair in range(n_pairs):
        slot = slot_of(pairs[pair, 0], pairs[pair, 1], mask)
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = pair


@compiled
def add_pair(graph: Graph, first: int, second: int) -> int:
    """Add a pair without answers, at the front of the lists of its rows; there must be room."""
    pair = graph.sizes[0]
    graph.sizes[0] += 1
    graph.pairs[pair, 0], graph.pairs[pair, 1] = first, second
    graph.sites[pair] = 0.0
    for side in range(2):
        row = graph.pairs[pair, side]
        graph.pairs[pair, NEXT + side] = graph.head[row]
        graph.head[row] = 2 * pair + side
        graph.degree[row] += 1
    mask = len(graph.table) - 1
    slot = slot_of(first, second, mask)
    while graph.table[slot] >= 0:
        slot = (slot + 1) & mask
    graph.table[slot] = pair
    return int(pair)


# -- the heap of moves ---------------------------------------------------------------------------------------


@compiled
def rise(graph: Graph, row: int) -> None:
    """Move a row, whose move has grown, towards the front; enter it where it is not in the heap."""
    heap, place, moved = graph.heap, graph.place, graph.moved
    at = place[row]
    if at < 0:
        at = graph.sizes[1]
        graph.sizes[1] += 1
    while at > 0:
        above = (at - 1) >> 1
        other = heap[above]
        if moved[other] >= moved[row]:
            break
        heap[at] = other
        place[other] = at
        at = above
    heap[at] = row
    place[row] = at


@compiled
def sink(graph: Graph, row: int) -> None:
    """Move a row, whose move has become smaller, towards the end."""
    heap, place, moved = graph.heap, graph.place, graph.moved
    size = graph.sizes[1]
    at = place[row]
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and moved[heap[below + 1]] > moved[heap[below]]:
            below += 1
        other = heap[below]
        if moved[other] <= moved[row]:
            break
        heap[at] = other
        place[other] = at
        at = below
    heap[at] = row
    place[row] = at


@compiled
def take_out(graph: Graph, row: int) -> None:
    """Remove the row at the front of the heap."""
    graph.moved[row] = 0.0
    graph.place[row] = -1
    graph.sizes[1] -= 1
    last = graph.heap[graph.sizes[1]]
    if last != row:
        graph.place[last] = 0
        sink(graph, last)


# -- messages ------------------------------------------------------------------------------------------------


@compiled
def move(graph: Graph, row: int, precision: float, shift: float) -> float:
    """Add to the natural parameters of a marginal; return how far it moves, as a share of its sd."""
    graph.precision[row] = max(graph.precision[row] + precision, graph.prior[row])
    graph.shift[row] += shift
    before, spread = graph.mean[row], graph.variance[row]
    variance = 1 / graph.precision[row]
    mean = graph.shift[row] * variance
    graph.mean[row], graph.variance[row] = mean, variance
    return float(abs(mean - before) / math.sqrt(variance) + abs(variance / spread - 1) / 2)


@compiled
def update_pair(graph: Graph, pair: int, like: Like, rules: Floats) -> tuple[float, float]:
    """Match the site of a pair to its likelihood, send its two messages, and return the moves of its two rows."""
    site = graph.sites[pair]
    first, second = graph.pairs[pair, 0], graph.pairs[pair, 1]
    alone_first = max(graph.precision[first] - site[PRECISION], graph.prior[first])
    alone_second = max(graph.precision[second] - site[PRECISION + 2], graph.prior[second])
    mean_first = (graph.shift[first] - site[SHIFT]) / alone_first
    mean_second = (graph.shift[second] - site[SHIFT + 2]) / alone_second
    cavity = 1 / (1 / alone_first + 1 / alone_second)
    match(like, rules, site, mean_first - mean_second, cavity)
    tau, nu = site[TAU], site[NU]
    # What the site says of one row, the other having its cavity.
    by_second, by_first = alone_second / (tau + alone_second), alone_first / (tau + alone_first)
    precision, shift = tau * by_second, (nu + tau * mean_second) * by_second
    moved_first = move(graph, first, precision - site[PRECISION], shift - site[SHIFT])
    site[PRECISION], site[SHIFT] = precision, shift
    precision, shift = tau * by_first, (tau * mean_first - nu) * by_first
    moved_second = move(graph, second, precision - site[PRECISION + 2], shift - site[SHIFT + 2])
    site[PRECISION + 2], site[SHIFT + 2] = precision, shift
    return moved_first, moved_second


@compiled
def update_and_note(graph: Graph, pair: int, like: Like, rules: Floats) -> None:
    """Update a pair, and enter its two rows into the heap by how far they moved."""
    moves = update_pair(graph, pair, like, rules)
    for side in range(2):
        if moves[side] > 0:
            row = graph.pairs[pair, side]
            graph.moved[row] += moves[side]
            rise(graph, row)


@compiled
def pass_on(graph: Graph, like: Like, rules: Floats, updates: int) -> int:
    """Update the pairs of the rows that moved most, until that are ``updates`` pairs or more; return how many."""
    done = 0
    while done < updates and graph.sizes[1]:
        row = graph.heap[0]
        if graph.moved[row] < SETTLED:
            break
        degree = graph.degree[row]
        count = min(degree, MOST_PAIRS)
        if count == degree:
            take_out(graph, row)
        else:
            graph.moved[row] *= 1 - count / degree
            sink(graph, row)
        for _ in range(count):
            entry = graph.cursor[row]
            if entry < 0:
                entry = graph.head[row]
            pair = entry >> 1
            graph.cursor[row] = graph.pairs[pair, NEXT + (entry & 1)]
            update_and_note(graph, pair, like, rules)
        done += count
    return done


@compiled
def spread_of(graph: Graph, pair: int, first: int, second: int) -> float:
    """Return the variance of the difference of two rows; ``pair`` is −1 where they were never compared."""
    if pair < 0:
        return float(graph.variance[first] + graph.variance[second])
    site = graph.sites[pair]
    alone_first = max(graph.precision[first] - site[PRECISION], graph.prior[first])
    alone_second = max(graph.precision[second] - site[PRECISION + 2], graph.prior[second])
    apart = 1 / alone_first + 1 / alone_second
    return float(apart / (1 + site[TAU] * apart))


@compiled
def answer(
    graph: Graph, question: tuple[int, int, int, float], like: Like, rules: Floats, updates: int
) -> float:
    """Learn one comparison of two rows and pass on what moved; return the log probability that it had before.

    ``question`` is the first row, the second, the outcome and the weight.
    """
    first, second, outcome, weight = question
    low, high = min(first, second), max(first, second)
    if outcome != TIED and first > second:
        outcome = 1 - outcome
    pair = find(graph, low, high)
    variance = spread_of(graph, pair, low, high)
    logarithm = log_predicted(like, rules, outcome, weight, graph.mean[low] - graph.mean[high], variance)
    if pair < 0:
        pair = add_pair(graph, low, high)
    graph.sites[pair, outcome] += weight
    update_and_note(graph, pair, like, rules)
    pass_on(graph, like, rules, updates)
    return logarithm


@compiled
def add_totals(graph: Graph, pairs: Indices, totals: Floats) -> None:
    """Add the weights of the three outcomes of pairs, first < second, to what is there; there must be room."""
    for place in range(len(pairs)):
        pair = find(graph, pairs[place, 0], pairs[place, 1])
        if pair < 0:
            pair = add_pair(graph, pairs[place, 0], pairs[place, 1])
        for outcome in range(3):
            graph.sites[pair, outcome] += totals[place, outcome]


@compiled
def begin_messages(graph: Graph, mean: Floats, most_sweeps: int, tolerance: float) -> None:
    """Set all messages and marginals to those of given sites, whose posterior has a given mean.

    First the precisions are sent until they settle. At the fixed point the two cavities and the site of a pair have
    the mean of the posterior, from which the shifts follow: precision · mean ± the gradient ν − τ·d of the site.
    """
    n_pairs = graph.sizes[0]
    for _ in range(most_sweeps):
        largest = 0.0
        for pair in range(n_pairs):
            site = graph.sites[pair]
            for side in range(2):
                other, to = graph.pairs[pair, 1 - side], graph.pairs[pair, side]
                column = PRECISION + 2 * side
                alone = max(graph.precision[other] - site[PRECISION + 2 - 2 * side], graph.prior[other])
                precision = site[TAU] * alone / (site[TAU] + alone)
                largest = max(largest, abs(precision - site[column]) / graph.precision[to])
                graph.precision[to] = max(graph.precision[to] + precision - site[column], graph.prior[to])
                site[column] = precision
        if largest <= tolerance:
            break
    for pair in range(n_pairs):
        site = graph.sites[pair]
        first, second = graph.pairs[pair, 0], graph.pairs[pair, 1]
        gradient = site[NU] - site[TAU] * (mean[first] - mean[second])
        site[SHIFT] = site[PRECISION] * mean[first] + gradient
        site[SHIFT + 2] = site[PRECISION + 2] * mean[second] - gradient
        graph.shift[first] += site[SHIFT]
        graph.shift[second] += site[SHIFT + 2]
    for row in range(len(mean)):
        graph.variance[row] = 1 / graph.precision[row]
        graph.mean[row] = graph.shift[row] * graph.variance[row]


@compiled
def settle(graph: Graph, like: Like, rules: Floats, most_sweeps: int, tolerance: float) -> float:
    """Update all pairs in turn until no marginal moves by more than ``tolerance``; return the last largest move."""
    largest = 0.0
    for _ in range(most_sweeps):
        largest = 0.0
        for pair in range(graph.sizes[0]):
            first, second = update_pair(graph, pair, like, rules)
            largest = max(largest, first, second)
        if largest <= tolerance:
            break
    for place in range(graph.sizes[1]):
        graph.moved[graph.heap[place]] = 0.0
        graph.place[graph.heap[place]] = -1
    graph.sizes[1] = 0
    return largest


@compiled
def difference_variances(graph: Graph, first: Ints, second: Ints, into: Floats) -> None:
    """Write the variances of the differences of pairs of rows."""
    for place in range(len(first)):
        low, high = min(first[place], second[place]), max(first[place], second[place])
        into[place] = 0.0 if low == high else spread_of(graph, find(graph, low, high), low, high)


@compiled
def covariances(graph: Graph, rows: Ints, columns: Ints, into: Floats) -> None:
    """Write the covariances of rows: of a row with itself its variance, of rows never compared 0."""
    for i in range(len(rows)):
        for j in range(len(columns)):
            low, high = min(rows[i], columns[j]), max(rows[i], columns[j])
            if low == high:
                into[i, j] = graph.variance[low]
                continue
            pair = find(graph, low, high)
            apart = graph.variance[low] + graph.variance[high]
            into[i, j] = 0.0 if pair < 0 else (apart - spread_of(graph, pair, low, high)) / 2


@compiled
def outcome_chances(
    graph: Graph, first: int, second: int, like: Like, rules: Floats, n_outcomes: int
) -> Floats:
    """Return the probabilities that the first row is preferred, that the second is, and of a tie; they sum to 1."""
    low, high = min(first, second), max(first, second)
    variance = spread_of(graph, find(graph, low, high), low, high)
    mean = graph.mean[first] - graph.mean[second]
    chances = np.zeros(3)
    for outcome in range(n_outcomes):
        chances[outcome] = math.exp(log_predicted(like, rules, outcome, 1.0, mean, variance))
    chances /= chances.sum()
    return chances
