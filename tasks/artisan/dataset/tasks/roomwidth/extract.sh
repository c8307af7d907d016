# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-hsaur3.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout HSAUR3/doc/Ch_conditional_inference.pdf /work/out/paper.txt
cp HSAUR3/doc/Ch_conditional_inference.R /work/out/code.R
Rscript --vanilla - <<'R'
write.csv(HSAUR3::roomwidth, "/work/out/roomwidth.csv", quote = FALSE, row.names = FALSE)
R
