# Restricted likelihood by golden section, in plain Python: with one mean a group it needs no matrix.
python3 - <<'PYTHON'
import csv
from math import log, sqrt
from statistics import NormalDist

trials = {}
with open('/artifact/data/bcg.csv', newline='') as file:
    for row in csv.DictReader(file):
        a, b, c, d = (float(row[name]) for name in ('tpos', 'tneg', 'cpos', 'cneg'))
        effect = log(a / (a + b)) - log(c / (c + d))
        trials.setdefault(row['alloc'], []).append((effect, 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)))


def mean(group, tau2):
    weights = [1 / (v + tau2) for _, v in group]
    return sum(w * y for w, (y, _) in zip(weights, group)) / sum(weights), 1 / sum(weights)


def deviance(tau2):
    total = 0.0
    for group in trials.values():
        mu, variance = mean(group, tau2)
        total += sum(log(v + tau2) + (y - mu) ** 2 / (v + tau2) for y, v in group) - log(variance)
    return total


low, high, ratio = 0.0, 5.0, (sqrt(5) - 1) / 2
while high - low > 1e-9:
    one, two = high - ratio * (high - low), low + ratio * (high - low)
    if deviance(one) < deviance(two):
        high = two
    else:
        low = one
normal = NormalDist()
print('```table')
print('| | estimate | se | zval | pval | ci.lb | ci.ub |')
print('|---|---|---|---|---|---|---|')
for name in ('random', 'alternate', 'systematic'):
    mu, variance = mean(trials[name], (low + high) / 2)
    se = sqrt(variance)
    half = normal.inv_cdf(0.975) * se
    values = mu, se, mu / se, 2 * normal.cdf(-abs(mu / se)), mu - half, mu + half
    print(f'| a.{name} | ' + ' | '.join(f'{value:.4f}' for value in values) + ' |')
print('```')
PYTHON
