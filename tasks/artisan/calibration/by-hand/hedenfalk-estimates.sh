# awk counts the p-values above each bound, R smooths those shares; no package, and no q-value of a single gene.
data=/artifact/data/pvalues.csv
tail -n +2 $data | tr -d '"' | awk -F, '{ m++; for (k = 1; k <= 19; k++) if ($3 >= k * 0.05) above[k]++ }
END { for (k = 1; k <= 19; k++) printf "%.2f %.17g\n", k * 0.05, above[k] / m / (1 - k * 0.05) }' > /tmp/shares.txt
pi0=$(R --vanilla --no-echo <<'R'
share <- read.table("/tmp/shares.txt")
spline <- smooth.spline(share$V1, share$V2, df = 3)
cat(sprintf("%.17g", min(1, predict(spline, 0.95)$y)))
R
) || exit 1
tail -n +2 $data | tr -d '"' | cut -d, -f3 | sort -g | awk -v pi0="$pi0" '{ p[NR] = $1; if ($1 <= 0.01) last = NR }
END {
  least = 1
  for (i = last; i <= NR; i++) if (pi0 * NR * p[i] / i < least) least = pi0 * NR * p[i] / i
  printf "```table\n| | value |\n|---|---|\n| pi0 | %.7g |\n| FDR at p <= 0.01 | %.7g |\n```\n", pi0, least
}'
