# Two-step feasible generalised least squares.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(systemfit))
d <- read.csv("/artifact/data/kmenta.csv")
m <- coef(summary(systemfit(list(demand = consump ~ price + income, supply = consump ~ price + farmPrice + trend), method = "SUR", data = d)))
colnames(m) <- c("Estimate", "Std. Error", "t value", "p value")
show(m)
R
