"""Counting partitions of whole numbers."""


def partition_count(total):
    """Return in how many ways ``total`` is a sum of positive whole numbers."""
    raise NotImplementedError
