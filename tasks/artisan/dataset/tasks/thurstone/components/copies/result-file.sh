# Prints the rows of the listing.
awk '
  BEGIN { print "```table\n| | RC1 | RC2 | RC3 | h2 | u2 |\n|---|---|---|---|---|---|" }
  /^[A-Z][A-Za-z.]+ +-?[0-9]\.[0-9][0-9] / { print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " |" }
  /^(SS loadings|Proportion Var)/ { print "| " $1 " " $2 " | " $3 " | " $4 " | " $5 " | | |" }
  END { print "```" }
' /artifact/results/components.txt
