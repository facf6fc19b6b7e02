//! `assize tournament`, as people and scripts call it: the real program, real git, and scripts in the place of models.

use std::fs;
use std::process::{Command, Output, Stdio};

use assize_testkit::repo::Repo;
use serde_json::Value;

/// A gate that objects to every line with the word BAD.
const CHECK: &str = r#"
printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"mine"}},"results":['
awk '/BAD/ { printf "%s{\"ruleId\":\"bad\",\"level\":\"error\",\"message\":{\"text\":\"line %d\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"src/a.txt\"},\"region\":{\"startLine\":%d}}}]}", sep, NR, NR; sep="," }' src/a.txt
printf ']}]}\n'
"#;
const GATES: &str = "[review]\nrequire = []\n[gates]\nsandbox = \"off\"\n[[gate]]\nid = \"mine\"\ncommand = [\"sh\", \"check.sh\"]\n\
                     dimension = \"style\"\nreport = \"sarif\"\n";
const BASE: &str = "one\ntwo\nthree\n";

fn project(settings: &str) -> Repo {
    let repo = Repo::empty();
    let here = repo.outside().display().to_string();
    repo.write("assize.toml", &format!("{GATES}{}", settings.replace("HERE", &here)));
    repo.write("check.sh", CHECK);
    repo.write("src/a.txt", BASE);
    repo.commit("base");
    repo
}

fn run(repo: &Repo, arguments: &[&str]) -> (Output, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_assize"))
        .args(arguments)
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", repo.outside())
        .env("XDG_CACHE_HOME", repo.outside().join("cache"))
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    let result = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output, result)
}

fn tournament(repo: &Repo, arguments: &[&str]) -> (Output, Value) {
    let all: Vec<&str> = ["tournament", "--format", "json"].iter().chain(arguments).copied().collect();
    run(repo, &all)
}

/// Writes a patch that puts a text in the place of a line, and returns its path.
fn patch(repo: &Repo, name: &str, find: &str, replace: &str) -> String {
    let path = repo.outside().join(name);
    let op = serde_json::json!({"ops": [{"kind": "edit", "path": "src/a.txt", "find": find, "replace": replace}]});
    fs::write(&path, op.to_string()).expect("written");
    path.display().to_string()
}

/// Writes a script beside the tree.
fn script(repo: &Repo, name: &str, text: &str) {
    fs::write(repo.outside().join(name), text).expect("written");
}

#[test]
fn patches_folders_and_revisions_compete_in_any_order() {
    let repo = project("");
    let good = patch(&repo, "good.json", "two", "2");
    let bad = patch(&repo, "bad.json", "two", "BAD two");
    let stale = patch(&repo, "stale.json", "four", "4");
    let same = patch(&repo, "same.json", "two\nthree", "2\nthree");
    let diff = repo.outside().join("larger.diff").display().to_string();
    fs::write(&diff, "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,3 +1,5 @@\n one\n-two\n+2\n+2\n+2\n three\n")
        .expect("written");
    let folder = repo.outside().join("folder");
    for (path, text) in [("src/a.txt", "one\ntwo\nBAD three\nBAD four\n"), ("check.sh", CHECK)] {
        fs::create_dir_all(folder.join(path).parent().expect("a folder")).expect("made");
        fs::write(folder.join(path), text).expect("written");
    }
    fs::copy(repo.path().join("assize.toml"), folder.join("assize.toml")).expect("copied");
    // It is a clone, as candidates often are; what is ignored there is no part of it.
    assert!(Command::new("git").args(["init", "--quiet"]).current_dir(&folder).status().expect("git").success());
    fs::write(folder.join(".gitignore"), "built\n.gitignore\n").expect("written");
    fs::write(folder.join("built"), "BAD\n").expect("written");
    let folder = folder.display().to_string();
    repo.git(&["checkout", "--quiet", "-b", "rewrite"]);
    repo.write("src/a.txt", "1\n2\n3\n4\n5\n6\n");
    repo.commit("rewrite");
    repo.git(&["checkout", "--quiet", "main"]);
    let all = [&*bad, &diff, &folder, &good, "rewrite", &stale, &same];
    let name = |result: &Value, index: &Value| {
        let index = usize::try_from(index.as_u64().expect("an index")).expect("small");
        result["results"][index]["name"].as_str().expect("a name").to_owned()
    };
    let mut seen = Vec::new();
    for turned in [false, true] {
        let mut all = all.to_vec();
        if turned {
            all.reverse();
        }
        let (output, result) = tournament(&repo, &all);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let winner = name(&result, &result["winnerIndex"]);
        assert!([&good, &same].contains(&&winner), "{winner}");
        let order: Vec<String> =
            result["ranking"].as_array().expect("a ranking").iter().map(|index| name(&result, index)).collect();
        // The two that make the same tree stand side by side.
        let order: Vec<String> = order.into_iter().filter(|name| *name != good && *name != same).collect();
        assert_eq!(order, [&*diff, "rewrite", &bad, &folder, &stale], "{result}");
        let faults =
            result["results"].as_array().expect("results").iter().find(|it| it["name"] == stale).expect("there");
        assert!(faults["errors"][0].as_str().is_some_and(|fault| fault.contains("does not occur")), "{faults}");
        let duplicates =
            result["results"].as_array().expect("results").iter().filter(|it| !it["duplicateOf"].is_null());
        assert_eq!(duplicates.count(), 1);
        seen.push(result["results"][0]["standing"].clone());
    }
    assert_eq!(fs::read_to_string(repo.path().join("src/a.txt")).expect("read"), BASE, "the tree itself is left alone");
}

#[test]
fn what_was_ruled_is_on_record_and_comes_out_the_same_again() {
    let repo = project("");
    let good = patch(&repo, "good.json", "two", "2");
    let bad = patch(&repo, "bad.json", "two", "BAD two");
    let page = repo.outside().join("page.html");
    let hostile = patch(&repo, "<script>alert(1)<", "three", "3 <b>");
    let (output, result) = tournament(&repo, &[&good, &bad, &hostile, "--html", &page.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let page = fs::read_to_string(page).expect("a page");
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing comes from elsewhere");
    for words in ["target tests", "bad.json", "✗1"] {
        assert!(page.contains(words), "{words}");
    }
    let (table, _) = run(&repo, &["tournament", &good, &bad, &hostile, "--format", "markdown"]);
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(
        table.contains("| rank | candidate |") && table.contains("&lt;script>") && !table.contains("<script"),
        "{table}"
    );
    let (again, _) = run(&repo, &["ledger", "replay", "1", "--format", "json"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("\"same\":true"), "{again:?}");
    let (shown, _) = run(&repo, &["ledger", "show", "1", "--format", "human"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let winner = result["winnerIndex"].as_u64().expect("a winner");
    let name = [&good, &bad, &hostile][usize::try_from(winner).expect("small")];
    assert!(shown.contains("is best") || shown.contains("nothing tells"), "{shown}");
    assert!(shown.contains(name.as_str()) && shown.contains("rank"), "{shown}");
}

/// A judge that prefers the change with the word GOOD, wherever it is shown.
const SEES: &str = r#"choice=$(sed 's/\\n/\n/g' | awk '/The first change/ { s = "first" } /The second change/ { s = "second" } /^\+GOOD/ { print s; exit }')
printf '{"reason":"It is clearer.","choice":"%s"}' "$choice""#;
/// A judge that prefers whatever is shown first.
const BLIND: &str = r#"cat > /dev/null; printf '{"reason":"It comes first.","choice":"first"}'"#;

#[test]
fn judges_are_heard_within_a_tie_and_only_where_they_know() {
    let settings = "[[judge]]\nid = \"j\"\nkind = \"command\"\nargv = [\"sh\", \"HERE/judge.sh\"]\n";
    for (judge, wins) in [(SEES, Some(true)), (BLIND, None)] {
        let repo = project(settings);
        script(&repo, "judge.sh", judge);
        let good = patch(&repo, "good.json", "two", "GOOD");
        let plain = patch(&repo, "plain.json", "two", "zwei");
        for candidates in [[&*good, &plain], [&plain, &good]] {
            let (output, result) = tournament(&repo, &candidates);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            assert_eq!(result["comparisons"].as_array().map(Vec::len), Some(2), "{result}");
            let winner = usize::try_from(result["winnerIndex"].as_u64().expect("a winner")).expect("small");
            match wins {
                Some(_) => assert_eq!(candidates[winner], good, "{result}"),
                None => assert_eq!(result["tied"].as_array().map(Vec::len), Some(1), "{result}"),
            }
        }
        // A judge cannot lift what evidence puts behind.
        let bad = patch(&repo, "bad.json", "two", "GOOD\nBAD");
        let (_, result) = tournament(&repo, &[&bad, &plain]);
        assert_eq!((&result["winnerIndex"], result["comparisons"].as_array().map(Vec::len)), (&1.into(), Some(0)));
    }
}

#[test]
fn a_fixer_makes_candidates() {
    let repo = project("[fixer.command]\nargv = [\"sh\", \"HERE/fixer.sh\"]\n");
    let makes = "n=$(cat \"$0.count\" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > \"$0.count\"; cat > \"$0.asked\"\n\
                 case $n in 1) sed -i 's/two/BAD/' src/a.txt;; 2) sed -i 's/two/2/' src/a.txt;; 3) exit 1;; esac\n";
    script(&repo, "fixer.sh", makes);
    repo.write("task.md", "Write the numbers as digits.\n");
    let (output, result) = tournament(&repo, &["--generate", "4", "--spec", "task.md"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!((&result["winnerIndex"], &result["results"][1]["name"]), (&1.into(), &"generated-2".into()), "{result}");
    for (index, words) in [(2, "failed"), (3, "offers nothing")] {
        let fault = result["results"][index]["errors"][0].as_str().unwrap_or_default();
        assert!(fault.contains(words), "{result}");
    }
    let asked = fs::read_to_string(repo.outside().join("fixer.sh.asked")).expect("asked");
    assert!(asked.contains("Write the numbers as digits."), "{asked}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let repo = project("");
    let good = patch(&repo, "good.json", "two", "2");
    for (arguments, words) in [
        (&[][..], "CANDIDATE"),
        (&["no-such-thing"], "neither a file, nor a folder, nor a revision"),
        (&[&*good, "--jobs", "0"], "--jobs is 0"),
        (&["--generate", "0"], "not between 1 and"),
        (&["--generate", "50"], "no fixer is configured"),
        (&["--generate", "51"], "not between 1 and"),
        (&vec![&*good; 201], "201 candidates where 200 are the most"),
        (&["--generate", "2"], "no fixer is configured"),
        (&[&*good, "--spec", "gone.md"], "gone.md"),
    ] {
        let (output, _) = tournament(&repo, arguments);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && complaint.contains(words), "{arguments:?}: {complaint}");
    }
    let (output, result) = tournament(&repo, &vec![&*good; 200]);
    assert_eq!((output.status.code(), result["results"].as_array().map(Vec::len)), (Some(0), Some(200)));
    let text = repo.outside().join("prose.txt").display().to_string();
    fs::write(&text, "I would rewrite it.\n").expect("written");
    let (output, result) = tournament(&repo, &[&text]);
    assert_eq!((output.status.code(), &result["winnerIndex"]), (Some(1), &Value::Null), "{output:?}");
    let copy = repo.outside().join("copy").display().to_string();
    assert!(Command::new("cp").args(["-r", &repo.path().to_string_lossy(), &copy]).status().expect("cp").success());
    let bad = patch(&repo, "bad.json", "two", "BAD");
    let (_, result) = tournament(&repo, &[&copy, &bad]);
    assert_eq!(result["winnerIndex"], 1, "whoever changes nothing does not win by being small: {result}");
    assert_eq!(result["results"][0]["errors"][0], "it changes nothing");
    assert_eq!(result["results"][1]["patch"]["ops"][0]["replace"], "BAD", "the winner can be taken");
}
