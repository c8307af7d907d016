# Leaves the listing, the code and the data of the study in out: from the Debian package r-cran-multcomp.
mkdir -p out
cd /usr/lib/R/site-library/multcomp/MCMT
# Of the mixed model's intervals the estimates alone: their degrees of freedom are no whole number, and multcomp takes such no more.
{ sed -n '1227,1231p;1262,1309p;1620,1626p;1639,1653p' MCMT.Rout.save | sed -E 's/^(d. - d. == 0 +-?[0-9.]+) +-?[0-9.]+ +-?[0-9.]+$/\1/'; } >/work/out/paper.txt
sed -n '14,18p;269,282p;374,386p' MCMT.R >/work/out/code.R
Rscript --vanilla - <<'R'
load("MCMT.rda")
write.csv(na.omit(detergent)[, c("block", "detergent", "plates")], "/work/out/detergent.csv", quote = FALSE, row.names = FALSE)
R
