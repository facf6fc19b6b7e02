export type Matrix = number[][];

export function column(matrix: Matrix, index: number): number[] {
  return matrix.map((row) => row[index]);
}

/** Returns one cell. */
export function at(matrix: Matrix, row: number, column: number): number {
  return matrix[row][column];
}
