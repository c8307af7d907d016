# Prints what the file of certified values says.
awk '
  /^Regression / { regression = "| Regression | " $2 " | " $3 " | " $4 " | " $5 " |" }
  /^Residual +[0-9]/ { residual = "| Residual | " $2 " | " $3 " | " $4 " | |" }
  END {
    print "```table\n| | df | sum_of_squares | mean_square | F |\n|---|---|---|---|---|"
    print regression "\n" residual "\n```"
  }' /artifact/results/certified.txt
