"""Coactive studies: present an order, take clicks and corrections, learn from them."""

from penchant.study.coactive.presentations import Feedback, Presentation
from penchant.study.coactive.study import CoactiveStudy

__all__ = ["CoactiveStudy", "Feedback", "Presentation"]
