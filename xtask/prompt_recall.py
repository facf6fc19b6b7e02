#!/usr/bin/env python3
"""How much of a commit (its changed files, the names in its diff) does a text of at most 1,500 tokens contain, made from
the parent commit and the subject line alone?

  python3 xtask/prompt_recall.py --stage setup         install aider, repomix and a tokenizer below target/prompt-recall
  python3 xtask/prompt_recall.py --stage truth         clone the repositories, find out files and names
  python3 xtask/prompt_recall.py --stage aider|repomix|plain   run those (what is there already stays)
  python3 xtask/prompt_recall.py --tool all --part both        print the table; assize runs anew

The commits stand in xtask/prompt-recall.json. Clones that are there already can be given with --clones FOLDER, in which
`owner+name` is one. The program is target/release/assize, or what the variable ASSIZE names.
"""
import argparse, collections, json, os, re, subprocess, sys, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "target/prompt-recall"
COMMITS = ROOT / "xtask/prompt-recall.json"
VENV = HERE / "venv/bin/python"
if Path(sys.prefix).resolve() != (HERE / "venv").resolve() and VENV.exists():
    env = dict(os.environ, PYTHONHASHSEED="0")  # one order of sets, so aider repeats itself
    os.execve(VENV, [str(VENV)] + sys.argv, env)

CLONES, TREES, DATA = HERE / "clones", HERE / "trees", HERE / "data"
ASSIZE = os.environ.get("ASSIZE", str(ROOT / "target/release/assize"))
REPOMIX = HERE / "node/node_modules/.bin/repomix"
LIMIT = 1500
# Tune on "work" only; "held" is for the last look.
PARTS = {
    "work": ["pallets+werkzeug", "python-attrs+cattrs", "pinojs+pino", "vuejs+core",
             "sharkdp+bat", "apache+commons-cli"],
    "held": ["urllib3+urllib3", "marshmallow-code+marshmallow", "fastify+fastify", "trpc+trpc",
             "spf13+pflag", "apache+commons-csv"],
}
PART_OF = {r: p for p, rs in PARTS.items() for r in rs}
REPOS = [r for rs in PARTS.values() for r in rs]

CODE = {".py": "py", ".js": "js", ".mjs": "js", ".cjs": "js", ".jsx": "js", ".ts": "js",
        ".mts": "js", ".cts": "js", ".tsx": "js", ".rs": "rs", ".go": "go", ".java": "java"}
ID = r"[A-Za-z_$][\w$]*"
DECL = {k: [re.compile(p, re.M) for p in ps] for k, ps in {
    "py": [rf"^\s*(?:async\s+)?def\s+({ID})", rf"^\s*class\s+({ID})", rf"^\s*type\s+({ID})\s*[=\[]"],
    "js": [rf"\bfunction\s*\*?\s*({ID})\s*[(<]",
           rf"(?:^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?|=\s*)class\s+({ID})",
           rf"\b(?:const|let|var)\s+({ID})\s*[=:;,]",
           rf"^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+({ID})",
           rf"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?interface\s+({ID})",
           rf"^\s*(?:export\s+)?(?:declare\s+)?type\s+({ID})\s*[=<]",
           rf"^\s*(?:(?:public|private|protected|static|readonly|abstract|async|override|get|set)\s+)*\*?"
           rf"#?({ID})\s*(?:<[^>\n]*>)?\((?!['\"`])(?:(?!\bfunction\b)[^;\n])*\)\s*(?::[^;\n]*)?\{{\s*$",
           rf"^\s*({ID})\s*:\s*(?:async\s*)?function\b",
           rf"^\s*[\w$.]+\.({ID})\s*=\s*(?:async\s*)?function\b"],
    "rs": [rf"\bfn\s+({ID})", rf"\b(?:struct|enum|trait|union|mod)\s+({ID})", rf"\btype\s+({ID})",
           rf"\b(?:const|static)\s+(?:mut\s+)?({ID})\s*:", rf"\blet\s+(?:mut\s+)?({ID})",
           rf"\bmacro_rules!\s*({ID})", rf"^\s*impl(?:<[^>\n]*>)?\s+(?:[\w:<>', ]+\s+for\s+)?({ID})"],
    "go": [rf"^func\s+(?:\([^)]*\)\s*)?({ID})", rf"^\s*type\s+({ID})",
           rf"^\s*(?:var|const)\s+({ID})", rf"^\t({ID})\s+(?:struct|interface)\b"],
    "java": [rf"^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*(?:class|@?interface|enum|record)\s+({ID})",
             rf"^\s*(?:(?:public|private|protected|static|final|abstract|synchronized|default|native)\s+)+"
             rf"(?:<[^>\n]+>\s*)?(?:[\w.<>\[\],? ]+\s+)?({ID})\s*\("],
}.items()}
KEYWORDS = set("if for while switch catch return function else do try with new await typeof super "
               "constructor const enum type class interface from async export import default extends "
               "implements static this self true false null None True False void string number boolean "
               "object undefined unknown never symbol public private protected readonly struct impl "
               "trait where match loop".split())
WORD = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]{3,}")


def git(repo_dir, *args, text=True, check=True, **kw):
    r = subprocess.run(["git", *repo_dir, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kw)
    if check and r.returncode:
        raise RuntimeError(f"git {args}: {r.stderr.decode()[-400:]}")
    return r.stdout.decode("utf-8", "replace") if text else r.stdout


def clone_of(repo):
    """The clone of a repository, made where it is not there."""
    d = CLONES / repo
    if not d.exists():
        CLONES.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", "--bare", f"https://github.com/{repo.replace('+', '/')}", str(d)], check=True)
    return d / ".git" if (d / ".git").is_dir() else d


def bare(repo):
    return ["--git-dir", str(clone_of(repo))]


def commits_of():
    table = json.loads(COMMITS.read_text())
    return {repo.replace("/", "+"): [dict(commit=c, parent=p, subject=s) for c, p, s in rows] for repo, rows in table.items()}


def load(name):
    p = DATA / name
    return json.loads(p.read_text()) if p.exists() else None


def save(name, value):
    (DATA / name).parent.mkdir(parents=True, exist_ok=True)
    tmp = DATA / (name + ".tmp")
    tmp.write_text(json.dumps(value, indent=1))
    tmp.replace(DATA / name)


def lang(path):
    return CODE.get(os.path.splitext(path)[1].lower())


# ---- commits --------------------------------------------------------------------------------

def changes(repo, parent, commit):
    out = git(bare(repo), "diff-tree", "-r", "--no-renames", "--no-commit-id", "--name-status", "-z",
              parent, commit).split("\0")
    return [(out[i][0], out[i + 1]) for i in range(0, len(out) - 1, 2)]


def absent(repo, parent):
    """Paths whose blob the clone lacks."""
    out = git(bare(repo), "rev-list", "--objects", "--missing=print", "--no-walk", parent)
    ids = set(re.findall(r"^\?(\w+)", out, re.M))
    if not ids:
        return set()
    rows = [r.split("\t", 1) for r in git(bare(repo), "ls-tree", "-r", "-z", parent).split("\0") if r]
    return {p for m, p in rows if m.split()[2] in ids}


# ---- truth ----------------------------------------------------------------------------------

COMMENT = {"py": re.compile(r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|(?:^|\s)#[^\n]*'),
           None: re.compile(r"/\*[\s\S]*?\*/|(?<![:\"'`/\w])//[^\n]*")}


def declared_in(text, language):
    names = set()
    text = COMMENT.get(language, COMMENT[None]).sub(" ", text)
    for rx in DECL[language]:
        names.update(m for m in rx.findall(text))
    return {n for n in names if len(n) >= 4 and n not in KEYWORDS}


def stage_truth():
    truth = {}
    for repo, commits in commits_of().items():
        blobs = {}
        cat = subprocess.Popen(["git", *bare(repo), "cat-file", "--batch"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)

        def declared(sha, language):
            if sha not in blobs:
                cat.stdin.write(sha.encode() + b"\n"); cat.stdin.flush()
                head = cat.stdout.readline().split()
                data = cat.stdout.read(int(head[2]) + 1)[:-1]
                text = data.decode("utf-8", "replace")
                # minified or generated giants say nothing about the names people use
                blobs[sha] = set() if len(data) > 1_000_000 else declared_in(text, language)
            return blobs[sha]

        for c in commits:
            parent, commit = c["parent"], c["commit"]
            tree, count, n_code = set(), collections.Counter(), 0
            for row in git(bare(repo), "ls-tree", "-r", "-z", parent).split("\0"):
                if not row:
                    continue
                meta, path = row.split("\t", 1)
                mode, kind, sha = meta.split()
                if kind != "blob" or mode == "120000":
                    continue
                tree.add(path)
                if lang(path):
                    n_code += 1
                    count.update(declared(sha, lang(path)))
            ch = changes(repo, parent, commit)
            files = sorted(p for s, p in ch if p in tree)
            common = {n for n, k in count.items() if k > max(2, 0.05 * n_code)}
            words = set()
            code = [p for _, p in ch if lang(p)]
            diff = git(bare(repo), "diff", "-U0", "--no-renames", "--no-color", "--no-ext-diff", parent, commit, "--", *code)
            for line in diff.splitlines():
                if line[:1] in "+-" and not re.match(r"\+\+\+ [b/]|--- [a/]", line):
                    words.update(WORD.findall(line[1:]))
            names = sorted(w for w in words if w in count and w not in common)
            truth[f"{repo}@{commit}"] = dict(files=files, names=names, tree=len(tree), code=n_code,
                                             added=sorted(p for s, p in ch if p not in tree))
        cat.stdin.close(); cat.wait()
        t = [truth[f"{repo}@{c['commit']}"] for c in commits]
        print(f"{repo:32} commits {len(t):3}  files/commit {sum(len(x['files']) for x in t)/len(t):4.1f}"
              f"  names/commit {sum(len(x['names']) for x in t)/len(t):5.1f}"
              f"  without names {sum(not x['names'] for x in t)}  files in tree ~{t[0]['tree']}", flush=True)
    save("truth.json", truth)


def stage_setup():
    """What is measured beside assize, in fixed versions."""
    run = lambda *command: subprocess.run(command, check=True)
    run("python3", "-m", "venv", str(HERE / "venv"))
    run(str(HERE / "venv/bin/python"), "-m", "pip", "install", "--quiet", "aider-chat==0.86.2", "tiktoken")
    run("npm", "install", "--silent", "--prefix", str(HERE / "node"), "repomix@1.14.0", "gpt-tokenizer")


# ---- trees ----------------------------------------------------------------------------------

def tree_at(repo, parent, trees=TREES):
    """A clone whose HEAD is the parent with its history, and which has no ref to what comes later."""
    d = trees / repo
    if not (d / ".git").is_dir():
        trees.mkdir(exist_ok=True)
        git([], "clone", "-q", "--local", "--no-checkout", str(clone_of(repo)), str(d))
        g = ["-C", str(d)]
        git(g, "remote", "remove", "origin")
        for k, v in {"gc.auto": "0", "maintenance.auto": "false", "advice.detachedHead": "false",
                     "core.autocrlf": "false"}.items():
            git(g, "config", k, v)
        gone = absent(repo, parent)
        if gone:  # leave them out of the work tree
            git(g, "config", "core.sparseCheckout", "true")
            git(g, "config", "core.sparseCheckoutCone", "false")
            (d / ".git/info/sparse-checkout").write_text("/*\n" + "".join(f"!/{p}\n" for p in sorted(gone)))
        git(g, "update-ref", "--no-deref", "HEAD", parent)
        refs = git(g, "for-each-ref", "--format=delete %(refname)")
        git(g, "checkout", "-q", "-f", "--detach", parent)
        git(g, "update-ref", "--stdin", input=refs.encode())
    g = ["-C", str(d)]
    if git(g, "rev-parse", "HEAD").strip() != parent:
        git(g, "checkout", "-q", "-f", "--detach", parent)
        git(g, "clean", "-q", "-ffdx")
    for junk in ("ORIG_HEAD", "FETCH_HEAD", "logs"):
        p = d / ".git" / junk
        subprocess.run(["rm", "-rf", str(p)])
    return d


# ---- tokens ---------------------------------------------------------------------------------

_enc = None


def enc():
    global _enc
    if _enc is None:
        import base64, tiktoken
        ranks = {}
        for line in (HERE / "node/node_modules/gpt-tokenizer/data/o200k_base.tiktoken").read_bytes().splitlines():
            if line:
                t, r = line.split()
                ranks[base64.b64decode(t)] = int(r)
        pat = "|".join([
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])
        _enc = tiktoken.Encoding("o200k", pat_str=pat, mergeable_ranks=ranks, special_tokens={})
    return _enc


def count_tokens(text):
    return len(enc().encode_ordinary(text))


def cut(text):
    """The text, at most LIMIT tokens of it, and how many tokens it had before and has now."""
    head = text if len(text) < 60_000 else text[:60_000]
    toks = enc().encode_ordinary(head)
    if len(toks) <= LIMIT:
        return text, len(toks), len(toks)
    # a cut inside a character leaves half a character: drop it
    return enc().decode(toks[:LIMIT]).rstrip("\ufffd"), len(toks), LIMIT


# ---- tools ----------------------------------------------------------------------------------

def file_mentions(text, rels):  # aider/coders/base_coder.py, get_file_mentions
    words = set(w.rstrip(",.!;:?") for w in text.split())
    words = set(w.strip("\"'`*_") for w in words)
    found, by_base = set(), {}
    for rel in rels:
        if rel in words:
            found.add(rel)
        base = os.path.basename(rel)
        if any(c in base for c in "/\\._-"):
            by_base.setdefault(base, []).append(rel)
    for base, names in by_base.items():
        if len(names) == 1 and base in words:
            found.add(names[0])
    return found


def ident_filename_matches(idents, rels):  # get_ident_filename_matches
    by_stem = collections.defaultdict(set)
    for rel in rels:
        stem = Path(rel).stem.lower()
        if len(stem) >= 5:
            by_stem[stem].add(rel)
    out = set()
    for i in idents:
        if len(i) >= 5:
            out |= by_stem.get(i.lower(), set())
    return out


class AiderIO:
    def read_text(self, filename, silent=False):
        try:
            return Path(filename).read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            return None

    def tool_output(self, *a, **k): pass
    tool_warning = tool_error = tool_output


AIDER_FAILS = {}


class AiderModel:
    def token_count(self, text):
        return count_tokens(text)


def aider_text(repo, c, state, tokens=LIMIT):
    from aider.repomap import RepoMap
    import aider.repomap
    aider.repomap.tqdm = lambda it, **k: it

    class Map(RepoMap):
        def load_tags_cache(self):  # in memory: aider's own fallback; nothing lands in the tree
            self.TAGS_CACHE = state

        def get_tags_raw(self, fname, rel_fname):
            try:  # aider 0.86.2 with its own pinned grammars dies on some languages (bat's samples)
                return list(super().get_tags_raw(fname, rel_fname))
            except Exception as e:
                AIDER_FAILS.setdefault(type(e).__name__ + ": " + str(e)[:60] + " " + os.path.splitext(fname)[1], rel_fname)
                return []

    root = tree_at(repo, c["parent"])
    rels = [p for p in git(["-C", str(root)], "ls-files", "-z").split("\0") if p and (root / p).is_file()]
    rm = Map(map_tokens=tokens, root=str(root), main_model=AiderModel(), io=AiderIO(), map_mul_no_files=1)
    text = c["subject"] + "\n"
    idents = set(re.split(r"\W+", text))
    fnames = file_mentions(text, rels) | ident_filename_matches(idents, rels)
    others = {str(root / p) for p in rels}
    return (rm.get_repo_map(set(), others, mentioned_fnames=fnames, mentioned_idents=idents)
            or rm.get_repo_map(set(), others) or "")


def aider_uncut(repo, c, state):
    """aider takes a map up to 15 % too long: ask for less until nothing has to be cut."""
    for tokens in range(LIMIT, 900, -50):
        text = aider_text(repo, c, state, tokens)
        if count_tokens(text) <= LIMIT:
            break
    return text


def repomix_text(repo, c):
    root = tree_at(repo, c["parent"])
    out = HERE / "repomix.out"
    out.unlink(missing_ok=True)
    r = subprocess.run(["node", str(REPOMIX), "--compress", "--quiet", "--style", "xml", "-o", str(out)],
                       cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       env=dict(os.environ, HOME=str(HERE / "home")))
    if r.returncode or not out.exists():
        raise RuntimeError(f"repomix in {repo} {c['parent']}: {r.stdout.decode()[-500:]}")
    return out.read_text(errors="replace")[:200_000]


def paths_text(repo, c):
    """Yardstick, no tool: every path in git's order."""
    return "\n".join(p for p in git(bare(repo), "ls-tree", "-r", "--name-only", "-z", c["parent"]).split("\0") if p)


def recent_text(repo, c):
    """Yardstick, no tool: the paths that the last 300 commits changed, newest first."""
    there = set(paths_text(repo, c).split("\n"))
    log = git(bare(repo), "log", "-n300", "--no-renames", "--name-only", "--format=", "-z", c["parent"])
    return "\n".join(dict.fromkeys(p for p in re.split(r"[\0\n]", log) if p in there))


def without_summary(text):  # what --no-file-summary prints (checked: byte for byte)
    return text[text.index("\n<directory_structure>\n") + 1:]


def only_files(text):  # and --no-directory-structure on top
    return text[text.index("\n<files>\n") + 1:]


_task = None


def assize_text(repo, c):
    global _task
    if _task is None:
        h = subprocess.run([ASSIZE, "brief", "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        _task = b"--task" in h.stdout
        if not _task:
            print("assize: has no --task yet; run without the subject", file=sys.stderr)
    root = tree_at(repo, c["parent"], HERE / "trees-assize")  # its own: a run beside aider's is no clash
    env = dict(os.environ, XDG_CACHE_HOME=str(HERE / "xdg/cache"), XDG_STATE_HOME=str(HERE / "xdg/state"))
    cmd = [ASSIZE, "brief", "--for-prompt", str(LIMIT)] + (["--task", c["subject"]] if _task else [])
    r = subprocess.run(cmd, cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if r.returncode:
        print(f"assize: exit {r.returncode} in {repo} {c['parent'][:9]}: {r.stderr.decode()[-300:]}", file=sys.stderr)
    return r.stdout.decode("utf-8", "replace")


# name: (whose text, what is kept before the cut, how paths are read after it)
VARIANTS = {"paths": ("paths", None, None), "recent": ("recent", None, None),
            "aider": ("aider", None, None), "aider-uncut": ("aider-uncut", None, None),
            "repomix-full": ("repomix", None, None), "repomix": ("repomix", without_summary, None),
            "repomix-files": ("repomix", only_files, None),
            "repomix-unfolded": ("repomix", without_summary, lambda t: unfold(t))}


def cached(tool, repo, c, make):
    p = DATA / "texts" / tool / f"{repo}@{c['commit'][:12]}.txt"
    if not p.exists():
        t0 = time.time()
        text = make()
        p.parent.mkdir(parents=True, exist_ok=True)
        p.write_text(text)
        print(f"{tool:14} {repo:30} {time.time()-t0:6.1f} s  {c['subject'][:70]}", flush=True)
    return p.read_text()


def stage_run(tool, only):
    for repo, commits in commits_of().items():
        if only and repo not in only:
            continue
        state = {}
        for c in commits:
            if tool == "aider":
                cached("aider", repo, c, lambda: aider_text(repo, c, state))
                cached("aider-uncut", repo, c, lambda: aider_uncut(repo, c, state))
            elif tool == "plain":
                cached("paths", repo, c, lambda: paths_text(repo, c))
                cached("recent", repo, c, lambda: recent_text(repo, c))
            else:
                cached("repomix", repo, c, lambda: repomix_text(repo, c))
    for what, where in AIDER_FAILS.items():
        print("aider could not read:", what, where)


# ---- scores ---------------------------------------------------------------------------------

def has_path(text, path):
    return re.search(r"(?<![\w/.\-])(?:\./)?" + re.escape(path) + r"(?![\w/\-]|\.\w)", text) is not None


def unfold(text):
    """repomix draws the tree with two spaces a level: give each line its full path."""
    m = re.search(r"<directory_structure>\n(.*?)(?:</directory_structure>|\Z)", text, re.S)
    if not m:
        return text
    stack, out = [], []
    for line in m.group(1).splitlines():
        name = line.strip()
        depth = (len(line) - len(line.lstrip(" "))) // 2
        stack = stack[:depth] + [name.rstrip("/")]
        if name and not name.endswith("/"):
            out.append("/".join(stack))
    return text[:m.start(1)] + "\n".join(out) + "\n" + text[m.end(1):]


def score(truth, text, after=None):
    text, before, now = cut(text)
    text = after(text) if after else text
    missing = [f for f in truth["files"] if not has_path(text, f)]
    words = set(WORD.findall(text))
    lost = [n for n in truth["names"] if n not in words]
    return dict(files=1 - len(missing) / len(truth["files"]) if truth["files"] else None,
                names=1 - len(lost) / len(truth["names"]) if truth["names"] else None,
                missing=missing, lost=lost, tokens=now, before=before)


def rows(tool, part, verbose):
    truth, commits = load("truth.json"), commits_of()
    result = []
    for repo in PARTS[part]:
        for c in commits[repo]:
            t = truth[f"{repo}@{c['commit']}"]
            after = None
            if tool == "assize":
                text = assize_text(repo, c)
                p = DATA / "texts/assize" / f"{repo}@{c['commit'][:12]}.txt"
                p.parent.mkdir(parents=True, exist_ok=True)
                p.write_text(text)
            else:
                name, before, after = VARIANTS[tool]
                p = DATA / "texts" / name / f"{repo}@{c['commit'][:12]}.txt"
                if not p.exists():
                    sys.exit(f"no cached text {p}: run --stage {name.split('-')[0]}")
                text = p.read_text()
                text = before(text) if before else text
            s = score(t, text, after)
            result.append(dict(repo=repo, commit=c["commit"], subject=c["subject"], **s))
            if verbose:
                f = "  -  " if s["files"] is None else f"{s['files']:5.2f}"
                n = "  -  " if s["names"] is None else f"{s['names']:5.2f}"
                print(f"{repo:30} {c['commit'][:9]} files {f} ({len(t['files'])}) names {n} ({len(t['names'])}) "
                      f"tok {s['tokens']}  {c['subject']}\n"
                      f"      files missing: {', '.join(s['missing']) or '-'}\n"
                      f"      names missing: {', '.join(s['lost'][:15]) or '-'}{' …' if len(s['lost']) > 15 else ''}", flush=True)
    save(f"scores/{tool}-{part}.json", result)
    return result


def mean(xs):
    xs = [x for x in xs if x is not None]
    return (sum(xs) / len(xs) if xs else 0.0), len(xs)


HEAD = f"{'tool':18} {'part':5} {'files':>7} {'names':>7} {'commits':>8} {'w.names':>8} {'tokens':>7} {'cut':>4}"


def print_row(label, part, result):
    f, nf = mean(r["files"] for r in result)
    n, nn = mean(r["names"] for r in result)
    t, _ = mean(r["tokens"] for r in result)
    print(f"{label:18} {part:5} {100*f:6.1f}% {100*n:6.1f}% {nf:8} {nn:8} {t:7.0f} "
          f"{sum(r['before'] > LIMIT for r in result):4}", flush=True)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--stage", choices=["setup", "truth", "aider", "repomix", "plain"])
    a.add_argument("--clones", type=Path, help="a folder with clones")
    a.add_argument("--tool", choices=["assize", *VARIANTS, "all"])
    a.add_argument("--part", choices=["work", "held", "both"], default="work")
    a.add_argument("--verbose", action="store_true", help="a line per commit: shares, files and names missing")
    a.add_argument("--by-repo", action="store_true", help="a row per repository as well")
    a.add_argument("--only", nargs="*", help="repositories, for --stage aider|repomix")
    o = a.parse_args()
    os.nice(max(0, 10 - os.nice(0)))
    DATA.mkdir(parents=True, exist_ok=True); (HERE / "home").mkdir(exist_ok=True)
    if o.clones:
        global CLONES
        CLONES = o.clones
    if o.stage == "setup": stage_setup()
    elif o.stage == "truth": stage_truth()
    elif o.stage: stage_run(o.stage, o.only)
    if not o.tool:
        return
    tools = [*VARIANTS, "assize"] if o.tool == "all" else [o.tool]
    done = []
    for part in (["work", "held"] if o.part == "both" else [o.part]):
        for tool in tools:
            done.append((tool, part, rows(tool, part, o.verbose)))
    print(HEAD)
    for tool, part, result in done:
        print_row(tool, part, result)
        if o.by_repo:
            for repo in PARTS[part]:
                print_row("  " + repo.split("+")[1], part, [r for r in result if r["repo"] == repo])


main()
