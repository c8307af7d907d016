"""What the assertions of a test demand, in words: values, exceptions, relations and tolerances, in the order of the test."""

import ast

from clauses import Clause, Deed, Heading, in_order
from demands.acts import Act, act_of, decorating
from demands.assertions import say_condition
from demands.assignments import is_passed_over, read_assignment
from demands.calls import read_call
from demands.cases import rows_of
from demands.contexts import read_with
from demands.flow import ends_test, read_branch, read_loop, read_on, read_try
from demands.refusals import caught_names
from demands.set_up import fixtures_of, give_fixture, is_circumstance, is_giving, read_set_up, set_up_statements, tell_rows
from doings import Headed, Single
from marks import is_unsaid
from phrases.ambiguous import doubled_names, qualified_names, spelled_names
from phrases.speech import Speech
from source import FUNCTIONS, chain, walk
from syntax import DEFINED, changed_roots, is_literal, is_read, path_of, root_of
from values import class_values, module_values, with_lines

LONGEST_CLAUSE = 1800
LONGEST_BEFORE = 2400
LONGEST_SET_UP = 200
LONGEST_MEANINGS = 3000
LONGEST_HEADING = 1200


class Demands:
    """The clauses of one test."""

    def __init__(self, unit, wording):
        self.unit = unit
        self.caught = set(caught_names(unit.node))
        shims = getattr(unit.module.beside, "fixtures", None)
        afar = with_lines(shims) and module_values(shims, wording) if shims else {}
        self.speech = Speech(unit.module, wording, {**afar, **module_values(unit.module, wording), **class_values(unit)})
        self.speech.told |= shims.imported_names() if shims else set()
        fixtures = fixtures_of(self)
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
        # What holds for what is read and is not said yet; the conditions that hold there, said or not.
        self.headings, self.under = [], ()
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
        read_set_up(self, fixtures)
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

    def end(self):
        """What is done last, with nothing asserted of it, must be possible."""
        acts = [act for act in self.done if not act.is_quiet]
        if acts and acts[-1].call is not None:
            self.done.remove(acts[-1])
            deed = self.tell(acts[-1])
            self.note_acceptance(deed.text if deed else "", acts[-1].call)

    def read(self, statements):
        for place, statement in enumerate(statements):
            if self.giving == "":
                return None
            if ends_test(statement):
                # What follows holds only where the test goes on.
                return read_on(self, statement, statements[place + 1 :])
            self.read_one(statement)
            if not self.is_quiet and is_passed_over(self, statements, place):
                self.note_acceptance(self.speech.say(statement.value), statement.value)
        return None

    def read_one(self, statement):
        self.line = statement.lineno
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            read_assignment(self, statement)
        elif isinstance(statement, ast.Assert):
            self.note(say_condition(self, statement.test))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            read_call(self, statement.value)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Subscript, ast.Attribute)):
            self.do(lambda: Single(f"reading {self.speech.say(statement.value, 1)}"), [root_of(statement.value)])
        elif self.giving and isinstance(getattr(statement, "value", None), (ast.Yield, ast.Name, ast.expr)) and is_giving(statement):
            give_fixture(self, statement.value.value if isinstance(statement.value, ast.Yield) else statement.value)
        elif isinstance(statement, ast.Delete):
            self.do(lambda: act_of(self, statement), [root_of(target) for target in statement.targets])
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            read_with(self, statement)
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            read_loop(self, statement)
        elif isinstance(statement, ast.If):
            read_branch(self, statement)
        elif isinstance(statement, ast.Try):
            read_try(self, statement)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            self.speech.told |= {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
        elif isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            self.speech.bind(ast.Name(id=statement.name, ctx=ast.Store()), statement)
            statement.time = self.speech.clock
            if statement.decorator_list:
                self.do(lambda: decorating(self, statement), [statement.name, *map(root_of, statement.decorator_list)])
        else:
            for field in ("body", "handlers", "orelse", "finalbody"):
                self.read(getattr(statement, field, []))

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

    def gather(self, heading, done):
        """What was done since a heading began to hold, as one act under it, with what the names mean that are bound there."""
        inner = self.done[len(done) :]
        if not inner or self.done[: len(done)] != done:
            return

        def say():
            with self.speech.apart():
                doings = tuple(deed.doing for deed in map(self.tell, inner) if deed)
                meanings = tuple(meaning.text for meaning in self.speech.introductions(LONGEST_CLAUSE, heading.time))
            return Headed(heading.text, doings, meanings, heading.is_condition) if doings else None

        act = Act(say, self.speech, [root for one in inner for root in one.roots], all(one.is_quiet for one in inner), inner[-1].call)
        act.time = inner[-1].time
        self.done = [*done, act]

    def tell(self, act):
        """What was done, in words of that moment; None where it is not told."""
        with self.speech.moment(act.values, act.time - 1):
            doing = act.say()
        text = doing.text if doing else ""
        if is_unsaid(text) or self.speech.gives_away(text):
            self.unsaid.append((["what was done"], text))
            return None
        return Deed(act.time, doing) if text else None

    def read_under(self, heading, body):
        """Statements whose first clause says when, or over what, they hold, after what was there before."""
        said, self.closing, self.recent = len(self.clauses), "", set()
        if is_unsaid(heading.text) or len(heading.text) >= LONGEST_HEADING:
            self.unsaid.append((["when it holds"], heading.text))
        else:
            self.headings.append(heading)
        outside, self.under = self.under, (*self.under, *([heading] if heading.is_condition else []))
        self.read(body)
        self.under = outside
        # Where nothing was said, what a chain of conditions leaves ends as a whole.
        self.headings = [entry for entry in self.headings if entry is not heading and not (entry.is_else and heading.is_else)]
        self.recent = set()
        if len(self.clauses) > said:
            self.closing = "then: " if heading.is_loop else "in any case: "

    def read_where(self, condition, body):
        self.read_under(Heading(self.speech.clock, condition, is_condition=True), body)

    def note_acceptance(self, doing, call):
        """Notes that a call can be made."""
        self.note(f"{doing} is accepted" if doing else "", accepted=call)

    def note(self, body, accepted=None):
        if not body or self.is_quiet:
            return
        if len(body) > LONGEST_CLAUSE or is_unsaid(body) or self.speech.gives_away(body):
            self.unsaid.append((["what is asserted"], body))
            return self.speech.forget()
        if body in self.recent:
            return self.speech.forget()
        closing, before = self.led_up_to(body)
        self.recent.add(body)
        self.clauses.append(Clause(body, before, closing, self.under, accepted))
        return None

    def led_up_to(self, body):
        """How what held before a clause ended, and what its names mean and was done for it, in the order of the test."""
        acts, quiet = [act for act in self.done if not act.is_quiet], [act for act in self.done if act.is_quiet]
        told = [self.tell(act) for act in acts]
        if self.rows:
            told.insert(0, Deed(self.row_time, Single(tell_rows(self))))
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


def demands_of(unit, wording):
    """The demands of a test, put into words once: what it is kept for and what it is described with."""
    if unit.demands is None:
        unit.demands = Demands(unit, wording)
    return unit.demands
