"""Studies over HTTP: questions and answers, presentations and feedback, and what was learned from them."""

from penchant.serve.address import Address
from penchant.serve.app import create_app
from penchant.serve.limits import Limits
from penchant.serve.server import serve

__all__ = ["Address", "Limits", "create_app", "serve"]
