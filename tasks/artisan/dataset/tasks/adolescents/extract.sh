# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-mitools.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout mitools/doc/smi.pdf /work/out/paper.txt
cp mitools/doc/smi.R /work/out/code.R
Rscript --vanilla - <<'R'
for (i in 1:5) for (sex in c("f", "m")) {
  d <- foreign::read.dta(sprintf("mitools/dta/smi%s%d.dta", sex, i), warn.missing.labels = FALSE)
  d <- as.data.frame(lapply(d, function(x) if (is.factor(x)) gsub(" ", "_", x) else x))
  write.csv(d, sprintf("/work/out/smi%s%d.csv", sex, i), quote = FALSE, row.names = FALSE)
}
R
