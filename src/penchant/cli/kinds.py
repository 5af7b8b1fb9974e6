"""The two kinds of studies on the command line: which command serves one where the typed one serves the other."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from penchant.errors import InvalidInput, WrongKind

if TYPE_CHECKING:
    from penchant.study import CompareStudy, Study
    from penchant.study.coactive import CoactiveStudy

COACTIVE = "coactive"
_DOES = {"compare": "compares items", "coactive": "presents orders"}
_EXPORTED = ("export", "FILE.db", "LOG.jsonl", "--what", "presentations")
_INSTEAD: dict[str, dict[str, tuple[str, ...]]] = {
    "coactive": {
        "tell": ("feedback", "FILE.db", "PRESENTATION", "--clicked", "ID"),
        "predictions": ("check", "FILE.db"),
        "race": ("learn", "LOG", "--learner", "NAME", "--save", "OUT"),
        "list_judges": ("users", "FILE.db"),
        "set_aside": ("undo", "FILE.db", "--user", "NAME"),
        "take_back": ("undo", "FILE.db", "UNDO"),
        **dict.fromkeys(("convert", "suggest", "fit_ranker", "fit_utility", "fit_linked"), _EXPORTED),
    },
    "compare": {
        "present": ("ask", "FILE.db"),
        "feedback": ("tell", "FILE.db", "QUESTION", "left"),
        "users": ("judges", "FILE.db"),
        "forget": ("judges", "set-aside", "FILE.db", "JUDGE"),
        "learn": ("import", "FILE.db", "ANSWERS"),
    },
}
"""By the kind of the study, the command that does for it what another does for the other kind."""
_OTHERWISE = {"coactive": ("present", "FILE.db"), "compare": ("rank", "FILE.db")}


def wrong_kind(error: WrongKind, command: str) -> str:
    """Return the message for a study of the other kind than the one that a command serves."""
    kind = error.received
    needed = next(other for other in _DOES if other != kind)
    words = _INSTEAD[kind].get(command, _OTHERWISE[kind])
    typed = shlex.join(error.argument if word == "FILE.db" else word for word in words)
    return (
        f"{error.argument} must be a study that {_DOES[needed]} for this command, got one that {_DOES[kind]}: "
        f"use penchant {typed}"
    )


def as_coactive(study: Study) -> CoactiveStudy:
    """Return a study of which the caller knows that it is coactive."""
    from penchant.study.coactive import CoactiveStudy

    assert isinstance(study, CoactiveStudy)  # noqa: S101  (there are two kinds)
    return study


def editable(study: Study) -> CompareStudy | CoactiveStudy:
    """Return a study of either kind as one whose items and settings can be changed."""
    from penchant.study import CompareStudy

    return study if isinstance(study, CompareStudy) else as_coactive(study)


def reject_options(does: str, **options: Any) -> None:
    """Reject options that were typed for a study of the other kind."""
    given = [name.replace("_", "-") for name, value in options.items() if value is not None]
    if given:
        raise InvalidInput.of(
            f"--{given[0]}", f"be left out for a study that {does}", "a value", "leave it out"
        )
