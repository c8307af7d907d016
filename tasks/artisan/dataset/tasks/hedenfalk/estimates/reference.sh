# The share of true null hypotheses by the smoother, and the false discovery rate at a bound, from the shipped p-values.
R --vanilla --no-echo <<'R'
suppressMessages(library(qvalue))
q <- qvalue(read.csv("/artifact/data/pvalues.csv")$p)
cat("```table\n| | value |\n|---|---|\n")
cat("| pi0 |", sprintf("%.12g", q$pi0), "|\n")
cat("| FDR at p <= 0.01 |", sprintf("%.12g", max(q$qvalues[q$pvalues <= 0.01])), "|\n```\n")
R
