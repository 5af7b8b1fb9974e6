"""What the methods of a client return, with the attribute names that studies use.

`rank`, `settled`, `judges` and `interleaving` return the classes that a study returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Reason = tuple[str, float]
"""What speaks for the first item, and by how much of the difference; below 0, for the second."""


@dataclass(frozen=True)
class Item:
    """An item of the study. Of one that stands in a question, the server shows what judges see.

    Attributes
    ----------
    id, title, text, picture : str
    fields : mapping
        All other columns.
    links : mapping of str to float
        The ids of linked items, with a weight each.
    retired : bool
        Whether it is left out of questions, presentations and ranking.

    Examples
    --------
    >>> Item("tea", "Green tea", fields={"price": 3.5}).fields["price"]
    3.5
    """

    id: str
    title: str
    text: str = ""
    picture: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)
    links: Mapping[str, float] = field(default_factory=dict, hash=False)
    retired: bool = False


@dataclass(frozen=True)
class Question:
    """Two items, shown left and right to one judge.

    Attributes
    ----------
    id : str
    left, right : str
        Ids.
    judge : str
    left_item, right_item : Item
        What a person sees of them.
    progress : str
        How far the study has come, in words.
    answered : int
        How many answers of this judge count.

    Examples
    --------
    >>> question = Question("q-1", "tea", "water", "ann", Item("tea", "Tea"), Item("water", "Water"))
    >>> question.left, question.right_item.title
    ('tea', 'Water')
    """

    id: str
    left: str
    right: str
    judge: str
    left_item: Item = field(repr=False)
    right_item: Item = field(repr=False)
    progress: str = field(default="", repr=False)
    answered: int = field(default=0, repr=False)


@dataclass(frozen=True)
class Answer:
    """An answer that is on disk.

    Attributes
    ----------
    id : str
        The id that was sent.
    question : str
        The id of the question.
    choice : {"left", "right", "tie", "both_bad", "skip"}
    duplicate : bool
        Whether it was there before this request.

    Examples
    --------
    >>> Answer("a-1", "q-1", "left").duplicate
    False
    """

    id: str
    question: str
    choice: str
    duplicate: bool = False


@dataclass(frozen=True)
class Turn:
    """An answer, and the next question to the same judge; None where there is nothing to ask.

    Examples
    --------
    >>> Turn(Answer("a-1", "q-1", "left"), None).answer.choice
    'left'
    """

    answer: Answer
    question: Question | None


@dataclass(frozen=True)
class Undo:
    """An undo that is on disk.

    Attributes
    ----------
    id : str
        The id that was sent.
    question : Question, optional
        What is open again, where a judge took back an answer; the open question of before stays open too.
    duplicate : bool
        Whether it was there before this request.

    Examples
    --------
    >>> Undo("u-1").question is None
    True
    """

    id: str
    question: Question | None = None
    duplicate: bool = False


@dataclass(frozen=True)
class Presentation:
    """An order that was presented.

    Attributes
    ----------
    id : str
        Feedback names it; nobody can guess it.
    order : tuple of str
        The ids of all candidates, best first.
    teams : tuple of int, optional
        Where two orders were interleaved: for each place, 0 where the learned order put the candidate there and 1 where
        the other one did.
    learn : bool
        Whether feedback on it is learned from.
    duplicate : bool
        Whether it was there before this request.

    Examples
    --------
    >>> Presentation("p-1", ("b", "a", "c")).order[0]
    'b'
    """

    id: str
    order: tuple[str, ...]
    teams: tuple[int, ...] | None = None
    learn: bool = True
    duplicate: bool = False


@dataclass(frozen=True)
class Feedback:
    """Feedback that is on disk.

    Attributes
    ----------
    id : str
        For `undo`.
    presentation : str
        The id of the presentation.
    improved : tuple of str
        The order that all feedback on the presentation asks for, best first.
    changed : bool
        Whether it differs from the order before this feedback.
    learned : bool
        Whether the study learned from it: not where the presentation was made without learning.
    late : bool
        Whether it came an hour or more after the presentation.
    duplicate : bool
        Whether it was there before this request.

    Examples
    --------
    >>> Feedback("f-1", "p-1", ("b", "a"), changed=True, learned=True).improved
    ('b', 'a')
    """

    id: str
    presentation: str
    improved: tuple[str, ...]
    changed: bool
    learned: bool
    late: bool = False
    duplicate: bool = False


@dataclass(frozen=True)
class Why:
    """Why item ``a`` stands above (or below) item ``b``; the weights of the three groups add up to ``difference``.

    Attributes
    ----------
    a, b : str
        Ids.
    difference, sd : float
        The mean score of ``a`` less that of ``b``, and the standard deviation of that difference.
    answers, links, features : tuples of (str, float)
        Each names a reason and its weight, the largest weights first.
    titles : (str, str)
        What ``a`` and ``b`` are called in text.

    Examples
    --------
    >>> Why("tea", "water", 0.8, 0.4).difference
    0.8
    """

    a: str
    b: str
    difference: float
    sd: float
    answers: tuple[Reason, ...] = ()
    links: tuple[Reason, ...] = ()
    features: tuple[Reason, ...] = ()
    titles: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class About:
    """What a study is, how far it has come, and who one is there.

    Attributes
    ----------
    title : str
    kind : {"compare", "coactive"}
    question, instructions : str
        What judges are asked, and what they read before they begin.
    progress : str
        What happened so far, in words.
    revision : int
        The number of the last event: what the study says changes only with it.
    role, name : str
        Those of the token.

    Examples
    --------
    >>> about = About("Drinks", "compare", "Which is better?", "", "3 answers", 7, "judge", "ann")
    >>> about.title, about.role
    ('Drinks', 'judge')
    """

    title: str
    kind: str
    question: str
    instructions: str
    progress: str
    revision: int
    role: str
    name: str


class Event(NamedTuple):
    """An event of the study's log, as `penchant.store.Event`.

    Examples
    --------
    >>> event = Event(4, "a-1", "answered", 1.7e9, {"question": "q-1", "choice": "left"})
    >>> event.kind, event.content["choice"]
    ('answered', 'left')
    """

    number: int
    id: str
    kind: str
    time: float
    content: dict[str, Any]
    version: int = 1


@dataclass(frozen=True)
class Change:
    """The study has changed.

    Attributes
    ----------
    revision : int
        The number of its last event.
    kinds : tuple of str
        The kinds of the new events.

    Examples
    --------
    >>> Change(revision=8, kinds=("answered", "asked")).kinds
    ('answered', 'asked')
    """

    revision: int
    kinds: tuple[str, ...] = ()
