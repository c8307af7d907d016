# Exact fractions from the sums of each instrument: no mean, no deviation.
python3 - <<'PYTHON'
from collections import defaultdict
from fractions import Fraction

weights = defaultdict(list)
with open('/artifact/data/AtmWtAg.dat') as lines:
    next(lines)
    for line in lines:
        if line.strip():
            instrument, weight = line.split()
            weights[instrument].append(Fraction(weight))

every = [weight for group in weights.values() for weight in group]
squares = sum(weight * weight for weight in every)
of_groups = sum(sum(group) ** 2 / len(group) for group in weights.values())
between, within = of_groups - sum(every) ** 2 / len(every), squares - of_groups
df = len(weights) - 1, len(every) - len(weights)
ms = between / df[0], within / df[1]
print('```table')
print('| | df | sum_of_squares | mean_square | F |')
print('|---|---|---|---|---|')
print(f'| Between Instrument | {df[0]} | {float(between):.14E} | {float(ms[0]):.14E} | {float(ms[0] / ms[1]):.14E} |')
print(f'| Within Instrument | {df[1]} | {float(within):.14E} | {float(ms[1]):.14E} | |')
print('```')
PYTHON
