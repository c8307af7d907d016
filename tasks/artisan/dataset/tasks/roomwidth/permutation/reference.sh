# Permutation test by shuffling.
R --vanilla --no-echo <<'R'
set.seed(as.integer(Sys.getenv("SEED", "290875")))
d <- read.csv("/artifact/data/roomwidth.csv")
feet <- d$unit == "feet"
y <- d$width * ifelse(feet, 1, 3.28)
difference <- function(y) mean(y[feet]) - mean(y[!feet])
shuffled <- replicate(9999, difference(sample(y)))
farther <- sum(abs(shuffled) > abs(difference(y)))
bounds <- binom.test(farther, length(shuffled))$conf.int
cat("```table\n| | difference | p value | lower | upper |\n|---|---|---|---|---|\n")
cat(sprintf("| means | %.12g | | | |\n", difference(y)))
cat(sprintf("| test | | %.12g | | |\n", farther / length(shuffled)))
cat(sprintf("| interval | | | %.12g | %.12g |\n```\n", bounds[1], bounds[2]))
R
