//! A report as one page that needs nothing else: data, charts and style in one file.
//!
//! What stands in the data was written by strangers. It goes into the page as JSON in which nothing can be taken for markup, and the page puts
//! it on the screen as text. What the figures mean must not be known here.

use assize_core::text::make_visible;
use assize_eval::judge_evaluation::report::EvalReport;

const PAGE: &str = include_str!("report/page.html");
/// Vega 6.4, Vega-Lite 6.4 and Vega-Embed 7.3, as their authors publish them (BSD-3-Clause), with the licences of all that is in them.
const CHARTS: [&str; 4] = [
    include_str!("report/notice.js"),
    include_str!("report/vega.min.js"),
    include_str!("report/vega-lite.min.js"),
    include_str!("report/vega-embed.min.js"),
];

/// Makes the page.
pub fn page(report: &EvalReport) -> String {
    let data = serde_json::to_string(report).unwrap_or_default().replace('<', "\\u003c");
    let title = make_visible(&report.title).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let charts = CHARTS.map(without_source_map).join("\n;\n");
    fill(PAGE, &[("{{ data }}", &data), ("{{ charts }}", &charts), ("{{ title }}", &title)])
}

/// A page that is opened alone has no other file to look into.
fn without_source_map(script: &'static str) -> &'static str {
    script.rsplit_once("\n//# sourceMappingURL=").map_or(script, |(script, _)| script)
}

/// Puts texts into their places in one pass: an inserted text is not searched for places.
fn fill(template: &str, texts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    let next = |rest: &str| texts.iter().filter_map(|(place, text)| Some((rest.find(place)?, *place, *text))).min();
    while let Some((at, place, text)) = next(rest) {
        page.push_str(&rest[..at]);
        page.push_str(text);
        rest = &rest[at + place.len()..];
    }
    page + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_no_place() {
        let filled = fill("<{{ a }}|{{ b }}|{{ a }}|{{ c }}>", &[("{{ a }}", "{{ b }}"), ("{{ b }}", "{{ a }}")]);
        assert_eq!(filled, "<{{ b }}|{{ a }}|{{ b }}|{{ c }}>");
    }

    #[test]
    fn charts_cannot_end_their_script() {
        for script in CHARTS {
            assert!(!script.to_lowercase().contains("</script") && !script.contains("<!--"));
        }
        for place in ["{{ data }}", "{{ charts }}", "{{ title }}"] {
            assert!(PAGE.contains(place), "{place}");
        }
    }
}
