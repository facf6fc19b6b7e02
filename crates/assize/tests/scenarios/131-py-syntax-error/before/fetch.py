import httpx


def fetch_all(urls):
    with httpx.Client() as client:
        return [client.get(url).text for url in urls]
