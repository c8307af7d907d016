# pandas reads and groups, SciPy tests; the mean squares come from the variances of the groups.
python3 - <<'PYTHON'
import pandas as pd
from scipy import stats

frame = pd.read_csv('/artifact/data/SiRstv.dat', sep=r'\s+', skiprows=1, names=['instrument', 'resistance'])
groups = frame.groupby('instrument')['resistance']
size, variance = groups.size(), groups.var(ddof=1)
df = len(size) - 1, len(frame) - len(size)
within = ((size - 1) * variance).sum()
f = stats.f_oneway(*(group for _, group in groups)).statistic
between = f * df[0] * within / df[1]
print('```table')
print('| source | df | sum_of_squares | mean_square | F |')
print('|---|---|---|---|---|')
print(f'| Between Instrument | {df[0]} | {between:.14E} | {between / df[0]:.14E} | {f:.14E} |')
print(f'| Within Instrument | {df[1]} | {within:.14E} | {within / df[1]:.14E} | |')
print('```')
PYTHON
