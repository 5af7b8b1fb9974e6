"""A child to be killed: judges answer a study's questions from several threads and say what was acknowledged."""

from __future__ import annotations

import sys
import threading

from penchant.study import Study


def judge(study: Study, name: str) -> None:
    for number in range(100_000):
        answer = study.tell(study.ask(name), ("left", "right", "tie", "skip")[number % 4])
        line = f"answered {answer.id}\n"
        if number % 5 == 4:
            line += f"undone {study.undo(answer.id)}\n"
        sys.stdout.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    opened = Study.open(sys.argv[1])
    names = [f"judge {place} of turn {sys.argv[2]}" for place in range(4)]
    judges = [threading.Thread(target=judge, args=(opened, name)) for name in names]
    for thread in judges:
        thread.start()
    for thread in judges:
        thread.join()  # Python imports nothing that waits for its end, as SciPy does, once the main thread has ended
