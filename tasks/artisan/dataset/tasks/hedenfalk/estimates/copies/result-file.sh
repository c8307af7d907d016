# Prints what the summary and the file of the false discovery rate say.
awk '
  /pi0:/ { share = $3 }
  /\[1\]/ { rate = $3 }
  END { print "```table\n| | value |\n|---|---|\n| pi0 | " share " |\n| FDR at p <= 0.01 | " rate " |\n```" }
' /artifact/results/summary.txt /artifact/results/fdr.txt
