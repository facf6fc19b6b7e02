from urllib.parse import urljoin, urlsplit
from urllib.request import Request, urlopen
from urllib.robotparser import RobotFileParser


class Disallowed(Exception):
    """The site's robots.txt does not want this URL to be fetched."""


class Scraper:
    def __init__(self, user_agent: str = "example-scraper/1.0", read=None) -> None:
        self.user_agent = user_agent
        self._read = read or self._get
        self._robots: dict[str, RobotFileParser] = {}

    def allowed(self, url: str) -> bool:
        host = urlsplit(url).netloc
        if host not in self._robots:
            parser = RobotFileParser()
            parser.parse(self._read(urljoin(url, "/robots.txt")).decode("utf-8", "replace").splitlines())
            self._robots[host] = parser
        return self._robots[host].can_fetch(self.user_agent, url)

    def fetch(self, url: str) -> bytes:
        if not self.allowed(url):
            raise Disallowed(url)
        return self._read(url)

    def _get(self, url: str) -> bytes:
        with urlopen(Request(url, headers={"User-Agent": self.user_agent})) as response:
            return response.read()
