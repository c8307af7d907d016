"""
Draws wrong values to hide a right one among, so that who knows how texts go (likely.py) does no better than who knows nothing.

A word or number of the value is exchanged for others of its length: as many likelier ones as is drawn, from none to all, and the
rest less likely, each near to the right one. Where too few are likelier another part of the value is taken. Single numbers are
drawn as often as they stand in the test and in Python's library, which comes to the same.
"""

import ast
import hmac
import json
import random
import re
from collections import Counter
from operator import ge, le

from likely import WORD, Likely

WRONG = 3
MAX_VALUE_CHARACTERS = 4000
# Of a value: parts that are looked at, and of a text: words and numbers. Of those that could take the place of one: how many.
MOST_PARTS = 5
MOST_SLOTS = 6
# Words and numbers of a text that are exchanged together.
MOST_TOGETHER = 3
FROM_TEST, FROM_LIBRARY, WITH_OTHER_LETTER = 20, 20, 6
# Of those that are likelier, or less likely, than the right one: the nearest of which some are drawn.
NEAREST = 6
# Of numbers with a fraction: further digits may be below what a comparison tells apart.
TELLING_DIGITS = 2
MOST_OF_FRACTION = 9
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = ".,;:-_/|+*=!?#&@ "
SLOT = re.compile(r"[A-Za-z]+|[0-9]+")
# A short value is hidden beside an empty one as often: else whatever stands beside an empty one would be the wrong one.
BESIDE_EMPTY = 0.25
SHORT = 12
NOTHING = object()


class Draws:
    """`key`: in hex; the same gives the same draws. `text`: the test that they are for, without its values."""

    def __init__(self, key, text):
        self._key, self._text, self._likely = key, text, None
        self._seen = Counter()

    def shuffled(self, value):
        """(texts of the value and of wrong ones in a drawn order, position of the right one); null where there are no others."""
        self._likely = self._likely or Likely(self._text)
        right = repr(value)
        self._seen[right] += 1
        draw = seeded(self._key, "values", right, self._seen[right])
        wrong = alternatives(value, draw, self._likely)
        if not wrong:
            return None
        values = [right, *sorted({repr(one) for one in wrong})]
        draw.shuffle(values)
        return values, values.index(right)


def seeded(key, *what):
    """Random numbers that follow from the key and what they are for."""
    return random.Random(hmac.digest(bytes.fromhex(key), json.dumps(what).encode(), "sha256"))


def written(node):
    """The value that a node of a syntax tree writes out; NOTHING for any other."""
    try:
        value = ast.literal_eval(node)
        text = repr(value)
        return value if len(text) <= MAX_VALUE_CHARACTERS and ast.literal_eval(text) == value else NOTHING
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOTHING


def alternatives(value, draw, likely):
    """Wrong values, none equal to another or to the right one; few or none where no more can be made."""
    best, most = [], -1
    parts = sorted(leaves(value), key=lambda leaf: (leaf[0], draw.random()))
    for rank, part, whole in parts[:MOST_PARTS]:
        if best and rank > parts[0][0]:
            break
        for likelier, wrong in exchanged(part, draw, likely):
            found = others(value, [whole(one) for one in wrong])
            if found and likelier > most:
                best, most = found, likelier
            if most >= WRONG:
                break
        if most >= WRONG:
            break
    return with_empty(value, best, draw)


def others(value, found):
    """At most `WRONG` of them, all different."""
    kept = []
    for one in found:
        if one != value and repr(one) != repr(value) and all(one != other for other in kept):
            kept.append(one)
    return kept[:WRONG]


def with_empty(value, wrong, draw):
    is_short = isinstance(value, (str, bytes, list, tuple, dict)) and bool(value) and len(repr(value)) <= SHORT
    if not is_short or type(value)() in wrong or draw.random() >= BESIDE_EMPTY:
        return wrong
    return [*wrong[: WRONG - 1], type(value)()] if wrong else wrong


def leaves(value):
    """(how little it can be varied, itself, the function that puts another in its place) for each part of a value."""
    if isinstance(value, bool):
        yield 2, value, lambda one: one
    elif isinstance(value, (int, float)):
        yield 0, value, lambda one: one
    elif isinstance(value, str):
        yield (0 if SLOT.search(value) else 1 if value else 3), value, lambda one: one
    elif isinstance(value, bytes) and value.isascii():
        yield from ((rank, part, lambda one: one.encode()) for rank, part, _ in leaves(value.decode()))
    elif isinstance(value, (list, tuple)) and value:
        for index, part in enumerate(value):
            for rank, leaf, whole in leaves(part):
                yield rank, leaf, lambda one, index=index, whole=whole: type(value)([*value[:index], whole(one), *value[index + 1 :]])
    elif isinstance(value, dict) and value:
        for key, part in value.items():
            for rank, leaf, whole in leaves(part):
                yield rank, leaf, lambda one, key=key, whole=whole: {**value, key: whole(one)}
    elif isinstance(value, (set, frozenset)):
        for part in sorted(value, key=repr):
            for rank, leaf, whole in leaves(part):
                yield rank, leaf, lambda one, part=part, whole=whole: (value - {part}) | {whole(one)}
    elif isinstance(value, (list, tuple, dict)):
        yield 3, value, lambda one: one


def exchanged(part, draw, likely):
    """(how many likelier ones there are, wrong values) for each way to vary a part of a value."""
    if isinstance(part, bool):
        yield 0, [not part]
    elif isinstance(part, int):
        yield whole_numbers(part, draw, likely)
    elif isinstance(part, float):
        text = repr(part)
        likelier, wrong = ranked(text, (0, len(text)), [repr(one) for one in (*alike(part), *fractions(part))], draw, likely)
        yield likelier, [float(one) for one in wrong]
    elif isinstance(part, str) and part:
        yield from texts(part, draw, likely)
    elif isinstance(part, str):
        yield 0, draw.sample([*likely.texts, "a", "x", "ab", "1", "None"], WRONG)
    else:
        items = draw.sample([0, 1, 2, "a", "x", "b", *likely.texts], WRONG)
        yield 0, [{item: 1} if isinstance(part, dict) else type(part)([item]) for item in items]


def whole_numbers(number, draw, likely):
    """Of as many digits, each as often as it stands in test and library."""
    sign, digits = ("-", repr(number)[1:]) if number < 0 else ("", repr(number))
    if len(digits) > 3:
        like = {*likely.numbers(len(digits)), *(repr(one) for one in alike(int(digits)))}
    else:
        like = {repr(one) for one in range(10 ** (len(digits) - 1) if len(digits) > 1 else 0, 10 ** len(digits))}
    pool = sorted(like - {digits})
    weights = [likely.of_number(one) for one in pool]
    likelier = sum(weight > likely.of_number(digits) for weight in weights)
    wrong = []
    while pool and len(wrong) < WRONG:
        place = draw.choices(range(len(pool)), weights)[0]
        wrong.append(int(sign + pool.pop(place)))
        del weights[place]
    return likelier, wrong


def alike(value):
    """The number with one of its first digits as another."""
    text = repr(value)
    mantissa = text.partition("e")[0]
    first = next((index for index, one in enumerate(mantissa) if one in "123456789"), None)
    digits = [index for index, one in enumerate(mantissa) if one.isdigit() and (first is None or index >= first)][:TELLING_DIGITS]
    made = [type(value)(text[:place] + one + text[place + 1 :]) for place in digits for one in "0123456789" if one != text[place]]
    # A nought at either end is not written: such a number would stand out by its length.
    return [one for one in made if len(repr(one)) == len(text)]


def fractions(number):
    """Of small whole numbers, with as many digits: what tests compare with as often as not."""
    text = repr(number)
    decimals = len(text.partition(".")[2])
    if "e" in text or "n" in text or decimals > 6:
        return []
    whole = int(number)
    made = {round(whole + part / of, decimals) for of in range(2, MOST_OF_FRACTION + 1) for part in range(of)}
    return [one for one in sorted(made) if len(repr(one)) == len(text)]


def texts(text, draw, likely):
    """With some of its words or numbers as others of that length, or one of its signs where it has neither."""
    slots = [found.span() for found in SLOT.finditer(text)] or [(place, place + 1) for place in range(len(text))]
    for first in draw.sample(range(len(slots)), min(MOST_SLOTS, len(slots))):
        begin, end = slots[first][0], draw.choice(slots[first : first + MOST_TOGETHER])[1]
        likelier, wrong = ranked(text, (begin, end), in_place_of(text[begin:end], draw, likely), draw, likely)
        yield likelier, [text[:begin] + one + text[end:] for one in wrong]


def ranked(text, span, pool, draw, likely):
    """(how many likelier ones there are, those drawn from a pool for what is in this place of a text)."""
    begin, end = span
    right = text[begin:end]
    score = {one: likely.of_text(f"'{text[:begin]}{one}{text[end:]}'", begin + 1, begin + 1 + len(one)) for one in {right, *pool}}
    # Likelier or not to whom it may be: of two ways to look at it none is to find the right one.
    better = [one for one in score if one != right and all(map(ge, score[one], score[right]))]
    worse = [one for one in score if one != right and one not in better and all(map(le, score[one], score[right]))]
    rest = [one for one in score if one != right and one not in better and one not in worse]
    if len(better) < WRONG:
        better, worse = better + rest, worse
    else:
        worse = worse + rest
    above = draw.randint(0, WRONG) if len(better) >= WRONG else len(better)
    below = min(WRONG - above, len(worse))
    above = min(WRONG - below, len(better))
    return len(better), near(better, above, score, right, draw) + near(worse, below, score, right, draw)


def near(some, count, score, right, draw):
    """So many of those whose likelihood is nearest to the right one's."""
    return draw.sample(sorted(some, key=lambda one: (abs(score[one][0] - score[right][0]), one))[: max(NEAREST, count)], count)


def in_place_of(right, draw, likely):
    """What could stand for a word, a number, several, or a sign."""
    found = draw_some(likely.pieces(len(right)), FROM_TEST, draw)
    if WORD.fullmatch(right):
        found += words_like(right, draw, likely)
    elif right.isdigit():
        known = [*likely.numbers(len(right)), *(str(draw.randrange(10 ** len(right))).zfill(len(right)) for _ in range(FROM_LIBRARY))]
        return draw_some(known, FROM_LIBRARY, draw) + [one for one in found if one.isdigit()]
    elif not SLOT.search(right):
        return list(SIGNS)
    else:
        # One of several.
        begin, end = draw.choice([one.span() for one in SLOT.finditer(right)])
        found += [right[:begin] + one + right[end:] for one in in_place_of(right[begin:end], draw, likely)]
    return ["".join(one.upper() if model.isupper() else one for one, model in zip(text, right, strict=True)) for text in found]


def words_like(right, draw, likely):
    known = likely.words(len(right))
    words = [*known[:FROM_TEST], *draw_some(known, FROM_LIBRARY, draw)]
    for _ in range(len(LETTERS) if len(right) == 1 else WITH_OTHER_LETTER):
        place = draw.randrange(len(right))
        words.append((right[:place] + draw.choice(LETTERS) + right[place + 1 :]).lower())
    return words


def draw_some(of, count, draw):
    return draw.sample(of, min(count, len(of)))
