//! Which files of a tree use which others, for the plan that separates tests from code.
//!
//! `assize-brief` resolves imports, and `assize-gate` draws the conclusions.

use assize_brief::brief::Analysis;
use assize_ecosystem::{FileRole, is_test};
use assize_gate::test_policy::{Use, Used, Uses, is_setting};
use assize_syntax::import::Resolved;

use super::TreeSurvey;
use crate::work_copy::WorkCopy;

/// The largest settings file that is read, in bytes.
pub const SETTING_BYTES_MAX: u64 = 256 * 1024;

/// Returns how the files of a copy use each other. `survey` is the survey of that copy.
pub fn uses(copy: &WorkCopy, survey: &TreeSurvey) -> Uses {
    let tree = survey.tree();
    let analysis = Analysis::of(&tree);
    let mut imports = Vec::new();
    for link in analysis.links() {
        let from = tree.path(link.from);
        let in_test = tree.imports(link.from).get(link.import as usize).is_some_and(|import| import.test_only);
        let mut add = |to| imports.push(Use { from: from.to_owned(), to, in_test });
        match link.to {
            Resolved::File(file) if file != link.from => add(Used::File(tree.path(file).to_owned())),
            Resolved::Folder(folder) => {
                tree.files_in(folder).iter().for_each(|file| add(Used::File(tree.path(*file).to_owned())));
            }
            Resolved::External(name) => add(Used::Outside(name.to_owned())),
            Resolved::File(_) | Resolved::Unresolved(_) => {}
        }
    }
    let settings = copy.files().iter().filter(|path| is_setting(path));
    let settings = settings.filter_map(|path| Some((path.clone(), copy.text(path, SETTING_BYTES_MAX)?))).collect();
    let roles = analysis.roles();
    let promoted = tree.files().filter(|(id, file)| roles[id.index()].is_production() && is_test(file.path));
    let production = promoted.map(|(_, file)| file.path.to_owned()).collect();
    let demoted = tree.files().filter(|(id, file)| roles[id.index()] == FileRole::Test && !is_test(file.path));
    let tests = demoted.map(|(_, file)| file.path.to_owned()).collect();
    Uses { imports, settings, production, tests }
}
