"""What the study asks of a model that learns one answer at a time from items it knows beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import penchant
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP

RANDOM = np.random.default_rng(0)
FEATURES = RANDOM.normal(size=(12, 3))
PAIRS = np.array([RANDOM.choice(12, 2, replace=False) for _ in range(40)])


class TestLinkedGP:
    Model = LinkedGP

    @pytest.fixture
    def taught(self) -> LinkedGP:
        return self.Model(nugget=0.1).fit(FEATURES).update(*PAIRS.T)

    def test_the_same_answers_give_the_same_bytes(self, taught: LinkedGP, tmp_path: Path) -> None:
        """State is a function of the answers in order and of nothing else, down to the file."""
        again = self.Model(nugget=0.1).fit(FEATURES).update(*PAIRS.T)
        again.covariance([3])  # being asked leaves no trace
        for name, model in (("one", taught), ("two", again)):
            penchant.save(model, tmp_path / name)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

    @pytest.mark.parametrize("sizes", [[40], [1] * 40, [7, 20, 13]])
    def test_how_the_answers_are_cut_does_not_matter(self, taught: LinkedGP, sizes: list[int]) -> None:
        """One call with all answers is the same as many calls with some, to the last bit."""
        model = self.Model(nugget=0.1).fit(FEATURES)
        for part in parts(sizes):
            model.update(*part.T)
        assert (model.mean == taught.mean).all()
        assert (model.covariance() == taught.covariance()).all()

    def test_a_loaded_model_goes_on_as_the_saved_one(self, taught: LinkedGP, tmp_path: Path) -> None:
        """After saving and loading, the same answers lead to the same state."""
        penchant.save(taught.refresh(), tmp_path / "model")
        loaded = penchant.load(tmp_path / "model")
        assert (loaded.update(0, 5).mean == taught.update(0, 5).mean).all()

    def test_fitting_again_forgets(self, taught: LinkedGP) -> None:
        """A fit starts from the prior, whatever was learned before."""
        assert (taught.fit(FEATURES).mean == 0).all()
        assert len(taught.comparisons_) == 0

    def test_a_refusal_in_the_middle_learns_nothing(self, taught: LinkedGP) -> None:
        """If one of several answers is wrong, none of them is learned."""
        mean = taught.mean
        with pytest.raises(InvalidInput, match="answer 1 compares item 4 with itself"):
            taught.update([0, 4], [1, 4])
        assert (taught.mean == mean).all()
        assert len(taught.comparisons_) == 40

    def test_settings_are_read_changed_and_shown(self) -> None:
        """The constructor only stores; settings come and go by name."""
        model = self.Model(iota=2.0)
        assert model.get_params()["iota"] == 2.0
        assert repr(model.set_params(beta=3.0)) == "LinkedGP(beta=3.0, iota=2.0)"
        with pytest.raises(InvalidInput, match="setting 'alpha' of LinkedGP must be one of"):
            model.set_params(alpha=1)

    def test_what_it_gives_out_is_not_its_own(self, taught: LinkedGP) -> None:
        """Writing into a mean or a variance that was handed out changes nothing in the model."""
        before = taught.mean
        taught.mean[:] = 9.0
        taught.variance()[:] = 9.0
        taught.covariance([0])[:] = 9.0
        assert (taught.mean == before).all()
        assert (taught.variance() < 9).all()
        assert (taught.covariance([0]) < 9).all()


def parts(sizes: list[int]) -> Iterator[np.ndarray]:
    start = 0
    for size in sizes:
        yield PAIRS[start : start + size]
        start += size
