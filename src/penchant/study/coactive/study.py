"""A coactive study: present an order, take clicks and corrections, and learn from them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.store import EventLog, PostgresAddress, create_log, located
from penchant.study.coactive.editing import CoactiveEditing
from penchant.study.coactive.erasing import CoactiveErasing
from penchant.study.coactive.events import newest
from penchant.study.coactive.exporting import CoactiveExchange
from penchant.study.coactive.features import check_items
from penchant.study.coactive.reports import CoactiveReports
from penchant.study.coactive.settings import checked_settings, first_settings
from penchant.study.events import CREATED, ITEMS
from penchant.study.items import Item, checked_items, item_parts
from penchant.study.settings import checked_seed
from penchant.text import visible


class CoactiveStudy(CoactiveEditing, CoactiveErasing, CoactiveExchange, CoactiveReports):
    """Candidates that are presented, what people make of them, and the order that follows.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "search.db"
    >>> with CoactiveStudy.create(place, seed=1) as study:
    ...     films = {"Up": {"funny": 1.0}, "Heat": {"long": 2.0}, "Alien": {"dark": 1.0}}
    ...     shown = study.present(films, user="ann")
    ...     feedback = study.feedback(shown, clicked=["Alien"])
    ...     study.present(films).order
    ('Alien', 'Up', 'Heat')
    """

    def __init__(self, log: EventLog, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(log, clock=clock)
        self.retain()

    @classmethod
    def create(
        cls,
        path: str | Path | PostgresAddress,
        items: Iterable[object] = (),
        *,
        seed: int | None = None,
        clock: Callable[[], float] = time.time,
        **settings: Any,
    ) -> Self:
        """Make a new study in a new file.

        Parameters
        ----------
        path : str, Path or PostgresAddress
            The file, which must not exist yet, or the address of a new study in a PostgreSQL database.
        items : iterable
            Candidates that can be presented by id: texts, `Item`s, or mappings with title and features.
        seed : int, optional
            Seed of interleaving and of perturbed learners; random if not given, and recorded.
        learner : str, mapping or Learner
            "perceptron" (default), "perturbed", "exponentiated", "convex" or "second-order"; or its name and settings,
            ``{"name": "perceptron", "averaged": True}``; or a new learner.
        map : {"ranking", "item"}
            Whether the first ``depth`` places of an order count, or one item.
        depth, log
            Of the map of rankings: see `RankingMap`.
        names : sequence of str
            Features in the order of their columns. Learners that features cannot join need all of theirs; their default
            are those of the items.
        features : sequence of str, optional
            The fields of the items that are features, words as categories; default: all that are numbers.
        scaling : mapping of str to (centre, scale), or Scaling
            Each feature x is replaced by (x − centre) / scale.
        per_user : bool
            Whether each user has a model of their own, which starts as the shared one.
        baseline : "given", mapping or learner
            What ``interleave="baseline"`` stands for: the order in which candidates were given; ``{"feature": name}``,
            the largest first; ``{"weights": {name: number}}``; or a second learner.
        retention : number of days, {"days": d} or {"rounds": n}, optional
            How long contexts are kept: see `retain`.
        title : str
        """
        listed = checked_items(items, least=0)
        features = checked_settings({"features": settings.get("features")})
        _check_fields(listed, features["features"] or ())
        content = {
            "kind": cls.kind,
            "seed": secrets.randbits(32) if seed is None else checked_seed(seed),
            "settings": first_settings(settings, visible(located(path).stem), check_items(listed, features)),
        }
        entries = [("created", CREATED, content, newest(CREATED))]
        entries += [
            (f"items-{number}", ITEMS, {"items": part}, newest(ITEMS))
            for number, part in enumerate(item_parts(listed) if listed else ())
        ]
        return cls._of(create_log(path, entries, clock=clock), clock)


def _check_fields(items: Sequence[Item], features: Sequence[str]) -> None:
    """Reject a feature that is a field of no item: its name is mistyped."""
    fields = {field for item in items for field in item.fields}
    missing = next((name for name in features if name not in fields), None)
    if items and missing is not None:
        raise InvalidInput.of(
            "features", "be fields of the items", f"{shown(missing)}, which none has", "correct the name"
        )
