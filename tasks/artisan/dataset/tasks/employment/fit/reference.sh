# Ordinary least squares by orthogonal factors, computed from the data.
python3 - <<'PYTHON'
import numpy as np

data = np.loadtxt('/artifact/data/longley.csv', delimiter=',', skiprows=1)
y, x = data[:, 1], np.column_stack([data[:, 2:], np.ones(len(data))])
# Scaled first: the columns are nearly collinear.
q, r = np.linalg.qr(x / np.abs(x).max(axis=0))
scale = np.abs(x).max(axis=0)
fitted = q @ (q.T @ y)
residual = y - fitted
n, k = x.shape
ssr, ess = (residual**2).sum(), ((fitted - y.mean()) ** 2).sum()
p, d = k - 1, n - k
llf = -n / 2 * (np.log(2 * np.pi * ssr / n) + 1)
rows = {
    'degrees of freedom, residual': d,
    'sum of squares, regression': ess,
    'sum of squares, residual': ssr,
    'mean square, regression': ess / p,
    'mean square, residual': ssr / d,
    'R-squared': ess / (ess + ssr),
    'adjusted R-squared': 1 - (ssr / d) / ((ess + ssr) / (n - 1)),
    'F statistic': (ess / p) / (ssr / d),
    'log-likelihood': llf,
    'AIC': -2 * llf + 2 * k,
    'BIC': -2 * llf + k * np.log(n),
}
print('```table')
print('| | value |')
print('|---|---|')
for name, value in rows.items():
    print(f'| {name} | {value:.15g} |')
print('```')
PYTHON
