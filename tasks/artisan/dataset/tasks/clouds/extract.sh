# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-hsaur3.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout HSAUR3/doc/Ch_multiple_linear_regression.pdf /work/out/paper.txt
cp HSAUR3/doc/Ch_multiple_linear_regression.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write(HSAUR3::clouds, "clouds.csv")
R
