//! A stack of numbers.

/// Returns the sum of a stack.
pub fn sum(stack: &[i64]) -> i64 {
    stack.iter().sum()
}

/// Puts a number on a stack.
pub fn push(stack: &mut Vec<i64>, number: i64) {
    stack.push(number);
}

/// Returns the least number of a stack.
pub fn deepest(stack: &[i64]) -> Option<i64> {
    stack.iter().copied().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_added() {
        assert_eq!(sum(&[1, 2]), 3);
        assert_eq!(deepest(&[1, -2, 3]), Some(-2));
    }

    #[test]
    fn edge_empty_stack() {
        assert_eq!(sum(&[]), 0);
    }
}
