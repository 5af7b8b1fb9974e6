"""Links as QR codes."""

from __future__ import annotations

import segno

from penchant.serve.qr import modules_of


def test_the_modules_are_those_of_the_code() -> None:
    """Square, with the three finder patterns, and another link is another code."""
    link = "http://127.0.0.1:8000/#judge=Zo%C3%AB&token=abc.def"
    rows = modules_of(link)
    size = len(rows)
    assert {len(row) for row in rows} == {size}
    assert set("".join(rows)) == {"0", "1"}
    for top, left in ((0, 0), (0, size - 7), (size - 7, 0)):
        assert rows[top][left : left + 7] == "1111111"
        assert rows[top + 1][left : left + 7] == "1000001"
    assert rows == modules_of(link) != modules_of(link + "x")
    assert size == segno.make_qr(link, error="m", boost_error=False).symbol_size(border=0)[0]
