# Zermelo's iteration on wins and games of each pair, in plain Python; errors from the information matrix.
python3 - <<'PYTHON'
import csv
from math import log, sqrt
from statistics import NormalDist

wins, games = {}, {}
with open('/artifact/data/baseball.csv', newline='') as file:
    for row in csv.DictReader(file):
        home, away = row['home'], row['away']
        scored = float(row['home.wins']), float(row['away.wins'])
        for one, other, won in ((home, away, scored[0]), (away, home, scored[1])):
            wins[one] = wins.get(one, 0) + won
            games[one, other] = games.get((one, other), 0) + sum(scored)
teams = sorted(wins)
worth = dict.fromkeys(teams, 1.0)
for _ in range(100000):
    new = {
        one: wins[one] / sum(n / (worth[one] + worth[other]) for (a, other), n in games.items() if a == one)
        for one in teams
    }
    new = {team: value / new['Baltimore'] for team, value in new.items()}
    change = max(abs(log(new[team] / worth[team])) for team in teams)
    worth = new
    if change < 1e-12:
        break

others = [team for team in teams if team != 'Baltimore']
info = [[0.0] * len(others) for _ in others]
for (one, other), n in games.items():
    if one in others:
        part = n * worth[one] * worth[other] / (worth[one] + worth[other]) ** 2
        info[others.index(one)][others.index(one)] += part
        if other in others:
            info[others.index(one)][others.index(other)] -= part
rows = [row + [float(i == j) for j in range(len(others))] for i, row in enumerate(info)]
for i in range(len(rows)):
    rows[i] = [value / rows[i][i] for value in rows[i]]
    for r in range(len(rows)):
        if r != i:
            rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
print('```table')
print('| | Estimate | Std. Error | z value | p value |')
print('|---|---|---|---|---|')
for i, team in enumerate(others):
    se = sqrt(rows[i][len(others) + i])
    z = log(worth[team]) / se
    p = 2 * NormalDist().cdf(-abs(z))
    shown = f'{p:.2e}' if p < 1e-4 else f'{p:.6f}'
    print(f'| team{team.replace("_", " ")} | {z * se:.4f} | {se:.4f} | {z:.3f} | {shown} |')
print('```')
PYTHON
