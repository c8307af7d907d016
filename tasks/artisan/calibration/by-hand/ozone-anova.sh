# One pass of awk: means and products of deviations are updated with each reading.
awk 'NR > 1 && NF == 2 {
  n++
  dx = $2 - mx; dy = $1 - my
  mx += dx / n; my += dy / n
  sxx += dx * ($2 - mx); sxy += dx * ($1 - my); syy += dy * ($1 - my)
}
END {
  explained = sxy * sxy / sxx
  left = syy - explained
  print "```table"
  print "| | df | sum_of_squares | mean_square | F |"
  print "|---|---|---|---|---|"
  printf "| Residual | %d | %.13f | %.15f | |\n", n - 2, left, left / (n - 2)
  printf "| Regression | 1 | %.8f | %.8f | %.8f |\n", explained, explained, explained / (left / (n - 2))
  print "```"
}' /artifact/data/Norris.dat
