"""The data sets of paper 5: real ones from a folder, otherwise stand-ins that are named as such."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.papers.linked.sets import SETS, Items, collection, standardised
from penchant.papers.run import Run
from tests.conftest import DATA


@pytest.mark.parametrize("name", SETS)
def test_without_data_a_stand_in_is_made_up_and_says_so(name: str) -> None:
    """The same seed gives the same, another seed another; every query has something relevant."""
    one, again, other = (collection(name, Run(size="quick", seed=seed)) for seed in (0, 0, 1))
    assert one.description.startswith(f"a made-up stand-in for {name}: ")
    np.testing.assert_array_equal(one.queries[0].features, again.queries[0].features)
    assert not np.array_equal(one.queries[0].features[:5], other.queries[0].features[:5])
    assert all((query.grades >= 1).any() for query in one.queries)


@pytest.mark.parametrize("name", SETS)
def test_features_and_links_have_one_scale(name: str) -> None:
    """Two documents are √2 apart on average, and the mean degree is 1; links have no direction."""
    for query in collection(name, Run(size="quick")).queries:
        apart = ((query.features[:, None] - query.features) ** 2).sum(axis=2)
        n = len(query)
        assert apart.sum() / n**2 == pytest.approx(2.0)
        assert query.links.sum(axis=1).mean() == pytest.approx(1.0)
        np.testing.assert_array_equal(query.links, query.links.T)
        assert not query.links.diagonal().any()


def test_ohsumed_is_a_complete_graph_and_citations_are_not() -> None:
    """Every document is like every other a little; a paper cites a few."""
    similar, cited = (collection(name, Run(size="quick")).queries[0] for name in SETS)
    n = len(similar)
    assert np.count_nonzero(similar.links) == n * (n - 1)
    assert np.count_nonzero(cited.links) < 6 * len(cited)


def test_priors_are_those_of_linked_gp() -> None:
    """Eq. 6 with all settings 1; K = I for nothing."""
    items = collection("citation-graphs", Run(size="quick")).queries[0]
    both = LinkedGP().fit(items.features, items.links).covariance()
    np.testing.assert_allclose(items.prior("both"), both)
    np.testing.assert_allclose(items.prior("features") + items.prior("links"), both, atol=1e-12)
    np.testing.assert_array_equal(items.prior("nothing"), np.eye(len(items)))


def test_shuffling_keeps_documents_whole_and_in_their_query() -> None:
    """Rows of features, links and grades move together."""
    queries = collection("letor2-ohsumed", Run(size="quick")).queries[:2]
    items = queries[0]
    moved = items.shuffled(np.random.default_rng(0))
    place = [int(np.flatnonzero((moved.features == row).all(axis=1))[0]) for row in items.features]
    np.testing.assert_array_equal(moved.grades[place], items.grades)
    np.testing.assert_array_equal(moved.links[np.ix_(place, place)], items.links)
    together = Items.pooled(queries).shuffled(np.random.default_rng(0))
    for start, stop, query in zip(together.starts[:-1], together.starts[1:], queries, strict=True):
        np.testing.assert_array_equal(np.sort(together.grades[start:stop]), np.sort(query.grades))


def test_precision_is_of_each_query() -> None:
    """The best order has 1 in all of them; equal scores rank by index."""
    pooled = Items.pooled(collection("letor2-ohsumed", Run(size="quick")).queries[:3])
    np.testing.assert_array_equal(pooled.precision(pooled.grades), np.ones(3))
    assert (pooled.precision(np.zeros(len(pooled))) < 1).all()


def test_a_constant_feature_says_nothing() -> None:
    """It stays 0 and does not count in the scale."""
    table = np.column_stack([np.arange(4.0), np.full(4, 7.0)])
    found = standardised(table)
    np.testing.assert_array_equal(found[:, 1], np.zeros(4))
    assert found[:, 0].std() == pytest.approx(1.0)


def test_queries_without_anything_relevant_are_skipped_and_counted(tmp_path: Path) -> None:
    """And the sentence about the set says so."""
    folder = tmp_path / "letor2-ohsumed"
    folder.mkdir()
    lines = [f"{int(row < 10 and row % 3 == 0)} qid:{row // 10} 1:{row % 7} 2:{row % 4}" for row in range(20)]
    (folder / "S1.txt").write_text("\n".join(lines) + "\n")
    found = collection("letor2-ohsumed", Run(data=tmp_path))
    assert (len(found.queries), found.skipped) == (1, 1)
    assert found.description.endswith("1 more had nothing relevant")


def test_graphs_are_read_and_papers_found_along_links(tmp_path: Path) -> None:
    """Papers without a class are never ranked, nor those that give the query its words."""
    folder = tmp_path / "citation-graphs"
    folder.mkdir()
    random = np.random.default_rng(0)
    nodes = [f"{paper % 2 if paper < 38 else -1} {paper % 5} {5 + paper % 2}" for paper in range(40)]
    (folder / "tiny.nodes.txt").write_text("\n".join(nodes) + "\n")
    edges = {tuple(sorted(random.choice(40, 2, replace=False).tolist())) for _ in range(60)}
    (folder / "tiny.edges.txt").write_text("".join(f"{i} {j}\n" for i, j in sorted(edges)))
    found = collection("citation-graphs", Run(size="quick", data=tmp_path))
    assert [len(query) for query in found.queries] == [35, 35]
    assert [int(query.grades.sum()) for query in found.queries] == [16, 16]


def test_what_is_no_set_is_rejected() -> None:
    """A name, a size, a folder."""
    with pytest.raises(InvalidInput, match="name must be one of letor2-ohsumed, citation-graphs, got 'trec'"):
        collection("trec", Run())
    with pytest.raises(InvalidInput, match="size must be one of quick, default, full, got 'huge'"):
        collection("letor2-ohsumed", Run(size="huge"))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="data must be a folder that holds letor2-ohsumed"):
        collection("letor2-ohsumed", Run(data="nowhere"))


@pytest.mark.needs("data:letor2-ohsumed")
def test_ohsumed_has_106_queries_of_which_one_has_nothing_relevant() -> None:
    """As many documents as its owners say."""
    found = collection("letor2-ohsumed", Run(data=DATA))
    assert (len(found.queries), found.skipped) == (105, 1)
    assert all(query.features.shape[1] == 25 for query in found.queries)


@pytest.mark.needs("data:citation-graphs")
def test_cora_and_citeseer_have_thirteen_classes() -> None:
    """Each is a query of a thousand papers."""
    found = collection("citation-graphs", Run(data=DATA))
    assert [len(query) for query in found.queries] == [1000] * 13
