"""The reference: every public name, command, route and kind of event has its place, and every name an example."""

from __future__ import annotations

from pathlib import Path

import pytest

from website import commands, events, reference, routes
from website.reference import PublicName, public_names

BUILDS = pytest.mark.slow("the first of them builds the site")

WAITING: frozenset[str] = frozenset(
    {
        "penchant.ask.Belief",
        "penchant.ask.PairChoice",
        "penchant.ask.Settled",
        "penchant.ask.choose_pair",
        "penchant.client.About",
        "penchant.client.Activity",
        "penchant.client.Answer",
        "penchant.client.Certainty",
        "penchant.client.Change",
        "penchant.client.Check",
        "penchant.client.Checks",
        "penchant.client.Entry",
        "penchant.client.Event",
        "penchant.client.Feedback",
        "penchant.client.Item",
        "penchant.client.ItemReport",
        "penchant.client.Opponent",
        "penchant.client.Predictions",
        "penchant.client.Presentation",
        "penchant.client.Question",
        "penchant.client.Race",
        "penchant.client.Turn",
        "penchant.client.Undo",
        "penchant.client.Upcoming",
        "penchant.client.Why",
        "penchant.coactive.FeatureMap",
        "penchant.coactive.Features",
        "penchant.coactive.Learner",
        "penchant.coactive.Loss",
        "penchant.coactive.LowerBoundGame",
        "penchant.coactive.NamedMatrix",
        "penchant.coactive.Progress",
        "penchant.coactive.Replay",
        "penchant.coactive.WeightReport",
        "penchant.consensus.Consensus",
        "penchant.examples.Document",
        "penchant.formats.Candidates",
        "penchant.formats.Format",
        "penchant.formats.Presentation",
        "penchant.formats.PresentationLog",
        "penchant.formats.Reading",
        "penchant.formats.Refusal",
        "penchant.formats.Written",
        "penchant.formats.read_candidates",
        "penchant.formats.write_file",
        "penchant.gp.Certificate",
        "penchant.gp.Component",
        "penchant.gp.Generalisation",
        "penchant.gp.HeldOut",
        "penchant.gp.Kernel",
        "penchant.gp.LearningCurve",
        "penchant.gp.Linear",
        "penchant.gp.Matern12",
        "penchant.gp.Matern32",
        "penchant.gp.Matern52",
        "penchant.gp.Product",
        "penchant.gp.SmoothPart",
        "penchant.gp.Sum",
        "penchant.gp.WhiteNoise",
        "penchant.gp.learning_curve",
        "penchant.metrics.CalibrationTable",
        "penchant.metrics.Comparison",
        "penchant.metrics.Concordance",
        "penchant.metrics.Difference",
        "penchant.metrics.Evaluation",
        "penchant.metrics.Figure",
        "penchant.metrics.PairAccuracy",
        "penchant.metrics.Qrels",
        "penchant.metrics.RunEvaluation",
        "penchant.metrics.average_precision_scorer",
        "penchant.metrics.ndcg_scorer",
        "penchant.metrics.pair_accuracy_scorer",
        "penchant.online.OnlineMixture",
        "penchant.orders.PairCounts",
        "penchant.plots.adjusted_chart",
        "penchant.plots.answered_boxes_chart",
        "penchant.plots.answered_chart",
        "penchant.plots.belief_chart",
        "penchant.plots.boards_chart",
        "penchant.plots.calibration_chart",
        "penchant.plots.certificate_chart",
        "penchant.plots.coefficients_chart",
        "penchant.plots.comparison_chart",
        "penchant.plots.crossings_chart",
        "penchant.plots.cumulative_chart",
        "penchant.plots.effects_chart",
        "penchant.plots.judges_chart",
        "penchant.plots.learning_curve_chart",
        "penchant.plots.linked_matrix_chart",
        "penchant.plots.monotone_chart",
        "penchant.plots.pairwise_chart",
        "penchant.plots.preference_graph_chart",
        "penchant.plots.ranking_chart",
        "penchant.plots.ranking_errors_chart",
        "penchant.plots.regret_chart",
        "penchant.plots.save_chart",
        "penchant.plots.slices_chart",
        "penchant.plots.surface_chart",
        "penchant.plots.svg_text",
        "penchant.plots.sweep_chart",
        "penchant.plots.tallies_chart",
        "penchant.plots.utility_chart",
        "penchant.plots.weights_chart",
        "penchant.plots.win_matrix_chart",
        "penchant.preferences.Comparisons",
        "penchant.preferences.Items",
        "penchant.rankers.LearningCurve",
        "penchant.rankers.RankerMixin",
        "penchant.rankers.rounds_curve",
        "penchant.ranking.Ranking",
        "penchant.ranking.Threshold",
        "penchant.saving.from_bytes",
        "penchant.saving.load",
        "penchant.schema.Array",
        "penchant.schema.Column",
        "penchant.schema.Either",
        "penchant.schema.Flag",
        "penchant.schema.Instance",
        "penchant.schema.Kind",
        "penchant.schema.ListOf",
        "penchant.schema.Maybe",
        "penchant.schema.Number",
        "penchant.schema.OneOf",
        "penchant.schema.Plain",
        "penchant.schema.Row",
        "penchant.schema.Sizes",
        "penchant.schema.Sparse",
        "penchant.schema.Text",
        "penchant.schema.Texts",
        "penchant.schema.TupleOf",
        "penchant.schema.Whole",
        "penchant.schema.require",
        "penchant.serve.serve",
        "penchant.simulate.Asked",
        "penchant.simulate.AskingRule",
        "penchant.simulate.AtRandom",
        "penchant.simulate.ByWorth",
        "penchant.simulate.Context",
        "penchant.simulate.DiagonalPropagated",
        "penchant.simulate.GlickoRated",
        "penchant.simulate.Hindsight",
        "penchant.simulate.Informativeness",
        "penchant.simulate.KendallReached",
        "penchant.simulate.LargestLoss",
        "penchant.simulate.MergeSort",
        "penchant.simulate.OnlineBelief",
        "penchant.simulate.ProbitBelief",
        "penchant.simulate.Record",
        "penchant.simulate.Setting",
        "penchant.simulate.SpanningTree",
        "penchant.simulate.TopSettled",
        "penchant.simulate.User",
        "penchant.simulate.best_dueling_bandit",
        "penchant.store.Appended",
        "penchant.store.Checkpoint",
        "penchant.store.Closing",
        "penchant.store.Event",
        "penchant.store.EventLog",
        "penchant.store.Inspection",
        "penchant.store.SideRows",
        "penchant.store.Snapshot",
        "penchant.store.TokenRow",
        "penchant.store.TokenTable",
        "penchant.store.create_log",
        "penchant.store.exists",
        "penchant.store.inspect",
        "penchant.store.open_log",
        "penchant.study.Answer",
        "penchant.study.Check",
        "penchant.study.Checks",
        "penchant.study.Question",
        "penchant.study.Token",
        "penchant.study.Turn",
        "penchant.study.Why",
        "penchant.study.coactive.Feedback",
        "penchant.study.coactive.Presentation",
        "penchant.worth.Boards",
        "penchant.worth.Judges",
        "penchant.worth.rank_over",
    }
)
"""Names without an example in their docstring; one that has got an example must be taken off."""


def ids(site: Path, page: str) -> str:
    return (site / page).read_text(encoding="utf-8")


def homes() -> list[PublicName]:
    return [name for name in public_names() if name.home == name.package]


@BUILDS
def test_every_public_name_is_on_the_page_of_its_package(site: Path) -> None:
    """A name that a package exports, and that the site does not describe, fails here."""
    text = {package: ids(site, f"reference/{package}.html") for package in reference.packages()}
    missing = {name.anchor for name in homes() if f'id="{name.anchor}"' not in text[name.package]}
    assert missing <= {"penchant.__version__"}


@BUILDS
def test_every_command_is_on_the_page_of_commands(site: Path) -> None:
    """So are the parts of a group, and every option is in the text."""
    text = ids(site, "reference/commands.html")
    for name, command in commands.commands():
        assert name == "penchant" or f'id="{commands.anchor(name)}"' in text, name
        if name != "penchant":
            assert [part.opts[0] for part in command.params if part.opts[0] not in text] == [], name


@BUILDS
def test_every_route_is_on_the_page_of_routes(site: Path) -> None:
    """Each method of each path that the server describes."""
    text = ids(site, "reference/routes.html")
    for path, methods in routes.description()["paths"].items():
        for method in methods:
            assert f'id="{routes.anchor(method, path)}"' in text, f"{method} {path}"


@BUILDS
def test_every_kind_of_event_is_on_the_page_of_events(site: Path) -> None:
    """Those of studies that ask, and those of studies that present."""
    text = ids(site, "reference/events.html")
    for _, module in events.SORTS:
        for kind in module.KINDS:
            assert f'id="{events.anchor(module, kind)}"' in text


@pytest.mark.parametrize("package", sorted(reference.packages()))
def test_every_public_name_has_an_example(package: str) -> None:
    """Its docstring has one that runs (``tests/docs/test_docstrings.py``), unless it waits for that or is data."""
    for name in homes():
        if name.package == package and callable(name.value):
            found = ">>>" in (name.value.__doc__ or "")
            assert found == (name.anchor not in WAITING), (
                f"{name.anchor}: write its example, or update WAITING"
            )


def test_a_name_is_at_home_where_it_is_defined() -> None:
    """What the top of the package exports is described in the package that defines it."""
    home = {name.name: name.home for name in public_names() if name.package == "penchant"}
    assert home["Preferences"] == "penchant.preferences"
    assert home["Study"] == "penchant.study"
