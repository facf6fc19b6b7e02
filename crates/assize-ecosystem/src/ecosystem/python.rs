//! Python.

use super::{Ecosystem, GeneratedPaths, TestPaths, install};
use crate::Language;
use crate::command::{CommandRole, names_tests};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "python",
    languages: &[Language::Python],
    manifests: &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"],
    settings: &[
        "tox.ini",
        "pytest.ini",
        ".pytest.ini",
        "mypy.ini",
        ".mypy.ini",
        "pyrightconfig.json",
        "ruff.toml",
        ".ruff.toml",
        "noxfile.py",
    ],
    lock_files: &["poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock"],
    dependency_folders: &[".venv", "venv"],
    environments: &[".venv", "venv"],
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
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "sitecustomize.py",
        "usercustomize.py",
        "pytest.py",
        "_pytest.py",
        "unittest.py",
        "pluggy.py",
        ".coveragerc",
        "noxfile.py",
        "*.pth",
    ],
    runner_folders: &["_pytest", "unittest", "pluggy"],
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
};

fn role(program: &str, arguments: &[&str]) -> Option<CommandRole> {
    let has = |word: &str| arguments.contains(&word);
    Some(match program {
        "pytest" | "py.test" | "tox" | "nox" | "nosetests" => CommandRole::Test,
        "python" | "python3" | "python2" | "py" => {
            let runs_tests = has("pytest") || has("unittest") || has("doctest") || names_tests(arguments);
            if runs_tests || has("manage.py") && has("test") { CommandRole::Test } else { CommandRole::Script }
        }
        "ruff" | "mypy" | "pyright" | "flake8" | "pylint" | "black" => CommandRole::Check,
        _ => return None,
    })
}
