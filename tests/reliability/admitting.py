"""A process that makes tokens, uses and revokes them beside answers, until it is killed.

    python admitting.py FILE

Each line is what was acknowledged: "made TOKEN", "revoked TOKEN" or "answered ID".
"""

from __future__ import annotations

import sys
import threading
from itertools import count

from penchant.study import Study


def tell(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def admit(study: Study) -> None:
    for number in count():
        token = study.tokens.make("judge", f"judge {number}")
        tell(f"made {token}")
        found = study.tokens.find(token)
        if number % 2 and found is not None:
            study.tokens.revoke(found.id)
            tell(f"revoked {token}")


def answer(study: Study) -> None:
    while True:
        tell(f"answered {study.tell(study.ask('ann'), 'left').id}")


if __name__ == "__main__":
    opened = Study.open(sys.argv[1])
    for work in (admit, answer):
        threading.Thread(target=work, args=(opened,)).start()
