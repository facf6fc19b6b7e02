"""The conversions."""

_SYMBOLS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


def to_roman(number):
    """Return ``number`` as a Roman numeral."""
    if not 1 <= number <= 3999:
        raise ValueError(f"{number} is not between 1 and 3999")
    parts = []
    for value, symbol in _SYMBOLS:
        count, number = divmod(number, value)
        parts.append(symbol * count)
    return "".join(parts)


def from_roman(text):
    """Return the number that the Roman numeral ``text`` stands for."""
    values = {symbol: value for value, symbol in _SYMBOLS if len(symbol) == 1}
    numeral = text.upper()
    if not numeral or any(letter not in values for letter in numeral):
        raise ValueError(f"{text!r} is not a Roman numeral")
    total = 0
    following = 0
    for letter in reversed(numeral):
        value = values[letter]
        total += value if value >= following else -value
        following = value
    return total
