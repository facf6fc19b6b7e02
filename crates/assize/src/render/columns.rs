//! Figures in columns, for people at a terminal and for pages in Markdown.

use std::fmt::Write as _;

use super::comment::escape;
use crate::output::quiet;

/// Columns with a heading, the first one to the left and all others to the right.
pub(super) struct Columns {
    rows: Vec<Vec<String>>,
}

impl Columns {
    pub(super) fn new(heading: &[&str]) -> Self {
        Self { rows: vec![heading.iter().map(ToString::to_string).collect()] }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(super) fn human(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            let line = if at == 0 { quiet(line.trim_end()) } else { line.trim_end().to_owned() };
            let _ = writeln!(text, "  {line}");
        }
        text
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
            if at == 0 {
                let _ = writeln!(text, "|---|{}", "--:|".repeat(row.len().saturating_sub(1)));
            }
        }
        text
    }
}
