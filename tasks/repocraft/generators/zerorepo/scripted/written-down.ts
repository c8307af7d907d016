/** What is answered with code, by the prompt that asks for it. */
interface CodeAnswer {
  tests?: { unit: string; source: string }[];
  units?: { unit: string; imports?: string[]; helpers?: string; source: string }[];
  edits?: { kind: string; name: string; source: string }[];
  source?: string;
  markdown?: string;
}

/** An answer as its prompt wants it: code in blocks under headings, a README as it stands, everything else as JSON. */
export function writtenDown(prompt: string | undefined, answer: object): string {
  const { tests, units, edits, source, markdown } = answer as CodeAnswer;
  switch (prompt) {
    case 'tests':
      return joined((tests ?? []).map((one) => [`\`${one.unit}\``, one.source]));
    case 'code':
      return joined((units ?? []).map((one) => [`\`${one.unit}\``, whole(one)]));
    case 'repair':
      return joined((edits ?? []).map((one) => [`${one.kind} \`${one.name}\``, one.source]));
    case 'repair-tests':
    case 'integration-tests':
    case 'end-to-end-test':
      return block(source ?? '');
    case 'readme':
      return markdown ?? '';
    case undefined:
    default:
      return JSON.stringify(answer, null, 1);
  }
}

const whole = ({ imports = [], helpers = '', source }: NonNullable<CodeAnswer['units']>[number]): string =>
  [imports.join('\n'), helpers, source].filter((part) => part !== '').join('\n\n\n');

const joined = (parts: [heading: string, source: string][]): string =>
  parts.map(([heading, source]) => `### ${heading}\n\n${block(source)}`).join('\n');

const block = (source: string): string => `\`\`\`python\n${source.trimEnd()}\n\`\`\`\n`;
