# Mixed model by restricted maximum likelihood.
R --vanilla --no-echo <<'R'
show <- function(m) {
  cat("```table\n| |", paste(colnames(m), collapse = " | "), "|\n|---|", strrep("---|", ncol(m)), "\n", sep = " ")
  for (row in rownames(m)) cat("|", row, "|", paste(ifelse(is.na(m[row, ]), "", sprintf("%.12g", m[row, ])), collapse = " | "), "|\n")
  cat("```\n")
}
suppressMessages(library(lme4))
d <- read.csv("/artifact/data/detergent.csv")
d$block <- factor(d$block)
d$detergent <- factor(d$detergent)
b <- fixef(lmer(plates ~ detergent + (1 | block), data = d, control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))))
b <- c(d1 = 0, d2 = b[["detergentd2"]], d3 = b[["detergentd3"]], d4 = b[["detergentd4"]], d5 = b[["detergentd5"]])
pair <- combn(names(b), 2)
m <- matrix(b[pair[2, ]] - b[pair[1, ]], dimnames = list(paste(pair[2, ], "-", pair[1, ]), "Estimate"))
show(m)
R
