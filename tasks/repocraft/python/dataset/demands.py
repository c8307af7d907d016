"""What the assertions of a test demand, in words: values, exceptions, relations and tolerances, in the order of the test."""

import ast
import builtins
import re

from clauses import Clause, Deed, Heading, in_order
from harvest import fixture_arguments
from phrases import AS_KIND, CUT, DEFINED, NAMING, OPERATORS, RELATION, UNSAID, Speech, Under, assigned_name, changed_roots, doubled_names, handed_on, is_literal, closed, is_read, path_of, qualified_names, renamed, root_of, spelled_names, with_article
from slicer import SET_UP
from source import FUNCTIONS, chain, walk
from values import always_used, changed_by_helpers, class_values, fixture_of, given_node, gives_nothing, is_change, module_values, owners_of, with_lines

LONGEST_MESSAGE = 160
LONGEST_CLAUSE = 1800
LONGEST_BEFORE = 2400
LONGEST_FIELDS = 4000
LONGEST_SET_UP = 200
LONGEST_MEANINGS = 3000
LONGEST_HEADING = 1200
LONGEST_ROWS = 4000
LONGEST_ROW = 900
MOST_HELPERS = 2
# What a set-up does for itself.
SETTING_UP = re.compile(r"^(add(Class|Module)?Cleanup|set_?up\w*|tear_?down\w*)$", re.IGNORECASE)
# Contexts that change nothing of what is computed.
QUIET = re.compile(r"^(catch_warnings|errstate|suppress|ignore\w*|redirect_\w+|assert\w*|subTest|nullcontext|captured?_\w+)$", re.IGNORECASE)
# What changes the surroundings of a test, so that it is never out of sight.
SURROUNDING = re.compile(r"^(setenv|delenv|setattr|delattr|setitem|chdir)$")
# Done for their own sake: that they are possible is not what a test asks.
PLAIN_ACTS = re.compile(r"^(close|clear|stop|start|cleanup|seed|register|unregister|print|patch|reset\w*|setdefault|append|extend|add|flush|write|warn|skip|sleep|set|join|shutdown|quit|release|acquire|exit)$")
RAISING = re.compile(r"^(assert_?)?(raises|warns)(_?(regexp?|message|exception|produces_warning))?$|^assert_produces_warning$|^deprecated_call$", re.IGNORECASE)
EQUAL = re.compile(r"^assert_?((\w+_)?equals?|(list|dict|tuple|set|sequence|multiline|count|html|json|xml|url|queryset)_?equal|is)$|^eq_$", re.IGNORECASE)
CLOSE = re.compile(r"^assert_?(allclose\w*|(\w+_)?almost_?equal(_nulp)?|approx_equal|close)$|^allclose$|^isclose$", re.IGNORECASE)
BETWEEN = {
    "assertnotequal": "is not", "assertisnot": "is not", "assertin": "is in", "assertnotin": "is not in", "assertgreater": "is greater than",
    "assertgreaterequal": "is at least", "assertless": "is less than", "assertlessequal": "is at most", "assert_array_less": "is less than",
    "assertnotalmostequal": "is not close to", "assertinhtml": "stands in", "assertnotinhtml": "does not stand in",
    "assertcontains": "contains", "assertnotcontains": "does not contain", "assertisinstance": "is a", "assertnotisinstance": "is no",
    "assertregex": "matches", "asserthtmlnotequal": "is not", "assertjsonnotequal": "is not", "assertxmlnotequal": "is not",
}  # fmt: skip
TOLERANCES = {
    "rtol": "relative tolerance {}", "rel": "relative tolerance {}", "atol": "absolute tolerance {}", "abs": "absolute tolerance {}",
    "decimal": "{} decimal places", "places": "{} decimal places", "delta": "tolerance {}", "significant": "{} significant digits",
    "tol": "tolerance {}",
}  # fmt: skip
WHOLE = {"all", "alltrue"}
ALIKE = {"is", "is the same object as", "is close to"}


class Act:
    """Something a test does before it looks: said where it is told, of the moment it was done at."""

    def __init__(self, say, speech, roots, is_quiet, call=None):
        self.say = say
        self.values = speech.values
        self.time = speech.clock
        self.roots = roots
        # What a set-up does is told only where what it was done to is spoken of.
        self.is_quiet = is_quiet
        # The call that it is, where a test may do it to see that it can be done.
        self.call = call


class Demands:
    """The clauses of one test."""

    def __init__(self, unit, wording):
        self.unit = unit
        self.caught = set(caught_names(unit.node))
        shims = getattr(unit.module.beside, "fixtures", None)
        afar = with_lines(shims) and module_values(shims, wording) if shims else {}
        self.speech = Speech(unit.module, wording, {**afar, **module_values(unit.module, wording), **class_values(unit)})
        self.speech.told |= shims.imported_names() if shims else set()
        fixtures = self.fixtures()
        self.cases, told, unbound = rows_of(unit, wording, fixtures, shims)
        self.speech.told |= told
        self.speech.aliases["recwarn"] = "warnings given"
        # In the order of the test.
        self.clauses = []
        self.unstated = []
        self.unsaid = [(sorted(unbound), "the cases")] if unbound else []
        self.done = []
        self.rows = []
        self.inside = 0
        self.counted = []
        self.imported = {name for name, bound in unit.module.bindings.items() if isinstance(bound[0][0], ast.ImportFrom)}
        self.line = 0
        self.is_quiet = False
        # The fixture that is read, until it has given what it gives.
        self.giving = None
        self.closing = ""
        # What holds for what is read and is not said yet.
        self.headings = []
        # What was said since anything changed.
        self.recent = set()
        # Names that a loop or a condition changes: that is an act.
        self.changing = set()
        # Of a loop: names of which is told what they are after each turn, and names that are made something else before it looks.
        self.carried, self.remade = frozenset(), set()
        for name in unit.parametrised()[0]:
            self.speech.values[name] = None
        whole = [unit.node, *fixtures, *set_up_statements(unit)]
        self.count_reads(whole)
        self.speech.spelling = spelled_names(whole, wording)
        self.speech.qualified = qualified_names(whole)
        self.speech.doubled = doubled_names(whole)
        self.speech.changed |= {root for node in whole for root in changed_roots(node)}
        self.last_read = {}
        for node in walk(unit.node):
            if is_read(node) and (parts := chain(node)):
                path = path_of(parts)
                self.last_read[path] = max(self.last_read.get(path, 0), node.lineno)
        self.set_up(fixtures)
        self.row_time, self.has_rows = self.speech.clock, bool(self.rows)
        around = [self.speech.say(decorator, 1) for decorator in self.unit.decorators() if is_circumstance(decorator)]
        if around:
            self.read_under(Heading(self.speech.clock, f"under {' and '.join(around)}"), unit.node.body)
        else:
            self.read(unit.node.body)
        self.end()

    def count_reads(self, nodes):
        for node in nodes:
            chains = (chain(part) for part in walk(node) if is_read(part))
            self.speech.reads.update(path_of(parts) for parts in chains if parts)

    def fixtures(self):
        """The fixtures of a test that are written out, the ones they ask for first."""
        asked = [*self.unit.fixture_names(), *(fixture.name for fixture in always_used(self.unit))]
        found, waiting = [], [(self.unit.node, name) for name in reversed(asked)]
        while waiting:
            asker, name = waiting.pop()
            fixture = fixture_of(self.unit, name)
            if fixture is None or name in fixture_arguments(fixture):
                # It is from afar, also where ours hands it on.
                self.speech.told.add(name)
            else:
                found = [fixture, *(other for other in found if other is not fixture)]
                waiting += [(fixture, other) for other in fixture_arguments(fixture) if other != "request"]
            if len(found) + len(waiting) > 20:
                break
        return found

    def set_up(self, fixtures):
        """What is done before the test: by its fixtures, and by the set-up of its class."""
        self.is_quiet = True
        read = {node.id for node in walk(self.unit.node) if isinstance(node, ast.Name)}
        for name, bound in self.unit.module.bindings.items():
            self.read([statement for statement, alias in bound if name in read and alias is None and is_change(statement)])
        for fixture in fixtures:
            self.read_fixture(fixture)
        self.read(set_up_statements(self.unit))
        for path in dict.fromkeys(changed_by_helpers(self.unit)):
            first = self.speech.values.get(path)
            if first is not None and is_literal(first):
                self.do(lambda name=path, value=first: f"setting {self.speech.words(name.rpartition('.')[2])} to {self.speech.say(value)}", [path])
            self.speech.give(path, None)
        self.is_quiet = False
        self.speech.forget()

    def read_fixture(self, fixture):
        """What a fixture does and gives; its own names are known inside only."""
        outside, name, given = self.speech.values, fixture.name, given_node(fixture)
        if given is not None and is_parameter(given):
            # Its cases are told before everything else.
            self.speech.give(name, None)
            self.speech.told.add(name)
            return
        body, returned = fixture.body, getattr(given, "id", None)
        if returned is not None:
            # What it gives is called by its name from the beginning.
            body = [renamed(statement, returned, name) for statement in body]
            self.speech.reads[name] += self.speech.reads[returned]
            self.speech.changed |= {name} if returned in self.speech.changed else set()
        if given is None:
            # What comes after the test is no part of it.
            body = body[: next((place for place, statement in enumerate(body) if is_giving(statement)), len(body))]
        self.giving = name if given is not None else None
        self.read(body)
        self.giving = None
        value = self.speech.values.get(name) or self.speech.values.get(returned) if given is not None else None
        own = {path: found for path, found in self.speech.values.items() if path.startswith("self.")}
        self.speech.values = {**outside, **own, name: ast.Constant(value=None) if gives_nothing(fixture) else value}

    def tell_rows(self):
        """Of the rows a set-up makes how many of what, with their names and fields."""
        counts, fields = {}, {}
        for kind, name, call in self.rows:
            counts[kind] = counts.get(kind, 0) + 1
            # Of what kind it is a row is explained.
            self.speech.say(call.func.value.value, 1)
            shown = ", ".join(f"{self.speech.words(keyword.arg)} {self.speech.say(keyword.value, 1)}" for keyword in call.keywords if keyword.arg)
            fields.setdefault(kind, []).append(f"{self.speech.words(name[-1])}: {shown}" if name else shown)
            if name:
                # It is known by now.
                self.speech.introduced[path_of(name)] = self.speech.values.get(path_of(name))
                self.speech.pending = [entry for entry in self.speech.pending if entry[0] != path_of(name)]
        full = [f"{count} {kind}" + (f" ({'; '.join(text or '-' for text in fields[kind])})" if any(fields[kind]) else "") for kind, count in counts.items()]
        short = [f"{count} {kind}" for kind, count in counts.items()]
        self.rows = []
        is_short = sum(map(len, full)) > LONGEST_FIELDS
        return f"create of {', '.join(short if is_short else full)} in all{CUT if is_short and full != short else ''}"

    def end(self):
        """What is done last, with nothing asserted of it, must be possible."""
        acts = [act for act in self.done if not act.is_quiet]
        if acts and acts[-1].call is not None:
            self.done.remove(acts[-1])
            deed = self.tell(acts[-1])
            self.note_acceptance(deed.text if deed else "", acts[-1].call)

    # -- statements

    def read(self, statements):
        for place, statement in enumerate(statements):
            if self.giving == "":
                return None
            if ends_test(statement):
                # What follows holds only where the test goes on.
                return self.read_on(statement, statements[place + 1 :])
            self.read_one(statement)
            if not self.is_quiet and self.is_passed_over(statements, place):
                self.note_acceptance(self.speech.say(statement.value), statement.value)
        return None

    def is_passed_over(self, statements, place):
        """Whether what a call gave is named and never looked at: that it can be called is asked."""
        statement = statements[place]
        name = assigned_name(statement) if isinstance(statement, ast.Assign) else None
        if name is None or self.inside or not isinstance(statement.value, ast.Call) or last_name(statement.value) in NAMING or name in self.changing:
            return False
        for other in statements[place + 1 :]:
            if any(isinstance(node, ast.Name) and node.id == name and is_read(node) for node in walk(other)):
                return False
            if isinstance(other, ast.Assign) and assigned_name(other) == name:
                return True
        return self.last_read.get(name, 0) <= statement.end_lineno

    def read_on(self, statement, rest):
        condition, done = self.condition(statement.test), list(self.done)
        self.read_where(f"where {condition}", statement.body)
        self.done = done
        self.closing = ""
        self.read_where(f"unless {condition}", rest)

    def read_one(self, statement):
        self.line = statement.lineno
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self.read_assignment(statement)
        elif isinstance(statement, ast.Assert):
            self.note(self.condition(statement.test))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self.read_call(statement.value)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Subscript, ast.Attribute)):
            self.do(lambda: f"reading {self.speech.say(statement.value, 1)}", [root_of(statement.value)])
        elif self.giving and isinstance(getattr(statement, "value", None), (ast.Yield, ast.Name, ast.expr)) and is_giving(statement):
            self.give_fixture(statement.value.value if isinstance(statement.value, ast.Yield) else statement.value)
        elif isinstance(statement, ast.Delete):
            self.do(lambda: self.act(statement), [root_of(target) for target in statement.targets])
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            self.read_with(statement)
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            self.read_loop(statement)
        elif isinstance(statement, ast.If):
            self.read_branch(statement)
        elif isinstance(statement, ast.Try):
            self.read_try(statement)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            self.speech.told |= {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
        elif isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            self.speech.bind(ast.Name(id=statement.name, ctx=ast.Store()), statement)
            statement.time = self.speech.clock
            if len(statement.decorator_list) == 1:
                by = statement.decorator_list[0]
                self.do(lambda: f"{self.speech.say(by)} of {self.speech.words(statement.name)}", [statement.name, root_of(by)])
            elif statement.decorator_list:
                self.do(lambda: self.decorating(statement), [statement.name, *map(root_of, statement.decorator_list)])
        else:
            for field in ("body", "handlers", "orelse", "finalbody"):
                self.read(getattr(statement, field, []))

    def give_fixture(self, value):
        if getattr(value, "id", None) != self.giving:
            self.speech.bind(ast.Name(id=self.giving, ctx=ast.Store()), value)
        self.giving = ""

    def read_assignment(self, statement):
        value = statement.value
        if self.is_quiet and value is not None and is_row(value) and not self.speech.turns:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            self.rows.append((self.speech.words(chain(value.func)[-3]), chain(target), value))
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            name = getattr(target, "id", None)
            if value is None:
                continue
            if changes_something(target):
                self.do(lambda: self.act(statement), [root_of(target)])
            elif isinstance(target, ast.Tuple) and all(map(changes_something, target.elts)):
                self.do(lambda target=target: self.setting_all(target, statement.value), [root_of(part) for part in target.elts])
            elif name in self.carried:
                # It is told of the loop as a whole.
                continue
            elif name in self.changing and (self.speech.values.get(name) is not None or name in self.remade):
                self.speech.remade.add(name)
                self.do(lambda name=name: self.making(name, statement), [name])
            elif isinstance(statement, ast.AugAssign) and name is not None:
                self.bind(target, ast.BinOp(left=ast.Name(id=name, ctx=ast.Load()), op=statement.op, right=value))
            elif isinstance(statement, ast.AugAssign):
                self.do(lambda: self.act(statement), [root_of(target)])
            else:
                self.bind(target, value)

    def decorating(self, statement):
        """What several decorators make of a function, the innermost first."""
        word = self.speech.words(statement.name)
        return f"making {word} " + " ".join(f"what {self.speech.say(by, 1)} gives for" for by in statement.decorator_list) + f" {word}"

    def setting_all(self, target, value):
        return f"setting {' and '.join(self.speech.say(part) for part in target.elts)} at once to {self.speech.say(value, 1)}"

    def making(self, name, statement):
        """What a name is made to stand for in a loop or under a condition."""
        return f"making {self.speech.words(name)} {self.speech.made(statement, name, self.speech.say(statement.value))}"

    def bind(self, target, value):
        if any(isinstance(node, ast.Name) and node.id in self.speech.values for node in walk(target)):
            self.recent = set()
        self.speech.bind(target, value)

    def do(self, say, roots, call=None, others=(), is_quiet=None):
        """Notes an act, to be told before the next clause; a quiet one where it is spoken of."""
        self.speech.clock += 1
        self.done.append(Act(say, self.speech, roots, self.is_quiet if is_quiet is None else is_quiet, call))
        for root in {*roots, *others}:
            self.speech.touch(root)
        self.recent = set()

    def read_branch(self, statement):
        holds = self.speech.truth(statement.test) if self.inside else None
        if holds is not None:
            return self.read(statement.body if holds else statement.orelse)
        since, done, before = self.speech.clock, list(self.done), self.speech.values
        condition, changing = self.condition(statement.test), self.changing
        self.changing = changing | {name for name in changed_inside([statement]) if before.get(name) is not None}
        self.read_where(f"where {condition}", statement.body)
        self.gather(Heading(since, f"where {condition}", is_condition=True), done)
        done, bound, self.speech.values = list(self.done), self.speech.values, before
        if statement.orelse:
            self.read_under(Heading(self.speech.clock, "otherwise", is_condition=True, is_else=True), statement.orelse)
        self.gather(Heading(since, f"unless {condition}", is_condition=True), done)
        self.changing = changing
        self.speech.choose(statement.test, before, bound)
        return None

    def read_try(self, statement):
        """What is tried holds; what is checked where it fails holds on other machines, or is all there is to check."""
        checks = any(map(is_check, walk(ast.Module(body=statement.body, type_ignores=[]))))
        kinds = [handler.type for handler in statement.handlers if handler.type is not None]
        fails = [node for part in (statement.body, statement.orelse) for inner in part for node in walk(inner) if is_failing(node)]
        if fails and kinds:
            acts = [self.act(inner) for inner in statement.body if not any(map(is_failing, walk(inner)))]
            names = " or ".join(self.exception(kind) for kind in kinds)
            self.note(f"{'; '.join(act for act in acts if act) or 'it'} is refused with {names}")
            for handler in statement.handlers:
                self.speech.told.add(handler.name)
                self.read(handler.body)
            return
        passed_over = [handler.type for handler in statement.handlers if handler.type is not None and all(isinstance(inner, (ast.Pass, ast.Continue)) for inner in handler.body)]
        names = [name for name in map(self.exception, passed_over) if name not in ("ImportError", "ModuleNotFoundError")]
        if names:
            self.read_where(f"unless that is refused with {' or '.join(names)}", statement.body)
        else:
            self.read(statement.body)
        if not checks:
            for handler in statement.handlers:
                self.speech.told.add(handler.name)
                self.read_where(f"where that is refused with {self.exception(handler.type) if handler.type else 'an exception'}", handler.body)
        self.read(statement.orelse)
        self.read(statement.finalbody)

    def read_loop(self, loop):
        since, done = self.speech.clock, list(self.done)
        names = [node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)]
        turns = f"for each {' and '.join(map(self.speech.words, names))} of {self.speech.say(loop.iter, 1)}"
        carried, changing = [name for name in handed_on(loop) if name not in names], self.changing
        outside = self.carried
        checks = [node.lineno for node in walk(loop) if is_check(node)]
        if checks:
            # What is made something else before it is looked at is told where that is done.
            before = {name for name in carried if self.speech.values.get(name) is not None and made_at(loop, name) < min(checks)}
            turns += self.carried_over(loop, dict.fromkeys(carried), before)
            self.carried = self.carried | (set(carried) - before)
            self.changing = changing | before
            self.remade = self.remade | before
        else:
            self.changing = changing | {name for name in carried if self.speech.values.get(name) is not None}
        self.speech.bind(loop.target, None)
        self.speech.told |= set(names)
        self.speech.turns.append(self.speech.clock)
        self.read_under(Heading(self.speech.clock, turns, is_loop=True), loop.body)
        self.speech.turns.pop()
        if checks:
            self.end_turn(done)
        self.gather(Heading(since, turns, is_loop=True), done)
        self.changing, self.carried = changing, outside

    def end_turn(self, done):
        """What is done after the last look of a turn, for the next one."""
        inner = [act for act in self.done if act not in done]
        last = [act for act in inner if not act.is_quiet]
        if last:
            self.done = [act for act in self.done if act not in last]
            closing, self.closing = self.closing, ""
            texts = [deed.text for deed in map(self.tell, last) if deed]
            self.note(f"at the end of each turn {' and '.join(texts)}" if texts else "")
            self.closing = closing

    def carried_over(self, loop, names, before):
        """What a counter, and what one turn leaves for the next, is at first and after each turn."""
        told, assigned = [], {}
        for node in walk(loop):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []:
                if isinstance(target, ast.Name):
                    assigned[target.id] = node
        for name in names:
            first, word = self.speech.values.get(name), self.speech.words(name)
            node = assigned.get(name)
            if first is None or node is None:
                self.speech.give(name, None)
                continue
            start = self.speech.meaning(first)
            if name in before:
                told.append(f"{word} being {start} at first")
                continue
            values = {**self.speech.values, **dict.fromkeys(assigned)}
            self.speech.told |= set(assigned)
            with self.speech.moment(values, self.speech.clock):
                after = self.speech.made(node, name, self.speech.say(node.value, 1))
            told.append(f"{word} being {start} at first and {after} after each turn")
        self.speech.told -= set(assigned) - set(names)
        for name in names:
            self.speech.give(name, None)
            self.speech.told.add(name)
        return f", {', '.join(told)}" if told else ""

    def gather(self, heading, done):
        """What was done since a heading began to hold, as one act under it, with what the names mean that are bound there."""
        inner = self.done[len(done) :]
        if not inner or self.done[: len(done)] != done:
            return

        def say():
            with self.speech.apart():
                deeds = [deed for deed in map(self.tell, inner) if deed]
                meanings = [meaning.text for meaning in self.speech.introductions(LONGEST_CLAUSE, heading.time)]
            introduced = f"with {', '.join(meanings)}: " if meanings else ""
            text, did = (introduced + " and ".join(texts) for texts in ([deed.text for deed in deeds], [deed.done for deed in deeds]))
            return Deed(heading.time, f"{heading.text}: {text}", did if heading.is_condition else f"{heading.text}: {did}") if deeds else None

        act = Act(say, self.speech, [root for one in inner for root in one.roots], all(one.is_quiet for one in inner), inner[-1].call)
        act.time = inner[-1].time
        self.done = [*done, act]

    def tell(self, act):
        """What was done, in words of that moment; None where it is not told."""
        with self.speech.moment(act.values, act.time - 1):
            said = act.say()
        deed = Deed(act.time, said.text, said.done) if isinstance(said, Deed) else Deed(act.time, said, said)
        if said and (UNSAID in deed.text or self.speech.gives_away(deed.text)):
            self.unsaid.append((["what was done"], deed.text))
            return None
        return deed if said else None

    def read_under(self, heading, body):
        """Statements whose first clause says when, or over what, they hold, after what was there before."""
        said, self.closing, self.recent = len(self.clauses), "", set()
        if UNSAID in heading.text or len(heading.text) >= LONGEST_HEADING:
            self.unsaid.append((["when it holds"], heading.text))
        else:
            self.headings.append(heading)
        self.read(body)
        # Where nothing was said, what a chain of conditions leaves ends as a whole.
        self.headings = [entry for entry in self.headings if entry is not heading and not (entry.is_else and heading.is_else)]
        self.recent = set()
        if len(self.clauses) > said:
            self.closing = "then: " if heading.is_loop else "in any case: "

    def read_where(self, condition, body):
        self.read_under(Heading(self.speech.clock, condition, is_condition=True), body)

    def read_with(self, statement):
        outer = [item for item in statement.items if isinstance(item.context_expr, ast.Call) and RAISING.match(last_name(item.context_expr))]
        for item in statement.items:
            if item in outer:
                continue
            if parts := chain(item.context_expr):
                # What is entered is one thing, however often what it gives is spoken of.
                self.speech.reads[path_of(parts)] += 1
            if item.optional_vars is not None:
                self.speech.bind(item.optional_vars, entered(item.context_expr))
        if not outer and (refused := refused_warnings(statement)):
            return self.read_unwarned(statement, refused)
        if not outer:
            around = [self.speech.say(item.context_expr, 1) for item in statement.items if item.optional_vars is None and not is_sub_test(item.context_expr)]
            if not around:
                return self.read(statement.body)
            before, since, done = self.speech.values, self.speech.clock, list(self.done)
            self.read_under(Heading(self.speech.clock, f"under {' and '.join(around)}"), statement.body)
            if not any(map(is_check, walk(statement))):
                self.compute_under(statement, before)
                self.gather(Heading(since, f"under {' and '.join(around)}"), done)
            return None
        for item in outer:
            call, name = item.context_expr, getattr(item.optional_vars, "id", None)
            if name:
                self.speech.give(name, None)
                self.speech.told.add(name)
            checked = [is_checking(inner) for inner in statement.body]
            # A check after what gives a warning is one of its own.
            inner = [part for part, is_one in zip(statement.body, checked) if not is_one or all(checked)]
            acts = [self.act_inside(inner, place) for place in range(len(inner))]
            self.note_raising(call, "; ".join(act for act in acts if act))
        for inner in statement.body:
            if isinstance(inner, ast.Assign) and not any(map(changes_something, inner.targets)):
                # What gave a warning is looked at afterwards.
                self.read_assignment(inner)
        self.read([inner for inner in statement.body if is_checking(inner)])
        return None

    def compute_under(self, statement, before):
        """What a block without checks computes is computed under its contexts, wherever it is spoken of."""
        around = [item.context_expr for item in statement.items if item.optional_vars is None and not is_sub_test(item.context_expr)]
        around = [node for node in around if not (isinstance(node, ast.Call) and QUIET.match(last_name(node)))]
        for path, value in list(self.speech.values.items()):
            if around and value is not None and before.get(path) is not value and any(isinstance(node, ast.Call) for node in walk(value)) and not isinstance(value, DEFINED):
                self.speech.give(path, Under(value=value, around=[closed(node, before, self.speech.clock) for node in around]))

    def act_inside(self, body, place):
        """What a statement of a block does; where it names what the rest of the block reads, that is told by the name."""
        statement = body[place]
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        names = {node.id for node in walk(target) if isinstance(node, ast.Name)} if target is not None and not changes_something(target) else set()
        read = {node.id for inner in body[place + 1 :] for node in walk(inner) if isinstance(node, ast.Name) and is_read(node)}
        if names & read:
            self.bind(target, statement.value)
            return ""
        return self.act(statement)

    def read_unwarned(self, statement, kinds):
        """A block in which a warning is an error: what it does must give none."""
        body = [inner for inner in statement.body if not is_filter(inner)]
        said, done = len(self.clauses), list(self.done)
        self.read(body)
        if len(self.clauses) > said:
            return
        self.done = done
        acts = [act for act in (self.act_inside(body, place) for place in range(len(body))) if act and UNSAID not in act]
        if acts:
            named = " or ".join(name for name in map(self.exception, kinds) if name != "Warning")
            self.note(f"{'; '.join(acts)} gives no warning{': ' + named if named else ''}")

    def act(self, statement):
        """What a statement does, where it is expected to fail."""
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and last_name(statement.value) == "print":
            return ""
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                if isinstance(target, ast.Subscript):
                    place = self.speech.say(target)
                    self.speech.is_held = True
                    held = self.speech.say(statement.value, 1)
                    self.speech.is_held = False
                    return f"setting {place} to {held}"
                if isinstance(target, ast.Attribute):
                    return f"setting {self.speech.words(target.attr)} of {self.speech.say(target.value)} to {self.speech.say(statement.value, 1)}"
            return self.speech.say(statement.value) if statement.value else ""
        if isinstance(statement, ast.Expr):
            return self.speech.say(statement.value)
        if isinstance(statement, ast.AugAssign):
            changed, operator = self.speech.say(statement.target), OPERATORS.get(type(statement.op), "with")
            return f"setting {changed} to {changed} {operator} {self.speech.say(statement.value)}"
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            return f"raising {self.speech.say(statement.exc, 1)}"
        if isinstance(statement, ast.Delete):
            return "deleting " + ", ".join(self.speech.say(target) for target in statement.targets)
        if isinstance(statement, ast.Assert):
            called = statement.test.left if isinstance(statement.test, ast.Compare) else statement.test
            return self.speech.say(called)
        if isinstance(statement, ast.If):
            first, second = ([text for text in map(self.act, body) if text] for body in (statement.body, statement.orelse))
            told = [f"where {self.condition(statement.test)}: {' and '.join(first)}"] if first else []
            return ", ".join(told + ([f"otherwise: {' and '.join(second)}"] if second else []))
        inner = [part for field in ("body", "orelse") for part in getattr(statement, field, [])]
        text = next((text for text in map(self.act, inner) if text), "")
        around = [self.speech.say(item.context_expr, 1) for item in getattr(statement, "items", []) if item.optional_vars is None]
        return f"{text} under {' and '.join(around)}" if text and around else text

    def read_call(self, call):
        name = last_name(call)
        if RAISING.match(name) and len(call.args) > 1 and not re.search("message|regex", name.lower()):
            return self.note_raising(call, self.handed(call.args[1], call.args[2:], call.keywords))
        if RAISING.match(name) and len(call.args) > 2:
            return self.note_raising(call, self.handed(call.args[2], call.args[3:], call.keywords))
        helper = self.helper(call)
        if helper is not None:
            return self.read_helper(helper, call)
        if re.match(r"assert|eq_$|fail", name):
            return self.note(self.checked(call, name))
        if self.is_quiet and is_row(call) and not self.speech.turns:
            self.rows.append((self.speech.words(chain(call.func)[-3]), None, call))
            return None
        if self.is_quiet and SETTING_UP.match(name):
            return None
        receiver = root_of(call.func)
        is_method = isinstance(call.func, ast.Attribute) and receiver is not None and not self.speech.is_library(receiver)
        # What changes something before it is looked at.
        handed = [root_of(argument) for argument in call.args if isinstance(argument, (ast.Name, ast.Attribute))]
        is_function = isinstance(call.func, ast.Name) and not hasattr(builtins, call.func.id)
        if is_method or is_function and handed:
            # What is handed over may be changed as well.
            is_quiet = self.is_quiet and not SURROUNDING.match(name)
            self.do(lambda: self.speech.say(call, 1), [receiver] if is_method else handed, call=None if PLAIN_ACTS.search(name) else call, others=handed, is_quiet=is_quiet)
        elif isinstance(call.func, ast.Call) and not hasattr(builtins, name):
            wrapped = [root_of(argument) for argument in [*call.func.args, *call.args] if isinstance(argument, (ast.Name, ast.Attribute))]
            self.do(lambda: self.speech.say(call, 1), wrapped, call)
        elif isinstance(call.func, ast.Name) and name in ("repr", "str", "hash") and not self.is_quiet:
            self.note_acceptance(self.speech.say(call), call)
        elif name == "seed" and call.args:
            # What is drawn afterwards hangs on it, also where a set-up sets it.
            self.do(lambda: self.speech.say(call, 1), [], is_quiet=False)
        elif is_function and call.func.id in self.imported and not PLAIN_ACTS.search(name):
            self.note_acceptance(self.speech.say(call), call)
        return None

    def helper(self, call):
        """The function of the tests that a call asks to do the checking; None where it is none, or several deep already."""
        parts = chain(call.func)
        if not parts or self.inside >= MOST_HELPERS:
            return None
        if len(parts) == 1:
            found = self.speech.values.get(parts[0])
        else:
            found = methods_of(self.unit).get(parts[1]) if parts[0] in ("self", "cls") and len(parts) == 2 else None
        return found if isinstance(found, FUNCTIONS) and found is not self.unit.node and any(map(is_check, walk(found))) else None

    def read_helper(self, helper, call):
        """The checks of a helper, with what it is given for its arguments."""
        outside, scope = self.speech.values, dict(self.speech.values)
        every = helper.args.posonlyargs + helper.args.args
        taken = [argument.arg for argument in every if argument.arg not in ("self", "cls")]
        if helper not in self.counted:
            self.counted.append(helper)
            self.count_reads([helper])
        self.speech.clock += 1
        defaults = [*zip(taken[len(taken) - len(helper.args.defaults) :], helper.args.defaults)]
        defaults += [(argument.arg, value) for argument, value in zip(helper.args.kwonlyargs, helper.args.kw_defaults) if value is not None]
        passed = [*zip(taken, call.args), *((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)]
        given = dict.fromkeys(argument.arg for argument in [*every, *helper.args.kwonlyargs])
        for name, value in [*defaults, *passed]:
            is_same = isinstance(value, ast.Name) and value.id == name
            given[name] = outside.get(name) if is_same else closed(value, outside, self.speech.clock)
        self.speech.values = {**scope, **given}
        self.inside += 1
        self.recent = set()
        self.read(helper.body)
        self.recent = set()
        self.inside -= 1
        self.speech.values = outside

    def handed(self, function, arguments, keywords):
        if isinstance(function, ast.Lambda):
            return self.speech.say(function.body)
        made = ast.Call(func=function, args=list(arguments), keywords=[keyword for keyword in keywords if keyword.arg != "match"])
        return self.speech.say(made)

    # -- clauses

    def note_acceptance(self, doing, call):
        """Notes that a call can be made."""
        self.note(f"{doing} is accepted" if doing else "", accepted=call)

    def note(self, body, accepted=None):
        if not body or self.is_quiet:
            return
        if len(body) > LONGEST_CLAUSE or UNSAID in body or self.speech.gives_away(body):
            self.unsaid.append((["what is asserted"], body))
            return self.speech.forget()
        if body in self.recent:
            return self.speech.forget()
        closing, before = self.led_up_to(body)
        self.recent.add(body)
        self.clauses.append(Clause(body, before, closing, accepted))
        return None

    def led_up_to(self, body):
        """How what held before a clause ended, and what its names mean and was done for it, in the order of the test."""
        acts, quiet = [act for act in self.done if not act.is_quiet], [act for act in self.done if act.is_quiet]
        told = [self.tell(act) for act in acts]
        if self.rows:
            rows = self.tell_rows()
            told.insert(0, Deed(self.row_time, rows, rows))
            # What is done to rows is part of what they are.
            told += [self.tell(act) for act in quiet if act.call is not None]
            quiet = [act for act in quiet if act.call is None]
        if self.is_short_set_up(quiet):
            told, quiet = told + [self.tell(act) for act in quiet], []
        self.foresee()
        self.speech.explore()
        while asked := [act for act in quiet if any(root in self.speech.mentions for root in act.roots)]:
            told += [self.tell(act) for act in asked]
            quiet = [act for act in quiet if act not in asked]
            self.speech.explore()
        self.done = quiet
        deeds = self.shortened(sorted((deed for deed in told if deed), key=lambda deed: deed.time))
        meanings = self.speech.introductions(LONGEST_MEANINGS)
        if self.speech.unbound:
            self.unsaid.append((sorted(self.speech.unbound), body))
        self.speech.forget()
        before = in_order([*meanings, *deeds, *self.headings])
        self.headings = []
        closing, self.closing = self.closing, ""
        return closing, before

    def is_short_set_up(self, acts):
        """Whether all that a set-up does can be told before the first clause, be it spoken of there or not."""
        if not acts or self.clauses or self.has_rows:
            return False
        outside = list(self.speech.pending), set(self.speech.mentions), set(self.speech.unbound), list(self.unsaid)
        length = sum(len(deed.text) for deed in map(self.tell, acts) if deed)
        self.speech.pending, self.speech.mentions, self.speech.unbound, self.unsaid = outside
        return length <= LONGEST_SET_UP

    def foresee(self):
        """What is read later of things as they were before they are changed or named anew is introduced before that is told."""
        for path, value in self.speech.values.items():
            is_told = not hasattr(value, "time") or isinstance(value, DEFINED) or self.speech.introduced.get(path) is value
            if not is_told and self.last_read.get(path, 0) > self.line and not isinstance(value, ast.Name) and not is_literal(value) and self.speech.differs(value):
                self.speech.introduce(path, value)

    def shortened(self, deeds):
        """As many of the last deeds as there is room for."""
        found, left = [], LONGEST_BEFORE
        for deed in reversed(deeds):
            left -= len(deed.text) + 5
            if left < 0:
                self.unsaid.append((["what was done before"], deed.text))
                break
            found.insert(0, deed)
        return found

    def note_raising(self, call, doing):
        name, arguments = last_name(call), call.args
        if name == "deprecated_call" or not arguments or isinstance(arguments[0], ast.Constant) and arguments[0].value in (None, False):
            return
        verb = "gives a warning:" if "warn" in name.lower() else "is refused with"
        kinds = arguments[0].elts if isinstance(arguments[0], ast.Tuple) else [arguments[0]]
        kind = " or ".join(self.exception(node) for node in kinds)
        clause = f"{doing or 'it'} {verb} {kind}"
        text = next((keyword.value for keyword in call.keywords if keyword.arg in ("match", "expected_message", "expected_regex")), None)
        if text is None and re.search("message|regex", name.lower()) and len(arguments) > 1:
            text = arguments[1]
        written = self.speech.value_of(text) if text is not None else None
        is_pattern = "message" not in name.lower() and not (isinstance(written, ast.Call) and last_name(written) == "escape")
        if text is None or isinstance(text, ast.Constant) and text.value is None:
            return self.note(clause)
        return self.note_text(clause, text, is_pattern)

    def note_text(self, clause, text, is_pattern=False):
        """A clause that demands a message: word for word, or a pattern that is found in it."""
        if self.is_quiet:
            return
        stated = self.text_of(text)
        if stated is None or len(stated) > LONGEST_MESSAGE or self.speech.gives_away(stated):
            self.unstated.append(clause)
        else:
            closing, before = self.led_up_to(clause)
            self.clauses.append(Clause(f"{clause}, with {message(stated, is_pattern)}", before, closing))

    def exception(self, node):
        parts = chain(node)
        if not parts:
            value = self.speech.value_of(node)
            return self.speech.say(node, 1) if chain(value) is None else self.exception(value)
        if hasattr(builtins, parts[-1]):
            return parts[-1]
        found = self.speech.value_of(node)
        if found is not node:
            return self.exception(found) if chain(found) else self.speech.say(node, 1)
        if len(parts) == 1 and parts[0] not in self.imported and (parts[0] in self.speech.values or parts[0][:1].islower()):
            return self.speech.say(node, 1)
        return f"an exception for {self.speech.words(re.sub(r'(Error|Exception)$', '', parts[-1]) or parts[-1])}"

    def text_of(self, node):
        """The literal text of an expression; None where it is put together at run time."""
        node = self.speech.value_of(node)
        # Its parts are of the moment it was made at.
        with self.speech.moment(getattr(node, "scope", self.speech.values), getattr(node, "time", self.speech.clock)):
            return self.written_text(node)

    def written_text(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return re.sub(r"\s+", " ", node.value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [self.text_of(node.left), self.text_of(node.right)]
            return None if None in parts else "".join(parts)
        if isinstance(node, ast.Call) and last_name(node) in ("escape", "compile") and node.args:
            return self.text_of(node.args[0])
        if isinstance(node, ast.Call) and last_name(node) == "join" and node.args and isinstance(node.func, ast.Attribute):
            glue, parts = self.text_of(node.func.value), self.speech.value_of(node.args[0])
            texts = [self.text_of(part) for part in getattr(parts, "elts", [None]) if part is not None]
            return None if glue is None or not texts or None in texts else glue.join(texts)
        return None

    def condition(self, node):
        say = self.speech.say
        if isinstance(node, ast.BoolOp):
            parts = [part for part in map(self.condition, node.values) if part]
            parts = [f"({part})" if part.startswith("not: ") or " or " in part and isinstance(node.op, ast.And) else part for part in parts]
            return (" and " if isinstance(node.op, ast.And) else " or ").join(parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.condition(node.operand)
            return f"not: ({inner})" if isinstance(node.operand, ast.BoolOp) else f"not: {inner}"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.relation(node.left, node.ops[0], node.comparators[0])
        if isinstance(node, ast.Compare):
            return say(node)
        if isinstance(node, ast.Call):
            name = last_name(node)
            if name in ("isinstance", "issubclass") and len(node.args) == 2:
                kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
                return f"{say(node.args[0])} is {with_article(' or '.join(self.kind(kind) for kind in kinds))}"
            if name in WHOLE:
                inner = node.args[0] if node.args else getattr(node.func, "value", None)
                if isinstance(inner, (ast.Compare, ast.Call)):
                    return f"for every element {self.condition(inner)}"
            if CLOSE.match(name) or name in ("array_equal", "array_equiv"):
                return self.checked(node, "assert_allclose" if CLOSE.match(name) else "assert_equal")
            if name == "hasattr" and len(node.args) == 2:
                return f"{say(node.args[0])} has {say(node.args[1])}"
        return f"{say(node)} is true"

    def kind(self, node):
        parts = chain(node)
        return (AS_KIND.get(parts[-1]) or self.speech.words(parts[-1])) if parts else "given kind"

    def relation(self, left, operator, right):
        if is_message(left, self.caught) or is_message(right, self.caught):
            text = right if is_message(left, self.caught) else left
            self.note_text(f"the message {'is' if isinstance(operator, ast.Eq) else 'says'}", text)
            return ""
        if isinstance(right, ast.Call) and last_name(right) == "approx":
            return f"{self.speech.say(left)} is close to {self.speech.say(right.args[0])}{self.tolerance(right.keywords)}"
        word = RELATION[type(operator)]
        if isinstance(operator, (ast.Is, ast.IsNot)) and is_object(right):
            # Of two things that are alike, a test can ask both.
            word = f"{word} the same object as"
        if is_literal(left) and not is_literal(right) and isinstance(operator, ast.Eq):
            left, right = right, left
        return self.between(left, word, right)

    def between(self, left, word, right, more=""):
        sides = self.speech.say_both(left, right)
        if not sides:
            again = self.speech.say(left)
            is_computed = isinstance(self.speech.value_of(left), ast.Call) and isinstance(self.speech.value_of(right), ast.Call)
            same = word.removesuffix(" as") if word.endswith(" as") else f"{word} the same"
            if chain(left) and chain(left) == chain(right):
                return f"{again} {word} itself{more}"
            return f"{again} {same} when it is computed again{more}" if is_computed and word in ALIKE else ""
        if word == "is" and isinstance(right, ast.Call) and not right.args and not right.keywords and last_name(right)[:1].isupper():
            # No matter of its kind alone.
            word, sides = "equals", (sides[0], f"{sides[1]} made without arguments")
        left, right = (f"({text})" if isinstance(node, (ast.Compare, ast.BoolOp)) else text for node, text in zip((left, right), sides))
        return f"{left} {word} {right}{more}"

    def checked(self, call, name):
        plain, arguments = name.lower(), call.args
        if not arguments or plain == "fail":
            return ""
        if len(arguments) == 1 and name == "assert_equal" and isinstance(call.func, ast.Attribute):
            arguments = [call.func.value, *arguments]
        if plain in ("asserttrue", "assert_", "assert_true"):
            return self.condition(arguments[0])
        if plain in ("assertfalse", "assert_false"):
            return f"not: {self.condition(arguments[0])}"
        if plain in ("assertisnone", "assertisnotnone"):
            return f"{self.speech.say(arguments[0])} is {'none' if plain == 'assertisnone' else 'not none'}"
        if len(arguments) < 2:
            return f"{re.sub('^assert_?', '', self.speech.words(name)).strip()}: {self.speech.say(arguments[0])}"
        if is_message(arguments[0], self.caught) or is_message(arguments[1], self.caught):
            return self.relation(arguments[0], ast.Eq() if EQUAL.match(name) else ast.In(), arguments[1])
        left, right = arguments[:2]
        if is_literal(left) and not is_literal(right) and plain not in BETWEEN:
            left, right = right, left
        if plain in ("assertis", "assertisnot") and is_object(right):
            return self.between(left, f"{BETWEEN.get(plain, 'is')} the same object as", right)
        if CLOSE.match(name):
            places = [f" to {self.speech.say(arguments[2])} decimal places"] if len(arguments) > 2 and "almost" in plain else []
            is_exact = "allclose" in plain and all(keyword.arg != "atol" for keyword in call.keywords) and any(getattr(node, "value", 1) == 0 for node in walk(right))
            exact = " (absolute tolerance 0)" if is_exact and isinstance(right, (ast.List, ast.Tuple, ast.Constant)) else ""
            return self.between(left, "is close to", right, "".join(places) + self.tolerance(call.keywords) + exact)
        if plain == "assertquerysetequal":
            return self.rows_equal(call, left, right)
        if EQUAL.match(name) or plain.endswith("equal") and plain not in BETWEEN:
            markup = re.search("html|xml|json", plain)
            more = " in any order" if plain == "assertcountequal" else f", compared as {markup.group().upper()}" if markup else ""
            return self.between(left, "is", right, more + self.tolerance(call.keywords))
        if plain in BETWEEN:
            return self.between(left, BETWEEN[plain], right)
        return f"{re.sub('^assert ?', '', self.speech.words(name))}: {', '.join(self.speech.say(argument, 1) for argument in arguments[:5])}"

    def rows_equal(self, call, left, right):
        """Rows of a query against values: each by what a function makes of it, in their order or in any."""
        given = {**dict(zip(("transform", "ordered"), call.args[2:])), **{keyword.arg: keyword.value for keyword in call.keywords}}
        transform = given.get("transform")
        more = f", each of its rows given to {self.speech.say(transform, 1)}" if transform is not None and getattr(transform, "value", 1) is not None else ""
        more += " in any order" if getattr(given.get("ordered"), "value", True) is False else ""
        return self.between(left, "is", right, more)

    def tolerance(self, keywords):
        said = [TOLERANCES[keyword.arg].format(self.speech.say(keyword.value)) for keyword in keywords if keyword.arg in TOLERANCES]
        return f" ({', '.join(said)})" if said else ""


def demands_of(unit, wording):
    """The demands of a test, put into words once: what it is kept for and what it is described with."""
    if unit.demands is None:
        unit.demands = Demands(unit, wording)
    return unit.demands


def message(text, is_pattern):
    """What is demanded of a message; a pattern without anything but plain characters is said as the text it stands for."""
    plain = re.sub(r"\\(\W)", r"\1", text)
    if not is_pattern or not re.search(r"[\\*+?|\[\]{}^$()]", re.sub(r"\\\W", "", text)):
        return f'the message "{plain if is_pattern else text}"'
    return f'a message that the pattern "{text}" is found in'


def is_circumstance(decorator):
    """A decorator that changes what is around a test (settings, a patch), and not how it is run."""
    parts = chain(decorator.func) if isinstance(decorator, ast.Call) else None
    return bool(parts) and "mark" not in parts and bool(re.match(r"override|modify|patch|translation|ignore|isolate", parts[-1]))


def ends_test(statement):
    """Whether a condition ends a test or a turn early, so that nothing is asserted where it holds but what stands before."""
    return isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], (ast.Return, ast.Continue))


def made_at(loop, name):
    """The line at which a loop makes a name something else."""
    return min((node.lineno for node in walk(loop) if isinstance(node, (ast.Assign, ast.AugAssign)) and assigned_name(node) == name), default=0)


def is_filter(statement):
    """`warnings.simplefilter(…)` and the like as a statement."""
    call = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(call, ast.Call) and last_name(call) in ("simplefilter", "filterwarnings")


def refused_warnings(statement):
    """The kinds of warning that a block makes an error, `Warning` where it names none; empty where it makes none one."""
    if not any(isinstance(item.context_expr, ast.Call) and last_name(item.context_expr) == "catch_warnings" for item in statement.items):
        return []
    calls = [inner.value for inner in statement.body if is_filter(inner)]
    calls += [item.context_expr for item in statement.items if any(keyword.arg == "action" for keyword in getattr(item.context_expr, "keywords", []))]
    kinds = []
    for call in calls:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        action = call.args[0] if call.args else given.get("action")
        if isinstance(action, ast.Constant) and action.value == "error":
            named = call.args[1:2] if last_name(call) == "simplefilter" else call.args[2:3]
            kinds.append(named[0] if named else given.get("category", ast.Name(id="Warning", ctx=ast.Load())))
    return kinds


def is_row(node):
    """Whether a call makes a row of a model."""
    parts = chain(node.func) if isinstance(node, ast.Call) else None
    return bool(parts) and len(parts) > 2 and parts[-2] == "objects" and parts[-1].startswith("create")


def is_parameter(node):
    return chain(node) == ["request", "param"]


def is_giving(statement):
    return isinstance(statement, ast.Return) or isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield)


def is_failing(node):
    """Whether a statement says that it must not be reached."""
    if isinstance(node, ast.Raise):
        return isinstance(node.exc, ast.Call) and last_name(node.exc) == "AssertionError"
    return isinstance(node, ast.Call) and last_name(node) == "fail" or isinstance(node, ast.Assert) and getattr(node.test, "value", None) is False


def changed_inside(statements):
    """Names that are both bound and changed in some statements."""
    bound, changed = set(), set()
    for node in [part for statement in statements for part in walk(statement)]:
        for target in node.targets if isinstance(node, ast.Assign) else []:
            (changed.add(root_of(target)) if changes_something(target) else bound.add(getattr(target, "id", None)))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            changed.add(root_of(node.value.func))
    return (bound & changed) - {None}


def changes_something(target):
    """Whether what is assigned to is a part of something: an item or attribute, but for those of the test's own object."""
    if isinstance(target, ast.Subscript):
        return True
    return isinstance(target, ast.Attribute) and chain(target.value) not in (["self"], ["cls"])


def entered(node):
    """What `with` binds: of a thing that is there already what entering it gives, which a test may be about."""
    return ast.Call(func=ast.Attribute(value=node, attr="__enter__", ctx=ast.Load()), args=[], keywords=[]) if chain(node) else node


def is_object(node):
    """Whether a thing can be alike to another and not be it: no literal and no class."""
    return not is_literal(node) and not (chain(node) or ["a"])[-1][:1].isupper()


def is_sub_test(node):
    return isinstance(node, ast.Call) and last_name(node) == "subTest"


def last_name(call):
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return getattr(call.func, "id", "")


def is_message(node, caught):
    """The text of an exception or warning that was caught under one of these names: `str(caught.value)`, `caught.exception.args[0]`."""
    if isinstance(node, ast.Call) and last_name(node) in ("str", "lower", "strip") and (node.args or isinstance(node.func, ast.Attribute)):
        inner = node.args[0] if node.args else node.func.value
        parts = chain(inner)
        return is_message(inner, caught) or bool(parts) and parts[0] in caught
    if isinstance(node, ast.Subscript):
        parts = chain(node.value)
        return bool(parts) and parts[-1] in ("args", "messages") and len(parts) > 1 and parts[0] in caught
    return False


def caught_names(test):
    """What exceptions and warnings are called that a test catches."""
    for node in walk(test):
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        for item in getattr(node, "items", []) if isinstance(node, (ast.With, ast.AsyncWith)) else []:
            if isinstance(item.context_expr, ast.Call) and RAISING.match(last_name(item.context_expr)) and isinstance(item.optional_vars, ast.Name):
                yield item.optional_vars.id
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and RAISING.match(last_name(node.value)):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def is_checking(statement):
    """Whether a statement inside a block that has to fail is a check of its own."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and re.match("assert|eq_$", last_name(statement.value)):
        return True
    return isinstance(statement, (ast.Assert, *FUNCTIONS)) or isinstance(statement, ast.With) and any(map(is_check, walk(statement)))


def is_check(node):
    if isinstance(node, ast.Assert):
        return True
    return isinstance(node, ast.Call) and bool(re.match(r"assert|raises$|warns$|eq_$", last_name(node)))


def methods_of(unit):
    """The methods of a test's class and of its bases in the same file, the nearest of a name first."""
    found = {}
    for owner in owners_of(unit):
        for member in owner.body:
            if isinstance(member, FUNCTIONS):
                found.setdefault(member.name, member)
    return found


def set_up_statements(unit):
    members = [member for owner in reversed(owners_of(unit)) for member in owner.body if isinstance(member, FUNCTIONS) and member.name in SET_UP]
    return [statement for member in members if not re.match("tear", member.name, re.IGNORECASE) for statement in member.body]


def rows_of(unit, wording, fixtures, shims, most=60):
    """The cases of a parametrisation, of fixtures too, as many as a reader takes in, and the names they tell; empty where they are not written out."""
    speech, found, told = Speech(unit.module, wording, module_values(unit.module, wording)), [], set()
    unbound = set()
    speech.told |= shims.imported_names() if shims else set()
    for argument_list, values in [*parametrisations(unit), *fixture_cases(fixtures)]:
        cases = getattr(speech.value_of(values), "elts", [])
        names = argument_names(argument_list)
        shown = [row for row in (spoken_row(speech, [wording.name(name) for name in names], case) for case in cases) if row and not speech.gives_away(row)]
        if shown:
            rows = shown[:1]
            for row in shown[1:most]:
                if len(row) + sum(map(len, rows)) <= LONGEST_ROWS:
                    rows.append(row)
            more = f" and {len(cases) - len(rows)} more{CUT}" if len(cases) > len(rows) else ""
            meanings = [meaning.text for meaning in speech.introductions(LONGEST_ROWS)]
            introduced = f"with {', '.join(meanings)}: " if meanings else ""
            found.append(f"{introduced}for {'; '.join(rows)}{more}")
            told |= set(names)
        elif not isinstance(speech.value_of(values), (ast.List, ast.Tuple, ast.Set)) and UNSAID not in (text := speech.say(values, 1)) and not speech.gives_away(text):
            found.append(f"for each {' and '.join(map(wording.name, names))} of {text}")
            told |= set(names)
        unbound |= speech.unbound
    return found, told, unbound


def parametrisations(unit):
    for decorator in unit.decorators():
        if isinstance(decorator, ast.Call) and last_name(decorator) == "parametrize":
            given = [*decorator.args, *(keyword.value for keyword in decorator.keywords if keyword.arg in ("argnames", "argvalues"))]
            if len(given) > 1:
                yield given[0], given[1]


def fixture_cases(fixtures):
    """What fixtures are made with, one after the other."""
    for fixture in fixtures:
        name = fixture.name
        for decorator in fixture.decorator_list:
            params = next((keyword.value for keyword in getattr(decorator, "keywords", []) if keyword.arg == "params"), None)
            if params is not None:
                given = given_node(fixture)
                yield ast.Constant(value=name if given is not None and is_parameter(given) else "param"), params


def argument_names(node):
    if isinstance(node, ast.Constant):
        return [name.strip() for name in str(node.value).split(",") if name.strip()]
    return [str(element.value) for element in getattr(node, "elts", []) if isinstance(element, ast.Constant)]


def spoken_row(speech, names, case):
    is_param = isinstance(case, ast.Call) and last_name(case) == "param"
    several = getattr(case, "elts", [case]) if len(names) > 1 else [case]
    values = case.args if is_param else several
    if len(values) != len(names):
        return ""
    row = ", ".join(f"{name} {speech.say(value, 1)}" for name, value in zip(names, values))
    return row if len(row) <= LONGEST_ROW else ""
