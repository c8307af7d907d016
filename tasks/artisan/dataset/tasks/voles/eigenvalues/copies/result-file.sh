# Prints the eigenvalues that stand in the listing.
awk '
  /^ *\[1\].*e/ { print "```table\n| | first | second | third | fourth | fifth |\n|---|---|---|---|---|---|"; row = "1 to 5" }
  /^ *\[6\]/ { row = "6 to 10" }
  /^ *\[11\]/ { row = "11 to 14" }
  row != "" { print "| " row " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " |"; if (row == "11 to 14") print "```"; row = "" }
' /artifact/results/listing.txt
