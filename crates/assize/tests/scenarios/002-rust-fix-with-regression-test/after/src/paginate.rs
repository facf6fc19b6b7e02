//! Cuts a list into pages.

/// Returns one page of the items, counted from 0.
pub fn paginate<T>(items: &[T], page: usize, per_page: usize) -> &[T] {
    let start = page.saturating_mul(per_page).min(items.len());
    let end = start.saturating_add(per_page).min(items.len());
    &items[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_page_starts_at_zero() {
        assert_eq!(paginate(&[1, 2, 3, 4], 0, 3), [1, 2, 3]);
    }

    #[test]
    fn pages_do_not_overlap() {
        let items: Vec<u32> = (1..=6).collect();
        assert_eq!(paginate(&items, 1, 3), [4, 5, 6]);
    }

    #[test]
    fn last_page_may_be_short() {
        assert_eq!(paginate(&[1, 2, 3, 4], 1, 3), [4]);
        assert!(paginate(&[1, 2, 3, 4], 7, 3).is_empty());
    }
}
