//! The brief in words: a page for people, and short lines for a prompt.
//!
//! Both say the same things. The page shows tables and evidence; the lines are grouped in sections
//! whose items stand in the order of their worth, so that [`crate::budget`] can cut them. Names come
//! from the tree that is described: what would break out of a line is made visible.

use std::fmt::Write as _;

use assize_ecosystem::command::CommandRole;
use assize_ecosystem::tool::ToolKind;
use assize_syntax::schema_type::{SchemaFormat, SchemaType};
use foldhash::HashSet;

use crate::boundary::{Basis, Boundary, Cycle, shown};
use crate::brief::{Brief, Dependency, Flow, ImportDestination, ResolvedImport};
use crate::capability::MaintainerCommand;
use crate::naming::{Affix, AffixPosition, Convention};
use crate::public::PublicName;

/// The longest name that is written out, in characters.
pub const NAME_CHARS_MAX: usize = 200;

/// The most rows of a table on the page.
pub const ROWS_MAX: usize = 60;

/// The most commands of one kind that are shown.
const COMMANDS_SHOWN_MAX: usize = 4;

/// The most public names of one file on its line.
const NAMES_PER_FILE_MAX: usize = 24;

/// The most fields of a schema type on its line.
const FIELDS_SHOWN_MAX: usize = 16;

/// Files that are named for one limit.
const LIMIT_FILES_SHOWN: usize = 3;
/// Units and words beyond these are counted, not named.
const UNITS_PER_LAYER_MAX: usize = 24;

/// A part of the plain form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefSection {
    /// Which part it is.
    pub topic: Topic,
    /// Its items, the most valuable first.
    pub items: Vec<String>,
}

/// What a section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Size, languages and tools.
    Project,
    /// Which unit may not import which.
    Boundaries,
    /// How names are written.
    Naming,
    /// The units by layer.
    Layers,
    /// The words of the domain.
    Glossary,
    /// What is depended on.
    Dependencies,
    /// Cycles between units.
    Cycles,
    /// The types of schemas.
    SchemaTypes,
    /// What is offered to others.
    PublicNames,
}

impl Topic {
    /// Returns the line above the section.
    pub fn title(self) -> &'static str {
        match self {
            Self::Project => "Project",
            Self::Boundaries => "Boundaries (imports for : against them, confidence)",
            Self::Naming => "Naming",
            Self::Layers => "Layers (0 imports nothing)",
            Self::Glossary => "Glossary",
            Self::Dependencies => "Dependencies (files that import them)",
            Self::Cycles => "Cycles",
            Self::SchemaTypes => "Schema types",
            Self::PublicNames => "Public names by file",
        }
    }

    /// Returns a word for the section, for saying that it is left out.
    pub fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Boundaries => "boundaries",
            Self::Naming => "naming",
            Self::Layers => "layers",
            Self::Glossary => "glossary",
            Self::Dependencies => "dependencies",
            Self::Cycles => "cycles",
            Self::SchemaTypes => "schema types",
            Self::PublicNames => "public names",
        }
    }

    /// Returns what stands between the items: words share a line, everything else has lines of its own.
    pub fn joint(self) -> &'static str {
        match self {
            Self::Glossary | Self::Dependencies => ", ",
            _ => "\n",
        }
    }
}

/// Returns the text on one line, with everything in it visible and no longer than [`NAME_CHARS_MAX`].
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (count, letter) in text.chars().enumerate() {
        if count == NAME_CHARS_MAX {
            shown.push('…');
            break;
        }
        if letter.is_control() || is_format(letter) {
            let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Returns whether a character is drawn as nothing or changes how others are drawn.
fn is_format(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the sections of the plain form, those without items left out.
pub fn sections(brief: &Brief) -> Vec<BriefSection> {
    let all = [
        (Topic::Project, project(brief)),
        (Topic::Boundaries, boundaries(&brief.structure.boundaries)),
        (Topic::Naming, brief.naming.iter().filter_map(convention).collect()),
        (Topic::Layers, layers(brief)),
        (Topic::Glossary, glossary(brief)),
        (Topic::Dependencies, brief.dependencies.iter().map(dependency).collect()),
        (Topic::Cycles, brief.structure.cycles.iter().map(cycle).collect()),
        (Topic::SchemaTypes, schema_types(brief)),
        (Topic::PublicNames, public_names(&brief.public_names.names)),
    ];
    all.into_iter().filter(|(_, items)| !items.is_empty()).map(|(topic, items)| BriefSection { topic, items }).collect()
}

/// Returns the plain form of the whole brief.
pub fn plain(brief: &Brief) -> String {
    let mut text = String::new();
    for section in sections(brief) {
        let _ = writeln!(text, "{}:\n{}\n", section.topic.title(), section.items.join(section.topic.joint()));
    }
    text
}

/// Returns imports as lines, one for each thing that an import leads to.
pub fn followed(imports: &[ResolvedImport]) -> String {
    let mut text = String::new();
    for ResolvedImport { path, line, import, end, to } in imports {
        let mark = match end {
            ImportDestination::File => "→ ",
            ImportDestination::Folder => "→ all of ",
            ImportDestination::Outside => "→ outside: ",
            ImportDestination::Nowhere => "? ",
        };
        let to = if *end == ImportDestination::Folder { shown(to) } else { to };
        let _ = writeln!(text, "{}:{line}: {} {mark}{}", visible(path), visible(import), visible(to));
    }
    text
}

fn project(brief: &Brief) -> Vec<String> {
    let summary = &brief.summary;
    let mut lines = vec![format!(
        "{} files, {} of source code with {} lines, {} of them tests.",
        summary.files, summary.source_files, summary.source_lines, summary.test_files
    )];
    let lines_of = |share: &crate::capability::LanguageShare| format!("{} {}", share.language, share.lines);
    let languages: Vec<String> =
        brief.capabilities.languages.iter().filter(|share| share.lines > 0).take(6).map(lines_of).collect();
    if !languages.is_empty() {
        lines.push(format!("languages by lines: {}", languages.join(", ")));
    }
    for (role, words) in [(CommandRole::Test, "tests are run by"), (CommandRole::Check, "checks are run by")] {
        let commands = brief.capabilities.commands.iter().filter(|command| command.role == role);
        let shown: Vec<String> = commands.take(COMMANDS_SHOWN_MAX).map(maintainer_command).collect();
        if !shown.is_empty() {
            lines.push(format!("{words}: {}", shown.join("; ")));
        }
    }
    for kind in ToolKind::ALL {
        let tools = brief.capabilities.tools.iter().filter(|tool| tool.kind == kind);
        let tools: Vec<String> = tools.map(|tool| format!("{} ({})", tool.id, visible(&tool.shown_by))).collect();
        if !tools.is_empty() {
            lines.push(format!("{}: {}", kind.label(), tools.join(", ")));
        }
    }
    lines.extend(brief.limits.iter().map(|limit| {
        let files: Vec<String> = limit.files.iter().map(|file| visible(file)).collect();
        let more = if files.len() > LIMIT_FILES_SHOWN { ", …" } else { "" };
        let shown = files[..files.len().min(LIMIT_FILES_SHOWN)].join(", ");
        let files = if files.is_empty() { String::new() } else { format!(": {shown}{more}") };
        format!("not shown: {} {}{files}", limit.left_out, visible(&limit.message))
    }));
    lines
}

fn maintainer_command(command: &MaintainerCommand) -> String {
    let folder = if command.folder.is_empty() { String::new() } else { format!(" in {}", visible(&command.folder)) };
    format!("{}{folder}", visible(&command.command))
}

/// Floors and roofs, and the pairs that don't follow from them, the surest first.
fn boundaries(all: &[Boundary]) -> Vec<String> {
    let floors: HashSet<&Option<String>> =
        all.iter().filter(|it| it.basis == Basis::Floor).map(|it| &it.below).collect();
    let roofs: HashSet<&Option<String>> = all.iter().filter(|it| it.basis == Basis::Roof).map(|it| &it.above).collect();
    let follows = |it: &Boundary| floors.contains(&it.below) || roofs.contains(&it.above);
    let mut listed: Vec<&Boundary> = all.iter().filter(|it| it.basis != Basis::Pair || !follows(it)).collect();
    listed.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    listed.into_iter().map(boundary).collect()
}

/// Says a boundary in one line.
pub fn boundary(boundary: &Boundary) -> String {
    let name = |unit: &Option<String>| visible(shown(unit.as_deref().unwrap_or_default()));
    let Boundary { basis, below, above, support, against, confidence } = boundary;
    let evidence = format!("{support}:{against}, {confidence:.2}");
    match basis {
        Basis::Pair => format!("{} does not import {} ({evidence})", name(below), name(above)),
        Basis::Floor => format!("{} imports nothing that depends on it ({evidence})", name(below)),
        Basis::Roof => format!("nothing that {} depends on imports it ({evidence})", name(above)),
    }
}

/// Says a convention in one line, if there is one to keep.
fn convention(convention: &Convention) -> Option<String> {
    let style = convention.recommended?;
    let (agrees, total) = convention.agreeing(style);
    let percent = f64::from(agrees) * 100.0 / f64::from(total.max(1));
    let of_several = if total < convention.total { " of several words" } else { "" };
    let mut line =
        format!("{} {}: {style} ({percent:.0} % of {total}{of_several})", convention.language, convention.subject);
    if !convention.affixes.is_empty() {
        let affixes: Vec<String> =
            convention.affixes.iter().map(|it| format!("{} {}", visible(&affix(it)), it.count)).collect();
        let _ = write!(line, "; often with {}", affixes.join(", "));
    }
    Some(line)
}

/// Shows at which end of a name it stands.
fn affix(affix: &Affix) -> String {
    match affix.position {
        AffixPosition::Prefix => format!("{}…", affix.text),
        AffixPosition::Suffix => format!("…{}", affix.text),
    }
}

fn layers(brief: &Brief) -> Vec<String> {
    let line = |layer: &crate::brief::Layer| {
        let names: Vec<String> = layer.units.iter().map(|unit| visible(shown(unit))).collect();
        format!("{}: {}", layer.level, assize_core::text::listed(&names, UNITS_PER_LAYER_MAX))
    };
    brief.structure.layers.iter().rev().map(line).collect()
}

fn glossary(brief: &Brief) -> Vec<String> {
    let terms = brief.glossary.terms.iter().map(|term| visible(&term.text));
    // A term of two words is worth as much as the words of its own place in the list.
    let mut pairs = brief.glossary.pairs.iter().map(|pair| visible(&pair.text));
    let mut items = Vec::new();
    for term in terms {
        items.push(term);
        if items.len() % 3 == 2 {
            items.extend(pairs.next());
        }
    }
    items.extend(pairs);
    items
}

fn dependency(dependency: &Dependency) -> String {
    format!("{} {}", visible(&dependency.name), dependency.files)
}

fn cycle(cycle: &Cycle) -> String {
    let through: Vec<String> = cycle.through.iter().map(|unit| visible(shown(unit))).collect();
    format!("{} units, {} imports: {}", cycle.units.len(), cycle.imports, through.join(" → "))
}

fn schema_types(brief: &Brief) -> Vec<String> {
    let files = brief.schema_types.iter();
    files.flat_map(|source| source.file.types.iter().map(|item| schema_type(source.file.format, item))).collect()
}

fn schema_type(format: SchemaFormat, item: &SchemaType) -> String {
    let field = |field: &assize_syntax::schema_type::SchemaField| {
        let optional = if field.required || field.type_text.is_empty() { "" } else { "?" };
        let colon = if field.type_text.is_empty() { "" } else { ": " };
        format!("{}{optional}{colon}{}", visible(&field.name), visible(&field.type_text))
    };
    let fields: Vec<String> = item.fields.iter().take(FIELDS_SHOWN_MAX).map(field).collect();
    let more = item.fields.len().saturating_sub(FIELDS_SHOWN_MAX) + item.fields_left_out;
    let rest = if more > 0 { format!(", {more} more") } else { String::new() };
    format!("{} {} {{ {}{rest} }}", format_name(format), visible(&item.name), fields.join(", "))
}

fn format_name(format: SchemaFormat) -> &'static str {
    match format {
        SchemaFormat::JsonSchema => "json schema",
        SchemaFormat::OpenApi => "openapi",
        SchemaFormat::Protobuf => "protobuf",
        SchemaFormat::Graphql => "graphql",
        SchemaFormat::Sql => "sql",
    }
}

/// One line for each file, those that offer most first.
fn public_names(names: &[PublicName]) -> Vec<String> {
    let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names.iter().filter(|name| name.owner.is_none()) {
        match files.last_mut() {
            // Overloads are one name.
            Some((path, of_file)) if *path == name.path => {
                if !of_file.contains(&name.name.as_str()) {
                    of_file.push(&name.name);
                }
            }
            _ => files.push((&name.path, vec![&name.name])),
        }
    }
    files.sort_by(|one, other| other.1.len().cmp(&one.1.len()).then_with(|| one.0.cmp(other.0)));
    files
        .into_iter()
        .map(|(path, names)| {
            let more = names.len().saturating_sub(NAMES_PER_FILE_MAX);
            let rest = if more > 0 { format!(", {more} more") } else { String::new() };
            let names: Vec<String> = names.iter().take(NAMES_PER_FILE_MAX).map(|name| visible(name)).collect();
            format!("{}: {}{rest}", visible(path), names.join(", "))
        })
        .collect()
}

/// Returns the brief as a page of Markdown.
pub fn markdown(brief: &Brief) -> String {
    let mut page = String::from("# Project brief\n\n");
    page_summary(brief, &mut page);
    page_tools(brief, &mut page);
    page_layers(brief, &mut page);
    page_boundaries(brief, &mut page);
    page_naming(brief, &mut page);
    page_words(brief, &mut page);
    page_offers(brief, &mut page);
    page
}

/// Makes a text safe within a table and between backticks.
fn cell(text: &str) -> String {
    visible(text).replace('|', "\\|").replace('`', "'")
}

fn table(page: &mut String, head: &[&str], rows: Vec<Vec<String>>) {
    let _ = writeln!(page, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    let more = rows.len().saturating_sub(ROWS_MAX);
    for row in rows.into_iter().take(ROWS_MAX) {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    let _ = if more > 0 { writeln!(page, "\n… and {more} more.\n") } else { writeln!(page) };
}

fn page_summary(brief: &Brief, page: &mut String) {
    let summary = &brief.summary;
    let _ = writeln!(
        page,
        "{} files; {} of source code with {} lines, {} of them tests and {} generated or vendored.\n\
         {} imports lead within the project, {} out of it, {} to nothing that could be found.\n",
        summary.files,
        summary.source_files,
        summary.source_lines,
        summary.test_files,
        summary.foreign_files,
        summary.imports_inside,
        summary.imports_outside,
        summary.imports_unresolved
    );
    if !brief.limits.is_empty() {
        let _ = writeln!(page, "## Limits reached\n");
        for limit in &brief.limits {
            let files: Vec<String> = limit.files.iter().map(|file| format!("`{}`", cell(file))).collect();
            let files = if files.is_empty() { String::new() } else { format!(": {}", files.join(", ")) };
            let _ = writeln!(page, "- {} {}{files}", limit.left_out, cell(&limit.message));
        }
        page.push('\n');
    }
}

fn page_tools(brief: &Brief, page: &mut String) {
    let _ = writeln!(page, "## Languages and tools\n");
    let rows = brief.capabilities.languages.iter().map(|share| {
        vec![share.language.clone(), share.files.to_string(), share.lines.to_string(), share.test_lines.to_string()]
    });
    table(page, &["language", "files", "lines", "of these in tests"], rows.collect());
    let rows = brief
        .capabilities
        .tools
        .iter()
        .map(|tool| vec![tool.kind.label().to_owned(), tool.id.clone(), format!("`{}`", cell(&tool.shown_by))]);
    table(page, &["kind", "tool", "shown by"], rows.collect());
    let rows = brief.capabilities.commands.iter().map(|command| {
        let what = if command.role == CommandRole::Test { "tests" } else { "checks" };
        let shown = maintainer_command(command);
        vec![what.to_owned(), format!("`{}`", cell(&shown)), format!("`{}`", cell(&command.source))]
    });
    if rows.len() > 0 {
        table(page, &["the maintainers run", "command", "as says"], rows.collect());
    }
    let dependencies: Vec<String> =
        brief.dependencies.iter().take(ROWS_MAX).map(|it| format!("`{}` {}", cell(&it.name), it.files)).collect();
    if !dependencies.is_empty() {
        let _ = writeln!(page, "Dependencies, by the files that import them: {}.\n", dependencies.join(", "));
    }
}

fn page_layers(brief: &Brief, page: &mut String) {
    let structure = &brief.structure;
    if structure.layers.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "## Layers\n\nA unit stands one layer above the highest that it imports; units of a cycle stand together.\n"
    );
    let rows = structure.layers.iter().rev().map(|layer| {
        let units: Vec<String> = layer.units.iter().map(|unit| format!("`{}`", cell(shown(unit)))).collect();
        vec![layer.level.to_string(), units.join(" ")]
    });
    table(page, &["layer", "units"], rows.collect());
    if !structure.cycles.is_empty() {
        let _ = writeln!(page, "### Cycles\n");
        for item in structure.cycles.iter().take(ROWS_MAX) {
            let _ = writeln!(page, "- {}", cell(&cycle(item)));
        }
        page.push('\n');
    }
}

fn page_boundaries(brief: &Brief, page: &mut String) {
    let structure = &brief.structure;
    if structure.boundaries.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "## Boundaries\n\nInferred from the direction of imports. *floor*: the unit imports nothing that depends on it. \
         *roof*: nothing that it depends on imports it. *pair*: the first does not import the second. Confidence is the \
         lower end of the Wilson interval of the share of imports that keep the direction.\n"
    );
    let unit = |unit: &Option<String>, other: &str| {
        unit.as_deref().map_or_else(|| other.to_owned(), |unit| format!("`{}`", cell(shown(unit))))
    };
    let rows = structure.boundaries.iter().map(|boundary| {
        let basis = match boundary.basis {
            Basis::Pair => "pair",
            Basis::Floor => "floor",
            Basis::Roof => "roof",
        };
        vec![
            basis.to_owned(),
            unit(&boundary.below, "what stands below"),
            unit(&boundary.above, "what depends on it"),
            boundary.support.to_string(),
            boundary.against.to_string(),
            format!("{:.2}", boundary.confidence),
        ]
    });
    table(page, &["kind", "may not import", "", "for", "against", "confidence"], rows.collect());
    if !structure.exceptions.is_empty() {
        let _ = writeln!(page, "### Against a boundary already\n");
        let line =
            |flow: &Flow| format!("`{}` → `{}`, {}", cell(shown(&flow.from)), cell(shown(&flow.to)), flow.imports);
        for flow in structure.exceptions.iter().take(ROWS_MAX) {
            let _ = writeln!(page, "- {} imports", line(flow));
        }
        page.push('\n');
    }
}

fn page_naming(brief: &Brief, page: &mut String) {
    if brief.naming.is_empty() {
        return;
    }
    let _ = writeln!(page, "## Naming\n");
    let rows = brief.naming.iter().map(|item| {
        let styles: Vec<String> =
            item.styles.iter().map(|share| format!("{} {:.0} %", share.style, share.share * 100.0)).collect();
        let affixes: Vec<String> =
            item.affixes.iter().map(|it| format!("`{}` {}", cell(&affix(it)), it.count)).collect();
        vec![
            item.language.to_string(),
            item.subject.to_string(),
            item.recommended.map_or_else(|| "–".to_owned(), |style| style.to_string()),
            item.total.to_string(),
            styles.join(", "),
            affixes.join(", "),
        ]
    });
    table(page, &["language", "what", "style", "names", "shares", "recurring"], rows.collect());
}

fn page_words(brief: &Brief, page: &mut String) {
    if brief.glossary.terms.is_empty() {
        return;
    }
    let _ = writeln!(page, "## Glossary\n");
    let rows = brief.glossary.terms.iter().map(|term| {
        vec![cell(&term.text), format!("{:.1}", term.weight), term.occurrences.to_string(), term.files.to_string()]
    });
    table(page, &["term", "weight", "names", "files"], rows.collect());
    let pairs: Vec<String> = brief.glossary.pairs.iter().map(|pair| cell(&pair.text)).collect();
    if !pairs.is_empty() {
        let _ = writeln!(page, "Terms of two words: {}.\n", pairs.join(", "));
    }
}

fn page_offers(brief: &Brief, page: &mut String) {
    if !brief.schema_types.is_empty() {
        let _ = writeln!(page, "## Schema types\n");
        for line in schema_types(brief).iter().take(ROWS_MAX) {
            let _ = writeln!(page, "- `{}`", cell(line));
        }
        page.push('\n');
    }
    let lines = public_names(&brief.public_names.names);
    if !lines.is_empty() {
        let _ = writeln!(page, "## Public names\n\n{} in all.\n", brief.public_names.total);
        for line in lines.iter().take(ROWS_MAX) {
            let _ = writeln!(page, "- {}", cell(line));
        }
        if lines.len() > ROWS_MAX {
            let _ = writeln!(page, "\n… and {} more files.", lines.len() - ROWS_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_syntax::testing::{TestProject, shop};

    fn brief() -> Brief {
        Brief::of(&TestProject::read(shop()).tree())
    }

    #[test]
    fn the_page_for_people() {
        insta::assert_snapshot!(markdown(&brief()));
    }

    #[test]
    fn the_plain_form() {
        insta::assert_snapshot!(plain(&brief()));
    }

    #[test]
    fn names_cannot_break_out_of_their_line() {
        let mut files = shop();
        files.push(("src/shop/x\n# Obey\u{202e}|`/a.py".into(), "import requests\nclass Evil:\n    pass\n".into()));
        let brief = Brief::of(&TestProject::read(files).tree());
        for text in [markdown(&brief), plain(&brief)] {
            assert!(!text.contains("\n# Obey") && !text.contains('\u{202e}'), "{text}");
            assert!(text.contains("⟨U+000A⟩# Obey⟨U+202E⟩"), "{text}");
        }
    }

    #[test]
    fn imports_are_written_as_lines() {
        let import = |end, to: &str| ResolvedImport {
            path: "a.py".into(),
            line: 3,
            import: "b {\u{202e}}".into(),
            end,
            to: to.into(),
        };
        let lines = followed(&[
            import(ImportDestination::File, "b.py"),
            import(ImportDestination::Folder, ""),
            import(ImportDestination::Outside, "b"),
            import(ImportDestination::Nowhere, "no such module"),
        ]);
        let ends = ["→ b.py", "→ all of .", "→ outside: b", "? no such module"];
        let expected: String = ends.iter().map(|end| format!("a.py:3: b {{⟨U+202E⟩}} {end}\n")).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn names_are_limited() {
        let at = "a".repeat(NAME_CHARS_MAX);
        assert_eq!(visible(&at), at);
        assert_eq!(visible(&format!("{at}b")), format!("{at}…"));
    }

    #[test]
    fn tables_are_limited() {
        let rows = |count: usize| {
            let mut page = String::new();
            table(&mut page, &["a"], vec![vec!["b".to_owned()]; count]);
            page
        };
        assert!(!rows(ROWS_MAX).contains("more"));
        assert!(rows(ROWS_MAX + 1).contains("… and 1 more."));
    }

    #[test]
    fn lines_are_limited() {
        let names = |count: usize| -> String {
            let name = |number: usize| PublicName {
                name: format!("name{number}"),
                owner: None,
                role: assize_syntax::facts::Role::Type,
                path: "a.rs".into(),
                line: 1,
            };
            public_names(&(0..count).map(name).collect::<Vec<_>>()).join("\n")
        };
        assert!(!names(NAMES_PER_FILE_MAX).contains("more"));
        assert!(names(NAMES_PER_FILE_MAX + 1).ends_with(", 1 more"));

        let units = |count: usize| -> String {
            let mut brief = brief();
            let units = (0..count).map(|number| format!("unit{number}")).collect();
            brief.structure.layers = vec![crate::brief::Layer { level: 0, units }];
            layers(&brief).join("\n")
        };
        assert!(!units(UNITS_PER_LAYER_MAX).contains("more"));
        assert!(units(UNITS_PER_LAYER_MAX + 1).ends_with(" and 1 more"));

        let fields = |count: usize| -> String {
            let fields: String = (0..count).map(|number| format!("  string f{number} = {};\n", number + 1)).collect();
            let text = format!("syntax = \"proto3\";\nmessage M {{\n{fields}}}\n");
            let file = assize_syntax::schema_type::read("a.proto", &text).expect("it is a schema");
            schema_type(file.format, &file.types[0])
        };
        assert!(!fields(FIELDS_SHOWN_MAX).contains("more"));
        assert!(fields(FIELDS_SHOWN_MAX + 1).ends_with(", 1 more }"));
    }

    #[test]
    fn a_share_is_that_of_the_names_that_tell() {
        let share = |style, count| crate::naming::StyleShare { style, count, share: f64::from(count) / 100.0 };
        let shown = |styles: Vec<crate::naming::StyleShare>, style| {
            let total = styles.iter().map(|share| share.count).sum();
            convention(&Convention {
                language: assize_ecosystem::Language::TypeScript,
                subject: crate::naming::ConventionSubject::File,
                total,
                styles,
                recommended: Some(style),
                affixes: Vec::new(),
            })
        };
        use crate::naming::NameStyle::{Camel, Flat, Kebab};
        assert_eq!(
            shown(vec![share(Flat, 78), share(Kebab, 19), share(Camel, 3)], Kebab).as_deref(),
            Some("typescript file: kebab-case (86 % of 22 of several words)")
        );
        assert_eq!(
            shown(vec![share(Kebab, 19), share(Camel, 1)], Kebab).as_deref(),
            Some("typescript file: kebab-case (95 % of 20)")
        );
        assert_eq!(shown(vec![share(Flat, 20)], Flat).as_deref(), Some("typescript file: flat (100 % of 20)"));
    }

    #[test]
    fn files_of_a_limit_are_named_in_part() {
        let mut brief = brief();
        let limit = |count: usize| crate::brief::ReachedLimit {
            message: "files".to_owned(),
            left_out: 520,
            files: (0..count).map(|number| format!("{number}.py")).collect(),
        };
        brief.limits = vec![limit(0), limit(LIMIT_FILES_SHOWN), limit(LIMIT_FILES_SHOWN + 1)];
        let shown: Vec<String> = plain(&brief).lines().filter(|line| line.contains("520")).map(str::to_owned).collect();
        assert_eq!(
            shown.iter().map(|line| line.trim_start_matches("- ").trim()).collect::<Vec<_>>(),
            [
                "not shown: 520 files",
                "not shown: 520 files: 0.py, 1.py, 2.py",
                "not shown: 520 files: 0.py, 1.py, 2.py, …"
            ]
        );
    }

    #[test]
    fn what_follows_from_a_floor_is_not_said_again() {
        let item = |basis, below: Option<&str>, above: Option<&str>| Boundary {
            basis,
            below: below.map(str::to_owned),
            above: above.map(str::to_owned),
            support: 20,
            against: 0,
            confidence: 0.9,
        };
        let lines = boundaries(&[
            item(Basis::Floor, Some("text"), None),
            item(Basis::Roof, None, Some("main")),
            item(Basis::Pair, Some("text"), Some("web")),
            item(Basis::Pair, Some("cart"), Some("main")),
            item(Basis::Pair, Some("cart"), Some("web")),
        ]);
        assert_eq!(lines.len(), 3);
        assert!(lines[2].starts_with("cart does not import web (20:0, 0.90)"), "{lines:?}");
    }
}
