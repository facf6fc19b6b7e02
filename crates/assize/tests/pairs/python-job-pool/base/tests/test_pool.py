import asyncio
import unittest

from jobs import run_all


def giving(value):
    async def job():
        await asyncio.sleep(0)
        return value

    return job


async def failing():
    raise RuntimeError("no luck")


class RunAll(unittest.IsolatedAsyncioTestCase):
    async def test_results_come_in_order(self):
        results = await run_all([giving(n) for n in range(10)], workers=3)
        self.assertEqual(results, list(range(10)))

    async def test_limit_holds(self):
        running = 0
        most = 0

        async def job():
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1

        await run_all([job] * 12, workers=4)
        self.assertEqual(most, 4)

    async def test_a_failure_takes_its_place(self):
        results = await run_all([giving(1), failing, giving(3)], workers=2)
        self.assertEqual([results[0], results[2]], [1, 3])
        self.assertIsInstance(results[1], RuntimeError)

    async def test_edge_all_fail(self):
        results = await run_all([failing] * 5, workers=2)
        self.assertEqual([str(result) for result in results], ["no luck"] * 5)

    async def test_edge_no_jobs(self):
        self.assertEqual(await run_all([], workers=2), [])

    async def test_edge_more_workers_than_jobs(self):
        self.assertEqual(await run_all([giving("a")], workers=50), ["a"])

    async def test_edge_zero_workers(self):
        with self.assertRaises(ValueError):
            await run_all([giving(1)], workers=0)


if __name__ == "__main__":
    unittest.main()
