# Logistic regression.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
d <- read.csv("/artifact/data/womensrole.csv")
d$gender <- factor(d$gender, levels = c("Male", "Female"))
m <- coef(summary(glm(cbind(agree, disagree) ~ gender + education, data = d, family = binomial())))
colnames(m) <- c("Estimate", "Std. Error", "z value", "p value")
show(m)
R
