//! `assize tournament`, as people and scripts call it: the real program, real git, and scripts in the place of models.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use assize_testkit::model_server::{ModelScript, ModelServer, ScriptedReply, TokenUsage};
use assize_testkit::repo::Repo;
use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};
use serde_json::{Value, json};

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

fn command(repo: &Repo, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
    command
        .args(arguments)
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", repo.outside())
        .env("XDG_CACHE_HOME", repo.outside().join("cache"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(repo: &Repo, arguments: &[&str]) -> (Output, Value) {
    let output = command(repo, arguments).output().expect("the program runs");
    let result = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output, result)
}

/// Runs the program for a person, and returns what that is shown on both outputs.
fn shown(repo: &Repo, arguments: &[&str], format: &str) -> String {
    let all: Vec<&str> = arguments.iter().copied().chain(["--format", format]).collect();
    let (output, _) = run(repo, &all);
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
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
        let results = result["results"].as_array().expect("results").iter();
        let ranking_key = |it: &Value| (it["name"].as_str().expect("a name").to_owned(), it["standing"].to_string());
        // Which of the two that make the same tree is the other's duplicate depends on which was handed in first.
        let duplicate = |name: &str| name == good || name == same;
        seen.push(results.map(ranking_key).filter(|(name, _)| !duplicate(name)).collect::<BTreeMap<String, String>>());
    }
    assert_eq!(seen[0].len(), 5);
    assert_eq!(seen[0], seen[1], "where a candidate stands does not depend on when it was handed in");
    assert_eq!(fs::read_to_string(repo.path().join("src/a.txt")).expect("read"), BASE, "the tree itself is left alone");
}

#[test]
fn what_was_ruled_is_on_record_and_comes_out_the_same_again() {
    let repo = project("");
    let good = patch(&repo, "good.json", "two", "2");
    let bad = patch(&repo, "bad.json", "two", "BAD two");
    let page = repo.outside().join("page.html");
    let hostile = patch(&repo, "<script>alert(1)< @octocat & *x*", "three", "3 <b>");
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
    for words in ["| rank | candidate |", "&lt;script&gt;", " &amp; \\*x\\*"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    for words in ["<script", "@octocat", " & ", " *x*"] {
        assert!(!table.contains(words), "{words}: {table}");
    }
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
    assert_eq!(result["results"].as_array().map(Vec::len), Some(2), "nobody loses who could not be made: {result}");
    assert_eq!((&result["generated"]["asked_for"], &result["generated"]["made"]), (&4.into(), &2.into()));
    for (number, words) in [(3, "failed"), (4, "offers nothing")] {
        let attempt = &result["generated"]["attempts"][number - 1];
        assert_eq!((&attempt["number"], &attempt["index"]), (&number.into(), &Value::Null), "{result}");
        assert!(attempt["missing"]["detail"].as_str().is_some_and(|why| why.contains(words)), "{result}");
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

/// A fixer that is a program: it counts its calls in `calls` beside the tree, as `$n`, and keeps what it is asked.
fn with_program(settings: &str, does: &str) -> Repo {
    let repo = project(&format!("[fixer.command]\nargv = [\"sh\", \"HERE/fixer.sh\"]\n{settings}"));
    let here = repo.outside().display().to_string();
    let counts =
        format!("HERE='{here}'; echo call >> \"$HERE/calls\"; n=$(wc -l < \"$HERE/calls\"); cat > \"$HERE/asked\"\n");
    script(&repo, "fixer.sh", &format!("{counts}{does}\n"));
    repo.write("task.md", "Write the numbers as digits.\n");
    repo
}

fn calls(repo: &Repo) -> usize {
    fs::read_to_string(repo.outside().join("calls")).unwrap_or_default().lines().count()
}

/// A fixer that is a model behind a server on loopback.
fn with_model(base_url: &str, settings: &str) -> Repo {
    let repo = project(&format!(
        "[fixer.model]\nid = \"m\"\nkind = \"openai\"\nmodel = \"scripted\"\nbase_url = \"{base_url}\"\n\
         price_in_usd_per_mtok = 1000.0\nprice_out_usd_per_mtok = 10000.0\n{settings}"
    ));
    repo.write("task.md", "Write the numbers as digits.\n");
    repo
}

fn replies(replacements: &[&str]) -> ModelScript {
    let reply = |replace: &&str| {
        let op = json!({"kind": "edit", "path": "src/a.txt", "find": "two", "replace": replace});
        ScriptedReply::text(json!({"ops": [op]}).to_string())
    };
    ModelScript::of(replacements.iter().map(reply)).usage(TokenUsage::new(100, 10))
}

const GENERATE: [&str; 5] = ["tournament", "--generate", "2", "--spec", "task.md"];

#[test]
fn what_candidates_cost_stands_wherever_the_result_does() {
    let server =
        ModelServer::start(replies(&["2", "BAD", "two, or 2"]).then(ScriptedReply::text("I would rewrite it.")));
    let repo = with_model(&server.openai_base_url(), "");
    let page = repo.outside().join("page.html");
    let (output, result) =
        tournament(&repo, &["--generate", "3", "--spec", "task.md", "--html", &page.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // 100 tokens at 0.001 and 10 at 0.01.
    let each = json!({"requests": 1, "cached": 0, "tokens_in": 100, "tokens_out": 10, "cost_usd": 0.2});
    let all = json!({"requests": 3, "cached": 0, "tokens_in": 300, "tokens_out": 30});
    let costs = |costs: &Value, expected: &Value| {
        let expected = expected.as_object().expect("an object");
        assert!(expected.iter().all(|(key, value)| costs[key] == *value) && costs["time_ms"].is_u64(), "{costs}");
    };
    for candidate in result["results"].as_array().expect("results") {
        costs(&candidate["costs"], &each);
    }
    costs(&result["generated"]["costs"], &all);
    let cost = result["generated"]["costs"]["cost_usd"].as_f64().expect("known");
    assert!((cost - 0.6).abs() < 1e-9, "{cost}");
    let page = fs::read_to_string(page).expect("a page");
    let human = shown(&repo, &["ledger", "show", "5"], "human");
    for (form, words) in [
        (&page, &["3 of 3 candidates could be made", "300 + 30 tokens", "<th>Cost</th>", "$0.2000", "$0.6000"][..]),
        (
            &human,
            &["3 of 3 candidates could be made", "300 + 30 tokens", "cost", "$0.2000", "1 request, 100 + 10 tokens"],
        ),
    ] {
        for words in words {
            assert!(form.contains(words), "{words}: {form}");
        }
    }
    let ledger = shown(&repo, &["ledger", "show"], "human");
    for words in ["tournament began  3 candidates asked for", "candidate 2: patch of m  1 operations", "$0.2000"] {
        assert!(ledger.contains(words), "{words}: {ledger}");
    }
    let again = shown(&repo, &["ledger", "replay", "5"], "json");
    assert!(again.contains("\"same\":true"), "{again}");
    // Asking once more costs as well, and a candidate that was handed in costs nothing.
    let server = ModelServer::start(
        replies(&[]).usage(TokenUsage::new(100, 10)).then(ScriptedReply::text("No.")).then(ScriptedReply::text(
            json!({"ops": [{"kind": "edit", "path": "src/a.txt", "find": "two", "replace": "2"}]}).to_string(),
        )),
    );
    let repo = with_model(&server.openai_base_url(), "");
    let bad = patch(&repo, "bad.json", "two", "BAD");
    let markdown = shown(&repo, &["tournament", &bad, "--generate", "1", "--spec", "task.md"], "markdown");
    for words in ["1 of 1 candidate could be made: 2 requests, 200 + 20 tokens", "| cost |", "| $0.4000 |", "| - |"] {
        assert!(markdown.contains(words), "{words}: {markdown}");
    }
    let asked = server.model_requests();
    let last = asked.last().expect("asked").body.to_string();
    assert!(asked.len() == 2 && last.contains("Your last answer"), "it is told what was wrong: {last}");
}

#[test]
fn candidates_are_made_as_far_as_the_budget_goes() {
    let priced = "price_usd_per_call = 0.25\n";
    let makes = "sed -i \"s/two/$n/\" src/a.txt";
    for (settings, arguments, made) in [
        (priced.to_owned(), &["--max-cost", "0.5"][..], 2),
        (priced.to_owned(), &["--max-cost", "0.51"], 3),
        (priced.to_owned(), &["--max-cost", "0"], 0),
        (format!("{priced}[fix]\ncost_usd_max = 0.25\n"), &[], 1),
        (String::new(), &["--max-cost", "9"], 1),
        (String::new(), &[], 3),
    ] {
        let repo = with_program(&settings, makes);
        let all: Vec<&str> = ["--generate", "3", "--spec", "task.md"].iter().chain(arguments).copied().collect();
        let (output, result) = tournament(&repo, &all);
        assert_eq!((calls(&repo), &result["generated"]["made"]), (made, &made.into()), "{arguments:?}: {output:?}");
        assert_eq!(output.status.code(), Some(if made == 0 { 3 } else { 0 }), "{output:?}");
        for missing in &result["generated"]["attempts"].as_array().expect("attempts")[made..] {
            assert_eq!(missing["missing"]["cause"], "over_budget", "{result}");
        }
    }
    let repo = with_program("", makes);
    for (arguments, words) in [
        (&["--generate", "1", "--max-cost", "-1"][..], "-1"),
        (&["--generate", "1", "--time", "0"], "time_s_max is 0"),
        (&["a.json", "--max-cost", "1"], "--generate"),
    ] {
        let (output, _) = tournament(&repo, arguments);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && complaint.contains(words), "{arguments:?}: {complaint}");
    }
}

/// Makes a candidate at each call, and waits at the third one as long as a file lies beside the tree.
const MAKES_AND_WAITS: &str = "[ $n = 3 ] && touch \"$HERE/waits\"; while [ $n = 3 ] && [ -e \"$HERE/hold\" ]; do sleep 0.05; done; sed -i \"s/two/$n/\" src/a.txt";

/// A tournament of four that was killed while the third candidate was asked for.
fn interrupted() -> Repo {
    let repo = with_program("price_usd_per_call = 0.25\n", MAKES_AND_WAITS);
    fs::write(repo.outside().join("hold"), "").expect("written");
    let mut killed = command(&repo, &["tournament", "--generate", "4", "--spec", "task.md"]);
    let mut child = killed.process_group(0).spawn().expect("the program runs");
    let begin = Instant::now();
    while !repo.outside().join("waits").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the third candidate was not asked for");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    fs::remove_file(repo.outside().join("hold")).expect("removed");
    assert_eq!(calls(&repo), 3);
    repo
}

#[test]
fn candidates_that_were_made_before_a_crash_are_taken_up() {
    let repo = interrupted();
    let (output, result) = tournament(&repo, &["--generate", "4", "--spec", "task.md"]);
    assert_eq!((output.status.code(), calls(&repo)), (Some(0), 5), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("2 of 4 candidates taken up from the tournament that was interrupted"), "{told}");
    let made = |index: usize| result["results"][index]["patch"]["ops"][0].to_string();
    assert!(made(0).contains("1\\n") && made(1).contains("2\\n") && made(2).contains("4\\n"), "{result}");
    assert_eq!((&result["generated"]["made"], &result["generated"]["costs"]["requests"]), (&4.into(), &4.into()));
    assert_eq!(result["generated"]["costs"]["cost_usd"], 1.0, "what was paid before counts");
    // It is over now: another one is begun.
    let (output, _) = tournament(&repo, &["--generate", "4", "--spec", "task.md"]);
    assert_eq!(calls(&repo), 9, "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("taken up"), "{output:?}");
}

#[test]
fn only_the_very_same_tournament_goes_on() {
    for (other, anew) in [
        (&["--generate", "3", "--spec", "task.md"][..], 3),
        (&["--generate", "4"], 4),
        (&["--generate", "4", "--spec", "task.md", "--anew"], 4),
        // How candidates are judged, and what may be paid, makes no other candidates.
        (&["--generate", "4", "--spec", "task.md", "--jobs", "1", "--max-cost", "5"], 2),
    ] {
        let repo = interrupted();
        let (output, _) = tournament(&repo, other);
        assert_eq!((output.status.code(), calls(&repo)), (Some(0), 3 + anew), "{other:?}: {output:?}");
    }
    let repo = interrupted();
    repo.write("src/a.txt", "one\ntwo\nthree\nfour\n");
    repo.commit("another base");
    tournament(&repo, &["--generate", "4", "--spec", "task.md"]);
    assert_eq!(calls(&repo), 7, "the base is another one");
    // Whatever was judged in between, it goes on.
    let repo = interrupted();
    let good = patch(&repo, "good.json", "two", "2");
    tournament(&repo, &[&good]);
    tournament(&repo, &["--generate", "4", "--spec", "task.md"]);
    assert_eq!(calls(&repo), 5);
}

#[test]
fn a_fixer_that_could_not_be_asked_is_asked_again_after_an_interruption() {
    let repo = with_program("", "[ $n = 1 ] && exit 1; [ $n = 2 ] && kill -9 $PPID; sed -i \"s/two/$n/\" src/a.txt");
    let (output, _) = tournament(&repo, &["--generate", "2", "--spec", "task.md"]);
    assert_eq!(output.status.code(), None, "it was killed: {output:?}");
    let (output, result) = tournament(&repo, &["--generate", "2", "--spec", "task.md"]);
    assert_eq!((calls(&repo), &result["generated"]["made"]), (4, &2.into()), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("0 of 2 candidates taken up"), "{output:?}");
}

#[test]
fn an_answer_that_could_not_be_tried_is_kept_and_tried_later() {
    // Without its head nobody can read the repository.
    let breaks =
        "sed -i \"s/two/$n/\" src/a.txt; [ $n = 1 ] && mv \"$(cat \"$HERE/tree\")/.git/HEAD\" \"$HERE/head\"; true";
    let repo = with_program("price_usd_per_call = 0.25\n", breaks);
    fs::write(repo.outside().join("tree"), repo.path().display().to_string()).expect("written");
    let (output, _) = tournament(&repo, &["--generate", "2", "--spec", "task.md"]);
    assert_eq!((output.status.code(), calls(&repo)), (Some(2), 1), "{output:?}");
    fs::rename(repo.outside().join("head"), repo.path().join(".git/HEAD")).expect("moved back");
    let (output, result) = tournament(&repo, &["--generate", "2", "--spec", "task.md"]);
    assert_eq!((output.status.code(), calls(&repo)), (Some(0), 2), "{output:?}");
    let generated = &result["generated"];
    assert_eq!((&generated["made"], &generated["costs"]["requests"]), (&2.into(), &2.into()), "{result}");
    assert_eq!(generated["costs"]["cost_usd"], 0.5, "{result}");
    assert!(result["results"][0]["patch"]["ops"][0].to_string().contains("1\\n"), "{result}");
}

/// A port at which nobody listens, and which nobody else gets as long as its socket is held.
fn silent_port() -> (OwnedFd, u16) {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).expect("bound");
    let address = SocketAddrV4::try_from(getsockname(&socket).expect("an address")).expect("of this kind");
    (socket, address.port())
}

#[test]
fn whoever_cannot_be_asked_makes_no_candidate_that_loses() {
    let (_held, port) = silent_port();
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("I would rewrite it.")));
    let down = with_model(&format!("http://127.0.0.1:{port}/v1"), "");
    let keyless = with_model(&server.openai_base_url(), "api_key_env = \"NO_SUCH_KEY\"\n");
    let missing = project("[fixer.command]\nargv = [\"no-such-fixer\"]\nprice_usd_per_call = 0.25\n");
    missing.write("task.md", "Write the numbers as digits.\n");
    let invalid = with_model(&server.openai_base_url(), "");
    let fitless = with_program("", "printf '%s' '{\"ops\":[{\"kind\":\"remove\",\"path\":\"gone.txt\"}]}'");
    let idle = with_program("", "true");
    for (repo, cause, words, requests) in [
        (&down, "unavailable", "", 1),
        (&keyless, "unavailable", "NO_SUCH_KEY is not set", 1),
        (&missing, "unavailable", "`no-such-fixer` is not there", 1),
        (&invalid, "malformed", "no patch that fits", 2),
        (&fitless, "malformed", "gone.txt", 2),
        (&idle, "not_before_court", "offers nothing", 1),
    ] {
        let (output, result) = tournament(repo, &["--generate", "1", "--spec", "task.md"]);
        assert_eq!((output.status.code(), &result["outcome"]), (Some(3), &"unjudged".into()), "{output:?}");
        assert_eq!((&result["winnerIndex"], &result["unjudged"]["cause"]), (&Value::Null, &cause.into()), "{result}");
        let why = result["unjudged"]["detail"].as_str().unwrap_or_default();
        assert!(why.starts_with("no candidate could be made: ") && why.contains(words), "{why}");
        assert_eq!(result["generated"]["attempts"][0]["costs"]["requests"], requests, "{result}");
        // A candidate that was handed in is judged all the same, and by itself.
        let good = patch(repo, "good.json", "two", "2");
        let (output, result) = tournament(repo, &[&good, "--generate", "1", "--spec", "task.md"]);
        assert_eq!((output.status.code(), &result["winnerIndex"]), (Some(0), &0.into()), "{output:?}");
        assert_eq!((&result["unjudged"], &result["generated"]["made"]), (&Value::Null, &0.into()), "{result}");
    }
    let (_, result) = tournament(&missing, &["--generate", "1", "--spec", "task.md"]);
    assert_eq!(result["generated"]["costs"]["cost_usd"], 0.0, "who is not there is not paid: {result}");
    for format in ["human", "markdown"] {
        let told = shown(&missing, &GENERATE, format);
        for words in
            ["unjudged", "there is no candidate", "0 of 2 candidates could be made", "generated-2", "is not there"]
        {
            assert!(told.contains(words), "{words}: {told}");
        }
    }
}

/// A second gate, which says how many lines there are.
const COUNTS: &str = "[[gate]]\nid = \"counts\"\ncommand = [\"sh\", \"count.sh\"]\ndimension = \"compilation\"\nreport = \"sarif\"\n\
                      [[gate]]\nid = \"third\"\ncommand = [\"sh\", \"check.sh\"]\ndimension = \"security\"\nreport = \"sarif\"\n";

/// What is told of each candidate by its name, but for what is measured.
fn told(result: &Value) -> std::collections::BTreeMap<String, Value> {
    fn still(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !["index", "time_ms", "log", "logsTail"].contains(&name.as_str()));
                fields.values_mut().for_each(still);
            }
            Value::Array(values) => values.iter_mut().for_each(still),
            _ => {}
        }
    }
    let results = result["results"].as_array().expect("results").iter().cloned();
    results
        .map(|mut result| {
            still(&mut result);
            (result["name"].as_str().expect("a name").to_owned(), result)
        })
        .collect()
}

#[test]
fn neither_places_nor_what_is_told_depend_on_who_is_faster() {
    let repo = project(COUNTS);
    repo.write("count.sh", &CHECK.replace("/BAD/", "/NO/").replace("name\":\"mine", "name\":\"counts"));
    repo.commit("another gate");
    let names = ["good", "bad", "no", "both", "worse"];
    let texts = ["2", "BAD", "NO", "NO BAD", "NO\nNO BAD"];
    let mut candidates: Vec<String> =
        names.iter().zip(texts).map(|(name, text)| patch(&repo, name, "two", text)).collect();
    let mut seen: Vec<_> = Vec::new();
    for jobs in ["1", "2", "5"] {
        for _ in 0..2 {
            candidates.reverse();
            let all: Vec<&str> = candidates.iter().map(String::as_str).chain(["--jobs", jobs]).collect();
            let (output, result) = tournament(&repo, &all);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            // What no candidate uses stands there once.
            let absent = result["absent"].as_array().expect("absent gates");
            assert!(absent.iter().any(|gate| gate["id"] == "cargo-test"), "{result}");
            for result in result["results"].as_array().expect("results") {
                let gates = result["report"]["gates"].as_array().expect("gates");
                assert!(!gates.is_empty() && gates.iter().all(|gate| gate["state"] != "absent"), "{result}");
            }
            seen.push(told(&result));
        }
    }
    for other in &seen[1..] {
        assert_eq!(seen[0], *other);
    }
    let stopped = seen[0].values().filter(|result| result["stoppedEarly"] == true).count();
    assert!(stopped >= 2, "{seen:?}");
}
