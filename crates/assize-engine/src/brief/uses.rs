//! How the files of a tree use each other, for the plan that says which of them belong to the tests.
//!
//! What an import leads to is for `assize-brief` to say, and what follows from it for the core.

use assize_brief::brief::Analysis;
use assize_brief::import::Resolved;
use assize_core::test_policy::{Use, Used, Uses, is_setting};

use super::Survey;
use crate::work_copy::WorkCopy;

/// Largest setting that is read, in bytes.
pub const SETTING_BYTES_MAX: u64 = 256 * 1024;

/// Says how the files of a copy use each other; `survey` is what was seen of that copy.
pub fn uses(copy: &WorkCopy, survey: &Survey) -> Uses {
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
    Uses { imports, settings }
}
