"""``python -m penchant`` is the command line."""

from penchant.cli import main

if __name__ == "__main__":
    main()
