# Leaves the paper (the pages of two of its tables), the code and the data of the study in out: from the Debian packages
# r-cran-psychtools and r-cran-psych.
mkdir -p out
cd /usr/lib/R/site-library
for pages in '17 19' '24 25'; do
  set -- $pages
  pdftotext -layout -f "$1" -l "$2" psychTools/doc/factor.pdf - >>/work/out/paper.txt
done
grep 'f3t\|p3p' psychTools/doc/factor.R >/work/out/code.R
Rscript --vanilla - <<'R'
r <- psych::Thurstone
pairs <- which(upper.tri(r), arr.ind = TRUE)
d <- data.frame(a = rownames(r)[pairs[, 1]], b = rownames(r)[pairs[, 2]], r = r[pairs])
write.csv(d, "/work/out/correlations.csv", quote = FALSE, row.names = FALSE)
R
