# Maximum-type test; its p-values come from Monte Carlo methods.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(coin))
set.seed(as.integer(Sys.getenv("SEED", "290875")))
score <- list(dominant = c(0, 1, 1), additive = c(0, 1, 2), recessive = c(0, 0, 1))
g <- function(x) { x <- unlist(x); sapply(score, function(s) s[x]) }
d <- read.csv("/artifact/data/melanoma.csv", stringsAsFactors = TRUE)
d$genotype <- factor(d$genotype, levels = c("AA", "AG", "GG"))
d$group <- factor(d$group, levels = c("in_situ", "control"))
run <- function(...) independence_test(group ~ genotype, data = d, xtrafo = g, alternative = "greater", ...)
it <- run()
p <- pvalue(run(distribution = approximate(nresample = 49999)), method = "step-down")
m <- cbind(drop(statistic(it, type = "linear")), drop(expectation(it)), sqrt(drop(variance(it))), drop(statistic(it, type = "standardized")), drop(pvalue(it, method = "single-step")), drop(p))
dimnames(m) <- list(names(score), c("T", "expectation", "standard deviation", "standardised", "p asymptotic", "p step-down"))
show(m)
R
