# Prints the rows of the listing: two for each state.
awk '
  BEGIN { print "```table\n| | Indiv. coef. | factor of the intercept | factor of the slope | Adj. coef. |\n|---|---|---|---|---|" }
  NF == 5 && $1 ~ /^[1-5]$/ { state = $1; print "| state " state ", intercept | " $2 " | " $3 " | " $4 " | " $5 " |" }
  NF == 4 && $1 ~ /^[0-9]+\.[0-9][0-9]$/ && state { print "| state " state ", slope | " $1 " | " $2 " | " $3 " | " $4 " |" }
  END { print "```" }
' /artifact/results/regression.txt
