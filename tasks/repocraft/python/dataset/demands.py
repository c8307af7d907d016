"""What the assertions of a test demand, in words: values, exceptions, relations and tolerances, in the order of the test."""

import ast
import builtins
import re
from itertools import groupby

from phrases import AS_KIND, DEFINED, OPERATORS, RELATION, UNSAID, Speech, is_literal, with_article
from slicer import SET_UP
from source import FUNCTIONS, chain, walk
from values import module_values, owners_of, set_up_values

LONGEST_TEXT = 160
LONGEST_CLAUSE = 700
LONGEST_BEFORE = 600
LONGEST_SET_UP = 200
LONGEST_HEADING = 1300
LONGEST_ROWS = 1200
MOST_HELPERS = 2
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


class Demands:
    """The clauses of one test. A clause that states the text of a message must be said; others may be left out for length."""

    def __init__(self, unit, wording):
        self.unit = unit
        self.caught = set(caught_names(unit.node))
        values = {**module_values(unit.module, wording), **set_up_values(unit, SET_UP)}
        self.speech = Speech(unit.module, wording, values)
        self.speech.reads.update(".".join(parts) for parts in (chain(node) for node in walk(unit.node) if is_read(node)) if parts)
        self.said = []
        self.texts = []
        self.unstated = []
        self.done = self.set_up()
        self.inside = 0
        for name in unit.parametrised()[0]:
            self.speech.values[name] = None
        around = [self.speech.say(decorator, 1) for decorator in self.unit.decorators() if is_circumstance(decorator)]
        self.read_under(f"under {' and '.join(around)}", unit.node.body) if around else self.read(unit.node.body)

    def set_up(self):
        """What a class's set-up does beside what it assigns to names; where that is too long, how many rows it makes of what."""
        statements, done, made = set_up_statements(self.unit), [], {}
        for statement in statements:
            changed = getattr(statement, "targets", [getattr(getattr(statement, "value", None), "func", None)])[0]
            # What is changed is spoken of by its name.
            self.speech.reads.update([".".join(chain(getattr(changed, "value", None)) or [])] * 2)
        for statement in statements:
            value = getattr(statement, "value", None)
            parts = chain(value.func) if isinstance(value, ast.Call) else None
            if parts and parts[-2:] == ["objects", "create"]:
                kind = self.speech.words(parts[-3]) if len(parts) > 2 else UNSAID
                made[kind] = made.get(kind, 0) + 1
            if isinstance(statement, ast.Expr) and parts and len(parts) > 1 and not self.speech.is_library(parts[0]):
                done.append(self.speech.say(value, 1))
            elif isinstance(statement, ast.Assign) and changes_something(statement.targets[0]):
                done.append(self.act(statement))
        self.speech.forget()
        if sum(map(len, done)) <= LONGEST_SET_UP and not made:
            return done
        rows = [f"{count} {kind}" for kind, count in made.items() if kind != UNSAID]
        return [*(done if sum(map(len, done)) <= LONGEST_SET_UP else []), *([f"create of {', '.join(rows)}"] if rows else [])]

    # -- statements

    def read(self, statements):
        for place, statement in enumerate(statements):
            if ends_test(statement):
                # What follows holds only where the test goes on.
                return self.read_on(statement, statements[place + 1 :])
            self.read_one(statement)
        return None

    def read_on(self, statement, rest):
        condition, done = self.condition(statement.test), list(self.done)
        self.read_under(f"where {condition}", statement.body)
        self.done = done
        self.read_under(f"unless {condition}", rest)

    def read_one(self, statement):
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                told = statement.value is not None and changes_something(target)
                # What was set is told as it was done: who reads it later may find another value.
                self.speech.bind(target, None if told else statement.value)
                self.speak_of_earlier()
                if told:
                    self.done.append(self.act(statement))
        elif isinstance(statement, ast.AugAssign):
            if isinstance(statement.target, ast.Name):
                read = ast.Name(id=statement.target.id, ctx=ast.Load())
                self.speech.bind(statement.target, ast.BinOp(left=read, op=statement.op, right=statement.value))
                self.speak_of_earlier()
            else:
                self.done.append(self.act(statement))
                self.speech.bind(statement.target, None)
        elif isinstance(statement, ast.Assert):
            self.note(self.condition(statement.test))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self.read_call(statement.value)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            self.read_with(statement)
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            self.read_loop(statement)
        elif isinstance(statement, ast.If):
            condition, done, before = self.condition(statement.test), list(self.done), dict(self.speech.values)
            self.read_under(f"where {condition}", statement.body)
            self.gather(f"where {condition}", done)
            done, bound = list(self.done), dict(self.speech.values)
            self.read_under("otherwise", statement.orelse)
            self.gather(f"unless {condition}", done)
            self.choose(statement.test, before, bound)
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            self.speech.values[statement.name] = statement
        else:
            for field in ("body", "handlers", "orelse", "finalbody"):
                self.read(getattr(statement, field, []))

    def choose(self, test, before, bound):
        """Of a name that stands for one thing where a condition holds, and else for another, both."""
        values = self.speech.values
        for name, value in bound.items():
            other = values.get(name) if values.get(name) is not value else before.get(name)
            if None not in (value, other) and value is not other and not isinstance(value, DEFINED) and not isinstance(other, DEFINED):
                values[name] = ast.IfExp(test=test, body=value, orelse=other)

    def speak_of_earlier(self):
        """What was done with a value whose name means another one now."""
        for word in self.speech.rebound:
            self.done = [re.sub(rf"(?<!earlier )\b{re.escape(word)}\b", f"earlier {word}", act) for act in self.done]
        self.speech.rebound = []

    def read_loop(self, loop):
        self.speech.bind(loop.target, None)
        # A counter, and what one turn leaves for the next, has another value each time.
        for name in handed_on(loop):
            self.speech.bind(name, None)
        names = " and ".join(self.speech.words(node.id) for node in ast.walk(loop.target) if isinstance(node, ast.Name))
        heading, done = f"for each {names} of {self.speech.say(loop.iter, 1)}", list(self.done)
        self.read_under(heading, loop.body)
        self.gather(heading, done)

    def gather(self, heading, done):
        """What was done since, as one act under its heading."""
        acts = [act for act in self.done[len(done) :] if act]
        if acts and self.done[: len(done)] == done:
            self.done = [*done, f"{heading}: {' and '.join(acts)}"]

    def read_under(self, heading, body):
        """Statements whose first clause says when, or over what, they hold."""
        said, texts = len(self.said), len(self.texts)
        self.read(body)
        clauses, first = (self.said, said) if len(self.said) > said else (self.texts, texts)
        if len(clauses) > first and UNSAID not in heading and len(heading) + len(clauses[first]) < LONGEST_HEADING:
            clauses[first] = f"{heading}: {clauses[first]}"

    def read_with(self, statement):
        outer = [item for item in statement.items if isinstance(item.context_expr, ast.Call) and RAISING.match(last_name(item.context_expr))]
        for item in statement.items:
            if item.optional_vars is not None and item not in outer:
                self.speech.bind(item.optional_vars, entered(item.context_expr))
        if not outer and (refused := refused_warnings(statement)):
            return self.read_unwarned(statement, refused)
        if not outer:
            around = [self.speech.say(item.context_expr, 1) for item in statement.items if item.optional_vars is None and not is_sub_test(item.context_expr)]
            return self.read_under(f"under {' and '.join(around)}", statement.body) if around else self.read(statement.body)
        for item in outer:
            call, name = item.context_expr, getattr(item.optional_vars, "id", None)
            if name:
                self.speech.values[name] = None
            acts = [self.act(inner) for inner in statement.body if not isinstance(inner, ast.Assert)]
            self.note_raising(call, "; ".join(act for act in acts[-4:] if act))
        self.read([inner for inner in statement.body if is_checking(inner)])
        return None

    def read_unwarned(self, statement, kinds):
        """A block in which a warning is an error: what it does must give none."""
        body = [inner for inner in statement.body if not is_filter(inner)]
        said = len(self.said) + len(self.texts)
        self.read(body)
        acts = [act for act in map(self.act, body) if act and UNSAID not in act]
        if len(self.said) + len(self.texts) == said and acts:
            named = " or ".join(name for name in map(self.exception, kinds) if name != "Warning")
            self.done = []
            self.note(f"{'; '.join(acts[-4:])} gives no warning{': ' + named if named else ''}")

    def act(self, statement):
        """What a statement does, where it is expected to fail."""
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and last_name(statement.value) == "print":
            return ""
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                if isinstance(target, ast.Subscript):
                    return f"setting {self.speech.say(target)} to {self.speech.say(statement.value, 1)}"
                if isinstance(target, ast.Attribute):
                    return f"setting {self.speech.words(target.attr)} of {self.speech.say(target.value)} to {self.speech.say(statement.value, 1)}"
            return self.speech.say(statement.value) if statement.value else ""
        if isinstance(statement, ast.Expr):
            return self.speech.say(statement.value)
        if isinstance(statement, ast.AugAssign):
            changed, operator = self.speech.say(statement.target), OPERATORS.get(type(statement.op), "with")
            return f"setting {changed} to {changed} {operator} {self.speech.say(statement.value)}"
        if isinstance(statement, ast.Delete):
            return "deleting " + ", ".join(self.speech.say(target) for target in statement.targets)
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
        receiver = root_of(call.func)
        is_method = isinstance(call.func, ast.Attribute) and receiver is not None and not self.speech.is_library(receiver)
        # What changes something before it is looked at.
        is_handed = any(isinstance(argument, (ast.Name, ast.Attribute)) for argument in call.args)
        if is_method or isinstance(call.func, ast.Name) and is_handed and not hasattr(builtins, call.func.id):
            self.done.append(self.speech.say(call, 1))
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
        outside, given = self.speech.values, dict(self.speech.values)
        taken = [argument.arg for argument in helper.args.posonlyargs + helper.args.args if argument.arg not in ("self", "cls")]
        defaults = helper.args.defaults
        given.update(zip(taken[len(taken) - len(defaults) :], defaults))
        passed = [*zip(taken, call.args), *((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)]
        for name, value in passed:
            value = self.speech.value_of(value)
            given[name] = None if isinstance(value, ast.Name) and value.id == name else value
        self.speech.values = given
        self.inside += 1
        self.read(helper.body)
        self.inside -= 1
        self.speech.values = outside

    def handed(self, function, arguments, keywords):
        if isinstance(function, ast.Lambda):
            return self.speech.say(function.body)
        made = ast.Call(func=function, args=list(arguments), keywords=[keyword for keyword in keywords if keyword.arg != "match"])
        return self.speech.say(made)

    # -- clauses

    def note(self, clause):
        if not clause:
            return
        if len(clause) > LONGEST_CLAUSE or UNSAID in clause or self.speech.gives_away(clause):
            return self.speech.forget()
        before, self.done = self.before(), []
        self.said.append(self.introduced(f"after {before}, {clause}" if before else clause, len(before)))
        return None

    def before(self):
        """What was done since the last clause, in its order: as much of the last of it as there is room for."""
        every = [act for act in self.done if act and UNSAID not in act and not self.speech.gives_away(act)]
        done, left = [repeated(act, len(list(same))) for act, same in groupby(every)], LONGEST_BEFORE
        told = []
        for act in reversed(done):
            what, _, given = act.partition(" given ")
            following = told[0].partition(" given ") if told else ("", "", "")
            if given and what == following[0] and following[2]:
                left -= len(given) + 5
                act = f"{what} given {given} and {following[2]}"
                told = told[1:] if left >= 0 else told
            else:
                left -= len(act) + 5
            if left < 0:
                break
            told.insert(0, act)
        return " and ".join(told)

    def introduced(self, clause, more=0):
        """The clause with what its names mean, as far as there is room."""
        meanings = self.speech.introductions(LONGEST_CLAUSE + more - 6 - len(clause))
        return f"with {', '.join(meanings)}: {clause}" if meanings else clause

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
        if text is None or isinstance(text, ast.Constant) and text.value is None:
            return self.note(clause[: LONGEST_CLAUSE - 1])
        return self.note_text(clause, text)

    def note_text(self, clause, text):
        """A clause that demands a message, word for word."""
        stated = self.text_of(text)
        if stated is None or len(stated) > LONGEST_TEXT or self.speech.gives_away(stated):
            self.unstated.append(clause)
        else:
            before, self.done = self.before(), []
            told = self.introduced(f"after {before}, {clause}" if before else clause, len(before))
            self.texts.append(f'{told[: LONGEST_CLAUSE + len(before)]}, with the message "{stated}"')

    def exception(self, node):
        parts = chain(node)
        if not parts:
            value = self.speech.value_of(node)
            return "an exception" if chain(value) is None else self.exception(value)
        if hasattr(builtins, parts[-1]):
            return parts[-1]
        found = self.speech.value_of(node)
        if found is not node:
            return self.exception(found) if chain(found) else "an exception"
        return f"an exception for {self.speech.words(re.sub(r'(Error|Exception)$', '', parts[-1]) or parts[-1])}"

    def text_of(self, node):
        """The literal text of an expression; None where it is put together at run time."""
        node = self.speech.value_of(node)
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
            return (" and " if isinstance(node.op, ast.And) else " or ").join(filter(None, map(self.condition, node.values)))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"not: {self.condition(node.operand)}"
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
                    return self.condition(inner)
            if CLOSE.match(name) or name in ("array_equal", "equals", "array_equiv"):
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
            return f"{again} {same} when it is computed again{more}" if is_computed and word in ALIKE else ""
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
            return self.between(left, "is close to", right, "".join(places) + self.tolerance(call.keywords))
        if EQUAL.match(name) or plain.endswith("equal") and plain not in BETWEEN:
            return self.between(left, "is", right, " in any order" if plain == "assertcountequal" else "")
        if plain in BETWEEN:
            return self.between(left, BETWEEN[plain], right)
        return f"{re.sub('^assert ?', '', self.speech.words(name))}: {', '.join(self.speech.say(argument, 1) for argument in arguments[:5])}"

    def tolerance(self, keywords):
        said = [TOLERANCES[keyword.arg].format(self.speech.say(keyword.value)) for keyword in keywords if keyword.arg in TOLERANCES]
        return f" ({', '.join(said)})" if said else ""


def is_circumstance(decorator):
    """A decorator that changes what is around a test (settings, a patch), and not how it is run."""
    parts = chain(decorator.func) if isinstance(decorator, ast.Call) else None
    return bool(parts) and "mark" not in parts and bool(re.match(r"override|modify|patch|translation|ignore|isolate", parts[-1]))


def ends_test(statement):
    """Whether a condition ends a test early, so that nothing is asserted where it holds but what stands before."""
    return isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], ast.Return)


def handed_on(loop):
    """The names that a loop counts up, or assigns after it has read them: what the next turn finds is of the turn before."""
    read = set()
    for node in sorted((node for node in walk(loop) if isinstance(node, ast.Name)), key=lambda node: (node.lineno, node.col_offset)):
        if isinstance(node.ctx, ast.Load):
            read.add(node.id)
        elif node.id in read:
            yield node
    for node in walk(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target


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


def root_of(node):
    """The name that a chain of attributes, items and calls begins with: `a` of `a.b(1).c[2]`."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", None)


def repeated(act, times):
    return act if times == 1 else f"{act} {'twice' if times == 2 else f'{times} times'}"


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


def is_read(node):
    return isinstance(getattr(node, "ctx", None), ast.Load) and isinstance(node, (ast.Name, ast.Attribute))


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
    return isinstance(statement, (ast.With, ast.Assert, *FUNCTIONS))


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


def rows_of(unit, wording, most=16):
    """The cases of a parametrisation, as many as a reader takes in; empty where they are not written out."""
    speech, found = Speech(unit.module, wording, module_values(unit.module, wording)), []
    for decorator in unit.decorators():
        is_mark = isinstance(decorator, ast.Call) and last_name(decorator) == "parametrize" and len(decorator.args) > 1
        cases = getattr(speech.value_of(decorator.args[1]), "elts", []) if is_mark else []
        names = [wording.name(name) for name in argument_names(decorator.args[0])] if is_mark else []
        shown = [row for row in (spoken_row(speech, names, case) for case in cases) if row and not speech.gives_away(row)]
        if shown:
            told = shown[:1]
            for row in shown[1:most]:
                if len(row) + sum(map(len, told)) <= LONGEST_ROWS:
                    told.append(row)
            more = f" and {len(cases) - len(told)} more" if len(cases) > len(told) else ""
            meanings = speech.introductions(LONGEST_ROWS)
            introduced = f"with {', '.join(meanings)}: " if meanings else ""
            found.append(f"{introduced}for {'; '.join(told)}{more}")
    return found


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
    return row if len(row) <= 160 else ""
