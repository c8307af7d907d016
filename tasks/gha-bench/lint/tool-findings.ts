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

/**
 * Of `actionlint -format '{{json .}}'`. Actionlint hands scripts to shellcheck and says where they are: what came of that is
 * shellcheck's. @throws ZodError where it is something else
 */
export function actionlintFindings(output: unknown): LintFinding[] {
  return actionlintSchema.parse(output).flatMap(({ message, filepath, line, column, kind }) => {
    const place = { file: relative(filepath), line, column };
    if (kind === 'shellcheck') return shellcheckFinding(message, place);
    return [{ tool: 'actionlint', rule: kind, severity: 'high', confidence: 'high', ...place, message }] as const;
  });
}

const SHELLCHECK = /^shellcheck reported issue in this script: (SC\d+):(error|warning|info|style):(\d+):\d+: (.*)$/s;

/** Matters of style are left out. */
function shellcheckFinding(said: string, place: Pick<LintFinding, 'file' | 'line' | 'column'>): LintFinding[] {
  const [, rule, level, line, message] = SHELLCHECK.exec(said) ?? [];
  if (rule === undefined) throw new TypeError(`actionlint tells of shellcheck in another form: ${said.slice(0, 200)}`);
  if (level !== 'error' && level !== 'warning') return [];
  const severity = level === 'error' ? 'medium' : 'low';
  return [
    {
      tool: 'shellcheck',
      rule,
      severity,
      confidence: 'high',
      ...place,
      message: `line ${line} of the script: ${message}`,
    },
  ];
}

/** Tools are given paths that no tool can take for an option. */
const relative = (path: string): string => path.replace(/^\.\//, '');

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
  }),
);

/**
 * Of `zizmor --format json-v1`: a finding stands once for each place, whatever else is said of it, and whether or not the
 * file asks to have it ignored. @throws ZodError where it is something else
 */
export function zizmorFindings(output: unknown): LintFinding[] {
  const known = new Map<string, LintFinding>();
  for (const { ident, desc, determinations, locations } of zizmorSchema.parse(output)) {
    const primary = locations.find(({ symbolic }) => symbolic.kind === 'Primary') ?? locations[0];
    if (primary === undefined) continue;
    const { symbolic, concrete } = primary;
    const file = relative(symbolic.key.Local?.verbatim_path ?? '');
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
