# Sums of squares of a regression, computed from the readings.
python3 - <<'PYTHON'
import numpy as np

y, x = np.loadtxt('/artifact/data/Norris.dat', skiprows=1).T
n = len(x)
dx, dy = x - x.mean(), y - y.mean()
b1 = (dx * dy).sum() / (dx**2).sum()
b0 = y.mean() - b1 * x.mean()
residual = y - b0 - b1 * x
within = (residual**2).sum()
between = b1**2 * (dx**2).sum()
print('```table')
print('| | df | sum_of_squares | mean_square | F |')
print('|---|---|---|---|---|')
print(f'| Regression | 1 | {between:.15g} | {between:.15g} | {between / (within / (n - 2)):.15g} |')
print(f'| Residual | {n - 2} | {within:.15g} | {within / (n - 2):.15g} | |')
print('```')
PYTHON
