# The model is saturated: log odds of counts and their differences, without any regression.
cut -d, -f1-3 /artifact/data/alzheimer.csv | tail -n +2 | tr -d '"\r' | sort | uniq -c | sed 's|^ *\([0-9]*\) |\1,|' > /tmp/counts.csv
R --vanilla --no-echo <<'R'
n <- setNames(read.csv("/tmp/counts.csv", header = FALSE), c("n", "smoking", "disease", "gender"))
count <- function(smoking, gender, isCase) sum(n$n[n$smoking == smoking & n$gender == gender & (n$disease == "Alzheimer") == isCase])
odds <- function(smoking, gender) log(count(smoking, gender, TRUE) / count(smoking, gender, FALSE))
error <- function(smoking, gender) 1 / count(smoking, gender, TRUE) + 1 / count(smoking, gender, FALSE)
line <- function(name, value, variance) {
  z <- value / sqrt(variance)
  cat(sprintf("| %s | %.5f | %.5f | %.3f | %.6f |\n", name, value, sqrt(variance), z, 2 * pnorm(abs(z), lower.tail = FALSE)))
}
none <- odds("None", "Female")
cat("```table\n| | Estimate | Std. Error | z value | p value |\n|---|---|---|---|---|\n")
line("(Intercept)", none, error("None", "Female"))
line("genderMale", odds("None", "Male") - none, error("None", "Male") + error("None", "Female"))
for (s in c("<10", "10-20", ">20")) {
  line(paste0("smoking", s), odds(s, "Female") - none, error(s, "Female") + error("None", "Female"))
  line(paste0("smoking", s, ":genderMale"), odds(s, "Male") - odds(s, "Female") - odds("None", "Male") + none,
    error(s, "Male") + error(s, "Female") + error("None", "Male") + error("None", "Female"))
}
cat("```\n")
R
