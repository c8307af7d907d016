# Shares of the two largest eigenvalues of classical scaling, from the shipped distances.
R --vanilla --no-echo <<'R'
d <- read.csv("/artifact/data/distances.csv", stringsAsFactors = FALSE)
label <- unique(c(d$a, d$b))
D <- matrix(0, length(label), length(label), dimnames = list(label, label))
D[cbind(d$a, d$b)] <- d$distance
D <- D + t(D)
centre <- diag(length(label)) - 1 / length(label)
values <- eigen(-centre %*% D^2 %*% centre / 2, symmetric = TRUE, only.values = TRUE)$values
share <- function(x) sum(x[1:2]) / sum(x)
cat("```table\n| | value |\n|---|---|\n")
cat("| P2, absolute eigenvalues |", sprintf("%.12g", share(abs(values))), "|\n")
cat("| Mardia et al., squared eigenvalues |", sprintf("%.12g", share(values^2)), "|\n```\n")
R
