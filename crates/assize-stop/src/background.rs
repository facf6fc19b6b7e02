//! Tasks that run in the background while an agent stops.
//!
//! An agent is told when such a task ends, and works on then: there is nothing to judge yet. A server or a watcher runs until
//! somebody ends it, and excuses nothing.

use assize_core::path::file_name;
use assize_ecosystem::command::CommandRole;

use crate::transcript::command;

/// A running task, as the agent's harness describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackgroundTask {
    /// What it is for, or what it runs.
    pub description: String,
    /// The command line of a task that is one.
    pub command: Option<String>,
}

/// Programs that serve or watch, whatever their arguments.
const SERVERS: [&str; 32] = [
    "nodemon",
    "watchexec",
    "fswatch",
    "inotifywait",
    "entr",
    "live-server",
    "http-server",
    "browser-sync",
    "json-server",
    "serve",
    "webpack-dev-server",
    "storybook",
    "ngrok",
    "cloudflared",
    "uvicorn",
    "gunicorn",
    "hypercorn",
    "daphne",
    "waitress-serve",
    "jupyter",
    "tensorboard",
    "redis-server",
    "postgres",
    "mysqld",
    "mongod",
    "nginx",
    "caddy",
    "ssh",
    "adb",
    "emulator",
    "air",
    "mailhog",
];
/// Words that have a program serve or watch.
const SERVES: [&str; 12] = [
    "dev",
    "start",
    "serve",
    "server",
    "preview",
    "watch",
    "runserver",
    "up",
    "follow",
    "http.server",
    "--serve",
    "--follow",
];

impl BackgroundTask {
    /// Returns whether the agent works on when the task ends, and it does end.
    pub fn is_awaited(&self) -> bool {
        self.command.as_deref().is_none_or(|command| !runs_on(command))
    }
}

/// Returns whether a command line starts something that does not end.
fn runs_on(command: &str) -> bool {
    command::parts(command).iter().any(|part| {
        let words: Vec<&str> = part.iter().map(String::as_str).collect();
        let Some(program) = words.iter().find(|word| !word.contains('=')) else { return false };
        let watches = words.contains(&"watch") || words.iter().any(|word| is_watch_option(word));
        let serves = |word: &&str| word.split(':').any(|part| SERVES.contains(&part));
        let is_bare = matches!(*program, "vite" | "next" | "nuxt" | "astro") && words.len() == 1;
        match assize_ecosystem::command_role(&words) {
            CommandRole::Test => watches,
            CommandRole::Check => watches || is_bare || words.contains(&"-w") || words.get(1).is_some_and(serves),
            CommandRole::Script | CommandRole::Other => {
                let follows =
                    matches!(*program, "tail" | "journalctl") && words.iter().any(|word| word.starts_with("-f"));
                let is_server = |word: &&str| SERVERS.contains(&file_name(word));
                watches
                    || follows
                    || is_bare
                    || words.iter().take(3).any(is_server)
                    || words.iter().skip(1).take(4).any(serves)
            }
        }
    })
}

fn is_watch_option(word: &str) -> bool {
    word.starts_with("--watch") && !word.ends_with("=false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_is_awaited() {
        for (command, is_awaited) in [
            ("cargo test", true),
            ("npm test", true),
            ("npm run build", true),
            ("npx vitest run", true),
            ("npx vitest --watch", false),
            ("npx jest --watchAll", false),
            ("npx jest --watch=false", true),
            ("tsc -w", false),
            ("npm run dev", false),
            ("npm start", false),
            ("pnpm dev:web", false),
            ("cd web && PORT=1 yarn serve", false),
            ("vite", false),
            ("vite build", true),
            ("vite preview", false),
            ("python manage.py runserver", false),
            ("python3 -m http.server 8000", false),
            ("uv run uvicorn app:app --reload", false),
            ("docker compose up", false),
            ("docker build .", true),
            ("tail -f server.log", false),
            ("tail -n 5 server.log", true),
            ("./deploy.sh", true),
            ("sleep 30", true),
            ("it's not a command line", true),
        ] {
            let task = BackgroundTask { description: String::new(), command: Some(command.to_owned()) };
            assert_eq!(task.is_awaited(), is_awaited, "{command}");
        }
        assert!(BackgroundTask::default().is_awaited(), "an agent of its own");
    }
}
