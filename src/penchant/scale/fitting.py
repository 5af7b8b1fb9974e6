"""`fit` on a Dask cluster: choose how a model is fitted, and name what cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.scale.cluster import connected, dask_modules
from penchant.scale.partitions import partitions_of

Model = TypeVar("Model")


def fit(model: Model, data: Any, *, client: Any = None, options: Mapping[str, Any] | None = None) -> Model:
    """Fit a model to comparisons that are partitioned over a Dask cluster, and return it as fitted on one machine.

    Workers count the comparisons of their partitions by pair. The comparisons never come to the client, the totals of
    the different pairs do: at most 50,000,000.

    Parameters
    ----------
    model : BradleyTerry or Thurstone
        With errors "auto" or "model"; "auto" needs rows of two items.
    data : dask array or DataFrame, path, pattern or list of paths, or list of delayed objects
        Each file is a partition, of any format that `penchant.read` takes. A delayed object gives Preferences, a table
        or pairs of row numbers.
    client : dask.distributed.Client or str, optional
        A client, or the address of a scheduler. None: the client that was made last.
    options : mapping, optional
        How files and tables are read, as `penchant.read` takes it: ``{"better": "winner", "worse": "loser"}``.

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

        partitions = partitions_of(data)
        with connected(client) as cluster:
            return fit_worth(model, partitions, cluster, options or {})  # type: ignore[return-value]
    raise InvalidInput.of("model", "be BradleyTerry or Thurstone", shown(model), "fit others on one machine")
