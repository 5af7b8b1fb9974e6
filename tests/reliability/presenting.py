"""A child to be killed: people click from several threads, undo and are forgotten, and say what was acknowledged."""

from __future__ import annotations

import sys
import threading

from penchant.study.coactive import CoactiveStudy


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def person(study: CoactiveStudy, name: str) -> None:
    for number in range(100_000):
        context = {f"{name} {number} {k}": {"x": float(k), f"f{number % 7}": 1.0} for k in range(4)}
        shown = study.present(["i0", "i1", "i2"] if number % 2 else context, user=f"{name} {number // 10}")
        say(f"presented {shown.id}")
        feedback = study.feedback(shown, clicked=[shown.order[number % 3]])
        say(f"given {feedback.id}")
        if number % 5 == 4:
            say(f"undone {study.undo(feedback.id)}")
        if number % 10 == 9:
            study.forget(f"{name} {number // 10}")
            say(f"forgotten {name.replace(' ', '_')}_{number // 10}")


if __name__ == "__main__":
    opened = CoactiveStudy.open(sys.argv[1])
    people = [
        threading.Thread(target=person, args=(opened, f"person {place} of turn {sys.argv[2]}"))
        for place in range(4)
    ]
    for thread in people:
        thread.start()
    for thread in people:
        thread.join()
