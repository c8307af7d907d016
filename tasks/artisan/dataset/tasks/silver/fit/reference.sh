# R-squared and residual standard deviation, computed from the measurements.
python3 - <<'PYTHON'
import numpy as np

group, value = np.loadtxt('/artifact/data/AtmWtAg.dat', skiprows=1).T
means = {g: value[group == g].mean() for g in np.unique(group)}
residual = value - np.array([means[g] for g in group])
effect = np.array([means[g] for g in group]) - value.mean()
between, within = (effect**2).sum(), (residual**2).sum()
df_between, df_within = len(means) - 1, len(value) - len(means)
print('```table')
print('| | value |')
print('|---|---|')
print(f'| R-squared | {between / (between + within):.15g} |')
print(f'| Residual standard deviation | {(within / df_within) ** 0.5:.15g} |')
print('```')
PYTHON
