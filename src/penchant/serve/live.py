"""The current ranking of a study as JSON for the owner, computed again only when an answer came or went."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from threading import Lock
from typing import Any

from penchant.ranking import Ranking
from penchant.study import CompareStudy
from penchant.text import visible


class LiveRanking:
    """The ranking of a study, kept until the study changes; several owners' pages may look at it at once."""

    def __init__(self, study: CompareStudy) -> None:
        self._study = study
        self._lock = Lock()
        self._revision = -1
        self._kept: dict[str, Any] = {}
        self._ranking: Ranking | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of the ranking, with the titles, the number of answers and the progress as text.

        How settled it is may be based on fewer answers: it is evaluated in the background.
        """
        with self._lock:
            revision = self._study.revision()
            if revision != self._revision:
                self._kept = self._made()
                self._revision = revision
            words = self._study.verdict(self._ranking, wait=False)
            return {**self._kept, "settled": self.settled(), "verdict": list(words)}

    def _made(self) -> dict[str, Any]:
        # Numbers before the ranking: an answer that comes meanwhile is in the ranking before it is counted, not after.
        about = {
            "study": visible(self._study.title),
            "progress": self._study.progress(),
            "answers": self._study.n_answers(),
        }
        found = self._ranking = self._study.rank()
        ranking = json.loads(found.to_json())
        sentences = [f"{note[0].upper()}{note[1:]}." for note in (*found.notes(), *found.caveats)]
        for row in ranking["items"]:
            item = self._study.items[row["item"]]
            row["title"] = visible(item.title or item.id)
        certain = [f"{line[0].upper()}{line[1:]}." for line in self._certain(found)]
        return {**about, "certain": certain, "settled": None, "verdict": [], **ranking, "notes": sentences}

    def _certain(self, ranking: Ranking) -> list[str]:
        """Return what is certain about the order, with the titles of the items."""
        titles = [visible(self._study.items[item].title or item) for item in ranking.items]
        return replace(ranking, items=tuple(titles)).certain()

    def settled(self) -> dict[str, Any] | None:
        """Return how near the ranking is to its goal, also in words; None while it is too early to say."""
        found = self._study.settled(wait=False)
        if found is None:
            return None
        words = f"{str(found)[0].upper()}{str(found)[1:]}."
        return {"words": words, "enough": found.enough, **asdict(found)}
