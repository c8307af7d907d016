# Poisson regression.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
d <- read.csv("/artifact/data/polyps.csv")
d$treat <- factor(d$treat, levels = c("placebo", "drug"))
m <- coef(summary(glm(number ~ treat + age, data = d, family = poisson())))
colnames(m) <- c("Estimate", "Std. Error", "z value", "p value")
show(m)
R
