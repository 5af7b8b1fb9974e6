"""A process that appends, and says so line by line, to be watched by a system-call trace.

python acknowledging.py FILE SYNCHRONOUS
"""

from __future__ import annotations

import os
import sys

from penchant.store import SQLiteLog
from penchant.store.sqlite import database

N_APPENDS = 12


def main(path: str, synchronous: str) -> None:
    database.SYNCHRONOUS = synchronous
    with SQLiteLog.create(path) as log:
        for number in range(N_APPENDS):
            batch = [(f"e{number}-{part}", "answer", {"choice": "left"}) for part in range(1 + number % 3)]
            log.append_all(batch)
            os.write(1, f"acknowledged {number}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
