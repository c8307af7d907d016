# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-sandwich.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout sandwich/doc/sandwich.pdf /work/out/paper.txt
cp sandwich/doc/sandwich.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write({ load("sandwich/data/PublicSchools.rda"); PublicSchools }, "schools.csv")
write({ load("sandwich/data/Investment.rda"); as.data.frame(Investment) }, "investment.csv")
R
