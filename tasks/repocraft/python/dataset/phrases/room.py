"""How much is said of one thing, as much as a reader takes in."""

# Of a literal as much is said as a reader takes in; the rest is counted.
LONGEST_LITERAL = 900
LONGEST_TEXT = 600
LONGEST_PHRASE = 1200
LONGEST_SIDES = 1600
SHORT = 24
MOST_INTRODUCED = 32
DEEPEST = 14
WIDE = 24
WIDEST = 80
LONGEST_BODY = 1200
LONGEST_DEFINED = 2000
LONGEST_SHORTENED = 240
# Lines of a class that there is room for in no description.
LONGEST_CLASS = 80
