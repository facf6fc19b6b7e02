//! Tasks that run in the background while an agent stops.
//!
//! An agent is told when such a task ends, and works on then: there is nothing to judge yet. A server or a watcher runs until
//! somebody ends it, and excuses nothing.

use assize_core::path::{file_name, without_ending};
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
const SERVERS: [&str; 30] = [
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
    "air",
    "mailhog",
    "emulator",
];
/// Programs that serve or watch by one of [`SERVES`] among their first words.
const STARTERS: [&str; 32] = [
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "deno",
    "python",
    "python3",
    "uv",
    "poetry",
    "pipenv",
    "rails",
    "bundle",
    "php",
    "mix",
    "cargo",
    "make",
    "just",
    "task",
    "hugo",
    "jekyll",
    "ng",
    "gatsby",
    "remix",
    "flask",
    "django-admin",
    "vite",
    "next",
    "nuxt",
    "astro",
    "gradlew",
    "kubectl",
];
/// Words that have a program serve or watch.
const SERVES: [&str; 13] = [
    "dev",
    "start",
    "serve",
    "server",
    "preview",
    "watch",
    "runserver",
    "follow",
    "http.server",
    "--serve",
    "bootRun",
    "port-forward",
    "s",
];
/// What files are called that serve, without their endings.
const SERVING_FILES: [&str; 6] = ["server", "serve", "devserver", "app", "wsgi", "asgi"];

impl BackgroundTask {
    /// Returns whether the agent works on when the task ends, and it does end.
    pub fn is_awaited(&self) -> bool {
        self.command.as_deref().is_none_or(|command| !runs_on(command))
    }
}

/// Returns whether a command line starts something that does not end.
fn runs_on(command: &str) -> bool {
    command::parts(command).iter().any(|part| {
        let words: Vec<&str> = part.iter().map(String::as_str).filter(|word| !word.contains('=')).collect();
        let Some((program, arguments)) = words.split_first() else { return false };
        let (program, first) = (file_name(program), &arguments[..arguments.len().min(4)]);
        let watches = arguments.contains(&"watch") || words.iter().any(|word| is_watch_option(word));
        let starts = |word: &&str| SERVES.contains(&word.split(':').next().unwrap_or(word));
        let serves = program == "flask" && arguments.contains(&"run")
            || STARTERS.contains(&program) && first.iter().any(starts)
            || matches!(program, "vite" | "next" | "nuxt" | "astro") && arguments.is_empty();
        match assize_ecosystem::command_role(&words) {
            CommandRole::Test => watches || arguments.contains(&"-f") && program == "pytest",
            CommandRole::Check => watches || serves || arguments.contains(&"-w"),
            CommandRole::Script | CommandRole::Other => {
                let follows =
                    matches!(program, "tail" | "journalctl") && first.iter().any(|word| word.starts_with("-f"));
                let composes = matches!(program, "docker" | "docker-compose" | "podman" | "tilt" | "skaffold")
                    && arguments.contains(&"up")
                    && !arguments.contains(&"-d");
                let interprets =
                    matches!(program, "node" | "python" | "python3" | "ruby" | "php" | "go" | "deno" | "bun");
                let is_serving_file = |word: &&str| SERVING_FILES.contains(&without_ending(file_name(word)));
                let loops = matches!(program, "while" | "until");
                let is_server = |word: &&str| SERVERS.contains(&file_name(word));
                let runs = matches!(program, "npx" | "uv" | "poetry" | "pipenv" | "python" | "python3" | "bundle");
                watches
                    || serves
                    || follows
                    || composes
                    || loops
                    || SERVERS.contains(&program)
                    || runs && first.iter().any(is_server)
                    || interprets && first.iter().any(is_serving_file)
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
            ("node server.js", false),
            ("python app.py", false),
            ("flask run", false),
            ("go run ./cmd/server", false),
            ("./gradlew bootRun", false),
            ("bundle exec rails s", false),
            ("kubectl port-forward svc/a 8080", false),
            ("while true; do sleep 1; done", false),
            ("pytest -f", false),
            ("docker build -t server .", true),
            ("ssh host make test", true),
            ("npm run e2e:dev", true),
            ("migrate up", true),
            ("cp -r dev start", true),
            ("rsync -a a server", true),
            ("git clone http://server/x up", true),
            ("python train.py --follow", true),
            ("it's not a command line", true),
        ] {
            let task = BackgroundTask { description: String::new(), command: Some(command.to_owned()) };
            assert_eq!(task.is_awaited(), is_awaited, "{command}");
        }
        assert!(BackgroundTask::default().is_awaited(), "an agent of its own");
    }
}
