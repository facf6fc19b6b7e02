//! Where the market plays in tests: a small real repository, and scripts that bid for its issue.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use assize_testkit::change;
use assize_testkit::repo::Repo;
use serde_json::Value;

/// What becomes of the three bidders of a play until every box is ticked.
pub const IN_THE_END: [&str; 6] = [
    "careful ranked_first_success",
    "careful replan_success",
    "half not_selected",
    "hasty not_selected",
    "hasty ranked_first_failure",
    "hasty resubmitted",
];

/// A file or folder of the plays.
pub fn of_plays(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/market").join(name)
}

/// Lays a play out: a repository in this language with these bidders, and `settings` before them. Who commits is a person with a name.
pub fn laid_out(language: &str, bidders: &[&str], settings: &str) -> Repo {
    let repo = Repo::empty();
    change::lay_over(&of_plays(&format!("play/{language}/repo")), &repo.path());
    // Its tests need nothing that has to be fetched.
    let mut config = format!("{settings}[prepare]\nmode = \"off\"\n");
    for bidder in bidders {
        let script = repo.outside().join(format!("bidders/{bidder}.sh"));
        install(&of_plays(&format!("play/{language}/bidders/{bidder}.sh")), &script);
        let program = |what: &str| format!("{{ argv = [\"{}\", \"{what}\"], time_s = 60 }}", script.display());
        let (bid, implement) = (program("bid"), program("implement"));
        config.push_str(&format!("[[bidder]]\nid = \"{bidder}\"\nbid = {bid}\nimplement = {implement}\n"));
    }
    repo.write("assize.toml", &config);
    repo.commit("Begin");
    let person = "[user]\n\tname = A Person\n\temail = person@example.org\n";
    fs::write(repo.outside().join(".gitconfig"), person).expect("written");
    repo
}

/// Copies a script to where it can be run.
pub fn install(script: &Path, place: &Path) {
    fs::create_dir_all(place.parent().expect("a folder")).expect("made");
    fs::copy(script, place).expect("copied");
    make_executable(place);
}

/// Lets everybody run a file.
pub fn make_executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
}

/// Makes a command of the market, with `tools` before the search path.
pub fn command(repo: &Repo, tools: &[PathBuf], arguments: &[&str]) -> Command {
    let mut command = change::command(Path::new(env!("CARGO_BIN_EXE_assize")), repo, tools, &["market"]);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What became of bidders, as far as it is on record.
pub fn events(repo: &Repo) -> Vec<Value> {
    let Ok(folder) = fs::read_dir(repo.path().join(".assize/market/events")) else { return Vec::new() };
    let paths = folder.map(|entry| entry.expect("an entry").path());
    let events = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let read = |path: PathBuf| serde_json::from_str(&fs::read_to_string(path).expect("readable"));
    events.map(|path| read(path).expect("an event")).collect()
}

/// The same, each in a few words and in no order.
pub fn outcomes(repo: &Repo) -> Vec<String> {
    let word = |event: &Value, name: &str| event[name].as_str().expect("a word").to_owned();
    let told = |event: &Value| format!("{} {}", word(event, "bot_id"), word(event, "outcome"));
    let mut all: Vec<String> = events(repo).iter().map(told).collect();
    all.sort();
    all
}

/// The first lines of all commits, the newest first.
pub fn log(repo: &Repo) -> Vec<String> {
    let output = repo.git(&["log", "--format=%s"]);
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Everything that a program said.
pub fn told(output: &Output) -> String {
    format!(
        "{:?}\n{}\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
