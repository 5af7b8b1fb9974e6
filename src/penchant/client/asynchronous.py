"""`AsyncClient`: as `Client`, awaited."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx
from anyio import sleep

from penchant.client import calls
from penchant.client.address import Address
from penchant.client.attempts import Attempts
from penchant.client.calls import Call
from penchant.client.replies import NoReply, Outcome, error
from penchant.client.reports import ItemReport, Predictions, Race
from penchant.client.results import (
    About,
    Answer,
    Change,
    Event,
    Feedback,
    Item,
    Presentation,
    Question,
    Turn,
    Undo,
    Why,
)
from penchant.client.stream import ChangeStream
from penchant.client.transport import listening, no_reply, options, reply, request
from penchant.errors import Closed
from penchant.saving.replacing import replaced
from penchant.study_reports import Activity, Certainty, Checks, Entry, Upcoming

if TYPE_CHECKING:
    from penchant.ask import Settled
    from penchant.coactive import Interleaving, Progress, WeightReport
    from penchant.ranking import Ranking
    from penchant.worth.judges import Judges

T = TypeVar("T")


class AsyncClient:
    """A study that another process serves, as `Client`: the same methods, awaited, and the same parameters.

    `events` and `changes` are iterated over with ``async for``, and ``async with`` closes the client.

    Examples
    --------
    >>> AsyncClient("http://127.0.0.1:8000", "TOKEN")
    AsyncClient('http://127.0.0.1:8000')
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 10.0,
        retries: int = 5,
        allow_http: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        address = Address.of(url, token, allow_http=allow_http)
        Attempts(retries)
        self.url = address.url
        self._timeout, self._retries = timeout, retries
        self._http = httpx.AsyncClient(**options(address, timeout), transport=transport)

    @classmethod
    def from_link(cls, link: str, **settings: Any) -> Self:
        """As `Client.from_link`."""
        address = Address.of_link(link, allow_http=settings.get("allow_http", False))
        return cls(address.url, address.token, **settings)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    async def close(self) -> None:
        """As `Client.close`."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- comparisons ---------------------------------------------------------------------------------------

    async def ask(self) -> Question:
        """As `Client.ask`."""
        return await self._send(calls.ask())

    async def tell(self, question: Question | str, choice: str, *, event_id: str | None = None) -> Answer:
        """As `Client.tell`."""
        return await self._send(calls.tell(question, choice, event_id))

    async def turn(self, question: Question | str, choice: str, *, event_id: str | None = None) -> Turn:
        """As `Client.turn`."""
        return await self._send(calls.turn(question, choice, event_id))

    async def undo(
        self, event_id: str | None = None, *, user: str | None = None, undo_id: str | None = None
    ) -> Undo:
        """As `Client.undo`."""
        return await self._send(calls.undo(event_id, user, undo_id))

    async def rank(self) -> Ranking:
        """As `Client.rank`."""
        ranking: Ranking = await self._send(calls.rank())
        return ranking

    async def settled(self) -> Settled | None:
        """As `Client.settled`."""
        found: Settled | None = await self._send(calls.settled())
        return found

    async def verdict(self) -> tuple[str, ...]:
        """As `Client.verdict`."""
        return await self._send(calls.verdict())

    async def outcome_probability(self, a: str, b: str) -> tuple[float, float, float]:
        """As `Client.outcome_probability`."""
        return await self._send(calls.outcome_probability(a, b))

    async def upcoming(self) -> Upcoming:
        """As `Client.upcoming`."""
        return await self._send(calls.upcoming())

    async def predictions(self, *, last: int = 2000) -> Predictions:
        """As `Client.predictions`."""
        return await self._send(calls.predictions(last))

    async def race(self, *, last: int = 300) -> Race:
        """As `Client.race`."""
        return await self._send(calls.race(last))

    async def certainty(self) -> Certainty:
        """As `Client.certainty`."""
        return await self._send(calls.certainty())

    async def activity(self) -> tuple[Activity, ...]:
        """As `Client.activity`."""
        return await self._send(calls.activity())

    async def item_report(self, id: str, *, most: int = 20) -> ItemReport:
        """As `Client.item_report`."""
        return await self._send(calls.item_report(id, most))

    async def why(self, a: str, b: str, *, most: int = 10, user: str | None = None) -> Why:
        """As `Client.why`."""
        return await self._send(calls.why(a, b, most, user))

    async def judges(self, *, programs: Sequence[str] = ()) -> Judges:
        """As `Client.judges`."""
        judges: Judges = await self._send(calls.judges(programs))
        return judges

    async def set_aside(self, judge: str, *, event_id: str | None = None) -> None:
        """As `Client.set_aside`."""
        await self._send(calls.aside(judge, True, event_id))

    async def take_back(self, judge: str, *, event_id: str | None = None) -> None:
        """As `Client.take_back`."""
        await self._send(calls.aside(judge, False, event_id))

    # -- presentations -------------------------------------------------------------------------------------

    async def present(
        self,
        context: Any,
        *,
        user: str | None = None,
        learn: bool = True,
        interleave: Any = None,
        event_id: str | None = None,
    ) -> Presentation:
        """As `Client.present`."""
        return await self._send(calls.present(context, user, learn, interleave, event_id))

    async def feedback(
        self,
        presentation: Presentation | str,
        *,
        clicked: Any = None,
        order: Any = None,
        better: Any = None,
        event_id: str | None = None,
    ) -> Feedback:
        """As `Client.feedback`."""
        return await self._send(calls.feedback(presentation, clicked, order, better, event_id))

    async def weights(self, user: str | None = None) -> dict[str, float]:
        """As `Client.weights`."""
        return await self._send(calls.weights(user))

    async def interleaving(self) -> Interleaving:
        """As `Client.interleaving`."""
        found: Interleaving = await self._send(calls.interleaving())
        return found

    async def weight_report(self) -> WeightReport:
        """As `Client.weight_report`."""
        found: WeightReport = await self._send(calls.weight_report())
        return found

    async def learning_curve(self) -> Progress:
        """As `Client.learning_curve`."""
        found: Progress = await self._send(calls.learning_curve())
        return found

    # -- both ----------------------------------------------------------------------------------------------

    async def study(self) -> About:
        """As `Client.study`."""
        return await self._send(calls.study())

    async def items(self) -> dict[str, Item]:
        """As `Client.items`."""
        return await self._send(calls.items())

    async def add_items(self, items: Iterable[object], *, event_id: str | None = None) -> tuple[str, ...]:
        """As `Client.add_items`."""
        return await self._send(calls.add_items(items, event_id))

    async def edit_item(
        self,
        id: str,
        changes: Mapping[str, Any] | None = None,
        /,
        *,
        event_id: str | None = None,
        **fields: Any,
    ) -> Item:
        """As `Client.edit_item`."""
        return await self._send(calls.edit_item(id, {**(changes or {}), **fields}, event_id))

    async def retire(self, *ids: str, event_id: str | None = None) -> None:
        """As `Client.retire`."""
        for call in calls.retire(ids, True, event_id):
            await self._send(call)

    async def bring_back(self, *ids: str, event_id: str | None = None) -> None:
        """As `Client.bring_back`."""
        for call in calls.retire(ids, False, event_id):
            await self._send(call)

    async def import_items(self, path: str | Path, *, event_id: str | None = None) -> tuple[str, ...]:
        """As `Client.import_items`."""
        return await self._send(calls.import_items(path, event_id))

    async def check(self) -> Checks:
        """As `Client.check`."""
        return await self._send(calls.check())

    async def history(self, *, before: int | None = None, limit: int = 50) -> list[Entry]:
        """As `Client.history`."""
        return await self._send(calls.history(before, limit))

    async def settings(self) -> dict[str, Any]:
        """As `Client.settings`."""
        return await self._send(calls.settings())

    async def change(self, *, event_id: str | None = None, **settings: Any) -> dict[str, Any]:
        """As `Client.change`."""
        return await self._send(calls.change(settings, event_id))

    async def events(self, after: int = 0) -> AsyncIterator[Event]:
        """As `Client.events`."""
        while True:
            found, last = await self._send(calls.events(after))
            for event in found:
                yield event
            if calls.last_page(found, last):
                return
            after = found[-1].number

    async def export(self, path: str | Path, what: str = "events") -> None:
        """As `Client.export`."""
        call = calls.export(path, what)
        attempts = Attempts(self._retries)
        while True:
            outcome = await self._fetch(call, path)
            if outcome is None:
                return
            await self._wait_or_raise(attempts, outcome)

    async def changes(self, after: int | None = None) -> AsyncIterator[Change]:
        """As `Client.changes`."""
        stream = ChangeStream(after)
        attempts = Attempts(self._retries)
        while True:
            outcome: Outcome = NoReply("the end of the stream")
            async with aclosing(self._lines(stream)) as lines:
                async for line in lines:
                    if not isinstance(line, str):
                        outcome = line
                        break
                    attempts.begin_again()
                    change = stream.feed(line)
                    if change is not None:
                        yield change
            await self._wait_or_raise(attempts, outcome)

    # -- sending -------------------------------------------------------------------------------------------

    async def _send(self, call: Call[T]) -> T:
        attempts = Attempts(self._retries)
        while True:
            outcome = await self._once(call)
            pause = attempts.pause(outcome)
            if pause is None:
                return call.result(outcome, self.url, attempts.made)
            await sleep(pause)

    async def _once(self, call: Call[Any]) -> Outcome:
        self._check_open()
        try:
            return reply(await self._http.request(**request(call, self.url)))
        except httpx.RequestError as problem:
            return no_reply(problem)

    async def _fetch(self, call: Call[Any], path: str | Path) -> Outcome | None:
        """Write the content of a reply to a file; return None, or what came instead."""
        self._check_open()
        try:
            async with self._http.stream(**request(call, self.url)) as response:
                if response.status_code != httpx.codes.OK:
                    await response.aread()
                    return reply(response)
                with replaced(path) as file:
                    async for part in response.aiter_bytes():
                        file.write(part)
        except httpx.RequestError as problem:
            return no_reply(problem)
        return None

    async def _lines(self, stream: ChangeStream) -> AsyncGenerator[str | Outcome]:
        """Yield the lines of one connection, and last why it ended."""
        self._check_open()
        stream.begin()
        given = listening(calls.changes(), self.url, stream.headers(), self._timeout)
        try:
            async with self._http.stream(**given) as response:
                if response.status_code == httpx.codes.OK:
                    async for line in response.aiter_lines():
                        yield line
                    return
                await response.aread()
                yield reply(response)
        except httpx.RequestError as problem:
            yield no_reply(problem)

    async def _wait_or_raise(self, attempts: Attempts, outcome: Outcome) -> None:
        pause = attempts.pause(outcome)
        if pause is None:
            raise error(outcome, url=self.url, made=attempts.made)
        await sleep(pause)

    def _check_open(self) -> None:
        if self._http.is_closed:
            raise Closed("a client must be open when it is used, got a closed one: make a new one")
