# Coefficients and their standard errors, computed from the readings.
python3 - <<'PYTHON'
import numpy as np

y, x = np.loadtxt('/artifact/data/Norris.dat', skiprows=1).T
n = len(x)
dx, dy = x - x.mean(), y - y.mean()
b1 = (dx * dy).sum() / (dx**2).sum()
b0 = y.mean() - b1 * x.mean()
residual = y - b0 - b1 * x
within = (residual**2).sum()
variance = within / (n - 2)
se1 = (variance / (dx**2).sum()) ** 0.5
se0 = (variance * (1 / n + x.mean() ** 2 / (dx**2).sum())) ** 0.5
print('```table')
print('| | estimate | standard_error |')
print('|---|---|---|')
print(f'| B0 | {b0:.15g} | {se0:.15g} |')
print(f'| B1 | {b1:.15g} | {se1:.15g} |')
print('```')
PYTHON
