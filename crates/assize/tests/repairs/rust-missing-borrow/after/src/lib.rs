//! A stack of numbers.

/// Returns the sum of a stack.
pub fn sum(stack: &[i64]) -> i64 {
    stack.iter().sum()
}

/// Puts a number on a stack.
pub fn push(stack: &mut Vec<i64>, number: i64) {
    stack.push(number);
}

/// Returns the sum of a stack on which its sum was put.
pub fn doubled(mut stack: Vec<i64>) -> i64 {
    let first = sum(&stack);
    push(&mut stack, first);
    sum(&stack)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_added() {
        assert_eq!(sum(&[1, 2]), 3);
        assert_eq!(doubled(vec![1, 2]), 6);
    }

    #[test]
    fn edge_empty_stack() {
        assert_eq!(sum(&[]), 0);
    }
}
