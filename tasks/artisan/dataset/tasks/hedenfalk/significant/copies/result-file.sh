# Prints the counts of the summary.
awk '
  BEGIN { print "```table\n| | <1e-04 | <0.001 | <0.01 | <0.025 | <0.05 | <0.1 |\n|---|---|---|---|---|---|---|" }
  / (p-value|q-value|local FDR) .* .* .* / && NF > 6 {
    name = $2 == "local" ? "local FDR" : $2
    n = NF - 6
    print "| " name " | " $(n + 1) " | " $(n + 2) " | " $(n + 3) " | " $(n + 4) " | " $(n + 5) " | " $(n + 6) " |"
  }
  END { print "```" }
' /artifact/results/summary.txt
