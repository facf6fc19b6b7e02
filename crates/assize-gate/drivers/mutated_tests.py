"""Makes mutated tests of tests: the same tests, expecting something else.

A test that holds passes, and its mutated fails. A mutated that passes as well did not look at what the code gave: it was
given something that is equal to everything, or that was read off the test itself, or somebody speaks for the runner.

Twins take the place of the tests in their files for a run of their own, so that code under test cannot tell them
apart. Only what fails for certain is changed: comparisons with literals, and kinds of exceptions, at places that
every run of the test comes through. Which place that is follows from the test's own text, so that two runs over
the same test agree; what it expects instead is drawn anew each time. Nothing here runs a line of the project.

Some things are equal to much for good reasons. A probe tells them: the same test once more, which says at the same
place what kind of thing it was given.
"""

import ast
import hashlib
import math
import random
import re

# Largest file that mutated tests are made of, in bytes.
FILE_BYTES_MAX = 1 << 20
# Most source that is read while mutated tests of one file fail, in bytes: a runner reads the whole file for each of them.
READ_BYTES_MAX = 10 << 20
# Most places of a test that are tried.
TARGETS_MAX = 4
# Most tests of a file that are tried one after the other.
TESTS_MAX = 100
# Deepest literal that is looked into.
DEPTH_MAX = 20

# Methods of test cases that compare, and how.
ASSERTIONS = {
    "assertEqual": ast.Eq,
    "assertEquals": ast.Eq,
    "assertListEqual": ast.Eq,
    "assertTupleEqual": ast.Eq,
    "assertDictEqual": ast.Eq,
    "assertSetEqual": ast.Eq,
    "assertSequenceEqual": ast.Eq,
    "assertMultiLineEqual": ast.Eq,
    "assertCountEqual": ast.Eq,
    "assertIn": ast.In,
    "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE,
    "assertGreater": ast.Gt,
    "assertGreaterEqual": ast.GtE,
}
# What hardly any code raises, and nothing that is asked for in general terms is likely to be.
EXCEPTIONS = ("StopAsyncIteration", "UnicodeTranslateError")
# How those are called that say which exception is expected.
RAISES = {"raises", "pytest.raises", "self.assertRaises", "self.assertRaisesRegex"}
# Test cases whose assertions are known.
TEST_CASES = {"unittest.TestCase", "unittest.IsolatedAsyncioTestCase"}
# Names that a test may look at itself with.
INTROSPECTION = {"locals", "globals", "vars", "eval", "exec", "inspect", "request"}
# Files that speak of one of these are left alone: their tests lean on each other, or rewrite what they expect.
UNSUITABLE = (b"depend", b"snapshot", b"doctest_namespace")
# Decorators that cannot make a failing test pass, by the end of their names.
DECORATORS = {"staticmethod", "patch", "object", "dict", "multiple", "parametrize", "usefixtures"}
# Names of what is meant to be equal to many things.
WILD = re.compile(r"(?i:any|every|wild|whatever|match|sentinel|magic|mock|fuzzy|approx|almost)|\bIs[A-Z]")
MATCHER = re.compile(r"\b(Is|Has|Contains|Any|ANY|Dirty|Matches)([A-Z]|\b)")
# What a `with` may open without swallowing failures, by the end of its name.
CONTEXTS = {"open", "subTest", "patch", "object", "dict", "TemporaryDirectory", "NamedTemporaryFile", "catch_warnings"}


def parts_of(node):
    """A node and all below it, each level before the next. `ast.walk` takes four times as long, and looks at operators."""
    found = [node]
    for part in found:
        for value in part.__dict__.values():
            if isinstance(value, ast.AST):
                if value.__dict__:
                    found.append(value)
            elif type(value) is list:
                found.extend(one for one in value if isinstance(one, ast.AST))
    return found


def name_of(node):
    """The dotted name that an expression spells, or nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return "%s.%s" % (name_of(node.value), node.attr)
    if isinstance(node, ast.Call):
        return name_of(node.func)
    return ""


def is_number(node):
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def is_literal(node, depth=DEPTH_MAX):
    if depth == 0:
        return False
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float, str, bytes, bool, type(None))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and is_number(node.operand)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(is_literal(part, depth - 1) for part in node.elts)
    if isinstance(node, ast.Dict):
        return all(part is not None and is_literal(part, depth - 1) for part in node.keys + node.values)
    return False


def leaves(node):
    """The parts of a literal that can be changed by themselves."""
    if isinstance(node, ast.UnaryOp):
        return leaves(node.operand)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [leaf for part in node.elts for leaf in leaves(part)]
    if isinstance(node, ast.Dict):
        return [leaf for part in node.values for leaf in leaves(part)]
    plain = node.lineno == node.end_lineno and not (type(node.value) is float and not math.isfinite(node.value))
    return [node] if plain else []


class Edit:
    """A piece of the source that is replaced; columns count bytes."""

    def __init__(self, line, first, last, text):
        self.line, self.first, self.last, self.text = line, first, last, text


def over(node, text):
    return Edit(node.lineno, node.col_offset, node.end_col_offset, text)


def before(node, text):
    return Edit(node.lineno, node.col_offset, node.col_offset, text)


def after(node, text):
    return Edit(node.end_lineno, node.end_col_offset, node.end_col_offset, text)


def altered(leaf, chance):
    """Another value of the same kind."""
    value = leaf.value
    if value is None:
        text = repr(word(chance))
    elif type(value) is bool:
        text = repr(not value)
    elif type(value) is int:
        # Far enough for whatever is equal only nearly.
        text = repr(value + far(chance))
    elif type(value) is float:
        text = repr(value * 3 + far(chance) + 0.25)
    else:
        extra = word(chance) if type(value) is str else word(chance).encode()
        at = len(value) // 2
        text = repr(value[:at] + extra + value[at:])
    return over(leaf, text)


def far(chance):
    return chance.choice([100, 1_000, 10_000]) + chance.randrange(1_000)


def word(chance):
    return "".join(chance.choice("bcdfghjklmnpqrstvwxz") for _ in range(5))


def lengthened(node, chance):
    """The same list with one more in it; nothing where that is no single edit."""
    number = repr(chance.randrange(1, 9_999))
    if isinstance(node, ast.Dict):
        more = "%s: %s" % (number, number)
    elif isinstance(node, (ast.List, ast.Set)) or isinstance(node, ast.Tuple) and not node.elts:
        # One of those that are there: what has no place there could be told from the rest.
        more = repr(ast.literal_eval(node.elts[-1])) if isinstance(node, ast.List) and node.elts else number
        more += "," if isinstance(node, ast.Tuple) else ""
    else:
        return None
    parts = node.values if isinstance(node, ast.Dict) else node.elts
    # In front of the first, behind the bracket.
    return Edit(node.lineno, node.col_offset + 1, node.col_offset + 1, more + (", " if parts else ""))


def changed(node, place, chance):
    """Edits of a literal that make it another one; none where nothing can be edited.

    `place` says where, the same each time; `chance` says what stands there then.
    """
    choices = leaves(node)
    more = lengthened(node, chance)
    if more is not None and (not choices or place.random() < 0.3):
        return [more]
    # In a set, one may come to be what another is.
    numbers = [] if has_set(node) else [leaf for leaf in choices if type(leaf.value) is int]
    if len(numbers) > 1 and place.random() < 0.3:
        # Their differences stay: sums and lengths alone do not tell it from the other.
        by = far(chance)
        # What is negative stands behind its sign.
        signs = negated(node)
        return [over(leaf, repr(leaf.value - by if leaf in signs else leaf.value + by)) for leaf in numbers]
    return [altered(place.choice(choices), chance)] if choices else []


def has_set(node):
    return any(isinstance(part, ast.Set) for part in parts_of(node))


def negated(node):
    return [part.operand for part in parts_of(node) if isinstance(part, ast.UnaryOp)]


def all_changed(values, place, chance):
    """Edits of every one of several literals; none where one of them cannot be edited."""
    edits = [changed(value, place, chance) for value in values]
    return [edit for part in edits for edit in part] if all(edits) else []


# What a probe does with the value: it fails, and says which files say what the things in it are equal to. Plain values
# of Python's own are of no file; of a class whose comparison was made for it, the fields count.
PROBE = """
import sys
todo, files, count = [value], {}, 0
PLAIN = (int, str, bytes, bool, float, complex, type(None), bytearray, range, type, type(sys), type(len))
while todo and count < 100000:
    one, count = todo.pop(), count + 1
    if type(one) in (list, tuple, set, frozenset):
        todo.extend(one)
    elif type(one) is dict:
        todo.extend(one)
        todo.extend(one.values())
    elif type(one) not in PLAIN and len(files) < 20:
        owners = [part for name in NAMES for part in type.mro(type(one)) if name in vars(part)][:1] or [type(one)]
        codes = [getattr(vars(owners[0]).get(name), "__code__", None) for name in NAMES]
        path = ([code.co_filename for code in codes if code is not None] + [""])[0]
        if path[:1] == "<":
            todo.extend(getattr(one, "__dict__", {}).values())
            path = ""
        files[path or getattr(sys.modules.get(owners[0].__module__), "__file__", None) or ""] = True
raise AssertionError("WORD<" + "|".join(files) + ">")
"""
# The methods that a comparison rests on.
METHODS = {ast.Eq: ("__eq__",), ast.In: ("__contains__", "__iter__", "__getitem__"), ast.Lt: ("__lt__", "__gt__")}


def probe(operator, word):
    """The beginning of a call that gives away what kind of thing stands in its brackets; two close it."""
    names = METHODS.get(type(operator)) or METHODS[ast.Lt]
    code = PROBE.replace("NAMES", repr(names)).replace("WORD", word)
    return "(lambda value: exec(%r, {'value': value}))((" % code


class Target:
    """A place that can be changed: the line, what makes the edits, and what is compared there."""

    def __init__(self, line, make, operator=None, given=()):
        self.line, self.make, self.operator, self.given = line, make, operator, given
        # Whether a passing mutated tells against the code whatever it was given.
        self.sure = True

    def probe(self, word):
        """Edits after which the test fails at this place, and says what was given to it."""
        if not self.given:
            return []
        left, right = self.given[0], self.given[-1]
        edits = [before(left, probe(self.operator, word)), after(right, "))")]
        if left is not right:
            edits.insert(1, Edit(left.end_lineno, left.end_col_offset, right.col_offset, ", "))
        return edits


class Function:
    """A test, and what is known of it."""

    def __init__(self, name, node, owner=None):
        self.name = name
        self.node = node
        self.owner = owner
        self.parts = parts_of(node)
        self.loads = {}
        self.stores = {}
        for part in self.parts:
            if isinstance(part, ast.Name):
                counts = self.loads if isinstance(part.ctx, ast.Load) else self.stores
                counts[part.id] = counts.get(part.id, 0) + 1

    def is_plain(self):
        """Whether every run that passes has come to the end of it."""
        ends = (ast.Return, ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)
        parameters = {argument.arg for argument in self.node.args.args}
        if INTROSPECTION & (set(self.loads) | parameters):
            return False
        if isinstance(self.node, ast.AsyncFunctionDef) and self.owner is not None:
            # Where nobody waits for it, it passes whatever it says.
            if not any(name_of(base).endswith("IsolatedAsyncioTestCase") for base in self.owner.bases):
                return False
        return not any(isinstance(part, ends) for part in self.parts) and all(
            name_of(one).rsplit(".", 1)[-1] in DECORATORS or ".mark." in "." + name_of(one)
            for one in self.node.decorator_list
        )

    def statements(self, body):
        """The statements that every run comes through."""
        for statement in body:
            yield statement
            if isinstance(statement, (ast.With, ast.AsyncWith)):
                names = [name_of(item.context_expr).rsplit(".", 1)[-1] for item in statement.items]
                if all(name in CONTEXTS for name in names):
                    yield from self.statements(statement.body)
            elif isinstance(statement, ast.For):
                some = isinstance(statement.iter, (ast.List, ast.Tuple)) and statement.iter.elts
                leaves_it = any(isinstance(part, (ast.Break, ast.Continue)) for part in parts_of(statement))
                if some and not leaves_it:
                    yield from self.statements(statement.body)

    def targets(self):
        """The places that can be changed."""
        # A test of matchers, or one that uses some, is right to pass with much.
        has_matchers = any(map(is_matcher_name, self.parts))
        for statement in self.statements(self.node.body):
            for target in self.of_statement(statement):
                target.sure = target.sure and not has_matchers
                yield target

    def of_statement(self, statement):
        if isinstance(statement, ast.Assert):
            test = statement.test
            if isinstance(test, ast.Compare) and len(test.ops) == 1:
                yield from self.of_comparison(statement, test.ops[0], test.left, test.comparators[0])
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            method = name_of(call.func)
            operator = ASSERTIONS.get(method[len("self.") :]) if method.startswith("self.") else None
            if operator and len(call.args) >= 2 and not any(isinstance(arg, ast.Starred) for arg in call.args):
                for target in self.of_comparison(statement, operator(), call.args[0], call.args[1]):
                    target.sure = self.has_usual_assertions()
                    yield target
        elif isinstance(statement, ast.With):
            for item in statement.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and name_of(call) in RAISES and call.args:
                    given = call.args[0]
                    if isinstance(given, (ast.Name, ast.Attribute)) and given.lineno == given.end_lineno:
                        is_async = isinstance(self.node, ast.AsyncFunctionDef)
                        others = [name for name in EXCEPTIONS[is_async:] if name != name_of(given)]
                        if others:
                            yield Target(
                                statement.lineno,
                                lambda place, chance, given=given, others=others: [over(given, chance.choice(others))],
                            )

    def has_usual_assertions(self):
        """Whether its methods of comparison are those of Python's own test cases, as far as the file shows."""
        own = {part.name for part in self.owner.body if isinstance(part, ast.FunctionDef)} if self.owner else set()
        bases = {name_of(one) for one in self.owner.bases} if self.owner else set()
        return bool(bases) and bases <= TEST_CASES and not own & set(ASSERTIONS)

    def of_comparison(self, statement, operator, left, right):
        if isinstance(operator, ast.Eq):
            yield from self.of_sides(statement, operator, left, right)
        elif isinstance(operator, ast.In):
            text = isinstance(left, ast.Constant) and type(left.value) in (str, bytes) and left.value
            # Numbers are in ranges and the like: another one may be as well.
            if text and left.lineno == left.end_lineno:
                yield Target(statement.lineno, lambda place, chance: [altered(left, chance)], operator, [right])
        elif isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            for side, other in ((left, right), (right, left)):
                # No number is before or behind one that is none.
                number = side.operand if isinstance(side, ast.UnaryOp) else side
                if is_literal(side) and is_number(number) and not is_literal(other):
                    if side.lineno == side.end_lineno:
                        make = lambda place, chance, side=side: [over(side, 'float("nan")')]  # noqa: E731
                        yield Target(statement.lineno, make, operator, [other])

    def of_sides(self, statement, operator, left, right):
        sides = [within(left), within(right)]
        if is_literal(sides[0]) != is_literal(sides[1]):
            side, other = (sides[1], left) if is_literal(sides[1]) else (sides[0], right)
            if can_change(side) and not is_matcher(other):
                yield Target(statement.lineno, lambda place, chance: changed(side, place, chance), operator, [other])
            return
        if is_literal(sides[0]):
            return
        found = False
        for side, other in ((right, left), (left, right)):
            if isinstance(side, ast.Name) and self.loads.get(side.id) == 1 and not is_matcher(other):
                for make in self.of_name(side.id):
                    found = True
                    yield Target(statement.lineno, make, operator, [other])
        if not found:
            yield from self.of_nothing(statement, operator, left, right)

    def of_nothing(self, statement, operator, left, right):
        """Both sides are worked out: neither may be equal to an object that is equal to nothing."""
        wild = any(
            WILD.search(name_of(part)) for side in (left, right) for part in parts_of(side) if name_of(part)
        )
        if wild or left.end_lineno != right.lineno:
            return
        gap = Edit(left.end_lineno, left.end_col_offset, right.col_offset, ") == object() or object() == (")
        edits = [before(left, "("), gap, after(right, ")")]
        if isinstance(statement, ast.Expr):
            method = statement.value.func
            start = method.end_col_offset - len(method.attr)
            name = Edit(method.end_lineno, start, method.end_col_offset, "assertTrue")
            # What follows is a message at most.
            edits = [name, *edits] if len(statement.value.args) == 2 else []
        if edits:
            yield Target(statement.lineno, lambda place, chance: edits, operator, [left, right])

    def of_name(self, name):
        """What is expected stands in a variable of the test, or in the table of its parameters."""
        parameters = [argument.arg for argument in self.node.args.args]
        if name in parameters and name not in self.stores:
            column = self.column(name)
            if column:
                yield lambda place, chance: all_changed(column, place, chance)
            return
        if self.stores.get(name) != 1:
            return
        for other in self.node.body:
            if isinstance(other, ast.Assign) and len(other.targets) == 1 and name_of(other.targets[0]) == name:
                value = other.value
                if is_literal(value) and can_change(value):
                    yield lambda place, chance, value=value: changed(value, place, chance)

    def column(self, name):
        """All values of a parameter, if all of them can be changed."""
        for call in self.node.decorator_list:
            if not name_of(call).endswith("parametrize") or not isinstance(call, ast.Call) or len(call.args) != 2:
                continue
            if any(keyword.arg != "ids" for keyword in call.keywords):
                continue
            names, rows = call.args
            if isinstance(names, ast.Constant) and isinstance(names.value, str):
                names = [one.strip() for one in names.value.split(",")]
            elif isinstance(names, (ast.List, ast.Tuple)) and all(isinstance(one, ast.Constant) for one in names.elts):
                names = [one.value for one in names.elts]
            else:
                continue
            if name not in names or len(names) < 2 or not isinstance(rows, (ast.List, ast.Tuple)):
                continue
            values = []
            for row in rows.elts:
                if isinstance(row, ast.Call) and name_of(row).endswith("param"):
                    cells = row.args
                else:
                    cells = getattr(row, "elts", [])
                if len(cells) != len(names):
                    return None
                values.append(cells[names.index(name)])
            fit = [value for value in values if is_literal(value) and can_change(value)]
            return values if values and len(fit) == len(values) else None
        return None


def is_matcher(node):
    """`Is…(…)` and the like: libraries of things that are equal to many have tests of them."""
    return any(map(is_matcher_name, parts_of(node)))


def is_matcher_name(part):
    name = name_of(part)
    return bool(name) and MATCHER.search(name) is not None


def can_change(node):
    for part in parts_of(node):
        if isinstance(part, ast.Dict):
            keys = [ast.literal_eval(key) for key in part.keys]
            if len(keys) != len(set(keys)):
                # Of two values of one key only one counts.
                return False
    grows = isinstance(node, (ast.List, ast.Set, ast.Dict)) or isinstance(node, ast.Tuple) and not node.elts
    return grows or bool(leaves(node))


def within(node):
    """What `pytest.approx(…)` and its like stand for."""
    plain = isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords
    return node.args[0] if plain and name_of(node).rsplit(".", 1)[-1] in ("approx", "list", "dict") else node


def functions(tree, parts):
    """The tests of a file, by the names that runners give them; what is defined or called elsewhere is left out."""
    found, twice = {}, set()

    def add(name, node, owner=None):
        if name in found:
            twice.add(name)
        found[name] = Function(name, node, owner)

    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    # Names that the file uses: tests of a class that others are made of are theirs as well.
    used = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    used |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
    for node in tree.body:
        if isinstance(node, kinds) and node.name.startswith("test"):
            add(node.name, node)
        elif isinstance(node, ast.ClassDef) and all(".mark." in "." + name_of(one) for one in node.decorator_list):
            for inner in node.body:
                if isinstance(inner, kinds) and inner.name.startswith("test") and node.name not in used:
                    add("%s::%s" % (node.name, inner.name), inner, node)
    return [function for name, function in found.items() if name not in twice and function.node.name not in used]


def qualify(tree, parts):
    """Writes the names of Python's own test cases out, where they were imported by name."""
    names = {
        alias.asname or alias.name: "unittest." + alias.name
        for node in parts
        if isinstance(node, ast.ImportFrom) and node.module == "unittest" and not node.level
        for alias in node.names
    }
    for node in tree.body:
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            if isinstance(base, ast.Name) and base.id in names:
                base.id = names[base.id]


def shared_parameters(parts):
    """Names of parameters that fixtures of the file take: what stands in a table reaches them, too."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    fixtures = [
        node
        for node in parts
        if isinstance(node, kinds) and any("fixture" in name_of(one) for one in node.decorator_list)
    ]
    return {argument.arg for node in fixtures for argument in node.args.args + node.args.kwonlyargs}


def is_suitable(source):
    """Whether the places that a parser tells are those in the bytes."""
    head = b"\n".join(source.split(b"\n", 2)[:2])
    if len(source) > FILE_BYTES_MAX or any(mark in source for mark in UNSUITABLE):
        return False
    if re.search(rb"coding[:=]\s*(?!utf-?8)", head, re.IGNORECASE):
        return False
    # These end lines for some and not for others.
    return b"\r" not in source.replace(b"\r\n", b"\n") and b"\f" not in source


class Change:
    """A mutated: the line, the edits that make it, and those that make a probe of it."""

    def __init__(self, target, edits, word):
        self.line, self.edits = target.line, edits
        self.probe = target.probe(word)
        self.sure = target.sure
        # Containers and things in an order may honestly hold everything, or be in front of all.
        self.is_equality = not target.operator or isinstance(target.operator, ast.Eq)


def taken_from_others(source):
    """Names that a file may take from other files; tests that it calls or inherits are not that file's own."""
    imports = re.findall(rb"\bimport\s*\(([^)]*)\)|\bimport\s+([^\n(]+)", source)
    words = re.findall(rb"[^\W\d]\w*", b" ".join(part for pair in imports for part in pair))
    return {name.decode(errors="replace") for name in words + re.findall(rb"\.\s*([^\W\d]\w*)", source)}


def changes_of(source, chance, word="word", elsewhere=()):
    """Returns for each test that can have a mutated, by its name, how it is changed.

    `elsewhere` has the names that other files take from somewhere.
    """
    if not is_suitable(source):
        return {}
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    parts = parts_of(tree)
    qualify(tree, parts)
    shared = shared_parameters(parts)
    lines = source.split(b"\n")
    all_targets = {}
    for function in functions(tree, parts):
        if not set(function.name.split("::")).isdisjoint(elsewhere):
            continue
        for name in shared:
            function.stores[name] = function.stores.get(name, 0) + 2
        targets = list(function.targets()) if function.is_plain() else []
        if targets:
            place = places(lines, function.node)
            place.shuffle(targets)
            all_targets[function.name] = (place.random(), targets[:TARGETS_MAX])
    # Of many in a large file some have to do; which ones follows from their texts.
    chosen = sorted(all_targets, key=lambda name: all_targets[name][0])[: READ_BYTES_MAX // max(len(source), 1)]
    all_targets = {name: all_targets[name] for name in chosen}
    found = {name: first(targets, seed, chance, word) for name, (seed, targets) in all_targets.items()}
    changes = {name: change for name, change in found.items() if change}
    if is_sound(written(source, [edit for change in changes.values() for edit in change.edits])):
        return changes
    # Brackets around the sides of a comparison are rare, and no part of the tree: one test after the other.
    sound = {}
    for name in list(changes)[:TESTS_MAX]:
        seed, targets = all_targets[name]
        for target in targets:
            edits = target.make(random.Random(seed), chance)
            if edits and is_sound(written(source, edits)):
                sound[name] = Change(target, edits, word)
                break
    return sound


def places(lines, node):
    """What decides upon the places within a test: its own text, and nothing else."""
    start = min([node.lineno] + [one.lineno for one in node.decorator_list])
    text = b"\n".join(lines[start - 1 : node.end_lineno]).replace(b"\r", b"")
    return random.Random(int.from_bytes(hashlib.sha256(text).digest()[:8], "big"))


def first(targets, seed, chance, word):
    """The first place at which something can be changed, and how."""
    for target in targets:
        edits = target.make(random.Random(seed), chance)
        if edits:
            return Change(target, edits, word)
    return None


def is_sound(source):
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def written(source, edits):
    """The source with edits carried out."""
    text = source.split(b"\n")
    for edit in sorted(edits, key=lambda edit: (edit.line, edit.first), reverse=True):
        old = text[edit.line - 1]
        text[edit.line - 1] = old[: edit.first] + edit.text.encode() + old[edit.last :]
    return b"\n".join(text)
