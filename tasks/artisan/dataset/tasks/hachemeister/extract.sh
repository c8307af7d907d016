# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-actuar.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout actuar/doc/credibility.pdf /work/out/paper.txt
cp actuar/doc/credibility.R /work/out/code.R
Rscript --vanilla - <<'R'
data(hachemeister, package = "actuar")
h <- as.data.frame(hachemeister)
d <- expand.grid(quarter = 1:12, state = h$state)[2:1]
d$average <- c(t(h[paste0("ratio.", 1:12)]))
d$claims <- c(t(h[paste0("weight.", 1:12)]))
write.csv(d, "/work/out/averages.csv", quote = FALSE, row.names = FALSE)
R
