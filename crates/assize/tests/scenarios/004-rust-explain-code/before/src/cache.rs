use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

struct Entry<V> {
    value: V,
    touched: bool,
}

/// A bounded cache.
pub struct Cache<K, V> {
    capacity: usize,
    entries: HashMap<K, Entry<V>>,
    order: VecDeque<K>,
}

impl<K: Hash + Eq + Clone, V> Cache<K, V> {
    pub fn new(capacity: usize) -> Self {
        Self { capacity, entries: HashMap::new(), order: VecDeque::new() }
    }

    pub fn get(&mut self, key: &K) -> Option<&V> {
        let entry = self.entries.get_mut(key)?;
        entry.touched = true;
        Some(&entry.value)
    }

    pub fn insert(&mut self, key: K, value: V) {
        if self.entries.len() >= self.capacity {
            self.evict();
        }
        self.order.push_back(key.clone());
        self.entries.insert(key, Entry { value, touched: false });
    }

    fn evict(&mut self) {
        while let Some(key) = self.order.pop_front() {
            match self.entries.get_mut(&key) {
                Some(entry) if entry.touched => {
                    entry.touched = false;
                    self.order.push_back(key);
                }
                _ => {
                    self.entries.remove(&key);
                    return;
                }
            }
        }
    }
}
