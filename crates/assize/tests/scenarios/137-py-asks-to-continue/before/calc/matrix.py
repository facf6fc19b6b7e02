from calc.vector import dot


def multiply(a, b):
    columns = list(zip(*b))
    return [[dot(row, column) for column in columns] for row in a]
