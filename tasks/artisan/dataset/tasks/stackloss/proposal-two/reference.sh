# Iteratively reweighted least squares; scale by proposal 2, standard errors after Huber (1973).
python3 - <<'PYTHON'
import numpy as np
from scipy.stats import norm

data = np.loadtxt('/artifact/data/stackloss.csv', delimiter=',', skiprows=1)
y, x = data[:, 0], np.column_stack([data[:, 1:], np.ones(len(data))])
n, p = x.shape
d = 2.5
h = (n - p) / n * (d**2 + (1 - d**2) * norm.cdf(d) - 0.5 - d / np.sqrt(2 * np.pi) * np.exp(-(d**2) / 2))


def scale_of(r):
    s = np.median(np.abs(r)) / norm.ppf(0.75)
    for _ in range(1000):
        new = np.sqrt((np.minimum((r / s) ** 2, d**2) / 2).sum() * s**2 / (n * h))
        done, s = abs(new - s) < 1e-13, new
        if done:
            break
    else:
        raise SystemExit('the scale does not converge')
    return s


def huber(z):
    return np.minimum(1, 1.345 / np.maximum(np.abs(z), 1e-300)), np.abs(z) <= 1.345


def biweight(z):
    inside, u = np.abs(z) <= 4.685, (z / 4.685) ** 2
    return np.where(inside, (1 - u) ** 2, 0), np.where(inside, (1 - u) * (1 - 5 * u), 0)


def fit(function):
    beta = np.linalg.lstsq(x, y, rcond=None)[0]
    scale = scale_of(y - x @ beta)
    for _ in range(5000):
        root = np.sqrt(function((y - x @ beta) / scale)[0])
        new = np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0]
        done, beta = np.abs(new - beta).max() < 1e-12, new
        scale = scale_of(y - x @ beta)
        if done:
            break
    else:
        raise SystemExit('the weights do not converge')
    z = (y - x @ beta) / scale
    weight, slope = function(z)
    m = slope.mean()
    k = 1 + p / n * np.var(slope) / m**2
    variance = k**2 * ((weight * z) ** 2).sum() / (n - p) * scale**2 / m**2
    return beta, np.sqrt(variance * np.diag(np.linalg.inv(x.T @ x)))


print('```table')
print('| | AIRFLOW | WATERTEMP | ACIDCONC | const |')
print('|---|---|---|---|---|')
for name, function in (('Huber', huber), ('Tukey biweight', biweight)):
    beta, error = fit(function)
    for what, values in (('estimate', beta), ('standard error', error)):
        print(f'| {name}, {what} | ' + ' | '.join(f'{value:.12g}' for value in values) + ' |')
print('```')
PYTHON
