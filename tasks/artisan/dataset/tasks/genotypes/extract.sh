# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-coin.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout coin/doc/MAXtest.pdf /work/out/paper.txt
cp coin/doc/MAXtest.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write({ me <- matrix(c(6, 8, 10, 32, 47, 20), ncol = 2); d <- expand.grid(genotype = c("AA", "AG", "GG"), group = c("in_situ", "control")); d[rep(1:6, me), ] }, "melanoma.csv")
R
