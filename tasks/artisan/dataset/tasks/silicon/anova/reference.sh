# Sums of squares from deviations, computed from the measurements.
python3 - <<'PYTHON'
import numpy as np

group, value = np.loadtxt('/artifact/data/SiRstv.dat', skiprows=1).T
means = {g: value[group == g].mean() for g in np.unique(group)}
residual = value - np.array([means[g] for g in group])
effect = np.array([means[g] for g in group]) - value.mean()
between, within = (effect**2).sum(), (residual**2).sum()
df_between, df_within = len(means) - 1, len(value) - len(means)
f = (between / df_between) / (within / df_within)
print('```table')
print('| source | df | sum_of_squares | mean_square | F |')
print('|---|---|---|---|---|')
print(f'| Between Instrument | {df_between} | {between:.15g} | {between / df_between:.15g} | {f:.15g} |')
print(f'| Within Instrument | {df_within} | {within:.15g} | {within / df_within:.15g} | |')
print('```')
PYTHON
