"""A process that opens a log of the first schema for writing, which moves it, to be killed at any moment.

python moving.py FILE
"""

from __future__ import annotations

import sys
import time

from penchant.store import SQLiteLog

if __name__ == "__main__":
    print("ready", flush=True)
    log = SQLiteLog.open(sys.argv[1])
    print("moved", flush=True)
    time.sleep(60)
