# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-hsaur3.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout HSAUR3/doc/Ch_analysing_longitudinal_dataI.pdf /work/out/paper.txt
cp HSAUR3/doc/Ch_analysing_longitudinal_dataI.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write({ d <- HSAUR3::BtheB; d$subject <- seq_len(nrow(d)); l <- reshape(d, idvar = "subject", varying = c("bdi.2m", "bdi.3m", "bdi.5m", "bdi.8m"), v.names = "bdi", times = c(2, 3, 5, 8), timevar = "month", direction = "long"); na.omit(l[, c("subject", "drug", "length", "treatment", "bdi.pre", "month", "bdi")]) }, "btheb.csv")
R
