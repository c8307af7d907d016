# A regression on each shipped imputation, combined by Rubin's rules; the interval has his degrees of freedom.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
level <- c("Non_drinker", "not_in_last_wk", "<3_days_last_wk", ">=3_days_last_wk")
read <- function(sex, i) read.csv(sprintf("/artifact/data/smi%s%d.csv", sex, i), stringsAsFactors = FALSE)
fits <- lapply(1:5, function(i) {
  d <- rbind(cbind(read("f", i), sex = 0), cbind(read("m", i), sex = 1))
  d$regular <- as.numeric(match(d$drkfre, level) > 2)
  glm(regular ~ wave * sex, family = binomial(), data = d, epsilon = 1e-12)
})
k <- length(fits)
estimates <- sapply(fits, coef)
results <- rowMeans(estimates)
within <- rowMeans(sapply(fits, function(fit) diag(vcov(fit))))
between <- apply(estimates, 1, var)
se <- sqrt(within + (1 + 1 / k) * between)
t <- qt(0.975, (k - 1) * (1 + within / ((1 + 1 / k) * between))^2)
show(cbind(results, se, lower = results - t * se, upper = results + t * se))
R
