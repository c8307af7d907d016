# Simultaneous intervals; the critical value comes from a quasi-Monte Carlo method.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(ifelse(is.na(m[row, ]), "", sprintf("%.12g", m[row, ])), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(multcomp))
set.seed(as.integer(Sys.getenv("SEED", "290875")))
d <- read.csv("/artifact/data/tox.csv", stringsAsFactors = TRUE)
fit <- aov(gain ~ g, data = d)
ci <- confint(glht(fit, linfct = mcp(g = "Dunnett"), alternative = "less"))$confint
m <- cbind(ci[, c("Estimate", "upr"), drop = FALSE], NA)
colnames(m)[ncol(m)] <- "quantile"
rownames(m) <- sub(" [<>=]= 0", "", rownames(m))
show(rbind(m, all = c(rep(NA, ncol(m) - 1), abs(attr(ci, "calpha")))))
R
