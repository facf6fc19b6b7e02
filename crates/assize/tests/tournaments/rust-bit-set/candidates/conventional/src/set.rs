//! The set.

/// The first number that no set takes.
pub const LIMIT: u32 = 1 << 20;

/// A set of numbers below [`LIMIT`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Returns the words in which the bits are, without zero words at the end.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Puts in a number and returns whether it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let new = number < LIMIT && !self.contains(number);
        if new {
            self.words.push(u64::from(number));
            self.words.sort_unstable();
        }
        new
    }

    /// Takes out a number and returns whether it was there.
    pub fn remove(&mut self, number: u32) -> bool {
        let before = self.words.len();
        self.words.retain(|&word| word != u64::from(number));
        self.words.len() < before
    }

    /// Returns whether a number is there.
    pub fn contains(&self, number: u32) -> bool {
        self.words.binary_search(&u64::from(number)).is_ok()
    }

    /// Returns how many numbers there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().map(|&word| word as u32)
    }

    /// Returns the numbers that are in one of the sets.
    pub fn union(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// Returns the numbers that are in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        self.iter()
            .filter(|&number| other.contains(number))
            .collect()
    }

    /// Returns the numbers that are in this set only.
    pub fn difference(&self, other: &Self) -> Self {
        self.iter()
            .filter(|&number| !other.contains(number))
            .collect()
    }
}

impl FromIterator<u32> for BitSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut set = Self::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}
