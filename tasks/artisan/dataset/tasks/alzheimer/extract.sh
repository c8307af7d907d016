# Leaves the paper, the code and the data of the study in out: from the Debian packages r-cran-multcomp and r-cran-coin.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout multcomp/doc/generalsiminf.pdf /work/out/paper.txt
cp multcomp/doc/generalsiminf.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write(coin::alzheimer, "alzheimer.csv")
R
