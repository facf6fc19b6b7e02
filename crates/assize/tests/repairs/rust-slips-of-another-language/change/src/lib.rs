//! A stack of numbers.

/// Returns the sum of a stack.
pub fn sum(stack: &[i64]) -> i64 {
    stack.iter().sum()
}

/// Puts a number on a stack.
pub fn push(stack: &mut Vec<i64>, number: i64) {
    stack.push(number);
}

/// Returns how many numbers are odd and not negative.
pub fn odd(stack: &[i64]) -> usize {
    let mut count = 0;
    for number in stack {
        if number % 2 <> 0 and *number >= 0 {
            count++;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_added() {
        assert_eq!(sum(&[1, 2]), 3);
        assert_eq!(odd(&[1, 2, -3, 5]), 2);
    }

    #[test]
    fn edge_empty_stack() {
        assert_eq!(sum(&[]), 0);
    }
}
