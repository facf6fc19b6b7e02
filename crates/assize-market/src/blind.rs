//! Who is who: names and order are taken from bids before anybody judges them.
//!
//! What judges are shown is called `proposal_1`, `proposal_2`, and so on, in an order that is drawn from a recorded seed. The same seed
//! draws the same order, whatever the bidders are called, so that it can be told afterwards who was who. What bids say must not be
//! known here.

/// Draws an order of `count` things: at each place, the number of the thing that stands there.
///
/// The things are sorted by a hash of the seed, the purpose and their number. That is as good as a shuffle as long as
/// the seed is not known beforehand.
pub fn order(seed: u64, purpose: &str, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|at| {
        let mut hasher = blake3::Hasher::new_derive_key("assize 2026 order of bids v1");
        hasher.update(&seed.to_le_bytes());
        hasher.update(&(*at as u64).to_le_bytes());
        hasher.update(purpose.as_bytes());
        *hasher.finalize().as_bytes()
    });
    order
}

/// Returns what the bid at a place of the drawn order is called, from 0.
pub fn proposal_id(place: usize) -> String {
    format!("proposal_{}", place + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_order_comes_about_equally_often() {
        let mut seen = std::collections::BTreeMap::new();
        for seed in 0..6_000 {
            *seen.entry(order(seed, "bids", 3)).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|count| (850..1_150).contains(count)), "{seen:?}");
    }

    #[test]
    fn the_same_seed_draws_the_same_order() {
        assert_eq!(order(7, "bids", 5), order(7, "bids", 5));
        let orders: BTreeSet<Vec<usize>> = (0..9).map(|round| order(7, &format!("round {round}"), 5)).collect();
        assert!(orders.len() > 5, "each purpose has an order of its own");
        assert_eq!(order(7, "bids", 0), [] as [usize; 0]);
    }
}
