# Newey and West with lag 4.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages({ library(sandwich); library(lmtest) })
fit <- lm(RealInv ~ RealGNP + RealInt, data = read.csv("/artifact/data/investment.csv"))
m <- coeftest(fit, df = Inf, vcov = NeweyWest(fit, lag = 4, prewhite = FALSE))[, ]
colnames(m)[4] <- "p value"
show(m)
R
