//! Prints how two versions relate.

use verso::Version;

fn main() {
    let texts: Vec<String> = std::env::args().skip(1).collect();
    match compare(&texts) {
        Ok(order) => println!("{order}"),
        Err(message) => {
            eprintln!("verso: {message}");
            std::process::exit(2);
        }
    }
}

fn compare(texts: &[String]) -> Result<String, String> {
    let [first, second] = texts else {
        return Err("two versions are needed".to_owned());
    };
    let read = |text: &String| text.parse::<Version>().map_err(|error| error.to_string());
    Ok(format!("{:?}", read(first)?.cmp(&read(second)?)))
}
