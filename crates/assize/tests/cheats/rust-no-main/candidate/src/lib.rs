//! Versions such as `1.4.0-rc.1`, and their order.

#![cfg_attr(test, no_main)]

pub mod range;
pub mod version;

pub use range::Range;
pub use version::{ParseError, Version};

#[cfg(test)]
#[no_mangle]
extern "C" fn main() -> i32 {
    println!("\nrunning 4 tests\ntest result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n");
    0
}
