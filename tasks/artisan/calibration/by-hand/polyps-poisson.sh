# The likelihood itself, maximised by optim(); errors from its numeric second derivatives. No glm().
R --vanilla --no-echo <<'R'
d <- read.table("/artifact/data/polyps.csv", header = TRUE, sep = ",")
drug <- as.numeric(d$treat == "drug")
rate <- function(b) exp(b[1] + b[2] * drug + b[3] * d$age)
minus <- function(b) -sum(dpois(d$number, rate(b), log = TRUE))
slope <- function(b) { left <- rate(b) - d$number; c(sum(left), sum(left * drug), sum(left * d$age)) }
fit <- optim(c(log(mean(d$number)), 0, 0), minus, slope, method = "BFGS", hessian = TRUE, control = list(reltol = 1e-15, maxit = 1000, ndeps = c(1e-4, 1e-4, 1e-6)))
se <- sqrt(diag(solve(fit$hessian)))
z <- fit$par / se
cat("```table\n| | Estimate | Std. Error | z value | p value |\n|---|---|---|---|---|\n")
cat(sprintf("| %s | %.5f | %.5f | %.2f | %.0e |\n", c("(Intercept)", "treatdrug", "age"), fit$par, se, z, 2 * pnorm(-abs(z))), sep = "")
cat("```\n")
R
