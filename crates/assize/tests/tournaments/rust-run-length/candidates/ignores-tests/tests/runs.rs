use runs::{decode, encode, LONGEST};

#[test]
fn runs_are_counted() {
    assert_eq!(encode("aaabbbb"), "3a4b");
}

#[test]
fn edge_empty_text() {
    assert_eq!(encode(""), "");
    assert_eq!(decode(""), Some(String::new()));
}

#[test]
fn a_count_of_one_is_left_out() {
    assert_eq!(encode("aaab"), "3ab");
    assert_eq!(encode("abc"), "abc");
}

#[test]
fn digits_are_escaped() {
    assert_eq!(encode("1112"), r"3\1\2");
    assert_eq!(encode(r"a\\"), r"a2\\");
}

#[test]
fn codes_are_read() {
    assert_eq!(decode("3ab").as_deref(), Some("aaab"));
    assert_eq!(decode(r"3\1b2\\").as_deref(), Some(r"111b\\"));
}

#[test]
fn what_is_written_can_be_read() {
    for text in ["", "a", "aab", "112233", r"\\\n", "10", "äää", "  \n\n"] {
        assert_eq!(decode(&encode(text)).as_deref(), Some(text));
    }
}

#[test]
fn edge_unicode() {
    assert_eq!(encode("ééé🙂🙂"), "3é2🙂");
    assert_eq!(encode("٣"), "٣");
    assert_eq!(decode("2🙂٣").as_deref(), Some("🙂🙂٣"));
}

#[test]
#[ignore = "slow"]
fn rejects_what_is_never_written() {
    for coded in [
        "0a", "1a", "03a", "3", r"3\", r"\a", r"\", "aa", "2aa", "a2a", r"\1\1", r"3\11",
    ] {
        assert_eq!(decode(coded), None, "{coded}");
    }
}

#[test]
fn edge_at_the_limit_and_beyond() {
    assert_eq!(
        decode(&format!("{LONGEST}a")).map(|text| text.len()),
        Some(LONGEST)
    );
    assert_eq!(decode(&format!("{}a", LONGEST + 1)), None);
    assert_eq!(decode(&format!("b{LONGEST}a")), None);
    assert_eq!(decode("99999999999999999999999a"), None);
    assert_eq!(decode("b18446744073709551615a"), None);
}
