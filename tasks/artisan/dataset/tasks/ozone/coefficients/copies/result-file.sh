# Prints what the file of certified values says.
awk '
  $1 == "B0" || $1 == "B1" { rows = rows "| " $1 " | " $2 " | " $3 " |\n" }
  END { printf "```table\n| | estimate | standard_error |\n|---|---|---|\n%s```\n", rows }
' /artifact/results/certified.txt
