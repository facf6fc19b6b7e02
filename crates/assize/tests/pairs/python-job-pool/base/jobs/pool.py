"""A pool of workers on one event loop."""


async def run_all(jobs, workers):
    """Run ``jobs``, at most ``workers`` at once, and return their results in order."""
    raise NotImplementedError
