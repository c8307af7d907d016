# Leaves the paper, the code and the data of the study in out: from the Debian packages r-cran-hsaur3 and r-base-core.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout HSAUR3/doc/Ch_density_estimation.pdf /work/out/paper.txt
cp HSAUR3/doc/Ch_density_estimation.R /work/out/code.R
Rscript --vanilla - <<'R'
write.csv(faithful["waiting"], "/work/out/faithful.csv", quote = FALSE, row.names = FALSE)
R
