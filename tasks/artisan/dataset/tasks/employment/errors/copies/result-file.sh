# Prints what the tests of the package compare with.
echo '```table'
echo '| | GNPDEFL | GNP | UNEMP | ARMED | POP | YEAR | constant |'
echo '|---|---|---|---|---|---|---|---|'
sed -n 's/^ *\(HC[0-3]\)_se = (\(.*\))/\1, \2/p' /artifact/code/results_regression.py | sed 's/, */ | /g; s/^/| /; s/$/ |/'
echo '```'
