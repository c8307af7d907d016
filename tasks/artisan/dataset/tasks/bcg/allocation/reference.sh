# One coefficient for each way of allocation.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(metafor))
d <- read.csv("/artifact/data/bcg.csv")
d <- escalc("RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = d)
fit <- rma(yi, vi, mods = cbind(alloc == "random", alloc == "alternate", alloc == "systematic") * 1, intercept = FALSE, data = d)
m <- cbind(coef(fit), fit$se, fit$zval, fit$pval, fit$ci.lb, fit$ci.ub)
dimnames(m) <- list(c("a.random", "a.alternate", "a.systematic"), c("estimate", "se", "zval", "pval", "ci.lb", "ci.ub"))
show(m)
R
