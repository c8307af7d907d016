import { z } from 'zod';

/** One finding of a linter, in the words all of them share. */
export type LintFinding = {
  tool: 'actionlint' | 'zizmor' | 'shellcheck';
  /** `expression`, `template-injection`, `SC2086`. */
  rule: string;
  severity: 'high' | 'medium' | 'low' | 'info';
  /** How sure the tool is; only zizmor says it. */
  confidence: 'high' | 'medium' | 'low';
  file: string;
  line: number;
  column: number;
  message: string;
};

const actionlintSchema = z.array(
  z.looseObject({ message: z.string(), filepath: z.string(), line: z.int(), column: z.int(), kind: z.string() }),
);

/** Of `actionlint -format '{{json .}}'`. @throws ZodError where it is something else */
export function actionlintFindings(output: string): LintFinding[] {
  return actionlintSchema.parse(JSON.parse(output)).map(({ message, filepath, line, column, kind }) => ({
    ...{ tool: 'actionlint', rule: kind, severity: 'high', confidence: 'high' },
    ...{ file: filepath, line, column, message },
  }));
}

const level = z.enum(['High', 'Medium', 'Low', 'Informational', 'Unknown']);
const zizmorSchema = z.array(
  z.looseObject({
    ident: z.string(),
    desc: z.string(),
    determinations: z.looseObject({ severity: level, confidence: level }),
    locations: z.array(
      z.looseObject({
        symbolic: z.looseObject({
          kind: z.string(),
          annotation: z.string(),
          key: z.looseObject({ Local: z.looseObject({ verbatim_path: z.string() }).optional() }),
          route: z.looseObject({ route: z.array(z.unknown()) }),
        }),
        concrete: z.looseObject({
          location: z.looseObject({ start_point: z.looseObject({ row: z.int(), column: z.int() }) }),
        }),
      }),
    ),
    ignored: z.boolean().optional(),
  }),
);

/** Of `zizmor --format json-v1`: a finding stands once for each place, whatever else is said of it. */
export function zizmorFindings(output: string): LintFinding[] {
  const findings = zizmorSchema.parse(JSON.parse(output)).filter(({ ignored }) => ignored !== true);
  const known = new Map<string, LintFinding>();
  for (const { ident, desc, determinations, locations } of findings) {
    const primary = locations.find(({ symbolic }) => symbolic.kind === 'Primary') ?? locations[0];
    if (primary === undefined) continue;
    const { symbolic, concrete } = primary;
    const file = symbolic.key.Local?.verbatim_path ?? '';
    const key = JSON.stringify([ident, file, symbolic.route.route]);
    if (known.has(key)) continue;
    const { row, column } = concrete.location.start_point;
    known.set(key, {
      ...{ tool: 'zizmor', rule: ident, severity: severityOf(determinations.severity) },
      ...{ confidence: confidenceOf(determinations.confidence), file, line: row + 1, column: column + 1 },
      message: `${desc}: ${symbolic.annotation}`,
    });
  }
  return [...known.values()];
}

const severityOf = (word: z.infer<typeof level>): LintFinding['severity'] =>
  word === 'High' ? 'high' : word === 'Medium' ? 'medium' : word === 'Low' ? 'low' : 'info';
const confidenceOf = (word: z.infer<typeof level>): LintFinding['confidence'] =>
  word === 'High' ? 'high' : word === 'Medium' ? 'medium' : 'low';

const shellcheckSchema = z.array(
  z.looseObject({
    file: z.string(),
    line: z.int(),
    column: z.int(),
    level: z.enum(['error', 'warning', 'info', 'style']),
    code: z.int(),
    message: z.string(),
  }),
);

/** Of `shellcheck -f json`; matters of style are left out. */
export function shellcheckFindings(output: string): LintFinding[] {
  return shellcheckSchema
    .parse(JSON.parse(output))
    .filter((found) => found.level === 'error' || found.level === 'warning')
    .map((found) => ({
      ...{ tool: 'shellcheck', rule: `SC${found.code}`, severity: found.level === 'error' ? 'medium' : 'low' },
      ...{ confidence: 'high', file: found.file, line: found.line, column: found.column, message: found.message },
    }));
}
