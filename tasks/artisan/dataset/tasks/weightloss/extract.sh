# Leaves the listing, the code and the data of the study in out: from the Debian package r-cran-multcomp.
mkdir -p out
cd /usr/lib/R/site-library/multcomp/MCMT
sed -n '28,37p;56,102p' MCMT.Rout >/work/out/paper.txt
sed -n '14,29p' MCMT.R >/work/out/code.R
Rscript --vanilla - <<'R'
load("MCMT.rda")
write.csv(wloss[, c("diet", "wloss")], "/work/out/wloss.csv", quote = FALSE, row.names = FALSE)
R
