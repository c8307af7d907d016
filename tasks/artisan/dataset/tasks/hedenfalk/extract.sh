# Leaves the paper, the code and the data of the study in out: from the Debian package r-bioc-qvalue.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout qvalue/doc/qvalue.pdf /work/out/paper.txt
cp qvalue/doc/qvalue.R /work/out/code.R
Rscript --vanilla - <<'R'
data(hedenfalk, package = "qvalue")
d <- data.frame(gene = seq_along(hedenfalk$p), stat = hedenfalk$stat, p = hedenfalk$p)
write.csv(d, "/work/out/pvalues.csv", quote = FALSE, row.names = FALSE)
R
