# Mixture of two normals with one variance by EM, bootstrapped.
R --vanilla --no-echo <<'R'
suppressMessages(library(boot))
set.seed(as.integer(Sys.getenv("SEED", "290875")))
x <- read.csv("/artifact/data/faithful.csv")$waiting
fit <- function(x, index = seq_along(x)) {
  x <- x[index]
  z <- as.numeric(x < mean(range(x)))
  before <- -Inf
  repeat {
    p <- mean(z)
    mu <- c(sum(z * x) / sum(z), sum((1 - z) * x) / sum(1 - z))
    s <- sqrt(mean(z * (x - mu[1])^2 + (1 - z) * (x - mu[2])^2))
    a <- p * dnorm(x, mu[1], s)
    f <- a + (1 - p) * dnorm(x, mu[2], s)
    now <- sum(log(f))
    if (now - before < 1e-8) break
    before <- now
    z <- a / f
  }
  if (p < 0.5) c(p, mu[1]) else c(1 - p, mu[2])
}
b <- boot(x, fit, R = 1000)
cat("```table\n| | lower | upper |\n|---|---|---|\n")
for (index in 1:2)
  cat(sprintf("| %s | %.12g | %.12g |\n", c("p", "mu1")[index], boot.ci(b, type = "bca", index = index)$bca[4], boot.ci(b, type = "bca", index = index)$bca[5]))
cat("```\n")
R
