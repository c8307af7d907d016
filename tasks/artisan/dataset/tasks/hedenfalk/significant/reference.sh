# q-values and local false discovery rates of the shipped p-values, counted below each bound.
R --vanilla --no-echo <<'R'
suppressMessages(library(qvalue))
q <- qvalue(read.csv("/artifact/data/pvalues.csv")$p)
bound <- c(1e-4, 1e-3, 0.01, 0.025, 0.05, 0.1)
below <- function(x) sapply(bound, function(at) sum(x < at))
cat("```table\n| | <1e-04 | <0.001 | <0.01 | <0.025 | <0.05 | <0.1 |\n|---|---|---|---|---|---|---|\n")
row <- function(name, x) cat("|", name, "|", paste(below(x), collapse = " | "), "|\n")
row("p-value", q$pvalues)
row("q-value", q$qvalues)
row("local FDR", q$lfdr)
cat("```\n")
R
