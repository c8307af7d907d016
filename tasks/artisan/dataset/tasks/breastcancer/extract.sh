# Leaves the paper, the code and the data of the study in out: from the Debian packages r-cran-hsaur3 and r-cran-th.data.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout HSAUR3/doc/Ch_survival_analysis.pdf /work/out/paper.txt
cp HSAUR3/doc/Ch_survival_analysis.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write({ data("GBSG2", package = "TH.data"); GBSG2 }, "gbsg2.csv")
R
