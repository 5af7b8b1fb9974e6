"""Every chart on one page, from real data, at 5, 50 and 500 items: run ``make gallery`` and look."""
