/** Returns the fraction in lowest terms. */
export function fraction(numerator, denominator) {
  if (denominator === 0) {
    throw new RangeError("the denominator is zero");
  }
  const divisor = greatestDivisor(Math.abs(numerator), Math.abs(denominator));
  return {
    numerator: numerator / divisor,
    denominator: denominator / divisor,
  };
}

/** Returns the sum of two fractions. */
export function add(left, right) {
  return fraction(
    left.numerator * right.denominator + right.numerator * left.denominator,
    left.denominator * right.denominator,
  );
}

function greatestDivisor(left, right) {
  return right === 0 ? left : greatestDivisor(right, left % right);
}
