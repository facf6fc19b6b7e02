//! How the files around a new one are named: their casing, and a prefix or suffix that nearly all of them have.
//!
//! Around it are the files of its folder; where these are too few to tell, those of all folders of that name
//! (`services/`), and then all, each time those of its language, tests apart from the others. The thresholds are those
//! of names. It knows paths alone.

use assize_core::path::{file_name, parent, without_ending};
use assize_syntax::facts::FileFacts;

use crate::naming::{Affix, AffixPosition, Convention, NameShape, NameStyle, NamingTally, SHARE_MIN, SUPPORT_MIN};
use crate::render::visible;

/// Names of files that a language or a tool prescribes. They follow no pattern of the project, and make none.
const PRESCRIBED: [&str; 12] = [
    "__init__",
    "__main__",
    "build",
    "conftest",
    "doc",
    "index",
    "lib",
    "main",
    "mod",
    "module-info",
    "package-info",
    "setup",
];

/// Files of one kind, and how all of them are named.
#[derive(Debug, Default)]
pub(super) struct SiblingFiles<'a> {
    pub(super) paths: Vec<&'a str>,
    everywhere: Option<Convention>,
}

/// How files are named.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    /// The style, and how many of how many agree.
    style: Option<(NameStyle, (u32, u32))>,
    /// Prefix and suffix, and of how many files.
    affixes: Vec<(Affix, u32)>,
}

impl SiblingFiles<'_> {
    /// Counts how all of them are named.
    pub(super) fn count(&mut self) {
        self.everywhere = convention(self.paths.iter().copied());
    }
}

fn convention<'p>(paths: impl Iterator<Item = &'p str>) -> Option<Convention> {
    let mut tally = NamingTally::default();
    // What is in them does not matter here: files without names count by their own.
    let nothing = FileFacts::default();
    paths.for_each(|path| tally.add(path, &nothing));
    tally.conventions().pop()
}

/// Returns whether a file has a name that a language or a tool prescribes.
pub(super) fn is_prescribed(path: &str) -> bool {
    PRESCRIBED.contains(&file_name(without_ending(path)))
}

impl Pattern {
    /// The pattern around a new file; `None` where there is none that it could follow or break.
    pub(super) fn around(siblings: &SiblingFiles<'_>, new: &str) -> Option<Self> {
        if is_prescribed(new) {
            return None;
        }
        let folder = parent(new);
        let within = |is_near: &dyn Fn(&str) -> bool| {
            convention(siblings.paths.iter().copied().filter(|path| is_near(parent(path))))
        };
        let mut pattern = Self::default();
        let (mut styled, mut affixed) = (false, false);
        let circles: [&dyn Fn() -> Option<Convention>; 3] =
            [&|| within(&|other| other == folder), &|| within(&|other| file_name(other) == file_name(folder)), &|| {
                siblings.everywhere.clone()
            }];
        for circle in circles {
            let Some(convention) = circle() else { continue };
            let telling: u32 =
                convention.styles.iter().filter(|share| share.style.tells()).map(|share| share.count).sum();
            if !styled && telling >= SUPPORT_MIN {
                styled = true;
                let style = convention.recommended;
                pattern.style = style.map(|style| (style, convention.agreeing(style)));
            }
            if !affixed && convention.total >= SUPPORT_MIN {
                affixed = true;
                let shared = convention.affixes.into_iter().filter(|affix| affix.share >= SHARE_MIN);
                pattern.affixes = shared.map(|affix| (affix, convention.total)).collect();
            }
            if styled && affixed {
                break;
            }
        }
        (pattern.style.is_some() || !pattern.affixes.is_empty()).then_some(pattern)
    }

    /// What of a file's name does not follow, in words.
    pub(super) fn faults(&self, path: &str) -> Vec<String> {
        let shape = NameShape::of_file(path);
        let name = visible(file_name(path));
        let style = self.style.zip(shape.style).filter(|((style, ..), written)| !style.admits(*written));
        let style = style.map(|((style, (agree, all)), written)| {
            format!("`{name}` is {written}; {style} is usual for the files around it ({agree} of {all})")
        });
        let affixes = self.affixes.iter().filter_map(|(affix, all)| {
            let (own, what) = match affix.position {
                AffixPosition::Prefix => (shape.prefix, "begin with"),
                AffixPosition::Suffix => (shape.suffix, "end in"),
            };
            let text = visible(&affix.text);
            let lacks = own != Some(affix.text.as_str());
            lacks.then(|| {
                format!("`{name}` does not {what} `{text}` like the files around it ({} of {all})", affix.count)
            })
        });
        style.into_iter().chain(affixes).collect()
    }
}
