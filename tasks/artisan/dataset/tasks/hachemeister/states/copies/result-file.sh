# Prints the rows of the listing.
awk '
  BEGIN { print "```table\n| | Indiv. mean | Weight | Cred. factor |\n|---|---|---|---|" }
  NF == 5 && $1 ~ /^[12]$/ && $2 ~ /^[1-5]$/ { print "| state " $2 " | " $3 " | " $4 " | " $5 " |" }
  END { print "```" }
' /artifact/results/states.txt
