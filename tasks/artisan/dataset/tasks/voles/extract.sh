# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-hsaur3.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout HSAUR3/doc/Ch_multidimensional_scaling.pdf /work/out/paper.txt
cp HSAUR3/doc/Ch_multidimensional_scaling.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
d <- HSAUR3::watervoles
pairs <- which(upper.tri(d), arr.ind = TRUE)
label <- gsub(" ", "_", rownames(d))
write(data.frame(a = label[pairs[, 1]], b = label[pairs[, 2]], distance = d[pairs]), "distances.csv")
R
