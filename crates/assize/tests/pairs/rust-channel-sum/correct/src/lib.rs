//! Sums by several threads.

use std::sync::mpsc;
use std::thread;

/// Adds up `numbers` in `threads` threads.
pub fn sum(numbers: &[i32], threads: usize) -> i64 {
    let share = numbers.len().div_ceil(threads.max(1)).max(1);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for part in numbers.chunks(share) {
            let sender = sender.clone();
            scope.spawn(move || sender.send(add(part)));
        }
        drop(sender);
        receiver.iter().sum()
    })
}

fn add(numbers: &[i32]) -> i64 {
    numbers.iter().map(|number| i64::from(*number)).sum()
}
