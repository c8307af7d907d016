# No metafor: the restricted likelihood as it is written down, maximised by optimize(); years are centred and put back.
R --vanilla --no-echo <<'R'
d <- read.table("/artifact/data/bcg.csv", header = TRUE, sep = ",")
effect <- with(d, log(tpos / (tpos + tneg)) - log(cpos / (cpos + cneg)))
error <- with(d, 1 / tpos - 1 / (tpos + tneg) + 1 / cpos - 1 / (cpos + cneg))
year <- mean(d$year)
x <- cbind(1, d$ablat, d$year - year)
means <- function(tau2) {
  w <- 1 / (error + tau2)
  covariance <- solve(t(x) %*% diag(w) %*% x)
  b <- covariance %*% t(x) %*% (w * effect)
  list(b = b, covariance = covariance, minus = sum(log(error + tau2)) - determinant(covariance)$modulus + sum(w * (effect - x %*% b)^2))
}
tau2 <- optimize(function(tau2) means(tau2)$minus, c(0, 5), tol = 1e-10)$minimum
fit <- means(tau2)
back <- rbind(c(1, 0, -year), c(0, 1, 0), c(0, 0, 1))
b <- back %*% fit$b
se <- sqrt(diag(back %*% fit$covariance %*% t(back)))
half <- qnorm(0.975) * se
m <- cbind(b, se, b / se, 2 * pnorm(-abs(b / se)), b - half, b + half)
cat("```table\n| | estimate | se | zval | pval | ci.lb | ci.ub |\n|---|---|---|---|---|---|---|\n")
for (i in 1:3) cat("|", c("intrcpt", "ablat", "year")[i], "|", paste(sprintf("%.4f", m[i, ]), collapse = " | "), "|\n")
cat("```\n")
R
