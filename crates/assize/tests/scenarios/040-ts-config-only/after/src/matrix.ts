export type Matrix = number[][];

export function column(matrix: Matrix, index: number): number[] {
  return matrix.flatMap((row) => row[index] ?? []);
}

/** Returns one cell. */
export function at(matrix: Matrix, row: number, column: number): number {
  const cell = matrix[row]?.[column];
  if (cell === undefined) {
    throw new RangeError(`no cell at ${row},${column}`);
  }
  return cell;
}
