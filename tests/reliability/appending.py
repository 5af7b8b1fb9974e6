"""A process that appends until it is killed: what it prints is what was acknowledged.

    python appending.py FILE THREADS ROUND

Each line is an id and its number. The first thread appends batches of three, the others single events. Only
the store is imported, so that starting and killing it a thousand times takes minutes.
"""

from __future__ import annotations

import os
import sys
import threading
from itertools import count

from penchant.store import Appended, SQLiteLog

SIZE = 200  # bytes of content, about those of an answer


def tell(appended: list[Appended]) -> None:
    # One write of less than PIPE_BUF bytes arrives whole or not at all.
    os.write(1, "".join(f"{one.event.id} {one.event.number}\n" for one in appended).encode())


def work(log: SQLiteLog, thread: int, turn: str) -> None:
    for number in count():
        ids = [f"{turn}-{thread}-{number}-{part}" for part in range(1 if thread else 3)]
        tell(log.append_all([(id, "answer", {"text": id.ljust(SIZE)}) for id in ids]))


def main(path: str, threads: str, turn: str) -> None:
    log = SQLiteLog.open(path)
    workers = [threading.Thread(target=work, args=(log, number, turn)) for number in range(int(threads))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
