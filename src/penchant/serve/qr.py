"""A link as a QR code: rows of dark and light modules, which a page draws by itself."""

from __future__ import annotations

import segno


def modules_of(link: str) -> list[str]:
    """Return the modules of the QR code of a link, one text a row: 1 is dark, 0 is light; no border.

    Examples
    --------
    >>> rows = modules_of("http://127.0.0.1:8000/#judge=ann&token=TOKEN")
    >>> len(rows) == len(rows[0]), rows[0][:8]
    (True, '11111110')
    """
    code = segno.make_qr(link, error="m", boost_error=False)
    return ["".join(str(int(bool(module))) for module in row) for row in code.matrix]
