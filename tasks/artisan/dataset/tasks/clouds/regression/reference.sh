# Ordinary least squares with interactions.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
d <- read.csv("/artifact/data/clouds.csv", stringsAsFactors = TRUE)
d$seeding <- factor(d$seeding, levels = c("no", "yes"))
m <- coef(summary(lm(rainfall ~ seeding + seeding:(sne + cloudcover + prewetness + echomotion) + time, data = d)))
rownames(m) <- sub("cloudcover", "cloudc", sub("prewetness", "prewet", sub("echomotion", "EM", rownames(m))))
colnames(m) <- c("Estimate", "Std. Error", "t value", "p value")
show(m)
R
