"""A study over HTTP, on this computer only: questions, answers and the current ranking."""

from penchant.serve.app import create_app
from penchant.serve.server import serve

__all__ = ["create_app", "serve"]
