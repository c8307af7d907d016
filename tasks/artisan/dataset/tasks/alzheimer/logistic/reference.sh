# Logistic regression.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
d <- read.csv("/artifact/data/alzheimer.csv")
d$smoking <- factor(d$smoking, levels = c("None", "<10", "10-20", ">20"))
m <- coef(summary(glm(I(disease == "Alzheimer") ~ smoking * gender, data = d, family = binomial())))
colnames(m) <- c("Estimate", "Std. Error", "z value", "p value")
show(m)
R
