"""A study in; questions, answers and a live ranking over HTTP out, on this computer only."""

from penchant.serve.app import create_app
from penchant.serve.server import serve

__all__ = ["create_app", "serve"]
