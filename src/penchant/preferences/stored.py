"""The schema of saved `Preferences`, and how they are restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penchant.preferences.columns import UNKNOWN
from penchant.preferences.items import MOST_ITEMS, Items, check_items
from penchant.preferences.statements import Statements
from penchant.schema import Array, Flag, Maybe, Schema, Texts, Whole, require

MOST_UNNAMED = 1_000_000
"""Items without names that a file may declare beyond those that its rows could hold."""

STATEMENTS = ("members", "levels", "starts", "tied")
COLUMNS = ("weight", "judge", "better_on_left", "period", "source", "covariates")


def _together(state: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` if parts do not fit together."""
    check_items(state)
    count, limit = state["count"], max(MOST_UNNAMED, len(state["members"]))
    require(
        state["names"] is not None or count <= limit,
        f"count of items without names must be at most {limit:,}, got {count:,}",
    )
    Statements(*(state[name] for name in STATEMENTS)).check(count)
    judge = np.zeros(0, dtype=np.int64) if state["judge"] is None else state["judge"]
    require((judge < len(state["judges"])).all(), "judge must be one of judges")
    named = len(state.get("covariate_names", ()))
    require(bool(named) == ("covariates" in state), "covariates must be there with their names")


PREFERENCES = Schema(
    {
        "members": Array(("n_members",), "int32", least=0),
        "levels": Array(("n_members",), "int32", least=0),
        "starts": Array((None,), "int64", least=0),
        "tied": Array(("n_rows",), "bool"),
        "weight": Maybe(Array(("n_rows",), above=0)),
        "judge": Maybe(Array(("n_rows",), "int64", least=UNKNOWN)),
        "judges": Texts(),
        "better_on_left": Maybe(Array(("n_rows",), "int8", least=UNKNOWN, most=1)),
        "period": Maybe(Array(("n_rows",), "int64")),
        "source": Maybe(Array(("n_rows",), "int64")),
        "count": Whole(1, MOST_ITEMS),
        "names": Maybe(Texts()),
        "bar": Flag(),
    },
    optional={
        "covariates": Array(("n_rows", "n_covariates")),
        "covariate_names": Texts("n_covariates"),
    },
    rules=(_together,),
)
COMPARISONS = Schema(
    {
        "better": Array(("n",), "int64", least=0),
        "worse": Array(("n",), "int64", least=0),
        "tie": Array(("n",), "bool"),
        "weight": Array(("n",), above=0),
        "row": Array(("n",), "int64", least=0),
        "judge": Maybe(Array(("n",), "int64", least=UNKNOWN)),
        "better_on_left": Maybe(Array(("n",), "int8", least=UNKNOWN, most=1)),
        "period": Maybe(Array(("n",), "int64")),
    }
)


def restored(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the `Preferences` whose checked state this is."""
    columns = {name: state.get(name) for name in COLUMNS}
    columns["covariate_names"] = state.get("covariate_names", ())
    catalogue = Items(state["count"], state["names"], state["bar"])
    statements = Statements(*(state[name] for name in STATEMENTS))
    return {"statements": statements, "catalogue": catalogue, "judges": state["judges"], **columns}
