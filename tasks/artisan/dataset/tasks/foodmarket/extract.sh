# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-systemfit.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout systemfit/doc/systemfit.pdf /work/out/paper.txt
cp systemfit/doc/systemfit.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write({ data("Kmenta", package = "systemfit"); Kmenta }, "kmenta.csv")
R
