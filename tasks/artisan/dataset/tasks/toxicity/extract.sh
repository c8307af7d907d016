# Leaves the listing, the code and the data of the study in out: from the Debian package r-cran-multcomp.
mkdir -p out
cd /usr/lib/R/site-library/multcomp/MCMT
sed -n '28,37p;56,57p;130,193p' MCMT.Rout >/work/out/paper.txt
sed -n '14,18p;39,51p' MCMT.R >/work/out/code.R
Rscript --vanilla - <<'R'
load("MCMT.rda")
write.csv(tox[, c("g", "gain")], "/work/out/tox.csv", quote = FALSE, row.names = FALSE)
R
