"""Cuts tests out of their module with exactly what they use, as source text.

A slice is one self-contained file: the project's prelude, imports (one name a line, only names in use), helpers of
other test modules, our shims for fixtures and module re-exports, then the test module's own statements in their order.
Statements are text of the original files; a test class is its header with the chosen members. Our stand-ins for the
reference's assertion helpers are no part of the file: they lie beside it, as modules of their own.
"""

import ast
import re

from harvest import fixture_arguments, is_autouse, is_fixture, is_test
from source import FUNCTIONS, IMPORTS, bound_names, chain, first_line, loaded_names, walk

PYTEST_FIXTURES = {
    "cache", "capfd", "capfdbinary", "caplog", "capsys", "capsysbinary", "doctest_namespace", "monkeypatch",
    "pytestconfig", "record_property", "record_testsuite_property", "record_xml_attribute", "recwarn", "request",
    "testdir", "tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory",
}  # fmt: skip
SET_UP = {
    "setup", "setup_method", "setup_class", "teardown", "teardown_method", "teardown_class",
    "setUp", "setUpClass", "setUpTestData", "tearDown", "tearDownClass",
}  # fmt: skip


class CannotSlice(Exception):
    """The test uses something that cannot be cut out; the message says what."""


class Sources:
    """What every slice of a project reads: its settings, its tests, the reference index and our shims."""

    def __init__(self, settings, tests, reference, shims):
        self.settings = settings
        self.tests = tests
        self.reference = reference
        self.shims = shims
        self.autouse = {}
        self.test_names = re.compile(settings["testModules"])
        tests.fixtures = self.fixture_shims()

    def test_module(self, dotted):
        """The test module of a dotted name; None where it is no test module or is not there."""
        return self.tests.find(dotted) if self.test_names.search(dotted) else None

    def fixture_shims(self):
        """The module of our stand-ins for conftest fixtures, or None."""
        file = self.settings["shimFixtures"]
        return self.shims.load(file) if file else None

    def library_shim(self, dotted):
        """(name to import it by, module) of our stand-in for a whole module of the reference, or None."""
        file = self.settings["shimLibraries"].get(dotted)
        return (file.removesuffix(".py"), self.shims.load(file)) if file else None

    def shim_text(self, name):
        """The file of a stand-in, for the folder of the test."""
        return "\n".join(self.shims.load(name).lines)

    def always_used(self, module):
        """Fixtures of a test module that every test in it uses."""
        if module.path not in self.autouse:
            self.autouse[module.path] = [statement for statement in module.tree.body if is_autouse(statement)]
        return self.autouse[module.path]

    def prelude(self, imports):
        """What a test file of the project begins with (settings, a database); empty where its imports need none of it."""
        file = self.settings["prelude"]
        mine = [dotted for dotted, _, _ in imports if self.reference.inside(dotted)]
        if not file or all(re.search(self.settings["preludeUnless"], dotted) for dotted in mine):
            return ""
        return "\n".join(self.shims.load(file).lines).strip()


class Slice:
    """The slice of some units of one class (or of module-level functions of one file)."""

    def __init__(self, sources, units):
        self.sources = sources
        self.module = units[0].module
        self.imports = set()
        self.pieces = {}
        self.members = {}
        self.fixtures = set()
        self.libraries = set()
        self.module_order = []
        self.owners = {}
        self.done = set()
        for unit in units:
            self.need_unit(unit)
        for statement in sources.always_used(self.module):
            self.need_statement(self.module, statement)
        for mark in self.module.bindings.get("pytestmark", []):
            self.need_statement(self.module, mark[0])

    # -- what is needed

    def need_unit(self, unit):
        if unit.owner is None:
            self.need_statement(self.module, unit.node)
            self.need_fixtures(self.module, None, unit.node, unit.fixture_names())
            return
        self.need_test_class(self.module, unit.owner)
        self.need_member(self.module, unit.owner, unit.node)
        self.need_fixtures(self.module, unit.owner, unit.node, unit.fixture_names())

    def need_test_class(self, module, owner):
        key = (module.path, first_line(owner))
        if key in self.members:
            return
        self.members[key] = set()
        self.claim(module, owner)
        for part in owner.decorator_list + owner.bases + owner.keywords:
            self.need_names(module, loaded_names(part))
        for member in owner.body:
            if is_autouse(member) or getattr(member, "name", None) in SET_UP:
                self.need_member(module, owner, member)

    def need_member(self, module, owner, member):
        chosen = self.members[(module.path, first_line(owner))]
        if first_line(member) in chosen:
            return
        chosen.add(first_line(member))
        siblings = {}
        for other in owner.body:
            for name, _ in bound_names(other):
                siblings.setdefault(name, []).append(other)
        wanted = {
            parts[1]
            for parts in (chain(node) for node in walk(member) if isinstance(node, ast.Attribute))
            if parts and parts[0] in ("self", "cls", owner.name)
        }
        at_class_level = loaded_names(member)
        for name in sorted(wanted | at_class_level):
            # The name may be local to the method; taking a sibling of that name along does no harm.
            for other in siblings.get(name, []):
                if other is not member and not is_test(other):
                    self.need_member(module, owner, other)
        self.need_names(module, {name for name in at_class_level if name not in siblings} - {owner.name})
        if is_fixture(member) or (isinstance(member, FUNCTIONS) and member.name in SET_UP):
            self.need_fixtures(module, owner, member, fixture_arguments(member))

    def need_names(self, module, names):
        for name in sorted(names):
            self.need_name(module, name)

    def need_name(self, module, name):
        if (module.path, name) in self.done:
            return
        self.done.add((module.path, name))
        for statement, alias in module.bindings.get(name, []):
            if isinstance(statement, IMPORTS):
                self.need_import(module, statement, alias)
            else:
                self.need_statement(module, statement)

    def need_statement(self, module, statement):
        key = (module.path, first_line(statement))
        if key in self.pieces or key in self.members:
            return
        if isinstance(statement, ast.ClassDef) and any(is_test(member) for member in statement.body):
            self.need_test_class(module, statement)
            for member in statement.body:
                if not is_test(member):
                    self.need_member(module, statement, member)
            return
        self.claim(module, statement)
        self.pieces[key] = module.segment(statement)
        own = {name for name, _ in bound_names(statement)}
        self.need_names(module, loaded_names(statement) - own)
        if self.sources.settings["namesInStrings"] and isinstance(statement, ast.ClassDef):
            # A model names another one in a string, and one defined later can only be named so.
            texts = {node.value for node in walk(statement) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            self.need_names(module, {text for text in texts if text in module.bindings} - own)
        if is_fixture(statement):
            self.need_fixtures(module, None, statement, fixture_arguments(statement))

    def claim(self, module, statement):
        """Two modules that bind one name differently cannot share a file."""
        for name, _ in bound_names(statement):
            if self.owners.setdefault(name, module.path) != module.path:
                raise CannotSlice(f"name {name} is bound in {self.owners[name]} and in {module.path}")

    # -- fixtures

    def need_fixtures(self, module, owner, asker, names):
        for name in names:
            self.need_fixture(module, owner, asker, name)

    def need_fixture(self, module, owner, asker, name):
        for member in owner.body if owner else []:
            if is_fixture(member) and member.name == name and member is not asker:
                self.fixtures.add((name, "test_code"))
                return self.need_member(module, owner, member)
        shims = self.sources.fixture_shims()
        for place in (module, shims):
            for statement, _ in place.bindings.get(name, []) if place else []:
                if is_fixture(statement) and statement is not asker:
                    self.fixtures.add((name, "test_code"))
                    return self.need_statement(place, statement)
        if name in PYTEST_FIXTURES:
            self.fixtures.add((name, "pytest"))
        elif name in self.sources.settings["pluginFixtures"]:
            self.fixtures.add((name, self.sources.settings["pluginFixtures"][name]))
        else:
            raise CannotSlice(f"no fixture called {name}")

    # -- imports

    def need_import(self, module, statement, alias):
        if isinstance(statement, ast.Import):
            return self.need_plain_import(alias)
        local, source = alias.asname or alias.name, module.absolute(statement)
        if alias.name == "*":
            raise CannotSlice(f"star import of {source}")
        if source == "__future__":
            return self.imports.add((source, alias.name, local))
        helper = self.sources.test_module(source)
        if helper or statement.level and self.sources.test_names.search(source):
            if not helper or alias.name not in helper.bindings:
                raise CannotSlice(f"{source} has no {alias.name} to cut out")
            return self.need_from_helper(helper, alias.name, local)
        if self.inside(source, self.sources.settings["package"]):
            return self.need_reference(f"{source}.{alias.name}", source, alias.name, local)
        return self.imports.add((source, alias.name, local))

    def need_plain_import(self, alias):
        if self.sources.test_module(alias.name):
            raise CannotSlice(f"test module {alias.name} imported as a whole")
        if self.sources.library_shim(alias.name):
            if not alias.asname:
                raise CannotSlice(f"{alias.name} imported by its whole path")
            return self.need_library(alias.name, None, alias.asname)
        self.imports.add((alias.name, None, alias.asname or alias.name.split(".")[0]))

    def need_library(self, dotted, name, local):
        """A stand-in of ours beside the test file, imported in place of the reference's module."""
        module, shim = self.sources.library_shim(dotted)
        self.libraries.add(shim.path)
        self.imports.add((module, name, local))

    def need_reference(self, dotted, source, name, local):
        if self.sources.library_shim(dotted):
            return self.need_library(dotted, None, local)
        found = self.sources.reference.resolve(dotted)
        if found and found[0] == "external":
            return self.imports.add((found[1], found[2], local))
        shim = self.sources.library_shim(source)
        if shim and name in shim[1].bindings:
            return self.need_library(source, name, local)
        for prefix, file in self.sources.settings["shimModules"].items():
            if self.inside(found[1] if found else dotted, prefix):
                shim = self.sources.shims.load(file)
                if name not in shim.bindings:
                    raise CannotSlice(f"no shim for {dotted}")
                return self.need_from_helper(shim, name, local)
        return self.imports.add((source, name, local))

    def need_from_helper(self, helper, name, local):
        self.need_name(helper, name)
        if local != name:
            self.pieces[(helper.path, len(helper.lines) + 1, local)] = f"{local} = {name}"
        if helper.path not in self.module_order:
            self.module_order.append(helper.path)

    @staticmethod
    def inside(dotted, package):
        return dotted == package or dotted.startswith(package + ".")

    # -- text

    def text(self, prelude=True):
        """The file. Deterministic: sorted imports, then pieces by module and line. Without the prelude it is what the tests themselves say."""
        self.check_imports()
        future = sorted(render(entry) for entry in self.imports if entry[0] == "__future__")
        package = self.sources.settings["package"]
        others = {entry for entry in self.imports if entry[0] != "__future__"}
        ours = {entry for entry in others if self.inside(entry[0], package)}
        blocks = [future, [self.sources.prelude(others) if prelude else ""], sorted(render(entry) for entry in others - ours), sorted(render(entry) for entry in ours)]
        head = "\n\n".join("\n".join(block) for block in blocks if any(block))
        text = "\n\n\n".join([part for part in [head] if part] + self.bodies()) + "\n"
        self.check_libraries(text)
        return text

    def auxiliary(self):
        """Files to lie beside the test: name → text."""
        return {path: self.sources.shim_text(path) for path in sorted(self.libraries)}

    def check_libraries(self, text):
        """Whatever a test takes from a stand-in imported as a whole must be in it."""
        for module, name, local in self.imports:
            if name is None and module + ".py" in self.libraries:
                shim = self.sources.shims.load(module + ".py")
                for used in re.findall(rf"(?<![\w.]){local}\.(\w+)", text):
                    if used not in shim.bindings:
                        raise CannotSlice(f"no shim for {local}.{used}")

    def bodies(self):
        texts = dict(self.pieces)
        for (path, line), chosen in self.members.items():
            texts[(path, line)] = self.class_text(path, line, chosen)
        paths = sorted({key[0] for key in texts}, key=lambda path: (path == self.module.path, path))
        return [texts[key] for path in paths for key in sorted(k for k in texts if k[0] == path)]

    def class_text(self, path, line, chosen):
        module = self.sources.tests.load(path)
        owner = next(node for node in module.tree.body if isinstance(node, ast.ClassDef) and first_line(node) == line)
        last = first_line(owner.body[0]) - 1
        while last > owner.lineno and module.lines[last - 1].strip()[:1] in ("", "#"):
            last -= 1
        members = [module.segment(member) for member in owner.body if first_line(member) in chosen]
        # A mixin that has nothing but tests stays a class.
        return module.text_of(line, last) + "\n" + "\n\n".join(members or ["    pass"])

    def check_imports(self):
        bound = {}
        for module, name, local in self.imports:
            target = (module, name) if name or local != module.split(".")[0] else local
            # A name and its re-export are one thing.
            found = self.sources.reference.resolve(f"{module}.{name}") if name else None
            target = found[1] if found and found[0] == "reference" else target
            if bound.setdefault(local, target) != target:
                raise CannotSlice(f"{local} is imported from two places")
            if local in self.owners:
                raise CannotSlice(f"{local} is imported and defined in {self.owners[local]}")


def render(entry):
    module, name, local = entry
    if name is None:
        return f"import {module}" + (f" as {local}" if local != module.split(".")[0] else "")
    return f"from {module} import {name}" + (f" as {local}" if local != name else "")
