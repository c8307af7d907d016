"""The cases of a parametrised test, in words."""

import ast

from demands.set_up import is_parameter
from marks import CUT, is_unsaid
from phrases.speech import Speech
from syntax import last_name
from values import given_node, module_values

LONGEST_ROWS = 4000
LONGEST_ROW = 900


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
        elif not isinstance(speech.value_of(values), (ast.List, ast.Tuple, ast.Set)) and not is_unsaid(text := speech.say(values, 1)) and not speech.gives_away(text):
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
