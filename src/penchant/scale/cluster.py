"""Run tasks on a Dask cluster: find the client, check the versions, sum over partitions, report errors.

Tasks are pure functions of the results of other tasks, so that Dask repeats what a lost worker held. Sums over
partitions are taken by the workers in a fixed order, several at a time, and only the total comes to the client.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

from penchant._version import __version__
from penchant.checks import shown
from penchant.errors import InvalidInput, PenchantError, Unreachable
from penchant.progress import step_done

_ADDED_AT_ONCE = 8
_SMALL = 50_000
WAIT = 30.0
"""Seconds to wait for the first worker of a cluster."""


def dask_modules() -> tuple[Any, Any]:
    """Return dask and distributed, or raise an error that names the extra which has them."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise PenchantError(
            "penchant.scale needs dask and distributed, which are not installed: pip install 'penchant[dask]'"
        ) from error
    return dask, distributed


@contextmanager
def connected(client: Any = None) -> Iterator[Cluster]:
    """Give the cluster of a client, of an address, or of the client that was made last (None).

    All workers must have this version of Penchant. A client that was made here from an address is closed again.
    """
    distributed = dask_modules()[1]
    own = None
    if isinstance(client, str):
        try:
            own = client = distributed.Client(client, timeout=WAIT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise Unreachable.of(
                "client",
                "be the address of a Dask scheduler that replies, such as tcp://10.0.0.1:8786",
                f"{shown(client)} ({type(error).__name__})",
                "start the scheduler, or correct the address",
            ) from error
    elif client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise InvalidInput.of(
                "client",
                "be a dask.distributed.Client or the address of a scheduler",
                "None, and there is no client yet",
                "make one, for instance distributed.Client()",
            ) from None
    try:
        if not isinstance(client, distributed.Client) or client.asynchronous:
            raise InvalidInput.of(
                "client",
                "be a synchronous dask.distributed.Client or the address of a scheduler",
                shown(client),
                "give such a client",
            )
        cluster = Cluster(client)
        cluster.check_workers()
        try:
            yield cluster
        except Exception:
            cluster.check_versions()  # of workers that came in between, which may be why a task failed
            raise
        cluster.check_versions()
    finally:
        if own is not None:
            own.close()


class Cluster:
    """The workers that a client reaches.

    Parameters
    ----------
    client : dask.distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def check_workers(self) -> None:
        """Raise unless there is a worker, and all workers have this version of Penchant."""
        first = self.client.submit(
            _version_here(), pure=False
        )  # for which an adaptive cluster starts a worker
        try:
            first.result(timeout=WAIT)
        except TimeoutError as error:
            raise Unreachable.of(
                "the cluster", "have at least one worker", f"none in {WAIT:g} s", "start a worker"
            ) from error
        self.check_versions()

    def check_versions(self) -> None:
        """Raise unless all workers that can be reached now have this version of Penchant."""
        if self.client.status != "running":
            return
        try:
            found = self.client.run(_version_here(), on_error="ignore")
        except (OSError, TimeoutError):
            return
        for worker, version in sorted(found.items()):
            if version != __version__:
                raise InvalidInput.of(
                    f"worker {worker}",
                    f"have Penchant {__version__}, as the client has",
                    "none" if version is None else version,
                    "install the same version on all workers",
                )

    def compute(self, tasks: Sequence[Any]) -> list[Any]:
        """Start delayed ``tasks``, one a partition, and return their futures."""
        futures: list[Any] = self.client.compute(list(tasks))
        return futures

    def each(
        self, function: Callable[..., Any], *columns: Sequence[Any], shared: tuple[Any, ...] = ()
    ) -> list[Any]:
        """Start ``function(a, b, …, *shared)`` for the a, b, … of each partition, and return the futures.

        What ``shared`` holds goes with every task, so that a task can be run again without the client.
        """
        count = len(columns[0])
        repeated = [[value] * count for value in shared]
        futures: list[Any] = self.client.map(function, *columns, *repeated, pure=False)
        return futures

    def shared(self, vector: Any) -> Any:
        """Return an array as tasks should get it: itself, or where it is large the future of a task that holds it.

        Data that a client scatters are lost with their worker; the scheduler keeps a task, and runs it again.
        """
        return vector if vector.nbytes <= _SMALL else self.client.submit(_itself, vector, pure=False)

    def total(self, futures: Sequence[Any], add: Callable[[Any, Any], Any]) -> Any:
        """Return the future of the results of ``futures``, added up on the workers in a fixed order."""
        futures = list(futures)
        while len(futures) > 1:
            futures = [
                self.client.submit(_added, add, futures[start : start + _ADDED_AT_ONCE], pure=False)
                for start in range(0, len(futures), _ADDED_AT_ONCE)
            ]
        return futures[0]

    def wait(self, futures: Sequence[Any]) -> None:
        """Wait until ``futures``, one a partition, are done or one has failed; each that is done is reported."""
        distributed = dask_modules()[1]
        step_done(0, len(futures))
        for done, future in enumerate(distributed.as_completed(futures, loop=self.client.loop), 1):
            if future.status == "error":
                self.result(future)
            step_done(done, len(futures))

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """Return the results of ``futures``; what a task of Penchant raises comes as it is."""
        distributed = dask_modules()[1]
        try:
            found: list[Any] = self.client.gather(list(futures))
        except distributed.KilledWorker as error:
            raise PenchantError(
                f"the workers of a partition must live until it is done, got {error.allowed_failures + 1} that died "
                f"(the last was {error.last_worker.address}): give them more memory, or make smaller partitions"
            ) from error
        except (distributed.CancelledError, OSError, TimeoutError) as error:
            if isinstance(error, PenchantError):
                raise
            raise Unreachable(
                f"the scheduler must be reachable until the end, got {type(error).__name__}: "
                "see whether it still runs, and start again"
            ) from error
        return found

    def result(self, future: Any) -> Any:
        """Return the result of a future."""
        return self.results([future])[0]


def _version_here() -> Callable[[], str | None]:
    """Return a function that returns the version of Penchant where it is called; None where there is none."""

    def installed() -> str | None:  # defined here, it is sent by value
        try:
            import penchant
        except ImportError:
            return None
        return str(penchant.__version__)

    return installed


def add_each(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the sums of two tuples of numbers or arrays, entry by entry."""
    return tuple(a + b for a, b in zip(first, second, strict=True))


def _itself(value: Any) -> Any:
    return value


def _added(add: Callable[[Any, Any], Any], values: list[Any]) -> Any:
    return reduce(add, values)
