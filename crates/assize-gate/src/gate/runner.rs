//! How runners of JavaScript's tests are driven: a plug-in of ours tells what happens, beside whatever the project has its
//! runner print.
//!
//! A script of the project's that calls a runner is run as it stands, with the call of the runner replaced by ours; a
//! project without one is run by the runner's own defaults. It must not know what the plug-ins write.

use std::collections::BTreeMap;

use assize_core::finding::Severity;
use assize_core::path::{is_below, join, parent, relative_to, within};
use assize_ecosystem::tool::ToolKind;
use assize_report::{Diagnostic, ReportError, TestOutcome, ToolReport, events, message, tsc};

use super::javascript::{self, NodePackage, installed};
use super::script::{self, ScriptStep, Word};
use super::{
    CANARY, Canary, GateCommand, GateOutput, NAMED_FILES_MAX, ONE_TEST, Project, REPORTS, Setup, TEST_SECONDS_VARIABLE,
};

/// Where the script says that a command before the tests did not work.
const BROKEN: &str = "broken";
/// Where it says how often it calls the runner, if more than once.
const CALLS: &str = "calls";
/// A file that is as old as the run.
const BEGUN: &str = "begun";
/// The variable that names the report of a call.
const EVENTS_VARIABLE: &str = "ASSIZE_EVENTS";
/// The variable that tells our plug-in which folder its paths start in, where the script changes to another one.
const FOLDER_VARIABLE: &str = "ASSIZE_FOLDER";
/// Programs that take tests of ours as they take any other file.
const UNOBJECTING: [&str; 7] = ["cp", "echo", "mkdir", "mv", "rimraf", "rm", "tsc"];
/// Scripts that run tests, by their usual names; the first that there is is taken.
const TEST_SCRIPTS: [&str; 7] = ["test", "test:unit", "tests", "unit", "test:ci", "test:run", "tests-only"];
/// Programs that the system brings along; the project's folder of programs must not take their place.
const SYSTEM: [&str; 11] = ["node", "npm", "npx", "sh", "bash", "env", "rm", "cp", "mv", "mkdir", "echo"];

/// Scripts that run the tests of a package: those that the maintainers call, then those that are often called so.
pub(super) fn test_scripts<'p>(project: &'p Project, package: &NodePackage) -> Vec<&'p str> {
    let scripts = project.pipeline.scripts.iter().filter(|script| script.folder == package.folder);
    scripts.map(|script| script.name.as_str()).chain(TEST_SCRIPTS).collect()
}

/// A runner of tests, and how it is told to use our plug-in.
pub(super) struct JavaScriptRunner {
    /// The program.
    pub name: &'static str,
    /// Whether a command calls it.
    pub is_call: fn(&ScriptStep) -> bool,
    /// Arguments of ours, right behind the program.
    pub first: &'static [&'static str],
    /// Arguments of ours, at the end.
    pub last: &'static [&'static str],
    /// Options of the project's that are dropped, since they get in the way of ours.
    pub dropped: &'static [&'static str],
    /// Options that take their value as the next word.
    pub valued: &'static [&'static str],
    /// Variables of ours.
    pub variables: &'static [(&'static str, &'static str)],
    /// Makes the source of our own tests: for a module of the standard, or one of CommonJS.
    pub canary: fn(word: &str, module: bool, typed: bool) -> String,
    /// How the runner calls tests of ours.
    pub names: &'static [&'static str],
    /// What it takes the files that a call names for.
    pub named: PositionalMeaning,
    /// Options by which a call picks tests by their names: those of ours would not be among them.
    pub picks: &'static [&'static str],
}

/// What a runner takes the words of its call for that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PositionalMeaning {
    /// Paths of files and folders, or patterns of paths.
    Paths,
    /// Parts of the paths of files that it finds by its own settings.
    Parts,
}

/// Where a file of ours goes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PluginFile {
    /// Its path, with `*` in place of the word that cannot be guessed.
    path: String,
    /// Whether the call has to name the file, since it does not find the file otherwise.
    to_be_named: bool,
}

/// Names of our own tests; each comes twice, with ` fails` and ` passes` behind it.
pub(super) const ASSERTED: [&str; 3] = ["equal", "deepStrictEqual", "throws"];
/// The same for runners with `expect`.
pub(super) const EXPECTED: [&str; 3] = ["toBe", "toEqual", "toThrow"];

impl JavaScriptRunner {
    /// The script that calls the runner, taken apart.
    fn script(&self, project: &Project, package: &NodePackage) -> Option<String> {
        let calls = |name: &&str| {
            let steps = package.script(name).and_then(|_| script::steps(package, name)).unwrap_or_default();
            steps.iter().any(self.is_call)
        };
        test_scripts(project, package).into_iter().find(calls).map(str::to_owned)
    }

    /// A setup where a script of the package calls the runner.
    pub fn called(&self, project: &Project, package: &NodePackage) -> Option<Setup> {
        let name = self.script(project, package)?;
        let because = format!("{} has the script `{name}`, which calls {}", package.path(), self.name);
        Some(Setup { folder: package.folder.clone(), because, detail: name })
    }

    /// Returns whether what tells of the runner is left over: the package runs its tests with another one, and asks for none of
    /// this name.
    pub fn is_left_over(&self, project: &Project, package: &NodePackage) -> bool {
        let runs_others = |name: &str| {
            let steps = package.script(name).and_then(|_| script::steps(package, name)).unwrap_or_default();
            steps.iter().any(|step| script::runs_tests(step) && !(self.is_call)(step))
        };
        !package.depends_on(self.name) && test_scripts(project, package).into_iter().any(runs_others)
    }

    /// The command: the script with ours in place of the runner's call, or the runner alone.
    pub fn command(&self, setup: &Setup, project: &Project, program: &str, own: &[&str]) -> GateCommand {
        let package = javascript::package(project, &setup.folder);
        let steps = if setup.detail.is_empty() { None } else { script::steps(&package, &setup.detail) };
        self.command_of(setup, project, (program, own), steps)
    }

    /// The command for some files of tests alone, relative to the root. `None` where the script calls the runner more than
    /// once, or through a shell that takes the call apart.
    pub fn command_for(
        &self,
        setup: &Setup,
        project: &Project,
        (program, own): (&str, &[&str]),
        files: &[&str],
    ) -> Option<GateCommand> {
        let inside = |path: &&str| {
            let inside = if setup.folder.is_empty() {
                Some(*path)
            } else {
                path.strip_prefix(&*setup.folder)?.strip_prefix('/')
            };
            inside.filter(|path| is_plain(path)).map(str::to_owned)
        };
        let files: Vec<String> = files.iter().filter_map(inside).take(NAMED_FILES_MAX).collect();
        if files.is_empty() {
            return None;
        }
        if setup.detail.is_empty() {
            let mut command = self.command_of(setup, project, (program, own), None);
            command.arguments.extend(files);
            return Some(command);
        }
        let package = javascript::package(project, &setup.folder);
        let mut steps = script::steps(&package, &setup.detail)?;
        let mut calls = steps.iter_mut().filter(|step| (self.is_call)(step));
        let (call, None) = (calls.next()?, calls.next()) else { return None };
        let named = self.named_files(call);
        let at = call.folder.clone();
        call.words.retain(|word| !named.contains(&seen_from_package(&at, &word.text)));
        call.words.extend(files.iter().map(|path| Word::plain(&from(&at, path))));
        Some(self.command_of(setup, project, (program, own), Some(steps)))
    }

    fn command_of(
        &self,
        setup: &Setup,
        project: &Project,
        (program, own): (&str, &[&str]),
        steps: Option<Vec<ScriptStep>>,
    ) -> GateCommand {
        let mut environment = javascript::runner_environment();
        environment.insert(TEST_SECONDS_VARIABLE.to_owned(), ONE_TEST.to_owned());
        environment.extend(self.variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let (program, arguments) = match steps {
            None => {
                let ours = self.first.iter().chain(own).chain(self.last);
                (program.to_owned(), ours.map(|word| (*word).to_owned()).collect())
            }
            Some(steps) => ("sh".to_owned(), vec!["-c".to_owned(), self.shell(project, &setup.folder, &steps)]),
        };
        GateCommand { program, arguments, folder: setup.folder.clone(), environment, provided: plugins() }
    }

    /// Writes the script for a shell. What comes before the tests says so when it does not work; what comes behind them is
    /// left out: it is a gate of its own, see [`super::package_test_rest`].
    fn shell(&self, project: &Project, folder: &str, steps: &[ScriptStep]) -> String {
        let mut text = path_of_programs(project, folder);
        let mut failed = "status=0".to_owned();
        let calls = steps.iter().filter(|step| (self.is_call)(step)).count();
        if calls > 1 {
            text.push_str(&format!("printf '%s' {calls} > {REPORTS}/{CALLS}\n"));
        }
        let mut call = 0;
        let is_call = |step: &&ScriptStep| (self.is_call)(step);
        // Other runners are gates of their own, and so are linters and formatters.
        let stays = |step: &&ScriptStep| is_call(step) || !(script::runs_tests(step) || is_check(step));
        let last = steps.iter().rposition(self.is_call).unwrap_or(0);
        let steps: Vec<&ScriptStep> = steps[..=last].iter().filter(stays).collect();
        let (before, from_call) = steps.split_at(steps.iter().position(is_call).unwrap_or(0));
        text.push_str(&with_ours(project, folder, before));
        for step in from_call {
            if (self.is_call)(step) {
                let report = (call > 0).then(|| Word::plain(&format!("{EVENTS_VARIABLE}={}", events_file(call))));
                let ours = self.ours(project, folder, step, report.as_ref());
                text.push_str(&format!("{failed}\n{ours} || status=$?\n"));
                failed = String::new();
                call += 1;
            } else {
                text.push_str(&needed(project, folder, step));
            }
        }
        text.push_str("exit $status\n");
        text
    }

    /// The call of the runner, with our plug-in, and the variable for its report where that is not the first one.
    fn ours(&self, project: &Project, folder: &str, step: &ScriptStep, report: Option<&Word>) -> String {
        let mut kept = Vec::new();
        let mut words = step.arguments().iter().peekable();
        while let Some(word) = words.next() {
            let (name, value) = word.text.split_once('=').map_or((word.text.as_str(), false), |(name, _)| (name, true));
            if !self.dropped.contains(&name) {
                kept.push(word.clone());
            } else if !value && self.valued.contains(&name) {
                words.next();
            }
        }
        let ours = |words: &[&str]| words.iter().map(|word| Word::plain(word)).collect::<Vec<_>>();
        let head = ScriptStep { words: step.words[..1].to_vec(), folder: step.folder.clone(), ..ScriptStep::default() };
        let head = named(project, folder, head);
        // There is such a file only when tests of ours are to run.
        let spot = self.spot(project, folder, &[], step);
        let spot = spot.filter(|spot| spot.to_be_named && !self.picks_by_name(step));
        let path = |spot: PluginFile| from(&step.folder, &spot.path);
        kept.extend(spot.map(|spot| Word::plain(&format!("$(ls {} 2>/dev/null)", path(spot)))));
        let words = head.words.into_iter().chain(ours(self.first)).chain(kept).chain(ours(self.last)).collect();
        // A variable of theirs would take the place of ours.
        let start = (!step.folder.is_empty()).then(|| Word::plain(&format!("{FOLDER_VARIABLE}=\"$OLDPWD\"")));
        let variables = report.into_iter().chain(start.as_ref()).chain(&step.variables);
        let variables = variables.map(|variable| match variable.text.split_once('=') {
            Some(("NODE_OPTIONS", theirs)) => {
                let own =
                    self.variables.iter().find(|(name, _)| *name == "NODE_OPTIONS").map_or("", |(_, value)| value);
                Word::plain(&format!("NODE_OPTIONS='{own} {}'", theirs.replace('\'', "")))
            }
            _ => variable.clone(),
        });
        ScriptStep { variables: variables.collect(), words, folder: step.folder.clone() }.shell()
    }

    /// The report of a run in which a command before the tests did not work.
    pub fn unbuilt(setup: &Setup, output: &GateOutput) -> Option<Result<ToolReport, ReportError>> {
        let step = output.reports.get(BROKEN)?;
        Some(unbuilt(step, output).map(|report| javascript::place(report, setup, output)))
    }

    /// Whether the script calls the runner once.
    pub fn is_called_once(&self, setup: &Setup, package: &NodePackage) -> bool {
        let steps = script::steps(package, &setup.detail).unwrap_or_default();
        steps.iter().filter(|step| (self.is_call)(step)).count() == 1
    }

    /// Reads what the plug-in wrote.
    pub fn report(setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        if let Some(unbuilt) = Self::unbuilt(setup, output) {
            return unbuilt;
        }
        let read = if output.timed_out { events::parse_part } else { events::parse };
        let calls = output.reports.get(CALLS).and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
        let mut report = read(output.report(&events_file(0))?)?;
        for call in 1..calls.unwrap_or(1) {
            report = both(report, read(output.report(&events_file(call))?)?)?;
        }
        Ok(javascript::place(report, setup, output))
    }

    /// Tests of ours in a file beside the project's, named as those are.
    pub fn canary(&self, setup: &Setup, project: &Project, word: &str, beside: &str) -> Canary {
        let package = javascript::package(project, &setup.folder);
        let ending = beside.rsplit_once('.').map_or("js", |(_, ending)| ending);
        let typed = ending.contains("ts");
        let module = match ending {
            "mjs" | "mts" => true,
            "cjs" | "cts" => false,
            _ => typed || javascript::holds_modules(project, &within(&setup.folder, parent(beside))),
        };
        let path = within(&setup.folder, beside);
        let ids = |end: &str| self.names.iter().map(|name| format!("{path} > {word} {name} {end}")).collect();
        let text = (self.canary)(word, module, typed);
        let by_command = !setup.detail.is_empty() && script::steps(&package, &setup.detail).is_some();
        let files = [(path.clone(), text)].into();
        Canary { failing: ids("fails"), passing: ids("passes"), files, by_command, ..Canary::default() }
    }

    /// A file of ours beside the tests of a package, named as most of them are, or as those that the script names itself.
    /// `None` where the runner would not come upon it.
    pub fn beside(&self, setup: &Setup, project: &Project, word: &str) -> Option<String> {
        let package = javascript::package(project, &setup.folder);
        let steps = if setup.detail.is_empty() { Vec::new() } else { script::steps(&package, &setup.detail)? };
        if let Some(at) = steps.iter().rposition(self.is_call) {
            if self.picks_by_name(&steps[at]) {
                return None;
            }
            if !self.named_files(&steps[at]).is_empty() {
                let spot = self.spot(project, &setup.folder, &steps[..at], &steps[at])?;
                return Some(spot.path.replace('*', word));
            }
        }
        let mut places: BTreeMap<(&str, String), usize> = BTreeMap::new();
        let files = javascript::test_files(project, &setup.folder);
        for path in &files {
            // Beside `test.js` runners find `word.test.js`.
            let name = assize_core::path::file_name(path);
            let is_bare = ["test.", "spec."].iter().any(|stem| name.starts_with(stem));
            let ending = if is_bare { format!(".{name}") } else { ending(path).to_owned() };
            *places.entry((parent(path), ending)).or_default() += 1;
        }
        let ((folder, ending), _) = places.into_iter().max_by_key(|(_, count)| *count)?;
        Some(within(folder, &format!("{word}{ending}")))
    }

    /// Returns whether the script says itself which files hold tests, or which tests it wants.
    pub fn names_files(&self, setup: &Setup, project: &Project) -> bool {
        let package = javascript::package(project, &setup.folder);
        let steps = if setup.detail.is_empty() { None } else { script::steps(&package, &setup.detail) };
        let steps = steps.unwrap_or_default();
        let call = steps.iter().rfind(|step| (self.is_call)(step));
        call.is_some_and(|step| self.picks_by_name(step) || !self.named_files(step).is_empty())
    }

    fn picks_by_name(&self, step: &ScriptStep) -> bool {
        let picks = |word: &Word| {
            let name = word.text.split_once('=').map_or(word.text.as_str(), |(name, _)| name);
            self.picks.contains(&name)
        };
        step.arguments().iter().any(picks)
    }

    /// Where a file of ours goes when a call names files; `before` are the commands before it.
    fn spot(&self, project: &Project, folder: &str, before: &[ScriptStep], call: &ScriptStep) -> Option<PluginFile> {
        let names = self.named_files(call);
        let name = names.first().map(|name| name.trim_end_matches('/'))?;
        match self.named {
            PositionalMeaning::Parts => {
                let plain = is_plain(name);
                let files = javascript::test_files(project, folder);
                let path = beside_file(files.iter().find(|path| plain && path.contains(name))?);
                let to_be_named = !path.contains(name);
                Some(PluginFile { path, to_be_named })
            }
            PositionalMeaning::Paths if name.contains('*') => {
                let path = matching(name, "*")?;
                is_there(project, folder, parent(&path), before).then_some(PluginFile { path, to_be_named: false })
            }
            PositionalMeaning::Paths if javascript::is_code(name) => {
                let path = beside_file(name);
                let there = is_plain(name) && is_there(project, folder, parent(&path), before);
                there.then_some(PluginFile { path, to_be_named: true })
            }
            PositionalMeaning::Paths => {
                let within = |path: &&str| javascript::is_code(path) && parent(path) == name;
                let path = beside_file(javascript::files(project, folder).find(within).filter(|_| is_plain(name))?);
                Some(PluginFile { path, to_be_named: false })
            }
        }
    }

    /// The files, folders and patterns that a call names.
    fn named_files(&self, step: &ScriptStep) -> Vec<String> {
        let mut found = Vec::new();
        let mut words = step.runner_arguments().iter();
        while let Some(word) = words.next() {
            if !word.text.starts_with('-') {
                found.push(seen_from_package(&step.folder, &word.text));
            } else if self.valued.contains(&word.text.as_str()) {
                words.next();
            }
        }
        found.retain(|name| !(assize_core::path::file_name(name) == "run" && self.name == "vitest"));
        found
    }
}

/// A path in a call as it is seen from the package; the call is made in this folder of it.
fn seen_from_package(folder: &str, path: &str) -> String {
    let path = path.trim_start_matches("./");
    let joined = if folder.is_empty() { None } else { join(folder, path) };
    joined.unwrap_or_else(|| path.to_owned())
}

/// A path of the package as it is seen from one of its folders.
fn from(folder: &str, path: &str) -> String {
    if folder.is_empty() || !is_below(path, folder) {
        return format!("{}{path}", super::up_from(folder));
    }
    relative_to(path, folder).to_owned()
}

/// The report of a call, counted from 0.
fn events_file(call: usize) -> String {
    if call == 0 { "events.jsonl".to_owned() } else { format!("events-{call}.jsonl") }
}

/// Joins the reports of two calls. A test that ran in both has the worse of both ends.
fn both(mut one: ToolReport, other: ToolReport) -> Result<ToolReport, ReportError> {
    let (Some(run), Some(more)) = (&mut one.tests, other.tests) else {
        return Err(ReportError::Empty);
    };
    run.check()?;
    more.check()?;
    run.announced = None;
    for case in more.cases {
        match run.cases.iter_mut().find(|known| known.id == case.id) {
            Some(known) if case.outcome == TestOutcome::Failed || !known.outcome.was_executed() => *known = case,
            Some(_) => {}
            None => run.cases.push(case),
        }
    }
    one.diagnostics.extend(other.diagnostics);
    one.diagnostics_left_out += other.diagnostics_left_out;
    Ok(one)
}

/// The setup in which the package is built first, where a script calls the runner and another one builds.
pub(super) fn built(setup: &Setup, project: &Project) -> Option<Setup> {
    if setup.detail.is_empty() || setup.detail.contains(script::AND) {
        return None;
    }
    let package = javascript::package(project, &setup.folder);
    after_build(setup, &package, format!("{BUILD}{}{}", script::AND, setup.detail))
}

/// The script that makes what tests and types of a package may need.
pub(super) const BUILD: &str = "build";

/// A setup with the package built before it, where a script does that.
pub(super) fn after_build(setup: &Setup, package: &NodePackage, detail: String) -> Option<Setup> {
    let builds = script::steps(package, BUILD).is_some();
    let because = format!("{}; the script `{BUILD}` runs before it", setup.because);
    builds.then(|| Setup { folder: setup.folder.clone(), because, detail })
}

/// A command that has to work before the tests can run.
fn needed(project: &Project, folder: &str, step: &ScriptStep) -> String {
    let shown = step.shell().replace('\'', "");
    let run = named(project, folder, step.clone()).shell();
    format!("{run} || {{ printf '%s' '{shown}' > {REPORTS}/{BROKEN}; exit 1; }}\n")
}

/// The commands before the tests, and the line that puts tests of ours into the tree. A compiler has to come upon these. A
/// command that is not known may object to them, as a formatter does: it runs before they are there, and once more only if
/// something before the tests writes to the tree. What it says then does not count.
fn with_ours(project: &Project, folder: &str, before: &[&ScriptStep]) -> String {
    let put = format!("if [ -d {REPORTS}/{CANARY} ]; then cp -R {REPORTS}/{CANARY}/. .; fi\n");
    let all = |each: &dyn Fn(&ScriptStep) -> String| before.iter().map(|step| each(step)).collect::<String>();
    let needed = |step: &ScriptStep| needed(project, folder, step);
    let is_known = |step: &ScriptStep| UNOBJECTING.contains(&step.head());
    if before.iter().all(|step| is_known(step)) {
        return put + &all(&needed);
    }
    let once_more = |step: &ScriptStep| {
        if is_known(step) { needed(step) } else { format!("{} || :\n", named(project, folder, step.clone()).shell()) }
    };
    format!(
        "touch {REPORTS}/{BEGUN}\n{}\
         written=$(find . -name node_modules -prune -o -type f -newer {REPORTS}/{BEGUN} -print | head -n 1)\n{put}\
         if [ -d {REPORTS}/{CANARY} ] && [ -n \"$written\" ]; then\n{}fi\n",
        all(&needed),
        all(&once_more)
    )
}

/// Returns whether a command looks at the tree and makes nothing that tests could need.
pub(super) fn is_check(step: &ScriptStep) -> bool {
    const OTHERS: [&str; 5] = ["knip", "publint", "attw", "cspell", "size-limit"];
    // A compiler that writes nothing. That of TypeScript has a gate of its own, which needs its settings.
    let is_dry = step.head() != "tsc" && step.arguments().iter().any(|word| word.text == "--noEmit");
    is_dry || OTHERS.contains(&step.head()) || is_style_check(step)
}

/// Returns whether a command looks at the tree for style.
pub(super) fn is_style_check(step: &ScriptStep) -> bool {
    const OTHERS: [&str; 3] = ["standard", "xo", "tslint"];
    let kinds = [ToolKind::Linter, ToolKind::Formatter];
    let listed = assize_ecosystem::find_tool(step.head());
    OTHERS.contains(&step.head()) || listed.is_some_and(|tool| tool.kinds.iter().any(|kind| kinds.contains(kind)))
}

/// What follows the first full stop of a file's name, with it.
pub(super) fn ending(path: &str) -> &str {
    let name = assize_core::path::file_name(path);
    name.find('.').map_or("", |at| &name[at..])
}

/// The path of a file of ours beside another one, so that what finds that by its name's beginning or end finds ours.
fn beside_file(path: &str) -> String {
    let name = assize_core::path::file_name(path);
    let stem = name.strip_suffix(ending(path)).unwrap_or(name);
    within(parent(path), &format!("{stem}-assize-*{}", ending(path)))
}

/// Returns whether a name means itself to a shell, and as a pattern nothing much else.
fn is_plain(name: &str) -> bool {
    name.chars().all(|character| character.is_ascii_alphanumeric() || "-_./@".contains(character))
}

/// Returns whether a folder is there, or is made by a compiler before the tests. Folders that are built would be emptied
/// by anything but that.
fn is_there(project: &Project, package: &str, folder: &str, before: &[ScriptStep]) -> bool {
    let known = javascript::files(project, package).any(|path| parent(path) == folder);
    known || before.iter().all(|step| step.head() == "tsc" && !step.shell().contains("--clean"))
}

/// A name that a pattern finds: `dist/**/*.test.js` finds `dist/word.test.js`.
fn matching(pattern: &str, word: &str) -> Option<String> {
    let (folder, name) = pattern.rsplit_once('/').map_or(("", pattern), |(folder, name)| (folder, name));
    let folders: Vec<&str> = folder.split('/').filter(|part| *part != "**" && !part.is_empty()).collect();
    let plain = |part: &str| !part.contains(['*', '?', '[', '{', '(', '!']);
    let (before, after) = name.split_once('*')?;
    let fits = folders.iter().all(|part| plain(part)) && plain(before) && plain(after) && after.contains('.');
    fits.then(|| within(&folders.join("/"), &format!("{before}{word}{after}")))
}

/// The folders in which programs of the project lie, behind those of the system: a file there must not pass for `node`.
pub(super) fn path_of_programs(project: &Project, folder: &str) -> String {
    let mut bins: Vec<String> = Vec::new();
    let mut at = Some(folder);
    while let Some(here) = at {
        let bin = within(here, "node_modules/.bin/");
        if project.programs.iter().any(|program| program.starts_with(&bin)) {
            bins.push(format!("$PWD/{}{}", super::up_from(folder), bin.trim_end_matches('/')));
        }
        at = if here.is_empty() { None } else { Some(parent(here)) };
    }
    if bins.is_empty() { String::new() } else { format!("PATH=\"$PATH:{}\"\n", bins.join(":")) }
}

/// Names the program of a command by its path where it was installed for the package.
pub(super) fn named(project: &Project, folder: &str, mut step: ScriptStep) -> ScriptStep {
    let own = installed(project, folder, step.head()).filter(|_| !SYSTEM.contains(&step.head()));
    if let (Some(own), Some(first)) = (own, step.words.first_mut()) {
        *first = Word::plain(&format!("./{}{own}", super::up_from(&within(folder, &step.folder))));
    }
    step
}

/// What a command before the tests had to say.
fn unbuilt(step: &[u8], output: &GateOutput) -> Result<ToolReport, ReportError> {
    let step = String::from_utf8_lossy(step);
    let mut report = tsc::parse(&output.stdout)?;
    if report.diagnostics.is_empty() {
        let said = if output.stderr.trim_ascii().is_empty() { &output.stdout } else { &output.stderr };
        let said = String::from_utf8_lossy(said);
        report.object(Diagnostic {
            code: "build".to_owned(),
            severity: Severity::Error,
            path: None,
            line: None,
            message: message(&format!("`{step}` did not work: {}", assize_core::text::tail(said.trim(), 2_000))),
            offer: None,
        });
    }
    Ok(report)
}

/// Our plug-ins, all of them: they load each other.
fn plugins() -> BTreeMap<String, String> {
    [
        ("events.cjs", include_str!("../../plugins/javascript/events.cjs")),
        ("watch.cjs", include_str!("../../plugins/javascript/watch.cjs")),
        ("redacted_view.cjs", include_str!("../../plugins/javascript/redacted_view.cjs")),
        ("mutations.cjs", include_str!("../../plugins/javascript/mutations.cjs")),
        ("node_test.mjs", include_str!("../../plugins/javascript/node_test.mjs")),
        ("vitest.mjs", include_str!("../../plugins/javascript/vitest.mjs")),
        ("vitest_setup.mjs", include_str!("../../plugins/javascript/vitest_setup.mjs")),
        ("jest.cjs", include_str!("../../plugins/javascript/jest.cjs")),
        ("jest_setup.cjs", include_str!("../../plugins/javascript/jest_setup.cjs")),
        ("mocha.cjs", include_str!("../../plugins/javascript/mocha.cjs")),
        ("ava.cjs", include_str!("../../plugins/javascript/ava.cjs")),
        ("ava_load.mjs", include_str!("../../plugins/javascript/ava_load.mjs")),
        ("tape.cjs", include_str!("../../plugins/javascript/tape.cjs")),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .into()
}

/// Tests of ours that assert as Node does; `call` is what a test is made with. Those that pass return a promise, since a
/// project may forbid tests that do not say when they are over.
pub(super) fn asserting(word: &str, module: bool, call: &str) -> String {
    // Compilers of TypeScript may lack the types of Node, and differ in what a module has by default.
    let load =
        if module { "import * as assert from 'node:assert';\n" } else { "const assert = require('node:assert');\n" };
    format!(
        "// @ts-nocheck\n// Put here for one run, to see that failures are reported.\n{load}\
         {call}('{word} equal fails', () => {{ assert.equal(1 + 1, 3); }});\n\
         {call}('{word} equal passes', () => {{ assert.equal(1 + 1, 2); return Promise.resolve(); }});\n\
         {call}('{word} deepStrictEqual fails', () => {{ assert.deepStrictEqual({{ a: [1] }}, {{ a: [2] }}); }});\n\
         {call}('{word} deepStrictEqual passes', () => {{ assert.deepStrictEqual({{ a: [1] }}, {{ a: [1] }}); return Promise.resolve(); }});\n\
         {call}('{word} throws fails', () => {{ assert.throws(() => 1); }});\n\
         {call}('{word} throws passes', () => {{ assert.throws(() => {{ throw new Error('as it must'); }}); return Promise.resolve(); }});\n"
    )
}

/// Tests of ours that expect; `load` is how `expect` and `test` come in.
pub(super) fn expecting(word: &str, load: &str) -> String {
    format!(
        "// Put here for one run, to see that failures are reported.\n{load}\
         test('{word} toBe fails', () => {{ expect(1 + 1).toBe(3); }});\n\
         test('{word} toBe passes', () => {{ expect(1 + 1).toBe(2); }});\n\
         test('{word} toEqual fails', () => {{ expect({{ a: [1] }}).toEqual({{ a: [2] }}); }});\n\
         test('{word} toEqual passes', () => {{ expect({{ a: [1] }}).toEqual({{ a: [1] }}); }});\n\
         test('{word} toThrow fails', () => {{ expect(() => 1).toThrow(); }});\n\
         test('{word} toThrow passes', () => {{ expect(() => {{ throw new Error('as it must'); }}).toThrow(); }});\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::Gate;
    use super::super::jest::Jest;
    use super::super::mocha::Mocha;
    use super::super::node_test::NodeTest;
    use super::super::vitest::Vitest;
    use super::*;

    #[test]
    fn a_pattern_finds_a_file_of_ours() {
        for (pattern, expected) in [
            ("dist/*.test.js", Some("dist/w.test.js")),
            ("dist/**/*.test.js", Some("dist/w.test.js")),
            ("**/*.spec.mjs", Some("w.spec.mjs")),
            ("test/test-*.js", Some("test/test-w.js")),
            ("test/a.test.js", None),
            ("test/{a,b}/*.test.js", None),
            ("test/*.{js,ts}", None),
            ("test", None),
        ] {
            assert_eq!(matching(pattern, "w").as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn what_writes_nothing_is_no_build() {
        use super::super::script::Word;
        let step =
            |text: &str| ScriptStep { words: text.split(' ').map(Word::plain).collect(), ..ScriptStep::default() };
        for (command, checks, is_style) in [
            ("tsgo --noEmit", true, false),
            ("vue-tsc --noEmit", true, false),
            ("knip", true, false),
            ("eslint .", true, true),
            ("tsgo -p .", false, false),
            ("tsc --noEmit", false, false),
            ("rollup -c", false, false),
        ] {
            assert_eq!((is_check(&step(command)), is_style_check(&step(command))), (checks, is_style), "{command}");
        }
    }

    #[test]
    fn a_call_in_another_folder_finds_its_program_and_its_files() {
        let manifest = r#"{"scripts":{"test":"cd spec && mocha a.js && mocha b.js"}}"#;
        let files = ["spec/a.js", "spec/b.js"];
        let project =
            super::super::python::tests::project(&[("package.json", manifest)], &files, &["node_modules/.bin/mocha"]);
        let line = Mocha.command(&Mocha.detect(&project)[0], &project).arguments.join(" ");
        // Tests are named by their paths from the package.
        let mocha = "ASSIZE_FOLDER=\"$OLDPWD\" ./../node_modules/.bin/mocha";
        assert!(line.contains(&format!("(cd 'spec' && {mocha} a.js")), "{line}");
        assert!(line.contains(&format!("(cd 'spec' && ASSIZE_EVENTS=events-1.jsonl {mocha} b.js")), "{line}");
    }

    #[test]
    fn a_test_of_several_calls_has_the_worst_end() {
        use crate::exec_report::testing::tested;
        use TestOutcome::{Failed, Passed, Skipped};
        let report = |cases: &[_]| tested(cases).report.expect("a report");
        let joined = both(
            report(&[("a", Passed), ("b", Failed), ("c", Skipped), ("d", Passed)]),
            report(&[("a", Failed), ("b", Passed), ("c", Passed), ("e", Passed)]),
        );
        let cases = joined.expect("both").tests.expect("tests").cases;
        let ends: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.outcome)).collect();
        assert_eq!(ends, [("a", Failed), ("b", Failed), ("c", Passed), ("d", Passed), ("e", Passed)]);
        assert!(both(report(&[]), ToolReport::default()).is_err());
    }

    #[test]
    fn tests_of_ours_are_named_so_that_runners_find_them() {
        for (files, expected) in [
            (&["test.js"][..], "w.test.js"),
            (&["src/spec.ts"], "src/w.spec.ts"),
            (&["a.test.js", "test.js"], "w.test.js"),
            (&["__tests__/a.js"], "__tests__/w.js"),
        ] {
            let manifest = r#"{"scripts":{"test":"jest --env=node"}}"#;
            let project = super::super::python::tests::project(&[("package.json", manifest)], files, &[]);
            let setup = Jest.detect(&project).into_iter().next().expect("a setup");
            let canary = Jest.canary(&setup, &project, "w").expect("a canary");
            assert_eq!(canary.files.keys().next().map(String::as_str), Some(expected), "{files:?}");
        }
    }

    #[test]
    fn tests_of_ours_run_beside_those_that_a_script_names() {
        let files = ["test/a.test.js", "test/b.test.js", "spec/x.js", "src/deep/c.test.ts", "lib/a.js"];
        for (script, expected, named) in [
            ("vitest run test/a.test.js", "test/a-assize-w.test.js", "$(ls test/a-assize-*.test.js 2>/dev/null)"),
            ("vitest run test", "src/deep/c-assize-w.test.ts", ""),
            ("vitest run deep/", "src/deep/c-assize-w.test.ts", ""),
            ("vitest run b", "test/b-assize-w.test.js", ""),
            ("vitest run 'a|b'", "", ""),
            ("vitest run nowhere", "", ""),
            ("vitest run -t some", "", ""),
            ("jest test/a.test.js", "test/a-assize-w.test.js", "$(ls test/a-assize-*.test.js 2>/dev/null)"),
            ("jest src", "src/deep/c-assize-w.test.ts", ""),
            ("kcd-scripts test", "test/w.test.js", ""),
            ("kcd-scripts test src", "src/deep/c-assize-w.test.ts", ""),
            ("jest --testNamePattern=some", "", ""),
            ("mocha spec/x.js", "spec/x-assize-w.js", "$(ls spec/x-assize-*.js 2>/dev/null)"),
            ("mocha spec", "spec/x-assize-w.js", ""),
            ("mocha 'spec/**/*.js'", "spec/w.js", ""),
            ("mocha --grep some spec", "", ""),
            ("cd spec && mocha '*.js'", "spec/w.js", ""),
            ("cd spec && mocha x.js", "spec/x-assize-w.js", "$(ls x-assize-*.js 2>/dev/null)"),
            ("cd spec && mocha ../spec/x.js", "spec/x-assize-w.js", "$(ls x-assize-*.js 2>/dev/null)"),
            ("node --test test/a.test.js", "test/a-assize-w.test.js", "$(ls test/a-assize-*.test.js 2>/dev/null)"),
            ("node --test test/", "test/a-assize-w.test.js", ""),
            ("node --test --test-name-pattern some test/a.test.js", "", ""),
            (
                "tsc && node --test dist/a.test.js",
                "dist/a-assize-w.test.js",
                "$(ls dist/a-assize-*.test.js 2>/dev/null)",
            ),
            ("rm -rf dist && tsc && node --test dist/a.test.js", "", "$(ls dist/a-assize-*.test.js 2>/dev/null)"),
        ] {
            let manifest = format!(r#"{{"scripts":{{"test":"{script}"}}}}"#);
            let project = super::super::python::tests::project(&[("package.json", &manifest)], &files, &[]);
            let gates: [&dyn Gate; 4] = [&NodeTest, &Vitest, &Jest, &Mocha];
            let found = gates.iter().find_map(|gate| Some((*gate, gate.detect(&project).first()?.clone())));
            let (gate, setup) = found.expect("a runner");
            let canary = gate.canary(&setup, &project, "w");
            let path = canary.as_ref().and_then(|canary| canary.files.keys().next()).map_or("", String::as_str);
            assert_eq!(path, expected, "{script}");
            let line = gate.command(&setup, &project).arguments.join(" ");
            let shown = line.find("$(ls").map_or("", |at| &line[at..=at + line[at..].find(')').expect("closed")]);
            assert_eq!(shown, named, "{script}");
        }
    }
}
