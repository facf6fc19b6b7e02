import asyncio

import httpx


async def fetch_all(urls):
    semaphore = asyncio.Semaphore(10)

    async def fetch(client, url):
        async with semaphore:
            response = await client.get(url)
            return response.text

    async with httpx.AsyncClient() as client:
        return await asyncio.gather(*(fetch(client, url) for url in urls)
