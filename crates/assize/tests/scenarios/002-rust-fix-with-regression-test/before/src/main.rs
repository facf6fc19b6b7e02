mod paginate;

use paginate::paginate;

fn main() {
    let page = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(0);
    let entries: Vec<u32> = (1..=10).collect();
    println!("page {page}");
    for entry in paginate(&entries, page, 3) {
        println!("  {entry}");
    }
}
