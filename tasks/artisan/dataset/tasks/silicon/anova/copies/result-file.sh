# Prints what the file of certified values says.
awk '
  /^Between Instrument/ { between = "| Between Instrument | " $3 " | " $4 " | " $5 " | " $6 " |" }
  /^Within Instrument/ { within = "| Within Instrument | " $3 " | " $4 " | " $5 " | |" }
  END {
    print "```table\n| | df | sum_of_squares | mean_square | F |\n|---|---|---|---|---|"
    print between "\n" within "\n```"
  }' /artifact/results/certified.txt
