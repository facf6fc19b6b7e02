"""Modules that have grown for years."""
