# Credibility regression on time, centred for all states together, from the shipped averages.
R --vanilla --no-echo <<'R'
suppressMessages(library(actuar))
d <- read.csv("/artifact/data/averages.csv")
wide <- function(x, name) { m <- matrix(x, 5, byrow = TRUE); colnames(m) <- paste0(name, ".", 1:12); m }
d <- d[order(d$state, d$quarter), ]
x <- cbind(state = 1:5, wide(d$average, "ratio"), wide(d$claims, "weight"))
fit <- cm(~ state, x, regformula = ~ time, regdata = data.frame(time = 1:12), adj.intercept = TRUE, ratios = ratio.1:ratio.12, weights = weight.1:weight.12)
cat("```table\n| | Indiv. coef. | factor of the intercept | factor of the slope | Adj. coef. |\n|---|---|---|---|---|\n")
for (i in 1:5) for (j in 1:2) {
  values <- c(fit$means$state[j, i], fit$cred[j, , i], coef(fit$adj.models[[i]])[j])
  cat("| state ", i, ", ", c("intercept", "slope")[j], " | ", paste(sprintf("%.10g", values), collapse = " | "), " |\n", sep = "")
}
cat("```\n")
R
