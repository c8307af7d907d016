# Mixed model by maximum likelihood.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(lme4))
d <- read.csv("/artifact/data/btheb.csv")
d$time <- d$month
d$treatment <- factor(d$treatment, levels = c("TAU", "BtheB"))
d$length <- factor(d$length, levels = c("<6m", ">6m"))
m <- coef(summary(lmer(bdi ~ bdi.pre + time + treatment + drug + length + (1 | subject), data = d, REML = FALSE)))
m <- cbind(m, 2 * pnorm(-abs(m[, 3])))
colnames(m) <- c("Estimate", "Std. Error", "z value", "p value")
show(m)
R
