# A model with all interactions is two models: one of each gender, fitted by awk; the rest are differences.
awk -F, 'NR > 1 {
  gsub(/"/, "")
  n[$2]++; x[$2, n[$2]] = $1; yes[$2, n[$2]] = $3; all[$2, n[$2]] = $3 + $4
}
# Both tails of the normal distribution: a series in the middle, a continued fraction outside.
function tails(z,  i, sum, term) {
  if (z < 0) z = -z
  if (z < 3) {
    for (i = 1; i < 200; i++) {
      term = i == 1 ? z : term * z * z / (2 * i - 1)
      sum += term
    }
    return 1 - 2 * sum * exp(-z * z / 2) / sqrt(8 * atan2(1, 1))
  }
  for (i = 300; i > 0; i--) sum = i / (z + sum)
  return 2 * exp(-z * z / 2) / sqrt(8 * atan2(1, 1)) / (z + sum)
}
function fit(g,  i, step, p, w, w0, w1, w2, g0, g1, det) {
  a[g] = b[g] = 0
  for (step = 0; step < 40; step++) {
    w0 = w1 = w2 = g0 = g1 = 0
    for (i = 1; i <= n[g]; i++) {
      p = 1 / (1 + exp(-a[g] - b[g] * x[g, i]))
      w = all[g, i] * p * (1 - p)
      w0 += w; w1 += w * x[g, i]; w2 += w * x[g, i] ^ 2
      g0 += yes[g, i] - all[g, i] * p; g1 += (yes[g, i] - all[g, i] * p) * x[g, i]
    }
    det = w0 * w2 - w1 * w1
    a[g] += (w2 * g0 - w1 * g1) / det; b[g] += (w0 * g1 - w1 * g0) / det
  }
  va[g] = w2 / det; vb[g] = w0 / det
}
function row(name, value, variance) {
  printf "| %s | %.4f | %.4f | %.2f | %.4g |\n", name, value, sqrt(variance), value / sqrt(variance), tails(value / sqrt(variance))
}
END {
  fit("Male"); fit("Female")
  print "```table\n| | Estimate | Std. Error | z value | p value |\n|---|---|---|---|---|"
  row("(Intercept)", a["Male"], va["Male"])
  row("education", b["Male"], vb["Male"])
  row("genderFemale", a["Female"] - a["Male"], va["Female"] + va["Male"])
  row("genderFemale:education", b["Female"] - b["Male"], vb["Female"] + vb["Male"])
  print "```"
}' /artifact/data/womensrole.csv
