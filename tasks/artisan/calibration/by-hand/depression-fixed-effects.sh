# nlme in the place of lme4; its errors without the factor that summary() puts on them.
R --vanilla --no-echo <<'R'
library(nlme)
d <- read.table("/artifact/data/btheb.csv", header = TRUE, sep = ",", stringsAsFactors = TRUE)
d <- transform(d, time = month, treatment = relevel(treatment, "TAU"), length = relevel(length, "<6m"))
fit <- lme(bdi ~ bdi.pre + time + treatment + drug + length, random = ~ 1 | subject, data = d, method = "ML")
b <- fixef(fit)
z <- b / sqrt(diag(vcov(fit)))
p <- 2 * pnorm(-abs(z))
cat("```table\n| | Estimate | Std. Error | z value | p value |\n|---|---|---|---|---|\n")
for (name in names(b))
  cat(sprintf("| %s | %.5f | %.5f | %.3f | %s |\n", name, b[name], b[name] / z[name], z[name], ifelse(p[name] < 1e-4, sprintf("%.2e", p[name]), sprintf("%.4f", p[name]))))
cat("```\n")
R
