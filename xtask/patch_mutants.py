#!/usr/bin/env python3
"""What comes of patches that are written wrongly in the ways in which language models write them? Patches are
made from real commits, mutated class by class, and given to `assize patch apply`, `git apply`, GNU `patch`
and aider's appliers.

  python3 xtask/patch_mutants.py --stage setup        install aider below target/patch-mutants
  python3 xtask/patch_mutants.py --stage commits --clones FOLDER [--every-clone]
                                                      choose the commits, from the table's projects or from all
  python3 xtask/patch_mutants.py --stage run --clones FOLDER [--only CLASS...] [--each N]
                                                      run, then print the table
  python3 xtask/patch_mutants.py --stage table        print the table of the last run
  python3 xtask/patch_mutants.py --show CLASS REPO COMMIT --clones FOLDER     a patch, and the answers

In FOLDER a clone of github.com/owner/name is `owner+name` or `owner+name/repo`, bare or not. The commits stand in
xtask/patch-mutants.json, the results in target/patch-mutants/rows.jsonl; --commits and --rows name other files. A class beginning with `u:` is a
unified diff, one with `s:` search/replace blocks. The program is target/release/assize, or what the variable
ASSIZE names.

  right    the tree is the commit's, byte for byte
  refused  the tree is as it was, and the tool reports a failure (aider: or finds no edit)
  partial  a failure is reported, some files are right and the others as they were
  wrong    all else; of these `silent` are the ones that were reported as done

Aider reads a diff only in a fence `diff`, and one file of it at a time; it is given that, except where the
fence is what is mutated.
"""
import argparse, collections, contextlib, copy, difflib, html, io, json, os, random, re, shutil, signal
import subprocess, sys, tempfile
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "target/patch-mutants"
VENV = HERE / "venv/bin/python"
if Path(sys.prefix).resolve() != (HERE / "venv").resolve() and VENV.exists():
    os.execve(VENV, [str(VENV)] + sys.argv, dict(os.environ, PYTHONHASHSEED="0"))

ASSIZE = os.environ.get("ASSIZE", str(ROOT / "target/release/assize"))
COMMITS, ROWS = ROOT / "xtask/patch-mutants.json", HERE / "rows.jsonl"
REPOS = """andialbrecht+sqlparse hynek+structlog tkem+cachetools tox-dev+platformdirs pytoolz+toolz
    jd+tenacity tj+commander.js ljharb+qs lukeed+klona nodeca+js-yaml unjs+pathe mitsuhiko+similar
    withoutboats+heck bluss+arrayvec hashicorp+go-version yuin+goldmark go-chi+chi huandu+xstrings""".split()
PER_REPO = 5
LANGUAGE = {".py": "python", ".js": "javascript", ".ts": "typescript", ".rs": "rust", ".go": "go"}
# Tests are left out, for they make up most of many commits, and their lines are much alike.
NOT_SOURCE = re.compile(r"(^|/)(tests?|spec|specs|__tests__|benches|dist|vendor|fixtures|conftest\.py)(/|$)|"
                        r"(^|/)test_|[_.](test|spec)\.\w+$|\.(min|config)\.|(^|/)(setup|noxfile)\.py$")
# Opens tests and settings of tests within a source file, so that the table measures patches and not their protection.
SPECIFICATION = "Adapt the tests.\n"
TOOLS = ["assize", "aider", "git", "patch"]
OUTCOMES = ["right", "refused", "partial", "wrong"]
# Here the text does not say what to do, so refusing is the right answer.
REFUSE = {"u:removed_reworded", "s:removed_reworded", "s:search_occurs_twice", "u:cut_in_last_hunk"}


# ---- commits --------------------------------------------------------------------------------

def git(repo, *args):
    r = subprocess.run(["git", "-C", str(repo), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if r.returncode:
        raise RuntimeError(f"git {args}: {r.stderr.decode()[-400:]}")
    return r.stdout.decode()


def clone_of(clones, repo):
    d = clones / repo
    return d / "repo" if (d / "repo").is_dir() else d


def sources(clone, parent, commit):
    """The source files a commit changes, and how many lines; None where it adds or removes a file."""
    names = git(clone, "diff-tree", "-r", "--no-renames", "--name-status", "-z", parent, commit).split("\0")
    pairs = [(names[i], names[i + 1]) for i in range(0, len(names) - 1, 2)]
    pairs = [(s, p) for s, p in pairs if os.path.splitext(p)[1] in LANGUAGE and not NOT_SOURCE.search(p)]
    if not 1 <= len(pairs) <= 3 or any(s != "M" for s, _ in pairs):
        return None
    stat = git(clone, "diff", "--no-renames", "--numstat", parent, commit, "--", *[p for _, p in pairs])
    changed = sum(int(n) for row in stat.splitlines() for n in row.split("\t")[:2] if n != "-")
    return ([p for _, p in pairs], changed)


def plain(text):
    """What the mutations rely on: a last newline, and no other line ending."""
    return text.endswith("\n") and "\r" not in text and text.count("\n") < 3000


def stage_commits(clones, repos):
    chosen = []
    for repo in repos:
        clone, found = clone_of(clones, repo), 0
        log = git(clone, "rev-list", "--first-parent", "--parents", "--max-count=600", "HEAD")
        for row in log.splitlines():
            commit, *parents = row.split()
            try:
                got = sources(clone, parents[0], commit) if parents else None
                if not got or not 2 <= got[1] <= 60:
                    continue
                case = Case(clone, dict(repo=repo, parent=parents[0], commit=commit, files=got[0]))
                if not all(map(plain, [*case.before.values(), *case.after.values()])):
                    continue
            except (RuntimeError, UnicodeDecodeError):
                continue  # the clone lacks a file, or it is not text
            if all(case.unique(3).get(p) for p in got[0]):
                chosen.append(case.row)
                found += 1
            if found == PER_REPO:
                break
        print(f"{repo:28} {found}", flush=True)
    COMMITS.write_text("[\n" + ",\n".join(map(json.dumps, chosen)) + "\n]\n")
    print(len(chosen), "commits")


# ---- patches --------------------------------------------------------------------------------

@dataclass
class Hunk:
    old: int
    new: int
    section: str
    lines: list  # of (operation, text)

    def count(self, ops):
        return sum(o in ops for o, _ in self.lines)

    def header(self, old=0, new=0, at_old=0, at_new=0):
        """The header; the arguments are added to what is true."""
        return (f"@@ -{max(0, self.old + at_old)},{max(0, self.count(' -') + old)} "
                f"+{max(0, self.new + at_new)},{max(0, self.count(' +') + new)} @@{self.section}\n")

    def body(self):
        return "".join(o + t + "\n" for o, t in self.lines)

    def side(self, ops):
        return "".join(t + "\n" for o, t in self.lines if o in ops)


@dataclass
class Reply:
    """What a model would have replied. Sections are files of a diff, or blocks."""
    sections: list
    fence: str = None       # language tag of the fence around each section; None: no fence
    above: str = ""
    below: str = ""
    strip: int = 1          # for `patch -p`
    raw: object = None      # made of the whole text in the end
    tree: object = None     # made of each file before and after
    form: str = "u"

    def text(self, aider=False):
        sections, fence = self.sections, self.fence
        if aider and fence is None:
            # Its format for diffs is a fence per file, without the lines of git above the names.
            sections, fence = [re.sub(r"\A(?:(?!--- |@@|[-+ ]).*\n)+", "", s) for s in sections], "diff"
        if fence is not None:
            sections = [f"```{fence}\n{s}```\n" for s in sections]
        text = self.above + "".join(sections) + self.below
        return self.raw(text) if self.raw else text


class Case:
    """A commit, and the diffs of its source files."""

    def __init__(self, clone, row):
        self.clone, self.row = clone, row
        at = lambda rev: {p: git(clone, "cat-file", "blob", f"{row[rev]}:{p}") for p in row["files"]}
        self.before, self.after = at("parent"), at("commit")
        self.diffs = {}

    def git_diff(self, context):
        return git(self.clone, "diff", "--no-renames", "--no-color", "--no-ext-diff", f"-U{context}",
                   self.row["parent"], self.row["commit"], "--", *self.row["files"])

    def hunks(self, context):
        """The hunks of each file."""
        if context not in self.diffs:
            files, path = {}, None
            for line in self.git_diff(context).split("\n")[:-1]:
                m = re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)", line)
                if line.startswith("diff --git "):
                    path, hunks = None, []
                elif path is None and line.startswith("+++ b/"):
                    path = line[6:].rstrip("\t")
                    files[path] = hunks
                elif path and m:
                    hunks.append(Hunk(int(m[1]), int(m[2]), m[3], []))
                elif path:
                    hunks[-1].lines.append((line[0], line[1:]))
            self.diffs[context] = files
        return copy.deepcopy(self.diffs[context])

    def unique(self, context):
        """The hunks with so much context, at the least, that each search text occurs once."""
        for n in [context, 5, 8, 12, 20, 40]:
            files = self.hunks(n)
            if all(h.side(" -").strip() and occurrences(self.before[p], h.side(" -")) == 1
                   for p, hs in files.items() for h in hs):
                return files
        return {}


def occurrences(text, lines):
    return len(re.findall("(?m)^(?=" + re.escape(lines) + ")", text))


def unified(files, header=Hunk.header, name="--- a/{p}\n+++ b/{p}\n", body=Hunk.body, **reply):
    """A unified diff, of which any part may be given another way."""
    return Reply([name.format(p=p) + "".join(header(h) + body(h) for h in hs) for p, hs in files.items()],
                 **reply)


def block(p, h, name="{p}\n", fence="```{tag}\n", close="```\n", head="<<<<<<< SEARCH\n", middle="=======\n",
          tail=">>>>>>> REPLACE\n", search=None, change=None):
    fence = fence.format(tag=LANGUAGE[os.path.splitext(p)[1]], p=p)
    search = h.side(" -") if search is None else search(h)
    change = h.side(" +") if change is None else change(h)
    return name.format(p=p) + fence + head.format(n=h.old, p=p) + search + middle + change + tail + close


def blocks(files, raw=None, tree=None, above="", below="", **parts):
    # Whatever fence the blocks have is their own, so `fence` of the reply stays out.
    return Reply([block(p, h, **parts) + "\n" for p, hs in files.items() for h in hs],
                 raw=raw, tree=tree, above=above, below=below)


# ---- mutations of the lines of a hunk, in both formats ----------------------------------------

CLASSES = {}        # name: function of (case, random numbers) to a reply, or to None
EACH, FIRST = "each hunk", "the first hunk that has a place for it"


def content(where, context=3, formats="us", tree=None, name=None, shows=None):
    """Registers a function of the lines of a hunk (and its path, and random numbers) for each format. `shows` says of
    the file as it is whether anything in it shows what is wrong; without that, the patch is a sound one of another
    change."""
    def register(fn):
        def make(form):
            def reply(case, rng):
                files, done = case.unique(context) if form == "s" else case.hunks(context), False
                for p, hs in files.items():
                    for h in hs:
                        if where is FIRST and done:
                            break
                        if shows and not shows(case.before.get(p) or ""):
                            continue
                        lines = fn(list(h.lines), p, rng)
                        if lines is not None and lines != h.lines:
                            h.lines, done = lines, True
                if not done:
                    return None
                made = (unified if form == "u" else blocks)(files)
                return replace(made, tree=tree(case, files) if tree else None)
            return reply
        for form in formats:
            CLASSES[f"{form}:{name or fn.__name__}"] = make(form)
        return fn
    return register


def mark(path):
    return "# " if path.endswith(".py") else "// "


def picked(lines, rng, ok, ops=" "):
    """The index of one line that has text and fits, or None."""
    at = [i for i, (o, t) in enumerate(lines) if o in ops and t.strip() and ok(t)]
    return rng.choice(at) if at else None


def changed(lines, rng, change, ops=" "):
    """The lines with one line changed."""
    i = picked(lines, rng, lambda t: change(t) != t, ops)
    return None if i is None else lines[:i] + [(lines[i][0], change(lines[i][1]))] + lines[i + 1:]


def mapped(lines, change, ops=" -+"):
    return [(o, change(t) if o in ops and t.strip() else t) for o, t in lines]


def misspelt(text):
    """The longest word with two letters swapped."""
    for word in sorted(set(re.findall(r"[A-Za-z]{5,}", text)), key=lambda w: (-len(w), w)):
        for i in range(1, len(word) - 1):
            if word[i] != word[i + 1]:
                return text.replace(word, word[:i] + word[i + 1] + word[i] + word[i + 2:], 1)
    return text


@content(FIRST)
def context_misspelt(lines, path, rng):
    return changed(lines, rng, misspelt)


@content(EACH)
def context_misspelt_in_each_hunk(lines, path, rng):
    return changed(lines, rng, misspelt)


@content(FIRST)
def context_line_left_out(lines, path, rng):
    # Without the outermost line, one that comes would stand at the edge: a sound patch of another change.
    keeps = lambda i: 0 < i < len(lines) - 1 or all(o != "+" for o, _ in lines[max(0, i - 1):i + 2])
    at = [i for i, (o, t) in enumerate(lines) if o == " " and t.strip() and keeps(i)]
    i = rng.choice(at) if at else None
    rest = None if i is None else lines[:i] + lines[i + 1:]
    return rest if rest and any(o == " " for o, _ in rest) else None


@content(FIRST)
def context_line_extra(lines, path, rng):
    i = picked(lines, rng, lambda t: True)
    if i is None:
        return None
    indent = re.match(r"\s*", lines[i][1])[0]
    return lines[:i] + [(" ", indent + mark(path) + "handle the usual case first")] + lines[i:]


@content(FIRST)
def context_line_twice(lines, path, rng):
    i = picked(lines, rng, lambda t: True)
    return None if i is None else lines[:i] + [lines[i]] + lines[i:]


@content(FIRST)
def context_lines_swapped(lines, path, rng):
    at = [i for i in range(len(lines) - 1)
          if lines[i][0] == lines[i + 1][0] == " " and lines[i] != lines[i + 1] and lines[i][1].strip()
          and lines[i + 1][1].strip()]
    if not at:
        return None
    i = rng.choice(at)
    return lines[:i] + [lines[i + 1], lines[i]] + lines[i + 2:]


@content(FIRST, context=6)
def context_comment_reworded(lines, path, rng):
    def reword(text):
        m = re.match(r"(\s*(?://+!?|#|\*|\"\"\")\s*)(\w.*)", text)
        return m[1] + "Note: " + re.sub(r"\b(the|a|an) ", "", m[2], count=1) if m else text
    return changed(lines, rng, reword)


@content(FIRST)
def context_line_cut(lines, path, rng):
    return changed(lines, rng, lambda t: t[:len(t) * 2 // 3].rstrip() + "..." if len(t.strip()) > 30 else t)


@content(FIRST)
def context_blanks_in_line_lost(lines, path, rng):
    squeeze = lambda t: re.match(r"\s*", t)[0] + re.sub(r"(?<=[,=:(+]) | (?=[=({+])", "", t.strip())
    return changed(lines, rng, squeeze)


@content(FIRST)
def context_other_quotes(lines, path, rng):
    return changed(lines, rng, lambda t: t.translate({39: 34, 34: 39}))


def curly(text):
    text = re.sub(r'"([^"]*)"', r"“\1”", text)
    return re.sub(r"'([^']*)'", r"‘\1’", text).replace("'", "’")


@content(EACH)
def typographic_quotes_in_context(lines, path, rng):
    return mapped(lines, curly, " ")


@content(EACH)
def typographic_quotes_in_context_and_removed(lines, path, rng):
    return mapped(lines, curly, " -")


@content(EACH)
def escaped_for_html(lines, path, rng):
    return mapped(lines, lambda t: html.escape(t, quote=False))


@content(EACH)
def backslashes_doubled_in_context(lines, path, rng):
    return mapped(lines, lambda t: t.replace("\\", "\\\\"), " ")


def unit(lines):
    return "\t" if any(t.startswith("\t") for _, t in lines) else "    "


@content(EACH)
def indented_one_deeper(lines, path, rng):
    return mapped(lines, lambda t: unit(lines) + t)


@content(EACH)
def indented_one_less(lines, path, rng):
    step = unit(lines)
    if not all(t.startswith(step) or not t.strip() for _, t in lines):
        return None
    return mapped(lines, lambda t: t[len(step):])


@content(EACH)
def indentation_lost(lines, path, rng):
    return mapped(lines, str.lstrip)


@content(EACH)
def indentation_dedented_fully(lines, path, rng):
    depth = os.path.commonprefix([re.match(r"\s*", t)[0] for _, t in lines if t.strip()])
    return mapped(lines, lambda t: t[len(depth):]) if depth else None


@content(EACH, shows=lambda text: "\t" in text)
def tabs_to_spaces(lines, path, rng):
    return mapped(lines, lambda t: re.sub(r"^\t+", lambda m: "    " * len(m[0]), t))


@content(EACH)
def spaces_to_tabs(lines, path, rng):
    return mapped(lines, lambda t: re.sub(r"^(?:    )+", lambda m: "\t" * (len(m[0]) // 4), t))


@content(EACH)
def removed_indented_otherwise(lines, path, rng):
    return mapped(lines, lambda t: "  " + t, "-")


@content(EACH)
def trailing_space_added(lines, path, rng):
    return mapped(lines, lambda t: t + "  ", " -")


def with_trailing_space(case, files):
    """The same change in a tree in which a line of context of each hunk ends with blanks."""
    edge = {h.lines[0][1] for hs in files.values() for h in hs
            if h.lines[0][0] == " " and h.lines[0][1].strip()}
    touched = {t for hs in files.values() for h in hs for o, t in h.lines if o in "-+"}
    return lambda text: "\n".join(t + "  " if t in edge - touched else t for t in text.split("\n"))


CLASSES["u:trailing_space_lost"] = lambda case, rng: replace(
    unified(case.hunks(3)), tree=with_trailing_space(case, case.hunks(3)))
CLASSES["s:trailing_space_lost"] = lambda case, rng: replace(
    blocks(case.unique(3)), tree=with_trailing_space(case, case.unique(3)))


@content(EACH)
def blank_context_left_out(lines, path, rng):
    return [(o, t) for o, t in lines if o != " " or t.strip()]


@content(FIRST)
def blank_context_doubled(lines, path, rng):
    at = [i for i, (o, t) in enumerate(lines) if o == " " and not t.strip()]
    return lines[:at[0]] + [(" ", "")] + lines[at[0]:] if at else None


@content(FIRST)
def removed_reworded(lines, path, rng):
    return changed(lines, rng, misspelt, "-")


def elided(lines, text):
    """The longest run of context with its middle left out."""
    best, start = (0, 0), None
    for i, (o, _) in enumerate([*lines, ("+", "")]):
        if o == " ":
            start = i if start is None else start
        elif start is not None:
            best, start = max(best, (i - start, -start)), None
    n, start = best[0], -best[1]
    return lines[:start + 2] + [(" ", text)] + lines[start + n - 2:] if n >= 7 else None


@content(EACH, context=10)
def elided_by_dots(lines, path, rng):
    return elided(lines, "...")


@content(EACH, context=10)
def elided_by_indented_dots(lines, path, rng):
    return elided(lines, "    ...")


@content(EACH, context=10)
def elided_by_comment(lines, path, rng):
    return elided(lines, mark(path) + "... existing code ...")


@content(EACH)
def unchanged_line_as_change(lines, path, rng):
    at = [i for i, (o, _) in enumerate(lines) if o == " " and i + 1 < len(lines) and lines[i + 1][0] != " "]
    if not at:
        return None
    i, text = at[0], lines[at[0]][1]
    return lines[:i] + [("-", text), ("+", text)] + lines[i + 1:]


def numbered(form, ops):
    def reply(case, rng):
        files = case.hunks(3) if form == "u" else case.unique(3)
        for hs in files.values():
            for h in hs:
                old, new, out = h.old, h.new, []
                for o, t in h.lines:
                    n = new if o == "+" else old
                    out.append((o, f"{n} | {t}" if o in ops else t))
                    old, new = old + (o in " -"), new + (o in " +")
                h.lines = out
        return (unified if form == "u" else blocks)(files)
    return reply


for form in "us":
    CLASSES[f"{form}:line_numbers_before_all_lines"] = numbered(form, " -+")
CLASSES["u:line_numbers_before_old_lines"] = numbered("u", " -")


# ---- mutations of unified diffs ---------------------------------------------------------------

def u(name, /, context=3, **parts):
    """Registers a diff of which parts are given another way."""
    CLASSES["u:" + name] = lambda case, rng: unified(case.hunks(context), **parts)


def u_made(fn):
    CLASSES["u:" + fn.__name__] = lambda case, rng: fn(case, case.hunks(3), rng)
    return fn


u("exact")
CLASSES["u:exact_of_git"] = lambda case, rng: of_git(case)
for name, old, new in [("old_plus_1", 1, 0), ("new_plus_1", 0, 1), ("both_plus_3", 3, 3),
                       ("both_plus_40", 40, 40), ("old_minus_1", -1, 0), ("both_minus_1", -1, -1),
                       ("zero", -9999, -9999)]:
    # Without a fence, a count that is too large may also mean that the text was cut.
    for fence, suffix in [(None, ""), ("diff", "_fenced")]:
        u("counts_" + name + suffix, header=lambda h, n=(old, new): h.header(*n), fence=fence)
for n in [1, -1, 5, -5, 100]:
    u(f"line_numbers_off_by_{n}", header=lambda h, n=n: h.header(at_old=n, at_new=n))
u("line_numbers_one", header=lambda h: h.header(at_old=1 - h.old, at_new=1 - h.new))
u("section_invented", header=lambda h: re.sub("@@[^@]*$", "@@ def main():\n", h.header()))
u("header_bare", header=lambda h: "@@\n")
u("header_double_bare", header=lambda h: "@@ @@\n")
u("header_dots", header=lambda h: "@@ ... @@\n")
u("header_only_section", header=lambda h: f"@@{h.section or ' module'} @@\n")
u("header_missing", header=lambda h: "")
u("header_bare_no_context", context=0, header=lambda h: "@@\n")
u("header_bare_1_line_of_context", context=1, header=lambda h: "@@\n")
u("no_context", context=0)
u("1_line_of_context", context=1)
u("fence_diff", fence="diff")
u("fence_plain", fence="")
u("fence_patch", fence="patch")
u("no_prefix", name="--- {p}\n+++ {p}\n", strip=0)
u("prefix_old_new", name="--- old/{p}\n+++ new/{p}\n")
u("prefix_dot", name="--- ./{p}\n+++ ./{p}\n")
u("name_bold", name="--- **a/{p}**\n+++ **b/{p}**\n")
u("name_in_backticks", name="--- `a/{p}`\n+++ `b/{p}`\n")
u("name_with_date", name="--- a/{p}\t2025-03-01 12:00:00\n+++ b/{p}\t2025-03-01 12:00:01\n")
u("name_with_remark", name="--- a/{p} (original)\n+++ b/{p} (modified)\n")
u("name_only_new", name="+++ b/{p}\n")
u("name_only_git_line", name="diff --git a/{p} b/{p}\n")
u("index_invented",
  name="diff --git a/{p} b/{p}\nindex 1234567..89abcde 100644\n--- a/{p}\n+++ b/{p}\n")
u("blank_lines_between_hunks", header=lambda h: "\n" + h.header())
u("start_line_marker", header=lambda h: f"@@\n:start_line:{h.old}\n")
u("blank_context_space_lost", body=lambda h: "".join((o + t).rstrip(" ") + "\n" if not t else o + t + "\n"
                                                     for o, t in h.lines))
u("context_space_lost", body=lambda h: "".join(("" if o == " " else o) + t + "\n" for o, t in h.lines))
u("space_after_sign", body=lambda h: "".join(o + " " + t + "\n" for o, t in h.lines))
u("added_blank_without_plus", body=lambda h: re.sub(r"(?m)^\+$", "", h.body()))
u("crlf_in_patch", raw=lambda t: t.replace("\n", "\r\n"))
u("crlf_in_tree", tree=lambda t: t.replace("\n", "\r\n"))
u("last_newline_missing", raw=lambda t: t.removesuffix("\n"))
u("indented_in_a_list", raw=lambda t: "1. Apply this:\n\n" + re.sub("(?m)^(?=.)", "   ", t))
u("prose_around", above="Sure, here is the change:\n\n",
  below="\nThis keeps the old behaviour for all other callers.\n")
u("prose_with_list_below", below="\nWhat I did:\n\n- changed the condition\n- kept the rest\n")
u("end_of_patch_marker", below="*** End of patch\n")


def of_git(case):
    sections = re.split(r"(?m)^(?=diff --git )", case.git_diff(3))[1:]
    return Reply(sections)


@u_made
def fence_of_language(case, files, rng):
    return unified(files, fence=LANGUAGE[os.path.splitext(case.row["files"][0])[1]])


@u_made
def mail_of_git(case, files, rng):
    head = (f"From {case.row['commit']} Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\n"
            "Date: Mon, 1 Jan 2024\nSubject: [PATCH] Change it\n\n---\n f | 2 +-\n\n")
    return replace(of_git(case), above=head, below="-- \n2.43.0\n\n")


@u_made
def no_newline_marker_invented(case, files, rng):
    """Only where the hunk does not reach the end of the file: there the marker would mean what it says."""
    ends = {id(h) for p, hs in files.items() for h in hs
            if h.old + h.count(" -") > case.before[p].count("\n")
            or h.new + h.count(" +") > case.after[p].count("\n")}
    marker = "\\ No newline at end of file\n"
    return unified(files, body=lambda h: h.body() + ("" if id(h) in ends else marker))


@u_made
def hunks_merged(case, files, rng):
    """Two hunks under one header, which counts both."""
    if not any(len(hs) > 1 for hs in files.values()):
        return None
    for p, hs in files.items():
        files[p] = [Hunk(hs[0].old, hs[0].new, hs[0].section, [line for h in hs for line in h.lines])]
    return unified(files)


@u_made
def hunks_merged_header_counts_first(case, files, rng):
    if not any(len(hs) > 1 for hs in files.values()):
        return None
    first = {id(hs[0]) for hs in files.values()}
    return unified(files, header=lambda h: h.header() if id(h) in first else "")


@u_made
def hunks_reversed(case, files, rng):
    return unified({p: hs[::-1] for p, hs in files.items()})


@u_made
def hunk_duplicated(case, files, rng):
    return unified({p: hs + hs[:1] for p, hs in files.items()})


@u_made
def file_named_before_each_hunk(case, files, rng):
    made = unified(files)
    made.sections = [f"--- a/{p}\n+++ b/{p}\n{h.header()}{h.body()}" for p, hs in files.items() for h in hs]
    return made


@u_made
def first_hunk_bare_others_numbered(case, files, rng):
    first = {id(hs[0]) for hs in files.values()}
    return unified(files, header=lambda h: "@@ @@\n" if id(h) in first else h.header())


@u_made
def cut_in_last_hunk(case, files, rng):
    last = list(files.values())[-1][-1]
    signs = [i for i, (o, _) in enumerate(last.lines) if o != " "]
    if len(signs) < 2:
        return None
    header = last.header()
    last.lines = last.lines[:signs[-1]]
    return unified(files, header=lambda h: header if h is last else h.header())


# ---- mutations of search/replace blocks -------------------------------------------------------

def s(name, /, context=3, **parts):
    CLASSES["s:" + name] = lambda case, rng: blocks(case.unique(context), **parts)


def s_made(fn):
    CLASSES["s:" + fn.__name__] = lambda case, rng: fn(case, case.unique(3), rng)
    return fn


s("exact")
s("fence_none", fence="", close="")
s("fence_plain", fence="```\n")
s("fence_diff", fence="```diff\n")
s("fence_search", fence="```search-replace\n")
s("fence_of_four", fence="````{tag}\n", close="````\n")
s("fence_of_tildes", fence="~~~{tag}\n", close="~~~\n")
s("fence_not_closed", close="")
s("name_in_fence", name="", fence="```{tag}\n{p}\n")
s("name_in_fence_line", name="", fence="```{tag} {p}\n")
s("name_as_fence_tag", name="", fence="```{p}\n")
s("name_in_backticks", name="`{p}`\n")
s("name_bold", name="**{p}**\n")
s("name_bold_in_backticks", name="**`{p}`**\n")
s("name_with_colon", name="{p}:\n")
s("name_after_hash", name="# {p}\n")
s("name_after_slashes", name="// {p}\n")
s("name_as_heading", name="### {p}\n")
s("name_after_file", name="File: {p}\n")
s("name_in_list", name="1. {p}\n")
s("name_with_dot", name="./{p}\n")
s("name_and_blank_line", name="{p}\n\n")
s("marks_of_nine", head="<<<<<<<<< SEARCH\n", middle="=========\n", tail=">>>>>>>>> REPLACE\n")
s("marks_of_five", head="<<<<< SEARCH\n", middle="=====\n", tail=">>>>> REPLACE\n")
s("marks_with_bracket", head="<<<<<<< SEARCH>\n")
s("marks_indented", head="  <<<<<<< SEARCH\n", middle="  =======\n", tail="  >>>>>>> REPLACE\n")
s("marks_original_updated", head="<<<<<<< ORIGINAL\n", tail=">>>>>>> UPDATED\n")
s("marks_with_name", head="<<<<<<< SEARCH {p}\n")
s("start_line", head="<<<<<<< SEARCH\n:start_line:{n}\n-------\n")
s("start_line_without_rule", head="<<<<<<< SEARCH\n:start_line:{n}\n")
s("blank_line_first_in_both", search=lambda h: "\n" + h.side(" -"), change=lambda h: "\n" + h.side(" +"))
s("blank_line_last", search=lambda h: h.side(" -") + "\n", change=lambda h: h.side(" +") + "\n")
s("signs_of_diff_kept", search=lambda h: "".join(o + t + "\n" for o, t in h.lines if o in " -"),
  change=lambda h: "".join(o + t + "\n" for o, t in h.lines if o in " +"))
s("crlf_in_patch", raw=lambda t: t.replace("\n", "\r\n"))
s("crlf_in_tree", tree=lambda t: t.replace("\n", "\r\n"))
s("last_newline_missing", raw=str.rstrip)
s("html_escaped_marks", raw=lambda t: t.replace("<<<<<<<", "&lt;" * 7).replace(">>>>>>>", "&gt;" * 7))
s("prose_around", above="I will change it so:\n\n", below="That is all. Run the tests to see it.\n")
s("1_line_of_context", context=1)
s("no_context_where_unique", context=0)


def first_line(text, change):
    head, _, rest = text.partition("\n")
    return change(head) + "\n" + rest


s("first_line_indentation_lost", search=lambda h: first_line(h.side(" -"), str.lstrip),
  change=lambda h: first_line(h.side(" +"), str.lstrip))
s("first_line_indentation_lost_in_search", search=lambda h: first_line(h.side(" -"), str.lstrip))
s("indentation_shifted_in_search", search=lambda h: "".join(
    t + "\n" for o, t in mapped(h.lines, lambda t: unit(h.lines) + t) if o in " -"))


@s_made
def name_once_for_all_blocks(case, files, rng):
    made = blocks(files)
    if len(made.sections) == len(files):
        return None
    made.sections = [block(p, h, name="{p}\n" if h is hs[0] else "") + "\n"
                     for p, hs in files.items() for h in hs]
    return made


@s_made
def one_fence_for_all_blocks(case, files, rng):
    if all(len(hs) == 1 for hs in files.values()):
        return None
    parts = lambda h, hs: dict(name="{p}\n" if h is hs[0] else "", fence="```{tag}\n" if h is hs[0] else "",
                               close="```\n\n" if h is hs[-1] else "")
    return Reply([block(p, h, **parts(h, hs)) for p, hs in files.items() for h in hs])


@s_made
def blocks_reversed(case, files, rng):
    made = blocks(files)
    return replace(made, sections=made.sections[::-1])


@s_made
def block_duplicated(case, files, rng):
    made = blocks(files)
    return replace(made, sections=made.sections + made.sections[:1])


@s_made
def context_misspelt_in_search(case, files, rng):
    for p, hs in files.items():
        for h in hs:
            wrong = changed(h.lines, rng, misspelt)
            if wrong:
                search = "".join(t + "\n" for o, t in wrong if o in " -")
                return Reply([block(q, g, search=(lambda _: search) if g is h else None) + "\n"
                              for q, gs in files.items() for g in gs])
    return None


@s_made
def blank_line_first(case, files, rng):
    """In the search alone, and not where the file has a blank line: there it would mean that it goes."""
    there = {id(h) for p, hs in files.items() for h in hs if occurrences(case.before[p], "\n" + h.side(" -"))}
    if all(id(h) in there for hs in files.values() for h in hs):
        return None
    return blocks(files, search=lambda h: ("" if id(h) in there else "\n") + h.side(" -"))


def shrunk(hunk):
    """The hunk, and the hunk with the context below or above left out."""
    signs = [i for i, (o, _) in enumerate(hunk.lines) if o != " "]
    for lines in [hunk.lines, hunk.lines[:signs[-1] + 1], hunk.lines[signs[0]:]]:
        yield replace(hunk, lines=lines)


@s_made
def search_occurs_twice(case, files, rng):
    """One search shrunk to as few lines as the file has more than once, without losing a line of the change."""
    changed = lambda hunk: [line for line in hunk.lines if line[0] != " "]
    for p, hs in files.items():
        for i, h in enumerate(hs):
            for n in [0, 1, 2]:
                for g in [g for whole in case.hunks(n)[p] for g in shrunk(whole)]:
                    inside = h.old <= g.old < h.old + h.count(" -")
                    is_whole = inside and changed(g) == changed(h)
                    if is_whole and g.side(" -").strip() and occurrences(case.before[p], g.side(" -")) > 1:
                        hs[i] = g
                        return blocks(files)
    return None


# ---- what a text does not tell ----------------------------------------------------------------

def squeezed(text):
    return "".join(text.split())


def indent_of(text):
    return text[:len(text) - len(text.lstrip())]


def hunks_of(reply):
    """The path and the lines of each hunk or block of a reply, as it is written."""
    for section in reply.sections:
        if reply.form == "u":
            name = re.search(r"(?m)^\+\+\+ b/(.*)$", section)
            for part in re.split(r"(?m)^@@.*\n", section)[1:] if name else []:
                yield name[1], [(t[0], t[1:]) for t in part.split("\n")[:-1] if t]
        else:
            part = re.search(r"(?s)<<<<<<< SEARCH\n(.*?)=======\n(.*?)>>>>>>> REPLACE", section)
            if part:
                sides = [side.split("\n")[:-1] for side in part.groups()]
                lines = [(t[0], t[2:]) for t in difflib.ndiff(*sides) if t[0] != "?"]
                yield section.split("\n")[0], lines


def rows_of(old, before):
    """Where old lines stand in a file, with as few lines between them as can be, and in how many places as closely."""
    best, count = None, 0
    for start in range(len(before)):
        rows, at = [], start
        for line in old:
            near = [r for r in range(at, min(at + 4, len(before))) if before[r] == line]
            if not near or (not rows and near[0] != start):
                break
            rows.append(near[0])
            at = near[0] + 1
        else:
            if best is None or rows[-1] - rows[0] < best[-1] - best[0]:
                best, count = rows, 1
            elif rows[-1] - rows[0] == best[-1] - best[0]:
                count += 1
    return best, count


def untold(reply, before, after):
    """Why a text does not tell what the commit makes of the files, or None. White space aside,

    places  the old lines of a hunk fit in two or more places of its file as closely
    gap     a line that the hunk leaves out stands right beside lines that come, so that they may come above or below it
    space   the old lines of the hunk that are as deep as one that comes stand on several depths in the file; or there is
            none, and that line is indented otherwise than in the commit
    end     its last hunk lacks lines by its header, and nothing marks the end of the text: a text that was cut there looks the same
    """
    for path, lines in hunks_of(reply):
        text = before.get(path, "").split("\n")
        old = [(i, t) for i, (o, t) in enumerate(lines) if o in " -" and t.strip()]
        if not old and not re.search(r"@@ -\d", reply.text()):
            return "places"  # nothing but a number or a line could say where
        rows, count = rows_of([squeezed(t) for _, t in old], [squeezed(t) for t in text]) if old else (None, 0)
        if count > 1:
            return "places"
        if rows is None:
            continue
        depths = collections.defaultdict(set)
        for (_, t), row in zip(old, rows):
            depths[indent_of(t)].add(indent_of(text[row]))
        for (i, _), (j, _), above, below in zip(old, old[1:], rows, rows[1:]):
            said = sum(o in " -" for o, _ in lines[i + 1:j])
            if below - above - 1 > said and any(o == "+" for o, _ in lines[i + 1:j]):
                return "gap"
        new = after.get(path, "").split("\n")
        for o, t in lines:
            there = len(depths.get(indent_of(t), ()))
            if o == "+" and t.strip() and (there > 1 or there == 0 and t not in new):
                return "space"
    return "end" if is_unended(reply.text()) else None


def is_unended(reply):
    """Whether the last hunk of a text lacks lines by its header, and no code fence ends the text."""
    heads = list(re.finditer(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@.*$", reply, re.MULTILINE))
    below = reply[heads[-1].end():].split("\n")[1:] if heads else []
    if not heads or any(line.startswith("```") for line in below):
        return False
    old, new = (int(heads[-1].group(side) or 1) for side in (1, 2))
    return sum(line[:1] in (" ", "-") for line in below) < old or sum(line[:1] in (" ", "+") for line in below) < new


# ---- tools ----------------------------------------------------------------------------------

def write_tree(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


def read_tree(folder):
    return {str(f.relative_to(folder)): f.read_bytes().decode("utf-8", "replace") for f in folder.rglob("*")
            if f.is_file() and f.suffix not in (".orig", ".rej") and ".assize" not in f.parts}


def command(args, folder, home):
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    if args[0] == ASSIZE:
        env = {"HOME": str(home)}
    r = subprocess.run(args, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    return r.returncode == 0, r.stdout.decode("utf-8", "replace")


def run_assize(folder, home, text, reply):
    (home / "patch").write_bytes(text.encode())
    (home / "spec").write_text(SPECIFICATION)
    args = [ASSIZE, "patch", "apply", str(home / "patch"), "--spec", str(home / "spec"), "--format", "json",
            "-C", str(folder)]
    done, said = command(args, folder, home)
    with contextlib.suppress(ValueError):
        answer = json.loads(said)
        said = "; ".join(f"{e.get('at')}: {e.get('message')}" for e in answer["errors"]) or \
            ("applied already" if answer.get("alreadyApplied") else f"applied; notes {answer.get('notes')}")
    return done, said


def run_git(folder, home, text, reply):
    (home / "patch").write_bytes(text.encode())
    return command(["git", "apply", f"-p{reply.strip}", str(home / "patch")], folder, home)


def run_patch(folder, home, text, reply):
    (home / "patch").write_bytes(text.encode())
    args = ["patch", f"-p{reply.strip}", "--batch", "--no-backup-if-mismatch", "-i", str(home / "patch")]
    return command(args, folder, home)


class TooLong(Exception):
    pass


def too_long(*_):
    raise TooLong("more than 30 seconds")


def coder(cls, folder, files):
    """An applier of aider without a model: only what get_edits and apply_edits use."""
    from aider.io import InputOutput
    made = cls.__new__(cls)
    made.io = InputOutput(pretty=False, yes=True, fancy_input=False)
    made.root, made.abs_root_path_cache, made.shell_commands = str(folder), {}, []
    made.abs_fnames, made.abs_read_only_fnames = {str(folder / p) for p in files}, set()
    return made


def run_aider(folder, home, text, reply):
    from aider.coders.editblock_coder import EditBlockCoder
    from aider.coders.udiff_coder import UnifiedDiffCoder
    unified_diff = reply.form == "u"
    signal.signal(signal.SIGALRM, too_long)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        made = coder(UnifiedDiffCoder if unified_diff else EditBlockCoder, folder, read_tree(folder))
        made.partial_response_content = text
        signal.alarm(30)
        try:
            edits = made.apply_edits_dry_run(made.get_edits())
            if not edits:
                return False, "no edit found"
            made.apply_edits(edits)
            return True, "applied"
        except Exception as e:  # whatever it raises, it has refused
            return False, f"{type(e).__name__}: {e}"
        finally:
            signal.alarm(0)


RUN = {"assize": run_assize, "aider": run_aider, "git": run_git, "patch": run_patch}


def judge(found, before, after, done):
    if found == after:
        return "right"
    if found == before:
        return "wrong" if done else "refused"
    if not done and found.keys() == before.keys() and all(found[p] in (before[p], after[p]) for p in found):
        return "partial"
    return "wrong"


def work_folder():
    # Memory, where there is some: a tree is written for each run, and made durable by one of the tools.
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="patch-mutants-", dir=base))


def measure(case, name, tools=TOOLS):
    """A row with the outcome of each tool, or None where the class does not apply."""
    form = name[0]
    rng = random.Random(f"{name} {case.row['repo']} {case.row['commit']}")
    reply = CLASSES[name](case, rng)
    if reply is None:
        return None
    exact = CLASSES[form + ":exact"](case, rng)
    if name != form + ":exact" and reply.text() == exact.text() and not reply.tree:
        return None
    reply.form = form
    change = reply.tree or (lambda text: text)
    before = {p: change(t) for p, t in case.before.items()}
    after = {p: change(t) for p, t in case.after.items()}
    if reply.tree and before == case.before:
        return None
    row = dict(name=name, repo=case.row["repo"], commit=case.row["commit"], outcome={}, done={}, said={})
    for tool in tools:
        if form == "s" and tool in ("git", "patch"):
            continue
        work = work_folder()
        try:
            tree, home = work / "tree", work / "home"
            tree.mkdir(), home.mkdir()
            write_tree(tree, before)
            text = reply.text(aider=tool == "aider" and form == "u")
            done, said = RUN[tool](tree, home, text, reply)
            found = read_tree(tree)
        finally:
            shutil.rmtree(work)
        row["outcome"][tool] = judge(found, before, after, done)
        row["done"][tool], row["said"][tool] = done, said.replace(f"{work}/", "")[:2000]
        if tool == "assize":
            row["text"], row["found"], row["before"], row["after"] = text, found, before, after
    if row["outcome"].get("aider") == "right" != row["outcome"]["assize"]:
        row["untold"] = untold(reply, before, after)
    return row


def cases(clones):
    for row in json.loads(COMMITS.read_text()):
        yield Case(clone_of(clones, row["repo"]), row)


def stage_run(clones, only, each, most):
    names = [n for n in CLASSES if not only or n in only or n[2:] in only]
    chosen = list(cases(clones))[::each][:most]
    old = ROWS.read_text().splitlines() if only and ROWS.exists() else []
    with ROWS.open("w") as out:
        out.writelines(line + "\n" for line in old if json.loads(line)["name"] not in names)
        for i, case in enumerate(chosen):
            for name in names:
                row = measure(case, name)
                if row:
                    keep = {k: v for k, v in row.items() if k not in ("text", "found", "before", "after")}
                    out.write(json.dumps(keep) + "\n")
            out.flush()
            print(f"{i + 1}/{len(chosen)} {case.row['repo']} {case.row['commit'][:12]}", file=sys.stderr,
                  flush=True)


# ---- table ----------------------------------------------------------------------------------

def cells(rows, tool):
    mine = [r for r in rows if tool in r["outcome"]]
    if not mine:
        return f" |{'-':>5} {'-':>5} {'-':>4} {'-':>5}"
    n = collections.Counter(r["outcome"][tool] for r in mine)
    return f" |{n['right']:5} {n['refused']:5} {n['partial']:4} {n['wrong']:5}"


def stage_table():
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()]
    by = collections.defaultdict(list)
    for r in rows:
        by[r["name"]].append(r)
    print(f"{'':46}{'':5}" + "".join(f" |{t:^22}" for t in TOOLS))
    print(f"{'class':46}{'n':>5}" + " |right   ref part wrong" * len(TOOLS))
    for name in sorted(by, key=lambda n: (n[0] != "u", n)):
        print(f"{name:46}{len(by[name]):5}" + "".join(cells(by[name], t) for t in TOOLS))
    for label, form in [("all unified diffs", "u"), ("all search/replace blocks", "s"), ("all", "us")]:
        some = [r for r in rows if r["name"][0] in form]
        print(f"{label:46}{len(some):5}" + "".join(cells(some, t) for t in TOOLS))
    for tool in TOOLS:
        wrong = [r for r in rows if r["outcome"].get(tool) == "wrong"]
        print(f"{tool}: wrong {len(wrong)}, of which silent {sum(r['done'][tool] for r in wrong)}")

    print(f"refusing is right in {', '.join(sorted(REFUSE))}")

    print("\nclasses in which assize has fewer right than aider:")
    right = lambda name, tool: sum(r["outcome"].get(tool) == "right" for r in by[name])
    for name in by:
        if name not in REFUSE and right(name, "assize") < right(name, "aider"):
            print(f"  {name}: {right(name, 'assize')} of {len(by[name])}, aider {right(name, 'aider')}")
            lost = [r for r in by[name] if r["outcome"]["aider"] == "right" != r["outcome"]["assize"]]
            why = collections.Counter(r.get("untold") for r in lost)
            told = why.pop(None, 0)
            print(f"    of {len(lost)} that aider alone has right, the text does not tell {len(lost) - told} "
                  f"({', '.join(f'{k} {n}' for k, n in sorted(why.items())) or 'none'})")
            lost.sort(key=lambda r: r.get("untold") is not None)
            for r in lost[:2]:
                print(f"    {r['repo']} {r['commit'][:12]}: {r.get('untold') or 'told'}: {r['said']['assize'][:300]}")

    print("\nwrong of assize:")
    for r in rows:
        if r["outcome"]["assize"] in ("wrong", "partial"):
            print(f"  --show {r['name']} {r['repo']} {r['commit'][:12]}   {r['said']['assize'][:160]}")


def show(clones, name, repo, commit):
    for case in cases(clones):
        if case.row["repo"] == repo and case.row["commit"].startswith(commit):
            row = measure(case, name)
            if row is None:
                print("the class does not apply")
                return
            print(row["text"])
            for tool, outcome in row["outcome"].items():
                print(f"---- {tool}: {outcome}\n{row['said'][tool]}")
            for path, text in row["after"].items():
                made = row["found"].get(path, "")
                if row["outcome"]["assize"] not in ("right", "refused"):
                    sys.stdout.writelines(difflib.unified_diff(
                        text.splitlines(True), made.splitlines(True), f"commit/{path}", f"assize/{path}"))


def main():
    global COMMITS, ROWS
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--stage", choices=["setup", "commits", "run", "table"])
    a.add_argument("--clones", type=Path, default=HERE / "clones", help="a folder with clones")
    a.add_argument("--only", nargs="*", help="classes, for --stage run; the rows of the others stay")
    a.add_argument("--each", type=int, default=1, help="only each N-th commit, for --stage run")
    a.add_argument("--most", type=int, help="only so many commits, for --stage run")
    a.add_argument("--every-clone", action="store_true", help="for --stage commits: all clones of the folder")
    a.add_argument("--commits", type=Path, default=COMMITS, help="the file of the commits")
    a.add_argument("--rows", type=Path, default=ROWS, help="the file of the results")
    a.add_argument("--show", nargs=3, metavar=("CLASS", "REPO", "COMMIT"))
    o = a.parse_args()
    COMMITS, ROWS = o.commits, o.rows
    os.nice(max(0, 10 - os.nice(0)))
    HERE.mkdir(parents=True, exist_ok=True)
    if o.stage == "setup":
        subprocess.run(["python3", "-m", "venv", str(HERE / "venv")], check=True)
        subprocess.run([str(VENV), "-m", "pip", "install", "--quiet", "aider-chat==0.86.2"], check=True)
    elif o.stage == "commits":
        every = sorted(d.name for d in o.clones.iterdir() if clone_of(o.clones, d.name).is_dir() and "+" in d.name)
        stage_commits(o.clones, every if o.every_clone else REPOS)
    elif o.stage == "run":
        stage_run(o.clones, o.only, o.each, o.most)
    if o.stage in ("run", "table"):
        stage_table()
    if o.show:
        show(o.clones, *o.show)


main()
