"""Whatever Schemathesis makes of the description, valid or not, gets a reply that is described.

Each role sends generated requests to every operation but the stream of changes, which never ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.generation import GenerationMode

from penchant.study.tokens import ROLES
from tests.serve.prepared import Prepared, prepared
from tests.serve.visitor import HERE

load_all_checks()
ALWAYS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)
TOO_LONG = (413, 431)
"""Replies that reject a request as well, but that `negative_data_rejection` does not count among those."""
EXAMPLES = {"owner": 5}
"""Requests of each operation and mode, for whom every operation is open; all others send `FEW`."""
FEW = 3
QUICK = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    with prepared(tmp_path_factory.mktemp("world")) as made:
        yield made


@pytest.fixture(scope="module")
def operations(world: Prepared) -> list[Any]:
    """The operations of the description that end; all roles share what is made to generate their requests."""
    schema: Any = schemathesis.openapi.from_dict(world.app.openapi())
    schema.app = world.app
    found = [result.ok() for result in schema.get_all_operations()]
    return [operation for operation in found if operation.path != "/v1/changes"]


def sent(operation: Any, mode: GenerationMode, headers: dict[str, str], examples: int) -> int:
    """Send generated requests of one operation, check the replies, and return how many there were."""
    checks = [CHECKS.get_one(name) for name in ALWAYS]
    count = 0

    @settings(QUICK, max_examples=examples)
    @given(operation.as_strategy(generation_mode=mode))
    def generated(case: Any) -> None:
        nonlocal count
        reply = case.call(base_url=HERE, headers=headers)
        rejected = reply.status_code in TOO_LONG
        case.validate_response(reply, checks=checks[:-1] if rejected else checks)
        count += 1

    try:
        generated()
    except Unsatisfiable:  # there is nothing that could be wrong in a request without a parameter
        assert mode is GenerationMode.NEGATIVE
    return count


@pytest.mark.parametrize(
    ("kind", "role"),
    [*((kind, role) for kind in ("compare", "coactive") for role in ROLES), ("any", "stranger")],
)
def test_every_reply_is_one_that_is_described(
    world: Prepared, operations: list[Any], kind: str, role: str
) -> None:
    """Status, type, headers, body; no request fails inside, and none that the schema forbids is taken."""
    token = world.tokens.get((kind, role))
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    examples = EXAMPLES.get(role, FEW)
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        counts = [sent(operation, mode, headers, examples) for operation in operations]
        assert len(counts) >= 38
        assert sum(counts) > len(counts)
