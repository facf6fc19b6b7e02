//! Python.

use std::sync::LazyLock;

use regex::Regex;

use super::{Ecosystem, GeneratedPaths, TestPaths, install, prepare, preparation, tool};
use crate::Language;
use crate::command::{CommandRole, names_tests};
use crate::marker::{SkipMarker, TestMarkers};
use crate::tool::Sign::{AlsoReads, Dependency, File, Key, Section, Setting, Text};
use crate::tool::ToolKind::{Coverage, Formatter, Linter, PackageManager, SchemaTool, TestRunner, TypeChecker};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "python",
    name: "Python",
    languages: &[Language::Python],
    manifests: &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"],
    tools: &[
        // What only their build backends read says nothing of what installs packages.
        tool(
            "uv",
            &[PackageManager],
            &[
                File("uv.lock"),
                Key("pyproject.toml", &["tool", "uv", "sources"]),
                Key("pyproject.toml", &["tool", "uv", "workspace"]),
                Key("pyproject.toml", &["tool", "uv", "dev-dependencies"]),
                Key("pyproject.toml", &["tool", "uv", "default-groups"]),
                Key("pyproject.toml", &["tool", "uv", "index"]),
                Key("pyproject.toml", &["tool", "uv", "required-version"]),
            ],
        ),
        tool(
            "poetry",
            &[PackageManager],
            &[
                File("poetry.lock"),
                Key("pyproject.toml", &["tool", "poetry", "group"]),
                Key("pyproject.toml", &["tool", "poetry", "dev-dependencies"]),
            ],
        ),
        tool(
            "pdm",
            &[PackageManager],
            &[
                File("pdm.lock"),
                Key("pyproject.toml", &["tool", "pdm", "dev-dependencies"]),
                Key("pyproject.toml", &["tool", "pdm", "scripts"]),
            ],
        ),
        tool("hatch", &[PackageManager], &[Key("pyproject.toml", &["tool", "hatch", "envs"])]),
        tool("pipenv", &[PackageManager], &[File("Pipfile")]),
        tool("conda", &[PackageManager], &[File("environment.yml"), File("conda.yaml")]),
        tool("pip", &[PackageManager], &[File("requirements*"), File("setup.py"), Key("pyproject.toml", &["project"])]),
        tool("black", &[Formatter], &[Key("pyproject.toml", &["tool", "black"]), Dependency("black")]),
        tool("ruff format", &[Formatter], &[Key("pyproject.toml", &["tool", "ruff", "format"]), Text("[format]")]),
        tool(
            "isort",
            &[Formatter],
            &[Key("pyproject.toml", &["tool", "isort"]), Setting(".isort.cfg"), Section("isort"), Dependency("isort")],
        ),
        tool("yapf", &[Formatter], &[Setting(".style.yapf"), Key("pyproject.toml", &["tool", "yapf"])]),
        tool(
            "ruff",
            &[Linter],
            &[
                Setting("ruff.toml"),
                Setting(".ruff.toml"),
                Key("pyproject.toml", &["tool", "ruff"]),
                Dependency("ruff"),
            ],
        ),
        tool(
            "flake8",
            &[Linter],
            &[Setting(".flake8"), Key("pyproject.toml", &["tool", "flake8"]), Section("flake8"), Dependency("flake8")],
        ),
        tool(
            "pylint",
            &[Linter],
            &[
                Setting(".pylintrc"),
                Setting("pylintrc"),
                Key("pyproject.toml", &["tool", "pylint"]),
                Section("pylint"),
                Dependency("pylint"),
            ],
        ),
        tool("bandit", &[Linter], &[Setting(".bandit"), Key("pyproject.toml", &["tool", "bandit"])]),
        tool("import-linter", &[Linter], &[Setting(".importlinter"), Key("pyproject.toml", &["tool", "importlinter"])]),
        tool(
            "mypy",
            &[TypeChecker],
            &[
                Setting("mypy.ini"),
                Setting(".mypy.ini"),
                Key("pyproject.toml", &["tool", "mypy"]),
                Section("mypy"),
                Dependency("mypy"),
            ],
        ),
        tool(
            "pyright",
            &[TypeChecker],
            &[Setting("pyrightconfig.json"), Key("pyproject.toml", &["tool", "pyright"]), Dependency("pyright")],
        ),
        tool(
            "basedpyright",
            &[TypeChecker],
            &[
                Key("pyproject.toml", &["tool", "basedpyright"]),
                Dependency("basedpyright"),
                AlsoReads("pyrightconfig.json"),
            ],
        ),
        tool("ty", &[TypeChecker], &[Setting("ty.toml"), Key("pyproject.toml", &["tool", "ty"])]),
        tool("pyrefly", &[TypeChecker], &[Setting("pyrefly.toml"), Key("pyproject.toml", &["tool", "pyrefly"])]),
        tool(
            "pytest",
            &[TestRunner],
            &[
                Setting("pytest.ini"),
                Setting(".pytest.ini"),
                Setting("pytest.toml"),
                Setting(".pytest.toml"),
                File("conftest.py"),
                Key("pyproject.toml", &["tool", "pytest"]),
                Section("tool:pytest"),
                Section("pytest"),
                Dependency("pytest"),
            ],
        ),
        tool("tox", &[TestRunner], &[File("tox.ini"), Key("pyproject.toml", &["tool", "tox"])]),
        tool("nox", &[TestRunner], &[Setting("noxfile.py")]),
        tool(
            "coverage",
            &[Coverage],
            &[
                Setting(".coveragerc"),
                Key("pyproject.toml", &["tool", "coverage"]),
                Section("coverage:run"),
                Section("coverage:report"),
                Dependency("coverage"),
                Dependency("pytest-cov"),
            ],
        ),
        tool("json schema", &[SchemaTool], &[Dependency("jsonschema")]),
        tool("pydantic", &[SchemaTool], &[Dependency("pydantic")]),
        tool("alembic", &[SchemaTool], &[File("alembic.ini")]),
    ],
    project_files: &["pyproject.toml", "setup.py", "setup.cfg"],
    preparations: &[
        prepare("uv.lock", "uv sync --frozen --all-groups"),
        prepare("poetry.lock", "POETRY_VIRTUALENVS_IN_PROJECT=1 poetry sync --all-groups"),
        prepare("pdm.lock", "pdm sync -G:all"),
        prepare("Pipfile.lock", "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev"),
        prepare("pyproject.toml", ""),
        prepare("setup.py", ""),
        prepare("setup.cfg", ""),
        prepare("Pipfile", ""),
        prepare("requirements.txt", ""),
    ],
    preparation_commands: preparation::python_commands,
    makeshift_commands: preparation::python_makeshift_commands,
    lock_files: &["poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock"],
    dependency_folders: &[".venv", "venv"],
    environments: &[".venv", "venv"],
    marks_of_installed: &["pyvenv.cfg"],
    vendored_folders: &["site-packages"],
    generated: GeneratedPaths { names: &["*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py"], folders: &["__pycache__"] },
    // pytest collects `test_*.py` and `*_test.py`, unittest and Django `test*.py`. Of what only the latter collect, two names are listed that
    // no product uses. pytest loads `conftest.py` for the tests beside it.
    tests: TestPaths {
        names: &["test_*.py", "*_test.py", "tests.py", "test.py"],
        companions: &["conftest.py"],
        folders: &["tests", "test"],
        outer_folders: &["testdata", "fixtures"],
        ..TestPaths::NONE
    },
    runner_files: &[
        ".coveragerc",
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "pytest.py",
        "_pytest.py",
        "unittest.py",
        "pluggy.py",
        "*.pth",
    ],
    runner_folders: &["_pytest", "unittest", "pluggy"],
    runner_code: &["conftest.py"],
    guarded_keys: &[
        ("pyproject.toml", &["project", "entry-points", "pytest11"]),
        ("pyproject.toml", &["tool", "poetry", "plugins", "pytest11"]),
    ],
    test_packages: &["_pytest", "hypothesis", "nose", "pytest", "unittest"],
    tooling: &["setup.py", "noxfile.py", "fabfile.py"],
    wrappers: &["uv", "poetry", "pipenv", "hatch", "pdm", "rye"],
    role,
    installs: &[
        install("PYENV_ROOT", ".pyenv", &[]),
        install("UV_PYTHON_INSTALL_DIR", ".local/share/uv", &["python", "tools"]),
        install("PIPX_HOME", ".local/share/pipx", &[]),
        install("", "miniconda3", &[]),
        install("", "anaconda3", &[]),
    ],
    popular_packages: "aiohttp alembic ansible asyncio attrs beautifulsoup4 black boto3 botocore celery certifi cffi chardet charset-normalizer click \
        colorama coloredlogs coverage cryptography django djangorestframework docker fastapi flask gevent grpcio gunicorn httpx idna \
        importlib-metadata ipython jinja2 jsonschema jupyter keras lxml markupsafe matplotlib mypy numpy opencv-python openai packaging \
        pandas paramiko pillow pip poetry protobuf psutil psycopg2 pyasn1 pydantic pygments pyjwt pymongo pymysql pytest python-dateutil \
        pytz pyyaml redis requests rsa ruff scikit-learn scipy scrapy selenium setuptools six sqlalchemy starlette sympy tensorflow toml \
        torch tornado tqdm transformers typing-extensions urllib3 uvicorn virtualenv websockets werkzeug wheel",
    registries: &["pypi.org", "files.pythonhosted.org", "download.pytorch.org"],
    markers: TestMarkers { skip, skip_hints: &SKIP_HINTS, ..TestMarkers::NONE },
    ..Ecosystem::EMPTY
};

fn role(program: &str, arguments: &[&str]) -> Option<CommandRole> {
    let has = |word: &str| arguments.contains(&word);
    Some(match program {
        // The last two are modules, and named so where `python -m` is taken away.
        "pytest" | "py.test" | "tox" | "nox" | "nosetests" | "doctest" | "unittest" => CommandRole::Test,
        "python" | "python3" | "python2" | "py" => {
            let runs_tests = has("pytest") || has("unittest") || has("doctest") || names_tests(arguments);
            if runs_tests || has("manage.py") && has("test") { CommandRole::Test } else { CommandRole::Script }
        }
        "ruff" | "mypy" | "pyright" | "flake8" | "pylint" | "black" => CommandRole::Check,
        _ => return None,
    })
}

const SKIP_HINTS: [&str; 5] = ["skip", "Skip", "xfail", "expectedFailure", "__test__"];

fn skip(code: &str, _: &str) -> Option<SkipMarker> {
    static SOMETIMES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:skipif|skipIf|skipUnless)\s*\(|\bimportorskip\(|\bxfail\(\s*(?:condition|[a-z_]+\.|not\b)|\bmarks\s*=.*\b(?:skip|xfail)\b",
            // A helper may be called Test without being one.
            r"|\b__test__\s*=\s*False",
        ))
        .expect("valid pattern")
    });
    static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"@(?:pytest\.mark\.|unittest\.)?skip\s*(?:\(|$)|\bmark\.skip\b").expect("valid pattern")
    });
    static FAILING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"@(?:pytest\.mark\.|unittest\.)?(?:xfail|expectedFailure)\s*(?:\(|$)|\bmark\.xfail\b")
            .expect("valid pattern")
    });
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\bpytest\.(?:skip|xfail)\(|\bself\.skipTest\(|\braise\s+(?:unittest\.)?SkipTest\b")
            .expect("valid pattern")
    });
    let markers = [
        (&SOMETIMES, SkipMarker::Sometimes),
        (&ALWAYS, SkipMarker::Always),
        (&FAILING, SkipMarker::Failing),
        (&CALL, SkipMarker::Call),
    ];
    let hint = SKIP_HINTS.iter().any(|hint| code.contains(hint));
    markers.into_iter().find(|(pattern, _)| hint && pattern.is_match(code)).map(|(_, marker)| marker)
}
