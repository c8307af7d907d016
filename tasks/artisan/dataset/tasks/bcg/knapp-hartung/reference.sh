# Mixed-effects model with the adjustment of Knapp and Hartung.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(metafor))
d <- read.csv("/artifact/data/bcg.csv")
d <- escalc("RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = d)
fit <- rma(yi, vi, mods = ~ factor(alloc) + ablat, data = d, test = "knha")
m <- cbind(coef(fit), fit$se, fit$zval, fit$pval, fit$ci.lb, fit$ci.ub)
dimnames(m) <- list(c("intrcpt", "factor(alloc)random", "factor(alloc)systematic", "ablat"), c("estimate", "se", "tval", "pval", "ci.lb", "ci.ub"))
show(m)
R
