# Leaves the paper, the code and the data of the study in out: from the Debian packages r-cran-sandwich and r-cran-aer.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout sandwich/doc/sandwich-OOP.pdf /work/out/paper.txt
cp sandwich/doc/sandwich-OOP.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write({ load("AER/data/Affairs.rda"); Affairs }, "affairs.csv")
R
