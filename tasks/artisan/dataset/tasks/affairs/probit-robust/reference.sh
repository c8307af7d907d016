# Probit model with sandwich standard errors.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages({ library(AER); library(sandwich); library(lmtest) })
d <- read.csv("/artifact/data/affairs.csv")
fit <- glm(I(affairs > 0) ~ age + yearsmarried + religiousness + occupation + rating, data = d, family = binomial(link = "probit"))
m <- coeftest(fit, vcov = sandwich)[, ]
colnames(m)[4] <- "p value"
show(m)
R
