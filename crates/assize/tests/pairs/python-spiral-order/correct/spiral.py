"""Walking over a grid."""


def spiral(grid):
    """Return the cells of ``grid`` from the outside in, clockwise."""
    if not grid:
        return []
    top, bottom = 0, len(grid) - 1
    left, right = 0, len(grid[0]) - 1
    cells = []
    while top <= bottom and left <= right:
        cells += grid[top][left : right + 1]
        cells += [grid[row][right] for row in range(top + 1, bottom + 1)]
        if top < bottom and left < right:
            cells += [grid[bottom][column] for column in range(right - 1, left - 1, -1)]
            cells += [grid[row][left] for row in range(bottom - 1, top, -1)]
        top, bottom = top + 1, bottom - 1
        left, right = left + 1, right - 1
    return cells
