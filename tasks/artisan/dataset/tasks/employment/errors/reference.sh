# Sandwich estimators of the covariance, computed from the data.
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
leverage = (q**2).sum(axis=1)
inverse = np.linalg.inv(r)
weights = {
    'HC0': residual**2,
    'HC1': residual**2 * n / (n - k),
    'HC2': residual**2 / (1 - leverage),
    'HC3': residual**2 / (1 - leverage) ** 2,
}
print('```table')
print('| | GNPDEFL | GNP | UNEMP | ARMED | POP | YEAR | constant |')
print('|---|---|---|---|---|---|---|---|')
for name, weight in weights.items():
    covariance = inverse @ (q.T * weight) @ q @ inverse.T
    errors = np.sqrt(np.diag(covariance)) / scale
    print(f'| {name} | ' + ' | '.join(f'{error:.10g}' for error in errors) + ' |')
print('```')
PYTHON
