# Counts by wave in the place of persons, and mitools in the place of Rubin's rules by hand.
R --vanilla --no-echo <<'R'
suppressMessages(library(mitools))
sets <- lapply(1:5, function(i) {
  one <- function(sex, file) transform(read.csv(sprintf("/artifact/data/smi%s%d.csv", file, i)), sex = sex)
  all <- rbind(one(1, "m"), one(0, "f"))
  all$drinks <- all$drkfre %in% c("<3_days_last_wk", ">=3_days_last_wk")
  merge(aggregate(drinks ~ wave + sex, all, sum), setNames(aggregate(drinks ~ wave + sex, all, length), c("wave", "sex", "n")))
})
fits <- with(imputationList(sets), glm(cbind(drinks, n - drinks) ~ wave * sex, family = binomial))
out <- invisible(capture.output(s <- summary(MIcombine(fits))))
cat("```table\n| | results | se | lower | upper |\n|---|---|---|---|---|\n")
for (name in rownames(s)) cat(sprintf("| %s | %.8f | %.8f | %.8f | %.7f |\n", name, s[name, "results"], s[name, "se"], s[name, "(lower"], s[name, "upper)"]))
cat("```\n")
R
