"""A process that changes a study in every way while judges answer, until it is killed.

    python editing.py FILE TURN

Each line is what was acknowledged: a kind of change and the number of the round in which it was made.
"""

from __future__ import annotations

import sys
import threading
from itertools import count

from penchant.preferences import Preferences
from penchant.study import Study


def tell(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def edit(study: Study, turn: str) -> None:
    """Add an item, edit it, retire it and bring every other one back; the same with a judge; and change the title."""
    for number in count():
        name = f"{turn}-{number}"
        study.add_items([{"id": name, "title": f"item {name}"}])
        tell(f"added {name}")
        study.edit_item(name, text=f"text {name}")
        tell(f"edited {name}")
        study.retire(name)
        tell(f"retired {name}")
        if number % 2:
            study.bring_back(name)
            tell(f"returned {name}")
        study.tell(study.ask(name), "left", event_id=name)
        study.set_aside(name)
        tell(f"aside {name}")
        if number % 2:
            study.take_back(name)
            tell(f"back {name}")
        study.change(title=f"title {name}")
        tell(f"titled {name}")
        imported = study.import_answers(Preferences.from_pairs([("item-0", "item-1")]), source=name)
        tell(f"imported {imported}")


def answer(study: Study, turn: str) -> None:
    for number in count():
        told = study.tell(study.ask(f"judge of {turn}"), ("left", "right", "tie", "skip")[number % 4])
        tell(f"answered {told.id}")


if __name__ == "__main__":
    opened = Study.open(sys.argv[1])
    workers = [threading.Thread(target=work, args=(opened, sys.argv[2])) for work in (edit, answer)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
