/** A text as one word of bash. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A script whose output goes through a program of awk. */
const throughAwk = (script: string, program: string, variables: Record<string, string> = {}): string => {
  const settings = Object.entries(variables).map(
    ([name, value]) => `-v ${name}=${quoted(value.replaceAll('\\', '\\\\'))} `,
  );
  return `computing() {\n${script}\n}\ncomputing > /tmp/computed.txt || exit 1\nawk ${settings.join('')}-F'|' -v OFS='|' ${quoted(program)} /tmp/computed.txt`;
};

/** A script that prints the rows of its table in the opposite order. */
export const reversingRows = (script: string): string =>
  throughAwk(
    script,
    `/^\`\`\`table/ { b = 1; k = 0; n = 0; print; next }
b && /^\`\`\`/ { for (i = n; i > 0; i--) print r[i]; b = 0; print; next }
b { k++; if (k <= 2) print; else r[++n] = $0; next }
{ print }`,
  );

/** A script that prints another value in one cell of its table. */
export const replacingCell = (
  script: string,
  { row, column, value }: { row: string; column: string; value: string },
): string =>
  throughAwk(
    script,
    `function plain(s) { gsub(/^[ \\t]+|[ \\t]+$/, "", s); return tolower(s) }
/^\`\`\`table/ { b = 1; k = 0; print; next }
b && /^\\|/ {
  k++
  if (k == 1) { for (i = 3; i < NF; i++) if (plain($i) == tolower(column)) c = i }
  else if (k > 2 && plain($2) == tolower(row)) $c = " " value " "
  print; next
}
{ print }`,
    { row, column, value },
  );
