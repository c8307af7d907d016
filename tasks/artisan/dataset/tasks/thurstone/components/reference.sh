# Three principal components, rotated by Promax, from the shipped correlations.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(sprintf("%.12g", m[row, ]), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(psych))
d <- read.csv("/artifact/data/correlations.csv", stringsAsFactors = FALSE)
label <- unique(c(d$a, d$b))
r <- diag(length(label))
dimnames(r) <- list(label, label)
r[cbind(d$a, d$b)] <- r[cbind(d$b, d$a)] <- d$r
fit <- principal(r, 3, n.obs = 213, rotate = "Promax")
m <- cbind(unclass(fit$loadings), h2 = fit$communality, u2 = fit$uniquenesses)
show(rbind(m, cbind(fit$Vaccounted[c("SS loadings", "Proportion Var"), ], h2 = NA, u2 = NA)))
R
