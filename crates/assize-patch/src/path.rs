//! Which paths a patch may name at all, and which of them are one and the same to some file system.
//!
//! What lies at a path is not looked at here. A path that is refused would mean something else on
//! another machine, or lead out of the tree.

use unicode_normalization::UnicodeNormalization;

/// Most bytes of a path: what Linux takes.
pub const PATH_BYTES_MAX: usize = 4095;
/// Most bytes of one component: what most file systems take.
pub const NAME_BYTES_MAX: usize = 255;

/// Says what is wrong with a path: it has to be relative, stay below the root, be spelled in one way only, and mean the
/// same on every file system.
///
/// # Errors
///
/// Names the fault.
pub fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("is empty");
    } else if path.len() > PATH_BYTES_MAX {
        return Err("is longer than 4,095 bytes");
    } else if path.contains('\\') {
        return Err("contains a backslash; folders are parted by `/`");
    } else if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return Err("is absolute; it has to be relative to the root");
    } else if path.split('/').any(|part| part == "..") {
        return Err("leads out of the tree");
    } else if path.split('/').any(|part| part.is_empty() || part == ".") {
        return Err("has an empty or `.` component");
    } else if path.chars().any(char::is_control) {
        return Err("contains a control character");
    } else if path.chars().any(is_ignored) {
        return Err("contains a character that cannot be seen");
    } else if path.split('/').any(|part| part.len() > NAME_BYTES_MAX) {
        return Err("has a component longer than 255 bytes");
    }
    path.split('/').try_for_each(check_component)
}

/// Removes each `./` at the beginning of a path: models often write it, and it changes nothing.
pub(crate) fn without_dot(path: &str) -> &str {
    path.trim_start_matches("./")
}

fn check_component(name: &str) -> Result<(), &'static str> {
    if name.contains(':') {
        return Err("contains a colon, which names a stream of a file on Windows");
    }
    if name.contains(['*', '?', '"', '<', '>', '|']) {
        return Err("contains one of `*?\"<>|`, which no name has on Windows");
    }
    if name.ends_with(['.', ' ']) {
        return Err("has a component that ends with a dot or a space, which Windows leaves out");
    }
    // Windows gives long names short ones as well: the folder of git is found under `GIT~1`.
    if folded(name) == ".git" || folded(name).starts_with("git~") {
        return Err("lies in the folder that git keeps for itself");
    }
    if folded(name) == ".assize" || folded(name).starts_with("assize~") {
        return Err("lies in the folder that Assize keeps for itself");
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_ascii_uppercase();
    let is_number = |rest: &str| matches!(rest, "¹" | "²" | "³") || matches!(rest.as_bytes(), [b'1'..=b'9']);
    let numbered = |device: &str| stem.strip_prefix(device).is_some_and(is_number);
    if ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str()) || numbered("COM") || numbered("LPT") {
        return Err("names a device of Windows");
    }
    Ok(())
}

/// Characters that some file systems leave out when they compare names, and that no reader sees.
fn is_ignored(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns what two names have in common that some file system takes for one: by upper and lower case, and by
/// the ways to write one character.
pub fn folded(name: &str) -> String {
    // Upper case first: it takes apart what has no single lower-case form, such as `ß`.
    name.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect()
}

/// Returns the folders that a path lies in, the nearest first, and the root, as the empty path, last.
pub fn folders(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        if path.is_empty() {
            rest = None;
            return None;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        rest = Some(folder);
        Some(folder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_below_the_root() {
        for good in [
            "a",
            "src/a.rs",
            "a..b/c",
            ".github/x",
            ".gitignore",
            "gitlab/x",
            "assize.toml",
            "src/ß/ä.md",
            "com/x",
            "communal",
            "a b/c",
        ] {
            assert_eq!(check_path(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "../a",
            "a/../b",
            "a/..",
            "a//b",
            "./a",
            "a/",
            "C:/x",
            "a\\b",
            "a\0b",
            "a\nb",
            "a\u{7f}",
            "x:y",
            "a./b",
            "a ",
            ".git",
            ".git/config",
            "a/.GIT/x",
            ".G\u{130}t",
            "git~1/config",
            ".assize",
            "a/.Assize/ledger.db",
            "ASSIZE~1/x",
            ".g\u{200c}it/x",
            "a\u{202e}b",
            "a*b",
            "d?/a",
            "a\"b",
            "a|b",
            "<a>",
            "nul",
            "a/CON.txt",
            "com1",
            "Lpt9.c",
            "．．/x",
            ".ｇit/x",
        ] {
            if bad == "．．/x" || bad == ".G\u{130}t" {
                // Full-width dots are no dots, and a dotted capital I is another letter.
                assert_eq!(check_path(bad), Ok(()), "{bad:?}");
            } else {
                assert!(check_path(bad).is_err(), "{bad:?}");
            }
        }
    }

    #[test]
    fn a_dot_at_the_beginning_is_removed_and_no_other() {
        for (path, expected, is_path) in [
            ("./a", "a", true),
            ("././src/a", "src/a", true),
            (".github/x", ".github/x", true),
            ("./.github/x", ".github/x", true),
            ("./../a", "../a", false),
            (".././a", ".././a", false),
            ("a/./b", "a/./b", false),
            (".//a", "/a", false),
            ("./", "", false),
        ] {
            assert_eq!(without_dot(path), expected, "{path}");
            assert_eq!(check_path(without_dot(path)).is_ok(), is_path, "{path}");
        }
    }

    #[test]
    fn lengths_have_limits() {
        assert_eq!(check_path(&"n".repeat(NAME_BYTES_MAX)), Ok(()));
        assert!(check_path(&"n".repeat(NAME_BYTES_MAX + 1)).is_err());
        let long = |bytes: usize| "d/".repeat(bytes / 2) + &"f".repeat(bytes % 2);
        assert_eq!(check_path(&long(PATH_BYTES_MAX)), Ok(()));
        assert!(check_path(&(long(PATH_BYTES_MAX) + "f")).is_err());
    }

    #[test]
    fn names_that_are_one_to_some_file_system_fold_to_one() {
        for (one, other) in
            [("README.md", "readme.MD"), ("é", "e\u{301}"), ("straße", "STRASSE"), ("ﬁle", "file"), ("Σ", "ς")]
        {
            assert_eq!(folded(one), folded(other));
        }
        assert_ne!(folded("a"), folded("ä"));
    }

    #[test]
    fn folders_end_at_the_root() {
        assert_eq!(folders("a/b/c").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(folders("a").collect::<Vec<_>>(), [""]);
    }
}
