"""The table of an ordinal regression, against the published output of R's ordinal::clm and MASS::polr."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.rankers import OrdinalRegression
from penchant.rankers.ordinal_summary import OrdinalSummary
from penchant.saving import load, save
from tests.rankers.published import dummies, housing, wine


def wine_summary() -> OrdinalSummary:
    data = wine()
    return OrdinalRegression(alpha=0).fit(dummies(data, ["temp", "contact"]), data["rating"]).summary()


# summary(clm(rating ~ temp + contact, data = wine)): estimate, standard error, z and p.
CLM = {
    "tempwarm": ("2.5031", "0.5287", "4.735", "2.19e-06"),
    "contactyes": ("1.5278", "0.4766", "3.205", "1.35e-03"),
    "1|2": ("-1.3444", "0.5171", "-2.600", None),
    "2|3": ("1.2508", "0.4379", "2.857", None),
    "3|4": ("3.4669", "0.5978", "5.800", None),
    "4|5": ("5.0064", "0.7309", "6.850", None),
}


def test_the_wine_of_clm() -> None:
    """Every published digit of estimates, errors, z, p, log-likelihood and AIC."""
    found = wine_summary()
    frame = found.to_frame()
    assert list(frame.index) == list(CLM)
    for name, (estimate, error, z, p) in CLM.items():
        row = frame.loc[name]
        assert (f"{row.estimate:.4f}", f"{row.error:.4f}", f"{row.z:.3f}") == (estimate, error, z)
        assert p is None or f"{row.p:.2e}" == p
    assert (f"{found.log_likelihood:.2f}", f"{found.aic:.2f}") == ("-86.49", "184.98")


# coef and sqrt(diag(vcov)) of polr(Sat ~ Infl + Type + Cont, weights = Freq, data = housing); R's optimiser
# stops where the estimates are good to six digits or so, and takes the curvature by differences.
POLR = {
    "InflMedium": (0.5663937, 0.1046528),
    "InflHigh": (1.2888191, 0.1271561),
    "TypeApartment": (-0.5723501, 0.1192380),
    "TypeAtrium": (-0.3661866, 0.1551733),
    "TypeTerrace": (-1.0910149, 0.1514860),
    "ContHigh": (0.3602841, 0.0955358),
    "Low|Medium": (-0.4961353, 0.1248472),
    "Medium|High": (0.6907083, 0.1254719),
}


def test_the_housing_of_polr() -> None:
    """Weights are frequencies; estimates and errors to the digits that summary() prints, and the residual deviance."""
    data = housing()
    X = dummies(data, ["Infl", "Type", "Cont"])
    found = OrdinalRegression(alpha=0).fit(X, data["Sat"], sample_weight=data["Freq"]).summary()
    frame = found.to_frame()
    assert list(frame.index) == list(POLR)
    for row, (estimate, error) in zip(frame.itertuples(), POLR.values(), strict=True):
        assert (f"{row.estimate:.4f}", f"{row.error:.4f}") == (f"{estimate:.4f}", f"{error:.4f}")
    np.testing.assert_allclose(frame["estimate"], [estimate for estimate, _ in POLR.values()], atol=2e-5)
    np.testing.assert_allclose(frame["error"], [error for _, error in POLR.values()], atol=2e-6)
    assert f"{found.deviance:.3f}" == "3479.149"
    assert found.n_observations == 1681


def test_the_table_as_text_json_and_html() -> None:
    """Small p-values keep two digits; the same numbers are in the JSON and in the notebook."""
    found = wine_summary()
    lines = repr(found).splitlines()
    assert lines[1].split() == ["tempwarm", "2.503", "0.529", "4.735", "2.2e-06"]
    assert lines[-1] == "logit link, 72 observations, log-likelihood -86.49, AIC 184.98"
    parameters = json.loads(found.to_json())["parameters"]
    assert [row["name"] for row in parameters] == list(found.names)
    assert parameters[0]["p"] == pytest.approx(found.p[0] if found.p is not None else None)
    assert "<td>tempwarm</td><td>2.503</td>" in found._repr_html_()


def test_with_a_ridge_there_are_no_tests() -> None:
    """Shrunk weights have smaller errors and no p-values, and the note says why."""
    data = wine()
    X = dummies(data, ["temp", "contact"])
    found = OrdinalRegression(alpha=2.0).fit(X, data["rating"]).summary()
    assert found.z is None
    assert found.p is None
    assert found.to_frame()["p"].isna().all()
    assert (found.error[:2] < wine_summary().error[:2]).all()
    assert "alpha=0 gives tests and p-values" in repr(found)


def test_a_saved_model_has_its_summary(tmp_path: Path) -> None:
    """The table of a loaded model is the same; of one that was saved without errors, fitting again is the remedy."""
    data = wine()
    model = OrdinalRegression(alpha=0).fit(dummies(data, ["temp", "contact"]), data["rating"])
    save(model, tmp_path / "wine.penchant")
    loaded = load(tmp_path / "wine.penchant")
    assert repr(loaded.summary()) == repr(model.summary())
    del loaded.coef_errors_
    with pytest.raises(InvalidInput, match="fit it again"):
        loaded.summary()
