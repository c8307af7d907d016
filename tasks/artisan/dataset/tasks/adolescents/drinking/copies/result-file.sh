# Prints the rows of the listing.
awk '
  BEGIN { print "```table\n| | results | se | lower | upper |\n|---|---|---|---|---|" }
  /^(\(Intercept\)|wave|sex|wave:sex) / { print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " |" }
  END { print "```" }
' /artifact/results/listing.txt
