"""`Client`: a study that another process serves, over HTTP."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from time import sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx

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


class Client:
    """A study that another process serves, used as if it were here: ask and tell, or present and feedback.

    The token says which study it is and what may be done there: a judge asks and tells, an app presents and gives
    feedback, apps and readers look, and an owner does everything but answer. What the token does not allow raises
    `NotAllowed`.

    Every write is sent under an id of its own, and again under the same id when the connection breaks, the server
    starts anew or is busy: it counts once. When a method returns, what it wrote is on the server's disk. When the
    server cannot be reached after all attempts, `Unreachable` is raised; its ``event_id``, given to the same call,
    makes sure that it counts once even then. Threads may share a client.

    Parameters
    ----------
    url : str
        The address of the server. It begins with https:// unless the server is on this computer.
    token : str
        What stands behind ``token=`` in a link.
    timeout : float
        Seconds to wait for a connection and for each part of a reply.
    retries : int
        How often a request is sent again at most; the waits in between double, up to 5 seconds, unless the server asks
        for longer ones.
    allow_http : bool
        Whether the token may be sent unencrypted over a network.
    transport : httpx.BaseTransport, optional
        How requests are sent, in tests for instance; otherwise over the network.

    Examples
    --------
    >>> Client("http://127.0.0.1:8000", "TOKEN")
    Client('http://127.0.0.1:8000')
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 10.0,
        retries: int = 5,
        allow_http: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        address = Address.of(url, token, allow_http=allow_http)
        Attempts(retries)
        self.url = address.url
        self._timeout, self._retries = timeout, retries
        self._http = httpx.Client(**options(address, timeout), transport=transport)

    @classmethod
    def from_link(cls, link: str, **settings: Any) -> Self:
        """Return the client for a link as the server prints it; ``settings`` are those of `Client`.

        Examples
        --------
        >>> Client.from_link("http://127.0.0.1:8000/#judge=ann&token=TOKEN")
        Client('http://127.0.0.1:8000')
        """
        address = Address.of_link(link, allow_http=settings.get("allow_http", False))
        return cls(address.url, address.token, **settings)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- comparisons ---------------------------------------------------------------------------------------

    def ask(self) -> Question:
        """Return the judge's open question again, or the next one."""
        return self._send(calls.ask())

    def tell(self, question: Question | str, choice: str, *, event_id: str | None = None) -> Answer:
        """Record the answer to a question: left, right, tie, both_bad or skip.

        A question that was answered already raises `Conflict`, whose ``next`` is the question that is open now.
        """
        return self._send(calls.tell(question, choice, event_id))

    def turn(self, question: Question | str, choice: str, *, event_id: str | None = None) -> Turn:
        """Record an answer as `tell` does, and return it with the next question, in one request."""
        return self._send(calls.turn(question, choice, event_id))

    def undo(
        self, event_id: str | None = None, *, user: str | None = None, undo_id: str | None = None
    ) -> Undo:
        """Take an answer or feedback back.

        Parameters
        ----------
        event_id : str, optional
            What to take back: the id under which a judge or an app sent it, or of an owner the id of any event. Without
            it, the judge's own last answer, whose question is then open again, or the last feedback.
        user : str, optional
            Take back the last feedback of this user.
        undo_id : str, optional
            The id of the undo itself; the same one again changes nothing.
        """
        return self._send(calls.undo(event_id, user, undo_id))

    def rank(self) -> Ranking:
        """Return the ranking, equal to `Study.rank` of the same log."""
        ranking: Ranking = self._send(calls.rank())
        return ranking

    def settled(self) -> Settled | None:
        """Return how near the ranking is to its goal; None while it is too early to say."""
        found: Settled | None = self._send(calls.settled())
        return found

    def verdict(self) -> tuple[str, ...]:
        """Return which places are certain and whether the goal is reached, the most important sentence first."""
        return self._send(calls.verdict())

    def outcome_probability(self, a: str, b: str) -> tuple[float, float, float]:
        """Return the probabilities that a judge prefers item ``a``, prefers ``b``, and calls them equal."""
        return self._send(calls.outcome_probability(a, b))

    def upcoming(self) -> Upcoming:
        """Return the pair that is asked next unless something happens before, and why; nothing is asked."""
        return self._send(calls.upcoming())

    def predictions(self, *, last: int = 2000) -> Predictions:
        """Return how well the last answers were predicted, each before it was learned."""
        return self._send(calls.predictions(last))

    def race(self, *, last: int = 300) -> Race:
        """Compare the models that the items allow by how well each predicts the last answers.

        It may take longer than the client waits for a reply: give it more ``timeout``.
        """
        return self._send(calls.race(last))

    def certainty(self) -> Certainty:
        """Return how near the ranking was to its goal after some numbers of answers."""
        return self._send(calls.certainty())

    def activity(self) -> tuple[Activity, ...]:
        """Return what each judge did: answers, pace, sides, agreement and repeats, the most answers first."""
        return self._send(calls.activity())

    def item_report(self, id: str, *, most: int = 20) -> ItemReport:
        """Return whom an item was compared with, its last answers (at most ``most``), and its changes."""
        return self._send(calls.item_report(id, most))

    def why(self, a: str, b: str, *, most: int = 10, user: str | None = None) -> Why:
        """Explain why item ``a`` stands above or below item ``b``, naming at most so many reasons of each kind."""
        return self._send(calls.why(a, b, most, user))

    def judges(self, *, programs: Sequence[str] = ()) -> Judges:
        """Return the reliability and the left bias of each judge, least reliable first; some may be ``programs``."""
        judges: Judges = self._send(calls.judges(programs))
        return judges

    def set_aside(self, judge: str, *, event_id: str | None = None) -> None:
        """Leave a judge's answers, earlier and later ones, out of everything that is learned."""
        self._send(calls.aside(judge, True, event_id))

    def take_back(self, judge: str, *, event_id: str | None = None) -> None:
        """Let the answers of a judge who was set aside count again."""
        self._send(calls.aside(judge, False, event_id))

    # -- presentations -------------------------------------------------------------------------------------

    def present(
        self,
        context: Any,
        *,
        user: str | None = None,
        learn: bool = True,
        interleave: Any = None,
        event_id: str | None = None,
    ) -> Presentation:
        """Return the candidates in the order that is best by what was learned, under an id for feedback.

        Parameters
        ----------
        context : sequence of ids, mapping of ids to features, matrix or table
            As in `Study.present`. A table (a DataFrame with the ids as its index) is sent as arrays.
        user : str, optional
            Who it is for.
        learn : bool, default True
            Whether feedback on it is learned from.
        interleave : "baseline" or a sequence of ids, optional
            Another order of the candidates, with which the learned one is interleaved.
        event_id : str, optional
            The id of the request, not that of the presentation: the same one again returns the same presentation.
        """
        return self._send(calls.present(context, user, learn, interleave, event_id))

    def feedback(
        self,
        presentation: Presentation | str,
        *,
        clicked: Any = None,
        order: Any = None,
        better: Any = None,
        event_id: str | None = None,
    ) -> Feedback:
        """Learn what a person made of a presentation: give just one of clicks, an order and a better item."""
        return self._send(calls.feedback(presentation, clicked, order, better, event_id))

    def weights(self, user: str | None = None) -> dict[str, float]:
        """Return the weight of each feature in the next order, of the shared model or of a user's own."""
        return self._send(calls.weights(user))

    def interleaving(self) -> Interleaving:
        """Return how often the learned order won against the one that it was interleaved with."""
        found: Interleaving = self._send(calls.interleaving())
        return found

    def weight_report(self) -> WeightReport:
        """Return the shared weights with how steady they are, the largest first."""
        found: WeightReport = self._send(calls.weight_report())
        return found

    def learning_curve(self) -> Progress:
        """Return how well presentations with feedback were ordered, each before it was learned from."""
        found: Progress = self._send(calls.learning_curve())
        return found

    # -- both ----------------------------------------------------------------------------------------------

    def study(self) -> About:
        """Return what the study is, how far it has come, and the role and name of the token."""
        return self._send(calls.study())

    def items(self) -> dict[str, Item]:
        """Return the items by id, retired ones included."""
        return self._send(calls.items())

    def add_items(self, items: Iterable[object], *, event_id: str | None = None) -> tuple[str, ...]:
        """Add items, texts or mappings as in `Study.create`, and return their ids."""
        return self._send(calls.add_items(items, event_id))

    def edit_item(
        self,
        id: str,
        changes: Mapping[str, Any] | None = None,
        /,
        *,
        event_id: str | None = None,
        **fields: Any,
    ) -> Item:
        """Change title, text, picture, links or any other field of an item, by name or in a mapping.

        None removes a field. A field that is called event_id can be changed in a mapping only.
        """
        return self._send(calls.edit_item(id, {**(changes or {}), **fields}, event_id))

    def retire(self, *ids: str, event_id: str | None = None) -> None:
        """Take items out of questions, presentations and ranking, one after the other."""
        for call in calls.retire(ids, True, event_id):
            self._send(call)

    def bring_back(self, *ids: str, event_id: str | None = None) -> None:
        """Use retired items again, one after the other."""
        for call in calls.retire(ids, False, event_id):
            self._send(call)

    def import_items(self, path: str | Path, *, event_id: str | None = None) -> tuple[str, ...]:
        """Add the items of a file here, all of them or none, and return their ids.

        Where a row is wrong, the error names all such rows by their lines.
        """
        return self._send(calls.import_items(path, event_id))

    def check(self) -> Checks:
        """Check the answers and the state of the study: each check, whether it passed, failed or lacks data."""
        return self._send(calls.check())

    def history(self, *, before: int | None = None, limit: int = 50) -> list[Entry]:
        """Return the last ``limit`` events (before that of number ``before``) in words, the newest first."""
        return self._send(calls.history(before, limit))

    def settings(self) -> dict[str, Any]:
        """Return all settings of the study."""
        return self._send(calls.settings())

    def change(self, *, event_id: str | None = None, **settings: Any) -> dict[str, Any]:
        """Change settings of the study, by the names of `Study.create`; return all of them."""
        return self._send(calls.change(settings, event_id))

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the events of the log whose numbers are above ``after``."""
        while True:
            found, last = self._send(calls.events(after))
            yield from found
            if calls.last_page(found, last):
                return
            after = found[-1].number

    def export(self, path: str | Path, what: str = "events") -> None:
        """Write a part of the study to a file here, whole or not at all.

        Parameters
        ----------
        path : str or Path
            Ends with ``.jsonl``; of answers and ranking also with ``.csv`` or ``.parquet``.
        what : {"events", "answers", "ranking", "presentations"}
            As in `Study.export`.
        """
        call = calls.export(path, what)
        attempts = Attempts(self._retries)
        while True:
            outcome = self._fetch(call, path)
            if outcome is None:
                return
            self._wait_or_raise(attempts, outcome)

    def changes(self, after: int | None = None) -> Iterator[Change]:
        """Yield a `Change` whenever the study has changed, until the loop is left.

        Parameters
        ----------
        after : int, optional
            A revision that is known already, for instance that of `study`; without it, the first one yielded says
            where the study is now.

        A connection that breaks is made again, and continues after the last change that came.
        """
        stream = ChangeStream(after)
        attempts = Attempts(self._retries)
        while True:
            outcome: Outcome = NoReply("the end of the stream")
            with closing(self._lines(stream)) as lines:
                for line in lines:
                    if not isinstance(line, str):
                        outcome = line
                        break
                    attempts.begin_again()
                    change = stream.feed(line)
                    if change is not None:
                        yield change
            self._wait_or_raise(attempts, outcome)

    # -- sending -------------------------------------------------------------------------------------------

    def _send(self, call: Call[T]) -> T:
        attempts = Attempts(self._retries)
        while True:
            outcome = self._once(call)
            pause = attempts.pause(outcome)
            if pause is None:
                return call.result(outcome, self.url, attempts.made)
            sleep(pause)

    def _once(self, call: Call[Any]) -> Outcome:
        self._check_open()
        try:
            return reply(self._http.request(**request(call, self.url)))
        except httpx.RequestError as problem:
            return no_reply(problem)

    def _fetch(self, call: Call[Any], path: str | Path) -> Outcome | None:
        """Write the content of a reply to a file; return None, or what came instead."""
        self._check_open()
        try:
            with self._http.stream(**request(call, self.url)) as response:
                if response.status_code != httpx.codes.OK:
                    response.read()
                    return reply(response)
                with replaced(path) as file:
                    for part in response.iter_bytes():
                        file.write(part)
        except httpx.RequestError as problem:
            return no_reply(problem)
        return None

    def _lines(self, stream: ChangeStream) -> Generator[str | Outcome]:
        """Yield the lines of one connection, and last why it ended."""
        self._check_open()
        stream.begin()
        given = listening(calls.changes(), self.url, stream.headers(), self._timeout)
        try:
            with self._http.stream(**given) as response:
                if response.status_code == httpx.codes.OK:
                    yield from response.iter_lines()
                    return
                response.read()
                yield reply(response)
        except httpx.RequestError as problem:
            yield no_reply(problem)

    def _wait_or_raise(self, attempts: Attempts, outcome: Outcome) -> None:
        pause = attempts.pause(outcome)
        if pause is None:
            raise error(outcome, url=self.url, made=attempts.made)
        sleep(pause)

    def _check_open(self) -> None:
        if self._http.is_closed:
            raise Closed("a client must be open when it is used, got a closed one: make a new one")
