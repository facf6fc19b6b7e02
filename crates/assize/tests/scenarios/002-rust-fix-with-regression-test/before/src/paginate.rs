//! Cuts a list into pages.

/// Returns one page of the items, counted from 0.
pub fn paginate<T>(items: &[T], page: usize, per_page: usize) -> &[T] {
    let start = (page * per_page).saturating_sub(page).min(items.len());
    let end = (start + per_page).min(items.len());
    &items[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_page_starts_at_zero() {
        assert_eq!(paginate(&[1, 2, 3, 4], 0, 3), [1, 2, 3]);
    }
}
