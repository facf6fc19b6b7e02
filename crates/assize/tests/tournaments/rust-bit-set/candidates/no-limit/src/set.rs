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
        if number > LIMIT || self.contains(number) {
            return false;
        }
        let (place, bit) = split(number);
        if place >= self.words.len() {
            self.words.resize(place + 1, 0);
        }
        self.words[place] |= bit;
        true
    }

    /// Takes out a number and returns whether it was there.
    pub fn remove(&mut self, number: u32) -> bool {
        let there = self.contains(number);
        if there {
            let (place, bit) = split(number);
            self.words[place] &= !bit;
            self.trim();
        }
        there
    }

    /// Returns whether a number is there.
    pub fn contains(&self, number: u32) -> bool {
        let (place, bit) = split(number);
        self.words.get(place).is_some_and(|word| word & bit != 0)
    }

    /// Returns how many numbers there are.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.words.len() as u32 * 64).filter(|&number| self.contains(number))
    }

    /// Returns the numbers that are in one of the sets.
    pub fn union(&self, other: &Self) -> Self {
        self.combine(other, |mine, theirs| mine | theirs)
    }

    /// Returns the numbers that are in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |mine, theirs| mine & theirs)
    }

    /// Returns the numbers that are in this set only.
    pub fn difference(&self, other: &Self) -> Self {
        self.combine(other, |mine, theirs| mine & !theirs)
    }

    fn combine(&self, other: &Self, operation: fn(u64, u64) -> u64) -> Self {
        let word = |set: &Self, place| set.words.get(place).copied().unwrap_or(0);
        let places = 0..self.words.len().max(other.words.len());
        let words = places.map(|place| operation(word(self, place), word(other, place)));
        let mut combined = Self {
            words: words.collect(),
        };
        combined.trim();
        combined
    }

    fn trim(&mut self) {
        let used = self.words.iter().rposition(|&word| word != 0);
        self.words.truncate(used.map_or(0, |place| place + 1));
    }
}

fn split(number: u32) -> (usize, u64) {
    (number as usize / 64, 1 << (number % 64))
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
