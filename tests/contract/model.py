"""What every model of preferences promises. A new model inherits `ModelContract` and says how it is made.

    class TestMine(ModelContract):
        Model = Mine

is enough for a model of worth; one with features also overrides `fit` and `update`. A model that breaks a
promise on purpose says so in the model itself (`order_matters`), never here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted
from penchant.saving import load, save, to_bytes
from tests.contract.settings import SettingsContract

N_ITEMS = 6


def judged(n_rows: int = 60, seed: int = 0, n_items: int = N_ITEMS) -> Preferences:
    """Comparisons of items 0, 1, 2 …, of which the earlier are mostly better; no item wins or loses always."""
    rng = np.random.default_rng(seed)
    first = rng.integers(n_items, size=n_rows)
    second = (first + rng.integers(1, n_items, size=n_rows)) % n_items
    flip = rng.random(n_rows) > 1 / (1 + np.exp(0.6 * (first - second)))
    pairs = np.column_stack([np.where(flip, second, first), np.where(flip, first, second)])
    return Preferences.from_pairs(pairs, items=range(n_items))


def with_pairs(preferences: Preferences, pairs: Any) -> Preferences:
    return preferences + Preferences.from_pairs(pairs, items=range(preferences.n_items))


class ModelContract(SettingsContract):
    """The promises, one test each; its docstring is the promise."""

    tolerance = 1e-6  # of scores that are the same in theory

    def fit(self, preferences: Preferences) -> Any:
        return self.make().fit(preferences)

    def taught(self) -> Any:
        return self.fit(judged())

    def update(self, model: Any, preferences: Preferences) -> Any:
        return model.update(preferences)

    def close(self, scores: Any, others: Any) -> None:
        np.testing.assert_allclose(scores, others, atol=self.tolerance, rtol=self.tolerance)

    # -- data ----------------------------------------------------------------------------------------------

    def test_inputs_stay_untouched(self) -> None:
        """Fitting and updating change nothing in the preferences that they are given."""
        preferences, more = judged(), judged(20, seed=1)
        before = to_bytes(preferences), to_bytes(more)
        self.update(self.fit(preferences), more)
        assert (to_bytes(preferences), to_bytes(more)) == before

    def test_the_same_data_give_the_same_bytes(self) -> None:
        """Fitting twice gives the same state to the last bit."""
        assert to_bytes(self.fit(judged())) == to_bytes(self.fit(judged()))

    def test_renaming_items_permutes_scores(self) -> None:
        """Items are known by their answers alone: numbered otherwise, each keeps its score."""
        preferences = judged()
        renumbered = np.random.default_rng(3).permutation(N_ITEMS)
        renamed = Preferences.from_pairs(renumbered[preferences.pairs()], items=range(N_ITEMS))
        self.close(self.fit(renamed).scores_[renumbered], self.fit(preferences).scores_)

    def test_the_order_of_pairs_does_not_matter(self) -> None:
        """The same answers in another order give the same scores, unless the model says that order matters."""
        preferences = judged()
        shuffled = preferences[np.random.default_rng(4).permutation(len(preferences))]
        scores, others = self.fit(preferences).scores_, self.fit(shuffled).scores_
        if self.Model.order_matters:
            assert not np.array_equal(scores, others), "order_matters is said, but it does not"
        else:
            self.close(scores, others)

    def test_a_pair_twice_is_weight_two(self) -> None:
        """Saying it twice and giving it the weight two are the same."""
        preferences = judged()
        twice = with_pairs(preferences, preferences.pairs()[:1].repeat(1, axis=0))
        weight = np.ones(len(preferences))
        weight[0] = 2
        weighted = Preferences.from_pairs(preferences.pairs(), weight=weight, items=range(N_ITEMS))
        if self.Model.order_matters:  # then the second saying must come right after the first
            twice = preferences[np.r_[0, 0 : len(preferences)]]
        self.close(self.fit(weighted).scores_, self.fit(twice).scores_)

    # -- what it believes ----------------------------------------------------------------------------------

    def test_probabilities_of_the_two_outcomes_sum_to_one(self) -> None:
        """Given a decision, P(a beats b) + P(b beats a) = 1, strictly between 0 and 1, and ½ for one item."""
        model = self.fit(judged())
        a, b = np.divmod(np.arange(N_ITEMS**2), N_ITEMS)
        forth, back = model.win_probability(a, b), model.win_probability(b, a)
        np.testing.assert_allclose(forth + back, 1, atol=1e-12)
        assert ((forth > 0) & (forth < 1)).all()
        np.testing.assert_allclose(forth[a == b], 0.5, atol=1e-12)

    def test_a_higher_score_is_the_likelier_winner(self) -> None:
        """Scores and probabilities tell the same story, and that of the data: item 0 above item 5."""
        model = self.fit(judged(400))
        order = np.argsort(-model.scores_)
        assert (np.asarray(model.win_probability(order[:-1], order[1:])) >= 0.5).all()
        assert model.scores_[0] > model.scores_[N_ITEMS - 1]

    def test_no_data_give_the_prior(self) -> None:
        """With no answer at all, all items are equal, finite, and as uncertain as one another."""
        model = self.fit(judged()[:0])
        assert np.ptp(model.scores_) == 0
        assert np.isfinite(model.scores_).all()
        variance = model.variance()
        assert (variance > 0).all()
        np.testing.assert_allclose(variance, variance[0])

    def test_an_unbeaten_item_stays_finite(self) -> None:
        """An item that only wins, and one that only loses, have finite scores, on the right side."""
        model = self.fit(Preferences.from_pairs([(0, 1), (1, 2), (2, 1), (1, 3), (0, 2)] * 5, items=range(4)))
        assert np.isfinite(model.scores_).all()
        assert model.scores_[0] > model.scores_[1:3].max()
        assert model.scores_[3] < model.scores_[1:3].min()

    def test_a_never_compared_item_stays_finite_and_wide(self) -> None:
        """What nobody asked about has a finite score and is less certain than everything else."""
        preferences = Preferences.from_pairs(judged().pairs(), items=range(N_ITEMS + 1))
        model = self.fit(preferences)
        variance = model.variance()
        assert np.isfinite(model.scores_).all()
        assert variance[N_ITEMS] > variance[:N_ITEMS].max()

    def test_intervals_narrow_with_data(self) -> None:
        """Ten times the answers make every item more certain."""
        preferences = judged()
        more = Preferences.from_pairs(np.tile(preferences.pairs(), (10, 1)), items=range(N_ITEMS))
        assert (self.fit(more).variance() < self.fit(preferences).variance()).all()

    def test_it_ranks(self) -> None:
        """The ranking lists each item once, by falling score, with an interval around each."""
        model = self.fit(judged())
        ranking = model.rank(level=0.9)
        assert sorted(ranking.items) == sorted(model.items_)
        assert (np.diff(ranking.scores) <= 0).all()
        assert (ranking.lower < ranking.scores).all()
        assert (ranking.scores < ranking.upper).all()
        assert (ranking.rank_low <= ranking.ranks).all()
        assert (ranking.ranks <= ranking.rank_high).all()

    # -- refusals ------------------------------------------------------------------------------------------

    def test_it_refuses_what_is_not_preferences(self) -> None:
        """Bare arrays, NaN and nothing at all are rejected with a message that say what to do."""
        for wrong in ([[0, 1]], np.array([[0.0, np.nan]]), None, []):
            with pytest.raises(InvalidInput, match=r"got .*: .*Preferences"):
                self.make().fit(wrong)

    def test_it_refuses_unknown_items(self) -> None:
        """An item that is not there is rejected by name."""
        with pytest.raises(InvalidInput, match=r"item 'nobody' .* known .*: correct it"):
            self.fit(judged()).win_probability("nobody", 0)

    def test_it_refuses_to_be_asked_before_it_learned(self) -> None:
        """Asking before fitting says so."""
        for ask in (
            lambda m: m.rank(),
            lambda m: m.win_probability(0, 1),
            lambda m: m.variance(),
            lambda m: m.mean,
        ):
            with pytest.raises(NotFitted, match="must be fitted"):
                ask(self.make())

    # -- state ---------------------------------------------------------------------------------------------

    def test_saved_and_loaded_it_is_the_same(self, tmp_path: Any) -> None:
        """Loading gives the same bytes back, the same answers, and learns on in the same way."""
        model = self.fit(judged())
        save(model, tmp_path / "model.penchant")
        loaded = load(tmp_path / "model.penchant")
        assert to_bytes(loaded) == to_bytes(model)
        assert np.array_equal(loaded.scores_, model.scores_)
        more = judged(20, seed=1)
        assert to_bytes(self.update(loaded, more)) == to_bytes(self.update(model, more))

    def test_state_depends_on_the_answers_alone(self) -> None:
        """Taking answers one at a time, in chunks or all at once gives the same state to the last bit."""
        preferences = judged(30)
        states = []
        for size in (1, 7, 30):
            model = self.fit(preferences[:0])
            for start in range(0, 30, size):
                model = self.update(model, preferences[start : start + size])
            states.append(to_bytes(model))
        assert states[0] == states[1] == states[2]

    def test_updating_comes_to_where_fitting_does(self) -> None:
        """Learning in two steps ends at the scores of learning in one."""
        preferences = judged()
        stepwise = self.update(self.fit(preferences[:40]), preferences[40:])
        self.close(stepwise.scores_, self.fit(preferences).scores_)

    def test_new_items_may_come_later(self) -> None:
        """Answers about a new item are taken in, and those known keep their places."""
        named = Preferences.from_pairs([("b", "c"), ("c", "b"), ("b", "c")])
        model = self.update(self.fit(named), Preferences.from_pairs([("a", "b")]))
        assert model.items_ == ("b", "c", "a")
        both = named + Preferences.from_pairs([("a", "b")])
        self.close(model.scores_, self.fit(both).scores_)

    def test_memory_does_not_grow_with_rounds(self) -> None:
        """What the model keeps is bounded by its items, however many answers came."""
        model = self.fit(judged(200))
        before = len(to_bytes(model))
        for seed in range(5):
            model = self.update(model, judged(200, seed=seed))
        assert len(to_bytes(model)) <= before + 64

    def test_it_works_inside_scikit_learn(self) -> None:
        """It can be cloned, and cross-validated on whole rows."""
        from sklearn.base import clone
        from sklearn.model_selection import cross_val_score

        model = self.make()
        assert clone(model).get_params() == model.get_params()
        scores = cross_val_score(model, judged(100), cv=3, error_score="raise")
        assert np.isfinite(scores).all()
        assert (scores < 0).all()
