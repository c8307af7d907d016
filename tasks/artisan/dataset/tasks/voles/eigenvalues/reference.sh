# Classical scaling of the shipped distances: eigenvalues of the doubly centred matrix.
R --vanilla --no-echo <<'R'
d <- read.csv("/artifact/data/distances.csv", stringsAsFactors = FALSE)
label <- unique(c(d$a, d$b))
D <- matrix(0, length(label), length(label), dimnames = list(label, label))
D[cbind(d$a, d$b)] <- d$distance
D <- D + t(D)
centre <- diag(length(label)) - 1 / length(label)
values <- eigen(-centre %*% D^2 %*% centre / 2, symmetric = TRUE, only.values = TRUE)$values
cat("```table\n| | first | second | third | fourth | fifth |\n|---|---|---|---|---|---|\n")
for (from in c(1, 6, 11)) {
  some <- from:min(from + 4, length(values))
  cat("|", from, "to", max(some), "|", paste(sprintf("%.12g", values[some]), collapse = " | "), strrep("|", 6 - length(some)), "\n")
}
cat("```\n")
R
