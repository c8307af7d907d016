# Leaves the paper, the code and the data of the study in out: from the Debian package r-cran-bradleyterry2.
mkdir -p out
cd /usr/lib/R/site-library
pdftotext -layout BradleyTerry2/doc/BradleyTerry.pdf /work/out/paper.txt
cp BradleyTerry2/doc/BradleyTerry.R /work/out/code.R
Rscript --vanilla - <<'R'
write <- function(x, name) write.csv(x, file.path("/work/out", name), quote = FALSE, row.names = FALSE)
write({ d <- BradleyTerry2::baseball; names(d) <- c("home", "away", "home.wins", "away.wins"); d$home <- sub(" ", "_", d$home); d$away <- sub(" ", "_", d$away); d }, "baseball.csv")
R
