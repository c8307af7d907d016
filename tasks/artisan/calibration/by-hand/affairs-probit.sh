# Scoring for six parameters in plain Python, until nothing moves; the normal distribution by erfc.
python3 - <<'PYTHON'
import csv
from math import erfc, exp, fsum, pi, sqrt

NAMES = ['age', 'yearsmarried', 'religiousness', 'occupation', 'rating']
with open('/artifact/data/affairs.csv', newline='') as file:
    people = list(csv.DictReader(file))
x = [[1.0] + [float(person[name]) for name in NAMES] for person in people]
y = [float(person['affairs']) > 0 for person in people]
k = len(NAMES) + 1


def inverse(a):
    rows = [row + [float(i == j) for j in range(k)] for i, row in enumerate(a)]
    for i in range(k):
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(k):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [row[k:] for row in rows]


beta = [0.0] * k
for _ in range(100):
    line = [fsum(b * v for b, v in zip(beta, row)) for row in x]
    share = [erfc(-eta / sqrt(2)) / 2 for eta in line]
    density = [exp(-eta * eta / 2) / sqrt(2 * pi) for eta in line]
    weight = [d * d / (p * (1 - p)) for d, p in zip(density, share)]
    left = [(done - p) * d / (p * (1 - p)) for done, p, d in zip(y, share, density)]
    information = [[fsum(w * row[i] * row[j] for w, row in zip(weight, x)) for j in range(k)] for i in range(k)]
    covariance = inverse(information)
    score = [fsum(r * row[i] for r, row in zip(left, x)) for i in range(k)]
    step = [fsum(c * s for c, s in zip(row, score)) for row in covariance]
    beta = [b + s for b, s in zip(beta, step)]
    if max(map(abs, step)) < 1e-12:
        break
print('```table')
print('| | Estimate | Std. Error | z value | p value |')
print('|---|---|---|---|---|')
for i, name in enumerate(['(Intercept)'] + NAMES):
    se = sqrt(covariance[i][i])
    z = beta[i] / se
    p = erfc(abs(z) / sqrt(2))
    shown = f'{p:.1e}' if p < 1e-4 else f'{p:.5f}'
    print(f'| {name} | {beta[i]:.4f} | {se:.4f} | {z:.3f} | {shown} |')
print('```')
PYTHON
