# Cox model.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(survival))
d <- read.csv("/artifact/data/gbsg2.csv")
d$menostat <- factor(d$menostat, levels = c("Pre", "Post"))
d$tgrade <- ordered(d$tgrade, levels = c("I", "II", "III"))
s <- summary(coxph(Surv(time, cens) ~ ., data = d))
show(s$conf.int)
R
