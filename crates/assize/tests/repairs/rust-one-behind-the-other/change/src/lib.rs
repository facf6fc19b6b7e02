//! A stack of numbers.

/// Returns the sum of a stack.
pub fn sum(stack: &[i64]) -> i64 {
    stack.iter().sum()
}

/// Puts a number on a stack.
pub fn push(stack: &mut Vec<i64>, number: i64) {
    stack.push(number);
}

/// Puts numbers on a stack and returns the sum of it.
pub fn pushed_all(mut stack: Vec<i64>, numbers: &[i64]) -> i64 {
    for number in numbers {
        push(&mut stack, number);
    }
    let all = sum(&stack)
    return all;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_added() {
        assert_eq!(sum(&[1, 2]), 3);
        assert_eq!(pushed_all(vec![1], &[2, 3]), 6);
    }

    #[test]
    fn edge_empty_stack() {
        assert_eq!(sum(&[]), 0);
    }
}
