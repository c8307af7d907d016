# Each coefficient by itself: from what all other columns leave of its own. Read line by line, no lm().
R --vanilla --no-echo <<'R'
parts <- strsplit(gsub('"', "", readLines("/artifact/data/clouds.csv")), ",")
d <- setNames(as.data.frame(do.call(rbind, parts[-1])), parts[[1]])
number <- function(name) as.numeric(d[[name]])
yes <- as.numeric(d$seeding == "yes")
x <- cbind(1, yes, number("time"))
names <- c("(Intercept)", "seedingyes", "time")
measures <- list(sne = number("sne"), cloudc = number("cloudcover"), prewet = number("prewetness"), EMstationary = as.numeric(d$echomotion == "stationary"))
for (name in names(measures)) {
  x <- cbind(x, (1 - yes) * measures[[name]], yes * measures[[name]])
  names <- c(names, paste0(c("seedingno:", "seedingyes:"), name))
}
y <- number("rainfall")
# What is left of v once the columns of m are taken out, one after the other and twice.
left <- function(v, m) {
  done <- matrix(0, length(v), 0)
  out <- function(u) { for (twice in 1:2) for (j in seq_len(ncol(done))) u <- u - sum(u * done[, j]) * done[, j]; u }
  for (j in seq_len(ncol(m))) { u <- out(m[, j]); done <- cbind(done, u / sqrt(sum(u^2))) }
  out(v)
}
df <- length(y) - ncol(x)
s <- sqrt(sum(left(y, x)^2) / df)
cat("```table\n| | Estimate | Std. Error | t value | p value |\n|---|---|---|---|---|\n")
for (j in seq_len(ncol(x))) {
  own <- left(x[, j], x[, -j])
  b <- sum(own * y) / sum(own^2)
  se <- s / sqrt(sum(own^2))
  cat(sprintf("| %s | %.4f | %.4f | %.2f | %.4f |\n", names[j], b, se, b / se, 2 * pt(-abs(b / se), df)))
}
cat("```\n")
R
