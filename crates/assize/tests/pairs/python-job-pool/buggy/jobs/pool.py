"""A pool of workers on one event loop."""

import asyncio


async def run_all(jobs, workers):
    """Run ``jobs``, at most ``workers`` at once, and return their results in order."""
    if workers < 1:
        raise ValueError("at least one worker is needed")
    queue = asyncio.Queue()
    for place in enumerate(jobs):
        queue.put_nowait(place)
    results = [None] * len(jobs)

    async def work():
        while True:
            place, job = await queue.get()
            try:
                results[place] = await job()
                queue.task_done()
            except Exception as error:
                results[place] = error

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    await queue.join()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return results
