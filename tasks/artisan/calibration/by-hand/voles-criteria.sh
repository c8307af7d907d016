# Eigenvalues by Jacobi's rotations, in plain Python.
python3 - <<'PYTHON'
import csv
from math import hypot

with open('/artifact/data/distances.csv', newline='') as file:
    pairs = {(row['a'], row['b']): float(row['distance']) for row in csv.DictReader(file)}
places = sorted({place for pair in pairs for place in pair})
n = len(places)
squared = [[max(pairs.get((a, b), 0), pairs.get((b, a), 0)) ** 2 for b in places] for a in places]
means = [sum(row) / n for row in squared]
whole = sum(means) / n
b = [[-(squared[i][j] - means[i] - means[j] + whole) / 2 for j in range(n)] for i in range(n)]
for _ in range(60):
    for p in range(n):
        for q in range(p + 1, n):
            if b[p][q] == 0:
                continue
            theta = (b[q][q] - b[p][p]) / (2 * b[p][q])
            t = (1 if theta >= 0 else -1) / (abs(theta) + hypot(theta, 1))
            c = 1 / hypot(t, 1)
            s = t * c
            for k in range(n):
                b[k][p], b[k][q] = c * b[k][p] - s * b[k][q], s * b[k][p] + c * b[k][q]
            for k in range(n):
                b[p][k], b[q][k] = c * b[p][k] - s * b[q][k], s * b[p][k] + c * b[q][k]
values = sorted((b[i][i] for i in range(n)), reverse=True)


def share(f):
    return sum(map(f, values[:2])) / sum(map(f, values))


print('```table')
print('| | value |')
print('|---|---|')
print(f'| P2, absolute eigenvalues | {share(abs):.3f} |')
print(f'| Mardia et al., squared eigenvalues | {share(lambda value: value * value):.3f} |')
print('```')
PYTHON
