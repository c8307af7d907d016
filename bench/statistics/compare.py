"""Compares figures.ts with SciPy, statsmodels and NumPy.

Reads its JSON from stdin, prints the largest difference of each figure, and
exits 1 where one is more than allowed: what is computed 1e-6 and less, what
is drawn 0.02, less than one task of the smallest case: its ends lie on steps.
"""

import json
import math
import sys

import numpy
import scipy
import statsmodels
import statsmodels.api
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

RESAMPLES = 50_000
random = numpy.random.default_rng(7)
ours = json.load(sys.stdin)
worst = {}


def compare(name, found, expected, allowed):
    difference = max(
        abs(a - b) for a, b in zip(numpy.ravel(found), numpy.ravel(expected), strict=True)
    )
    most, _, cases = worst.get(name, (0.0, allowed, 0))
    worst[name] = (max(most, difference), allowed, cases + 1)


def expanded(values, units):
    t = stats.t.ppf(0.975, units - 1)
    share = stats.norm.cdf(-math.sqrt(units / (units - 1)) * t)
    return numpy.quantile(values, [share, 1 - share])


def resample(sizes):
    total = sum(sizes)
    return random.multinomial(total, numpy.array(sizes) / total, RESAMPLES)


for case in ours["wilson"]:
    k, n = case["k"], case["n"]
    ends = stats.binomtest(k, n).proportion_ci(method="wilson")
    compare("Wilson (SciPy)", case["ends"], [ends.low, ends.high], 1e-9)
    ends = proportion_confint(k, n, method="wilson")
    compare("Wilson (statsmodels)", case["ends"], ends, 1e-9)
for case in ours["repeats"]:
    n, c, k = case["n"], case["c"], case["k"]
    every = math.comb(n, k)
    compare("pass@k", case["at"], 1 - math.comb(n - c, k) / every, 1e-9)
    compare("pass^k", case["hat"], math.comb(c, k) / every, 1e-9)
for case in ours["mcnemar"]:
    table = [[10, case["gained"]], [case["lost"], 10]]
    p = mcnemar(table, exact=True).pvalue
    compare("McNemar (statsmodels)", case["p"], p, 1e-9)
    flipped = case["gained"] + case["lost"]
    if flipped:
        p = stats.binomtest(case["lost"], flipped).pvalue
        compare("McNemar (SciPy)", case["p"], p, 1e-9)
        test = mcnemar(table, exact=False, correction=False)
        chi = [case["chi"]["value"], case["chi"]["p"]]
        compare("chi-squared (statsmodels)", chi, [test.statistic, test.pvalue], 1e-9)
for case in ours["holms"]:
    adjusted = multipletests(case["ps"], method="holm")[1]
    compare("Holm (statsmodels)", case["adjusted"], adjusted, 1e-9)
for case in ours["clusters"]:
    outcomes, groups = [], []
    for index, group in enumerate(case["groups"]):
        passed, graded = group["passed"], group["graded"]
        outcomes += [1] * passed + [0] * (graded - passed)
        groups += [index] * graded
    fit = statsmodels.api.OLS(outcomes, numpy.ones(len(outcomes))).fit(
        cov_type="cluster", cov_kwds={"groups": numpy.array(groups)}, use_t=True
    )
    found = [case["value"], case["error"], *case["ends"]]
    expected = [fit.params[0], fit.bse[0], *numpy.ravel(fit.conf_int())]
    compare("clustered by group (statsmodels)", found, expected, 1e-6)
    shares = [group["passed"] / group["graded"] for group in case["groups"]]
    ends = stats.ttest_1samp(shares, 0).confidence_interval(0.95)
    expected = [numpy.mean(shares), max(0, ends.low), min(1, ends.high)]
    compare("mean of groups (SciPy)", case["mean"], expected, 1e-6)
for case in ours["bootstraps"]:
    graded, passed, sizes = numpy.array(case["bins"]).T
    drawn = resample(sizes)
    score = drawn @ passed / (drawn @ graded)
    hat = drawn @ (passed * (passed - 1) / (graded * (graded - 1))) / drawn.sum(1)
    ends = expanded(score, sizes.sum())
    compare("bootstrap by task, score (NumPy)", case["score"], ends, 0.02)
    ends = expanded(hat, sizes.sum())
    compare("bootstrap by task, pass^2 (NumPy)", case["hat"], ends, 0.02)
for case in ours["differences"]:
    a, b, sizes = numpy.array(case["bins"]).T
    drawn = resample(sizes.astype(int))
    ends = expanded(drawn @ (b - a) / drawn.sum(1), sizes.sum())
    compare("paired bootstrap (NumPy)", case["ends"], ends, 0.02)
    mean = numpy.average(b - a, weights=sizes)
    square = numpy.average((b - a) ** 2, weights=sizes)
    alpha, power = stats.norm.ppf([0.975, 0.8])
    spread = alpha * math.sqrt(square) + power * math.sqrt(square - mean**2)
    compare("tasks needed (SciPy)", case["needed"], math.ceil((spread / mean) ** 2), 0)
for case in ours["student"]:
    expected = stats.t.ppf(0.975, case["degrees"])
    compare("quantiles of t (SciPy)", case["value"], expected, 1e-6)
for case in ours["normal"]:
    compare("normal shares (SciPy)", case["share"], stats.norm.cdf(case["value"]), 1e-9)
for case in ours["quantiles"]:
    expected = stats.norm.ppf(case["share"])
    compare("normal quantiles (SciPy)", case["value"], expected, 1e-9)

versions = f"SciPy {scipy.__version__}, statsmodels {statsmodels.__version__}"
print(f"{versions}, NumPy {numpy.__version__}\n")
print("| figure | cases | largest difference | allowed |\n| --- | ---: | ---: | ---: |")
for name, (difference, allowed, cases) in worst.items():
    print(f"| {name} | {cases} | {difference:.1e} | {allowed:.0e} |")
sys.exit(any(difference > allowed for difference, allowed, _ in worst.values()))
