"""The parts of the reliability run, one module each."""
