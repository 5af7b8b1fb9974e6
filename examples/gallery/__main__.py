"""Draw every chart onto one page: ``python -m examples.gallery``, or ``make gallery``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from examples.gallery.charts import SIZES, entries
from examples.gallery.page import write_gallery
from penchant.papers.sources import data_folder


def main(words: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.gallery", description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of the data sets; PENCHANT_DATA unless given")
    parser.add_argument("--out", type=Path, default=Path("out/gallery"), help="where the pages go")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of items")
    typed = parser.parse_args(words)
    data = data_folder(typed.data)
    if data is None:
        print("No folder of data sets (--data, PENCHANT_DATA): charts show made-up data, and say so")
    print(f"Gallery: {write_gallery(entries(data, tuple(typed.sizes)), typed.out)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
