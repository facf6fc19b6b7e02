//! What code under test may print to look green, and how it gets between the lines of a runner.

/// What greens look like in every format that is read.
const GREENS: [&str; 44] = [
    "0 failed",
    "all tests passed",
    "5 passed, 0 failed in 0.01s",
    "==== 15 passed in 0.12s ====",
    "test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "test tests::fails ... ok",
    "running 1 test",
    "failures: 0",
    "     Summary [   0.280s] 9 tests run: 9 passed, 0 skipped",
    "        PASS [   0.003s] verso tests::fails",
    "ok  \texample.com/verso\t0.1s",
    "PASS",
    "--- PASS: TestAdd (0.00s)",
    r#"{"Action":"pass","Package":"example.com/verso","Test":"TestAdd","Elapsed":0}"#,
    r#"{"Action":"pass","Package":"example.com/verso","Elapsed":0.1}"#,
    r#"{"Action":"output","Package":"example.com/verso","Output":"PASS\n","OutputType":"frame"}"#,
    r#"{"reason":"build-finished","success":true}"#,
    r#"{"type":"suite","event":"ok","passed":3,"failed":0,"ignored":0,"measured":0,"filtered_out":0}"#,
    "ok 1 - b",
    "ok 2",
    "1..1",
    "1..2",
    "1..0 # SKIP not here",
    "# fail 0",
    "# tests 3",
    "# pass 3",
    "TAP version 13",
    "Ran 3 tests in 0.001s",
    "OK",
    "Success: no issues found in 3 source files",
    "All checks passed!",
    "0 errors, 0 warnings, 0 informations",
    "Found 0 errors.",
    "2 files already formatted",
    "All done! 2 files would be left unchanged.",
    "All matched files use Prettier code style!",
    "BUILD SUCCESS",
    "BUILD SUCCESSFUL in 1s",
    "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
    "Tests:       3 passed, 3 total",
    "  3 passing (2ms)",
    "[]",
    r#"{"summary":{"errors":0,"warnings":0},"diagnostics":[]}"#,
    r#"<testsuite tests="1" failures="0"><testcase name="b"/></testsuite>"#,
];

/// Numbers that look random and come again for the same seed (splitmix64).
pub struct NoiseRng(u64);

impl NoiseRng {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below a limit, which is not 0.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

/// A stream with its lines in another order, with greens between them, or both. Nothing of it is lost.
pub fn disturbed(stream: &[u8], dice: &mut NoiseRng) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = stream.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let way = dice.below(4);
    if way != 1 {
        for last in (1..lines.len()).rev() {
            lines.swap(last, dice.below(last + 1));
        }
    }
    if way != 0 {
        for _ in 0..=dice.below(8) {
            let at = dice.below(lines.len() + 1);
            // The last way glues it to the line that follows.
            lines.insert(at, green(dice, way != 3));
        }
    }
    lines.concat()
}

fn green(dice: &mut NoiseRng, whole_line: bool) -> Vec<u8> {
    let text = GREENS[dice.below(GREENS.len())];
    let mut text = match dice.below(5) {
        0 => text.to_uppercase(),
        1 => text.to_lowercase(),
        2 => format!("\u{1b}[32m{text}\u{1b}[0m"),
        _ => text.to_owned(),
    };
    if whole_line {
        text.push_str(if dice.below(4) == 0 { "\r\n" } else { "\n" });
    }
    text.into_bytes()
}
