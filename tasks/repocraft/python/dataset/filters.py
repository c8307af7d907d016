"""Why a harvested test is not part of the dataset: named rules, the first that applies is the reason."""

import ast
import re

import marks
from demands.demands import demands_of
from describe import Wording
from source import chain, is_private_name, walk
from targets import words_of

SHORTEST_SLICE = 10
FORMAT_WORDS = {
    "repr", "pickle", "pickling", "pickleable", "pickled", "serializable", "deserializable", "deprecated",
    "deprecation", "deprecate", "version", "docstring", "warnings", "entry", "printing", "pprint", "latex",
}  # fmt: skip
# Of these a test asserts that something goes away; what silences them does not matter.
DEPRECATION = re.compile(r"^(\w*DeprecationWarning|FutureWarning|RemovedIn\w+Warning|warns_deprecated\w*|deprecated_call)$")
SILENCING = {"filterwarnings", "simplefilter", "ignore_warnings", "catch_warnings"}
TYPE_ASSERTIONS = {"assertIsInstance", "assertNotIsInstance", "assertIsNotNone"}
GUI_MODULES = {"matplotlib", "tkinter", "pyglet", "selenium", "ipywidgets"}
SLOW_MARKS = re.compile(r"slow|tooslow|single_cpu|high_memory")
CHECKS = re.compile(r"^(assert\w*|raises|warns|fail)$")
HOST = re.compile(r"https?://([^/:\s?#\"']+)", re.IGNORECASE)
# Names reserved for documentation and tests, and this machine: they never leave it.
HARMLESS_HOST = re.compile(r"^(.*\.)?(example(\.(com|org|net))?|test|invalid|localhost)$|^[\d.\[\]:]+$|^[^.]*$|[*{}%]")
OUTSIDE_PATH = re.compile(r"^(tests/|/(etc|usr|var|home|root|proc|sys)/)")
SENDING = {"get", "post", "put", "head", "patch", "options", "delete", "request", "send"}


class Harvested:
    """A unit, and once it is sliced its slice and what was learnt about it."""

    def __init__(self, unit):
        self.unit = unit
        self.is_sliced = False

    def learn(self, text, tree, imports, symbols, names):
        self.is_sliced = True
        self.text = text
        self.tree = tree
        self.imports = imports
        self.symbols = symbols
        # The symbols without the modules that define them: `Session.get`.
        self.names = names

    @property
    def checks(self):
        return [node for node in walk(self.unit.node) if is_check(node)]


def is_check(node):
    if isinstance(node, ast.Assert):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)) and bool(
        CHECKS.match(node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id)
    )


def is_skipped(test, settings):
    return test.unit.is_skipped()


def is_marked_slow(test, settings):
    """Upstream itself leaves it out of ordinary runs."""
    return test.unit.marked(SLOW_MARKS)


def has_no_assertion(test, settings):
    return not test.checks


def is_trivial(test, settings):
    """Nothing is checked but types, presence or None-ness."""
    return all(is_trivial_check(check) for check in test.checks)


def is_trivial_check(check):
    if isinstance(check, ast.Assert):
        return is_type_check(check.test)
    name = (chain(check.func) or [""])[-1]
    return name in TYPE_ASSERTIONS or name in ("assertTrue", "assertFalse") and bool(check.args) and is_type_check(check.args[0])


def is_type_check(node):
    if isinstance(node, ast.Call):
        return (chain(node.func) or [""])[-1] in ("isinstance", "issubclass", "hasattr", "callable")
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        right = node.comparators[0]
        return isinstance(node.ops[0], ast.IsNot) and isinstance(right, ast.Constant) and right.value is None
    return False


def needs_network(test, settings):
    """Sends to a host that is not this machine; tests that only prepare messages for such hosts are fine."""
    read = {node.id for node in walk(test.unit.node) if isinstance(node, ast.Name)}
    if read & set(settings["networkNames"]):
        return True
    sends = any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SENDING
        and any(names_foreign_host(argument) for argument in node.args + [keyword.value for keyword in node.keywords])
        for node in walk(test.unit.node)
    )  # fmt: skip
    return sends


def names_foreign_host(node):
    return any(
        isinstance(child, ast.Constant) and isinstance(child.value, str)
        and any(not HARMLESS_HOST.search(host) for host in HOST.findall(child.value))
        for child in walk(node)
    )  # fmt: skip


def leaves_tmp(test, settings):
    """Reads files of the release's test suite or of the system. Its own text (`__file__`) lies in the work folder and is fine."""
    for node in walk(test.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and OUTSIDE_PATH.match(node.value):
            return True
        if isinstance(node, ast.Call) and chain(node.func) == ["open"] and node.args and isinstance(node.args[0], ast.Constant):
            return True
    return False


def shows_windows(test, settings):
    imported = [alias.name for node in test.tree.body if isinstance(node, ast.Import) for alias in node.names]
    imported += [node.module or "" for node in test.tree.body if isinstance(node, ast.ImportFrom)]
    return any(name.split(".")[0] in GUI_MODULES for name in imported)


def checks_format(test, settings):
    file = settings["formatFiles"]
    return bool(set(words_of(test.unit.name)) & FORMAT_WORDS) or bool(file and re.search(file, test.unit.module.path))


def demands_deprecation(test, settings):
    """Names a warning of deprecation otherwise than to silence it."""
    silenced = [
        node for node in walk(test.unit.node) if isinstance(node, ast.Call) and (chain(node.func) or [""])[-1] in SILENCING
    ]
    harmless = {id(part) for call in silenced for part in walk(call)}
    named = [node for node in walk(test.unit.node) if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in harmless]
    return any(DEPRECATION.match(node.attr if isinstance(node, ast.Attribute) else node.id) for node in named)


def names_in_text(test, settings):
    """Names a module of the library in a text, its helpers' included: out of reach for whoever calls it otherwise."""
    path = re.compile(rf"{re.escape(settings['package'])}(\.[A-Za-z_]\w*)+")
    texts = [node.value for node in walk(test.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return any(path.fullmatch(text) for text in texts)


def is_private(test, settings):
    """Uses names with a leading underscore, imports from inside, or reads modules that are not for users.

    A public name may be defined in a module with a leading underscore: what counts is the path a test writes, and the
    name itself.
    """
    package = settings["package"]
    uses = [use for entry in test.imports for use in [entry["module"], *entry["uses"]]]
    if any(is_private_name(part) for path in [*uses, *test.names] for part in path.split(".")):
        return True
    if any(isinstance(node, ast.ImportFrom) and (node.module or "").startswith(package + ".") for node in walk(test.unit.node)):
        return True
    if any(reads_private_state(node) for node in walk(test.tree)):
        return True
    hidden = [*settings["hiddenModules"], *settings["shimModules"]]
    return any(use == path or use.startswith(path + ".") for use in uses for path in hidden)


def reads_private_state(node):
    """What an object keeps for itself, by attribute or through `vars`, `__dict__` and `getattr`."""
    if isinstance(node, ast.Attribute):
        is_hidden = bool(re.match(r"_(?!_)", node.attr)) or node.attr == "__dict__"
        return is_hidden and chain(node.value) not in (["self"], ["cls"])
    if not isinstance(node, ast.Call) or not node.args:
        return False
    name = chain(node.func)
    if name == ["vars"]:
        return True
    asked = node.args[1] if name in (["getattr"], ["hasattr"], ["setattr"]) and len(node.args) > 1 else None
    return isinstance(asked, ast.Constant) and bool(re.match(r"_(?!_)", str(asked.value)))


SEEDS = {"seed", "set_state", "reset_randomstate"}
GENERATORS = {"RandomState", "default_rng", "Random", "Generator"}
DRAWS = re.compile(r"^(rand\w*|choices?|sample|shuffle|permutation|uniform|\w*normal\w*|exponential|poisson|binomial|gamma|beta|standard_\w+|bytes|chisquare|gumbel|laplace|logistic|multinomial|dirichlet)$")


def draws_unseeded(test, settings):
    """Draws at random without a seed, so that nobody can say what it asks."""
    drawn = {name.asname or name.name for node in walk(test.tree) if isinstance(node, ast.ImportFrom) and node.module in ("random", "numpy.random") for name in node.names}
    words = {part for node in walk(test.tree) if isinstance(node, (ast.Attribute, ast.Name)) for part in [getattr(node, "attr", getattr(node, "id", ""))]}
    arguments = {argument.arg for node in walk(test.tree) if isinstance(node, ast.arguments) for argument in node.args}
    calls = [node for node in walk(test.tree) if isinstance(node, ast.Call)]
    if any(is_unseeded_generator(call) for call in calls):
        return True
    return not (words | arguments) & SEEDS and any(is_draw(call, drawn) for call in calls)


def is_unseeded_generator(call):
    parts = chain(call.func) or [""]
    unseeded = not call.args and not call.keywords or len(call.args) == 1 and isinstance(call.args[0], ast.Constant) and call.args[0].value is None
    return unseeded and parts[-1] in GENERATORS and (len(parts) == 1 or parts[-2] == "random")


def is_draw(call, drawn):
    parts = chain(call.func) or [""]
    if len(parts) == 1:
        return parts[0] in drawn and bool(DRAWS.match(parts[0]))
    return parts[-2] == "random" and len(parts) <= 3 and bool(DRAWS.match(parts[-1]))


def asserts_unstated_text(test, settings):
    """Demands a message that its description cannot state: put together at run time, too long, or telling the project."""
    return bool(demands_of(test.unit, Wording(settings)).unstated)


# Characters of what one test asserts: more nobody reads.
MOST_SAID = 7000


def is_unsaid(test, settings):
    """What it asserts cannot be said in words, or in so many: a name means nothing to a reader, or something has to be left out."""
    demands = demands_of(test.unit, Wording(settings))
    told = [*demands.cases, *(clause.text for clause in demands.clauses)]
    return not demands.clauses or bool(demands.unsaid) or any(marks.is_unsaid(text) or marks.is_cut(text) for text in told) or sum(map(len, told)) > MOST_SAID


def has_no_target(test, settings):
    return not test.symbols


def is_short(text):
    """Applied to whole tasks: a short test may stand with its neighbours."""
    return len(code_lines(text)) < SHORTEST_SLICE


def code_lines(text):
    """Lines that are neither blank nor comment."""
    return [line for line in text.split("\n") if line.strip() and not line.strip().startswith("#")]


# In this order; the first that applies names the reason. These look at the test alone, before it is sliced …
RULES_OF_TESTS = [
    ("skip-or-xfail", is_skipped),
    ("marked-slow", is_marked_slow),
    ("no-assertion", has_no_assertion),
    ("trivial", is_trivial),
    ("format", checks_format),
    ("deprecation", demands_deprecation),
]
# … and these at its slice as well.
RULES_OF_SLICES = [
    ("gui", shows_windows),
    ("network", needs_network),
    ("file-system", leaves_tmp),
    ("private-api", is_private),
    ("name-in-text", names_in_text),
    ("no-target", has_no_target),
    ("unseeded", draws_unseeded),
    ("unstated-text", asserts_unstated_text),
    ("unsaid", is_unsaid),
]


def reason_to_drop(test, settings, overrides):
    """The name of the rule that drops a test, or None; an override decides before every rule. To be asked before the test is sliced, and again after."""
    override = overrides.get(test.unit.key)
    if override:
        return None if override["action"] == "keep" else override["rule"]
    rules = RULES_OF_SLICES if test.is_sliced else RULES_OF_TESTS
    return next((name for name, applies in rules if applies(test, settings)), None)
