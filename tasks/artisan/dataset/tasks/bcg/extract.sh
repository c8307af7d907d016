# Leaves the paper, the code and the data of the study in out: from the Debian packages r-cran-metafor and r-cran-metadat.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout metafor/doc/metafor.pdf /work/out/paper.txt
cp metafor/NAMESPACE /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write(metadat::dat.bcg[, c("trial", "year", "tpos", "tneg", "cpos", "cneg", "ablat", "alloc")], "bcg.csv")
R
