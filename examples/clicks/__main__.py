"""Run the site until Ctrl-C: ``python -m examples.clicks TOKEN-FILE [URL]``; the file holds the token of an app."""

from __future__ import annotations

import sys
from pathlib import Path

from examples.clicks.site import Site
from penchant import Client

if __name__ == "__main__":
    token = Path(sys.argv[1]).read_text(encoding="utf-8").strip()
    url = sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:8000"
    with Client(url, token) as client, Site(client) as site:
        print(f"Open {site.origin}; the study must be served with --allow-origin {site.origin}")
        site.serve_forever()
