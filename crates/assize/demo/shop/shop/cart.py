"""The cart: what a customer is about to buy."""


class Cart:
    """The items of one customer, with a price and a number of pieces each."""

    def __init__(self) -> None:
        self._lines: dict[str, tuple[int, int]] = {}

    def add(self, item: str, price_cents: int, pieces: int = 1) -> None:
        """Add pieces of an item."""
        _, already = self._lines.get(item, (price_cents, 0))
        self._lines[item] = (price_cents, already + pieces)

    def total_cents(self) -> int:
        """Return the price of all items, in cents."""
        return sum(price * pieces for price, pieces in self._lines.values())
