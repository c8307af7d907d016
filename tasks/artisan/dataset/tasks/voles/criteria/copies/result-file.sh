# Prints the two shares that stand in the listing.
awk '
  /^\[1\]/ { share[++n] = $2 }
  END {
    print "```table\n| | value |\n|---|---|"
    print "| P2, absolute eigenvalues | " share[1] " |\n| Mardia et al., squared eigenvalues | " share[2] " |\n```"
  }' /artifact/results/listing.txt
