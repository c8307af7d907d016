# Prints what the file of certified values says.
awk '
  /Certified R-Squared/ { r = $NF }
  /Standard Deviation/ { s = $NF }
  END { print "```table\n| | value |\n|---|---|\n| R-squared | " r " |\n| Residual standard deviation | " s " |\n```" }
' /artifact/results/certified.txt
