"""`fit` on a Dask cluster: choose how a model is fitted, and name what cannot be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.scale.cluster import connected, dask_modules
from penchant.scale.partitions import partitions_beside, partitions_of

Model = TypeVar("Model")


def fit(
    model: Model,
    data: Any,
    y: Any = None,
    *,
    qid: Any = None,
    weight: Any = None,
    client: Any = None,
    options: Mapping[str, Any] | None = None,
) -> Model:
    """Fit a model to data that are partitioned over a Dask cluster, and return it as fitted on one machine.

    Rows never come to the client. Of comparisons the workers count the pairs, and the totals of the different pairs
    come, at most 50,000,000; of graded rows, sums over the pairs of rows inside a query.

    Parameters
    ----------
    model : BradleyTerry, Thurstone, RankSVM, RankBoost or PreferencePerceptron
        BradleyTerry and Thurstone with errors "auto" or "model"; "auto" needs rows of two items. RankSVM with the
        linear kernel. RankBoost with a number of bins. PreferencePerceptron with a RankingMap: it presents each query
        once and is corrected by the grades, in mini-batches of ``batch`` queries that are spread over the workers.
    data : dask array or DataFrame, path, pattern or list of paths, or list of delayed objects
        Comparisons: files of any format that `penchant.read` takes; a delayed object gives Preferences, a table or
        pairs of row numbers. Graded rows: LETOR text, Parquet, CSV or TSV files; a delayed object gives a table, an
        array or sparse matrix of features, or a tuple of features, grades and queries (and weights). Each file, chunk
        of rows or delayed object is a partition.
    y : str, dask array or Series, or list of delayed objects, optional
        Grades, larger is better: the name of a column, or as many partitions as ``data`` has. None: the column
        ``grade``, or the grades of LETOR text or of the tuples.
    qid : str, dask array or Series, or list of delayed objects, optional
        The query of each row, in the same forms. None: the column ``qid``. The rows of a query may be in several
        partitions: they are then moved into one.
    weight : str, dask array or Series, or list of delayed objects, optional
        The weight of each row, at least 0.
    client : dask.distributed.Client or str, optional
        A client, or the address of a scheduler. None: the client that was made last.
    options : mapping, optional
        How files and tables of comparisons are read, as `penchant.read` takes it:
        ``{"better": "winner", "worse": "loser"}``.

    Examples
    --------
    >>> from dask.distributed import Client
    >>> from dask import delayed
    >>> from penchant import Preferences
    >>> from penchant.worth import BradleyTerry
    >>> pairs = [[("tea", "water")], [("water", "tea")]]
    >>> parts = [delayed(Preferences.from_pairs)(some) for some in pairs]
    >>> with Client(processes=False, n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     model = fit(BradleyTerry(), parts, client=client)
    >>> model.counts_.tolist()
    [2, 2]
    """
    dask_modules()
    from penchant.worth.paired import PairedWorth

    if isinstance(model, PairedWorth):
        from penchant.scale.comparisons import fit_worth

        for name, given in (("y", y), ("qid", qid), ("weight", weight)):
            if given is not None:
                raise InvalidInput.of(
                    name, "be given with graded rows", shown(given), "name columns in options"
                )
        partitions = partitions_of(data)
        with connected(client) as cluster:
            return fit_worth(model, partitions, cluster, options or {})  # type: ignore[return-value]
    learn = _learner(model)
    from penchant.scale.graded import graded_partitions
    from penchant.scale.graded_files import Columns

    partitions = partitions_beside(data, y=y, qid=qid, weight=weight)
    with connected(client) as cluster:
        rows = graded_partitions(
            _checker(model), partitions, Columns.of(y, qid, weight), cluster, options or {}
        )
        learn(model, rows, cluster)
    return model


def _checker(model: Any) -> Any:
    """Return the estimator that says which features are allowed; learners take those of a linear ranker."""
    from penchant.rankers import RankSVM

    return model if hasattr(model, "__sklearn_tags__") else RankSVM()


def _learner(model: Any) -> Callable[[Any, Any, Any], Any]:
    """Return the function that fits a ranker, whose settings are checked."""
    from penchant.coactive import PreferencePerceptron
    from penchant.rankers import RankBoost, RankSVM

    if isinstance(model, PreferencePerceptron):
        from penchant.scale.perceptron import check_perceptron, fit_perceptron

        check_perceptron(model)
        return fit_perceptron
    if isinstance(model, RankBoost):
        from penchant.scale.rank_boost import check_rank_boost, fit_rank_boost

        check_rank_boost(model)
        return fit_rank_boost
    if isinstance(model, RankSVM):
        from penchant.scale.rank_svm import check_rank_svm, fit_rank_svm

        check_rank_svm(model)
        return fit_rank_svm
    raise InvalidInput.of(
        "model",
        "be BradleyTerry, Thurstone, RankSVM, RankBoost or PreferencePerceptron",
        shown(model),
        "fit others on one machine",
    )
