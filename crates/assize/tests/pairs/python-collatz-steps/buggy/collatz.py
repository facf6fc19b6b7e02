"""The Collatz sequence."""


def steps(number):
    """Return how many steps lead from ``number`` to 1."""
    count = 0
    while number != 1:
        if number % 2 == 0:
            number //= 2
        else:
            number = 3 * number + 1
        count += 1
    return count


def sequence(number):
    """Yield the numbers from ``number`` down to 1."""
    for _ in range(steps(number)):
        yield number
        number = number // 2 if number % 2 == 0 else 3 * number + 1
    yield number
