"""Figures."""

from .stats import mean
