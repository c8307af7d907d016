# Ordinary least squares with White's covariance matrix.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages({ library(sandwich); library(lmtest) })
ps <- na.omit(read.csv("/artifact/data/schools.csv"))
ps$Income <- ps$Income * 0.0001
fit <- lm(Expenditure ~ Income + I(Income^2), data = ps)
m <- coeftest(fit, df = Inf, vcov = vcovHC(fit, type = "HC0"))[, ]
colnames(m)[4] <- "p value"
show(m)
R
