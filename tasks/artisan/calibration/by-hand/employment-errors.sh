# The normal equations in exact fractions, and the table to the decimals of the paper.
python3 - <<'PYTHON'
import csv
from fractions import Fraction

NAMES = ['GNPDEFL', 'GNP', 'UNEMP', 'ARMED', 'POP', 'YEAR']
with open('/artifact/data/longley.csv', newline='') as file:
    records = list(csv.DictReader(file))
x = [[Fraction(record[name]) for name in NAMES] + [Fraction(1)] for record in records]
y = [Fraction(record['TOTEMP']) for record in records]
n, k = len(x), len(x[0])


def inverse(a):
    rows = [row + [Fraction(i == j) for j in range(k)] for i, row in enumerate(a)]
    for i in range(k):
        pivot = next(r for r in range(i, k) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(k):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [row[k:] for row in rows]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


bread = inverse([[sum(row[i] * row[j] for row in x) for j in range(k)] for i in range(k)])
beta = [dot(row, [sum(r[i] * t for r, t in zip(x, y)) for i in range(k)]) for row in bread]
# Each observation's part of the coefficients, for a residual of one.
pull = [[dot(b, row) for b in bread] for row in x]
squared = [(t - dot(row, beta)) ** 2 for row, t in zip(x, y)]
leverage = [dot(row, p) for row, p in zip(x, pull)]
weights = {
    'HC0': squared,
    'HC1': [s * n / (n - k) for s in squared],
    'HC2': [s / (1 - h) for s, h in zip(squared, leverage)],
    'HC3': [s / (1 - h) ** 2 for s, h in zip(squared, leverage)],
}
print('```table')
print('| | ' + ' | '.join(NAMES) + ' | constant |')
print('|---' * (k + 1) + '|')
for name, weight in weights.items():
    errors = [float(sum(w * p[i] ** 2 for w, p in zip(weight, pull))) ** 0.5 for i in range(k)]
    print(f'| {name} | ' + ' | '.join(f'{error:.5f}' for error in errors[:-1]) + f' | {errors[-1]:.0f} |')
print('```')
PYTHON
