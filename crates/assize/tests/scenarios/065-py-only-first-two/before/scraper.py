from urllib.request import Request, urlopen


class Scraper:
    def fetch(self, url: str) -> bytes:
        with urlopen(Request(url)) as response:
            return response.read()
