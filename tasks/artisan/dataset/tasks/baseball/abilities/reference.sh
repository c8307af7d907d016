# Bradley-Terry model as a logistic regression.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(BradleyTerry2))
d <- read.csv("/artifact/data/baseball.csv", stringsAsFactors = FALSE)
teams <- sort(unique(d$home))
x <- sapply(teams[teams != "Baltimore"], function(team) (d$home == team) - (d$away == team))
colnames(x) <- paste0("team", sub("_", " ", colnames(x)))

m <- coef(summary(glm(cbind(d$home.wins, d$away.wins) ~ x - 1, family = binomial())))
rownames(m) <- sub("^x", "", rownames(m))
colnames(m) <- c("Estimate", "Std. Error", "z value", "p value")
show(m)
R
