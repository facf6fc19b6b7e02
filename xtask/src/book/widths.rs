//! Lines of Markdown that are too long to be read as text.

/// Longest line, in characters.
pub const WIDTH_MAX: usize = 150;

/// Names the lines of a file that are too long. A long line of a prompt is wrapped within `{{ … }}`, where a line break
/// is no part of the question.
pub fn too_wide(path: &str, text: &str) -> Vec<String> {
    let widths = text.lines().map(|line| line.chars().count()).enumerate();
    let wide = widths.filter(|(_, width)| *width > WIDTH_MAX);
    wide.map(|(at, width)| format!("{path}:{}: the line has {width} characters", at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_measured_in_characters() {
        let (at_limit, over) = ("ü".repeat(WIDTH_MAX), "ü".repeat(WIDTH_MAX + 1));
        let text = format!("{at_limit}\n{over}\n");
        assert_eq!(too_wide("a.md", &text), ["a.md:2: the line has 151 characters"]);
    }
}
