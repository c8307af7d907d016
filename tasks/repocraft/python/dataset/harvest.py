"""Test units: the functions and methods pytest would collect, with what their decorators say."""

import ast
import re

from source import FUNCTIONS, chain, first_line, walk

SKIPS = re.compile(r"(skip|skipif|skip_if\w*|skip_unless\w*|skipIf\w*|skipUnless\w*|SKIP|xfail|XFAIL|expectedFailure|importorskip)")


class Unit:
    """One test function (`owner` None) or method of a test class."""

    def __init__(self, module, owner, node):
        self.module = module
        self.owner = owner
        self.node = node
        # What it asserts, in words (`demands/demands.py`).
        self.demands = None

    @property
    def name(self):
        return self.node.name

    @property
    def node_id(self):
        """pytest's id without the file."""
        return f"{self.owner.name}::{self.name}" if self.owner else self.name

    @property
    def key(self):
        return f"{self.module.path}::{self.node_id}"

    @property
    def lines(self):
        return [first_line(self.node), self.node.end_lineno]

    def decorators(self):
        """Decorators of the function and its class and `pytestmark` of the module, names replaced by what they were assigned."""
        found = [self.expand(decorator) for decorator in self.node.decorator_list]
        if self.owner:
            found += [self.expand(decorator) for decorator in self.owner.decorator_list]
        marks = [statement for statement, _ in self.module.bindings.get("pytestmark", [])]
        return found + [mark.value for mark in marks if isinstance(mark, ast.Assign)]

    def expand(self, decorator):
        if not isinstance(decorator, ast.Name):
            return decorator
        scopes = [self.owner.body] if self.owner else []
        for body in scopes + [self.module.tree.body]:
            for statement in body:
                if isinstance(statement, ast.Assign) and decorator.id in [
                    target.id for target in statement.targets if isinstance(target, ast.Name)
                ]:
                    return statement.value
        return decorator

    def parametrised(self):
        """(argument names, number of cases) over all parametrize marks; 1 case where the values are not written out."""
        names, cases = set(), 1
        for decorator in self.decorators():
            if not (isinstance(decorator, ast.Call) and (chain(decorator.func) or [""])[-1] == "parametrize"):
                continue
            arguments = decorator.args + [keyword.value for keyword in decorator.keywords]
            if not arguments:
                continue
            names |= set(argument_names(arguments[0]))
            if len(arguments) > 1 and isinstance(arguments[1], (ast.Tuple, ast.List, ast.Set)):
                cases *= max(1, len(arguments[1].elts))
        return names, cases

    def parametrised_texts(self):
        """Argument → the texts among its values, where parametrize marks of one argument write them out."""
        found = {}
        for decorator in self.decorators():
            is_mark = isinstance(decorator, ast.Call) and (chain(decorator.func) or [""])[-1] == "parametrize"
            names = argument_names(decorator.args[0]) if is_mark and decorator.args else []
            if len(names) == 1 and len(decorator.args) > 1 and isinstance(decorator.args[1], (ast.Tuple, ast.List, ast.Set)):
                found[names[0]] = [value.value for value in decorator.args[1].elts if isinstance(value, ast.Constant)]
        return found

    def fixture_names(self):
        """Fixtures by argument; pytest gives none to the methods of unittest's classes."""
        if self.owner and any("TestCase" in (chain(base) or [""])[-1] for base in self.owner.bases):
            return []
        return fixture_arguments(self.node, self.parametrised()[0])

    def marked(self, pattern):
        """True when a name in a decorator (marks inside parameters included) matches."""
        nodes = [node for decorator in self.decorators() for node in walk(decorator)]
        return any(pattern.fullmatch(getattr(node, "attr", getattr(node, "id", ""))) for node in nodes)

    def is_skipped(self):
        if self.marked(SKIPS):
            return True
        return any(
            isinstance(node, ast.Call) and SKIPS.fullmatch((chain(node.func) or [""])[-1]) for node in walk(self.node)
        )


def argument_names(node):
    """Names in parametrize's first argument: 'a, b' or a sequence of strings."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    if isinstance(node, (ast.Tuple, ast.List)):
        return [element.value for element in node.elts if isinstance(element, ast.Constant)]
    return []


def fixture_arguments(node, parametrised=()):
    """Arguments pytest fills with fixtures: no defaults, not parametrised, not self."""
    arguments = node.args
    plain = arguments.posonlyargs + arguments.args
    plain = plain[: len(plain) - len(arguments.defaults)] if arguments.defaults else plain
    wanted = plain + [
        argument for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults) if default is None
    ]
    return [argument.arg for argument in wanted if argument.arg not in ("self", "cls") and argument.arg not in parametrised]


def is_fixture(node):
    """A function with pytest's fixture decorator."""
    return isinstance(node, FUNCTIONS) and any(
        (chain(decorator.func if isinstance(decorator, ast.Call) else decorator) or [""])[-1] == "fixture"
        for decorator in node.decorator_list
    )


def is_autouse(node):
    return is_fixture(node) and any(
        isinstance(decorator, ast.Call)
        and any(keyword.arg == "autouse" and getattr(keyword.value, "value", False) for keyword in decorator.keywords)
        for decorator in node.decorator_list
    )


def is_test(node):
    return isinstance(node, FUNCTIONS) and node.name.startswith("test")


def is_test_class(node):
    return isinstance(node, ast.ClassDef) and (
        node.name.startswith("Test") or any("TestCase" in (chain(base) or [""])[-1] for base in node.bases)
    )


def units_of(module):
    """Every unit of a file in order. A later definition of the same name hides the earlier one, as in Python."""
    found = {}
    for statement in module.tree.body:
        if is_test(statement):
            found[statement.name] = Unit(module, None, statement)
        elif is_test_class(statement):
            for member in statement.body:
                if is_test(member):
                    unit = Unit(module, statement, member)
                    found[unit.node_id] = unit
    return sorted(found.values(), key=lambda unit: unit.node.lineno)
