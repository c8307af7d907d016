# Shaffer's step-down tests of all pairs.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(ifelse(is.na(m[row, ]), "", sprintf("%.12g", m[row, ])), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(multcomp))
d <- read.csv("/artifact/data/detergent.csv")
d$block <- factor(d$block)
d$detergent <- factor(d$detergent)
fit <- aov(plates ~ block + detergent, data = d)
s <- summary(glht(fit, linfct = mcp(detergent = "Tukey")), test = adjusted("Shaffer"))$test
m <- cbind("Estimate" = s$coefficients, "Std. Error" = s$sigma, "t value" = s$tstat, "p value" = s$pvalues)
rownames(m) <- sub(" == 0", "", names(s$coefficients))
show(m)
R
