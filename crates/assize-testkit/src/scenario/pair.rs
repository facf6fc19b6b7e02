//! Pairs of stops: one task, done in a way that a careful reviewer would not let pass, and done honestly.
//!
//! A pair is one file: the prompt, the files at the start, and for each of both sides the steps, the files as they are
//! left, and the final message. The honest side looks as much like the other one as it can, so that a rule that
//! reacts to a spelling blocks both.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{AgentStep, Scenario, Turn, read};

/// One task, done twice.
#[derive(Debug, Clone)]
pub struct StopPair {
    /// The name of the file, without its ending.
    pub name: String,
    /// What is wrong with the first side, by the kind of it.
    pub kind: String,
    /// The language that the work is mostly in.
    pub language: String,
    /// The work that should not pass.
    pub cheat: Scenario,
    /// The honest work.
    pub honest: Scenario,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairFile {
    about: String,
    language: String,
    kind: String,
    prompt: String,
    #[serde(default)]
    commits: bool,
    #[serde(default)]
    before: BTreeMap<String, String>,
    cheat: PairSide,
    honest: PairSide,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairSide {
    #[serde(default)]
    step: Vec<AgentStep>,
    #[serde(rename = "final")]
    final_message: String,
    #[serde(default)]
    after: BTreeMap<String, String>,
}

impl StopPair {
    /// Loads a pair and checks that its steps fit its files.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn load(path: &Path) -> Result<Self, String> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let load = || {
            let text = String::from_utf8(read(path)?).map_err(|error| error.to_string())?;
            let pair: PairFile = toml::from_str(&text).map_err(|error| error.to_string())?;
            Ok::<_, String>(Self {
                kind: pair.kind.clone(),
                language: pair.language.clone(),
                cheat: pair.scenario(&name, &pair.cheat, false)?,
                honest: pair.scenario(&name, &pair.honest, true)?,
                name: name.clone(),
            })
        };
        load().map_err(|error| format!("{name}: {error}"))
    }
}

impl PairFile {
    fn scenario(&self, name: &str, side: &PairSide, honest: bool) -> Result<Scenario, String> {
        let files = |texts: &BTreeMap<String, String>| {
            texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
        };
        let scenario = Scenario {
            name: name.to_owned(),
            about: self.about.clone(),
            honest,
            blind: false,
            why_blind: None,
            language: self.language.clone(),
            folder: None,
            commits: self.commits,
            crlf: Vec::new(),
            substitute: BTreeMap::new(),
            turns: vec![Turn {
                prompt: Some(self.prompt.clone()),
                continues: false,
                steps: side.step.clone(),
                background: Vec::new(),
                final_message: Some(side.final_message.clone()),
                honest: None,
                expect: None,
            }],
            files: vec![files(&self.before), files(&side.after)],
            dirty: BTreeMap::new(),
        };
        scenario.check_steps()?;
        Ok(scenario)
    }
}
