//! A buffer that remembers the last few items.

/// Keeps the last `capacity` items.
#[derive(Debug)]
pub struct RingBuffer<T> {
    items: Vec<T>,
    capacity: usize,
    oldest: usize,
}

impl<T> RingBuffer<T> {
    /// Makes an empty buffer.
    pub fn new(capacity: usize) -> Self {
        Self {
            items: Vec::with_capacity(capacity),
            capacity,
            oldest: 0,
        }
    }

    /// Adds an item and returns the one that had to go.
    pub fn push(&mut self, item: T) -> Option<T> {
        if self.capacity == 0 {
            return Some(item);
        }
        if self.items.len() < self.capacity {
            self.items.push(item);
            return None;
        }
        let dropped = std::mem::replace(&mut self.items[self.oldest], item);
        self.oldest = (self.oldest + 1) % self.capacity;
        Some(dropped)
    }

    /// Returns the items, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let (newer, older) = self.items.split_at(self.oldest);
        older.iter().chain(newer)
    }

    /// Returns how many items are kept.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns how many items can be kept.
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}
