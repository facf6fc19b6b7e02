use repeat::{run, USAGE};

fn check(arguments: &[&str], expected: Result<&str, &str>) {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let mut out = Vec::new();
    let done = run(&arguments, &mut out);
    let text = String::from_utf8(out).unwrap();
    let expected = expected.map(str::to_string).map_err(str::to_string);
    assert_eq!(done.map(|()| text), expected);
}

#[test]
fn repeats_the_word() {
    check(&["ho", "3"], Ok("ho\nho\nho\n"));
}

#[test]
fn no_number() {
    check(&["ho", "many"], Err("\"many\" is no number"));
}

#[test]
fn help_is_written() {
    check(&["--help"], Ok("usage: repeat WORD TIMES\n"));
    check(&["-h"], Ok("usage: repeat WORD TIMES\n"));
}

#[test]
fn edge_help_beside_other_arguments() {
    check(&["ho", "many", "--help"], Ok("usage: repeat WORD TIMES\n"));
}

#[test]
fn edge_zero_times() {
    check(&["ho", "0"], Ok(""));
}

#[test]
fn edge_no_arguments() {
    check(&[], Err(USAGE));
}

#[test]
fn edge_unicode_word() {
    check(&["größe", "1"], Ok("größe\n"));
}
