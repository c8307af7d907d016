import { z } from 'zod';
import type { Problem } from '../../../../src/contract/problem.js';
import { UserError } from '../../../../src/domain/failure/user-error.js';
import { shapedYaml } from '../../../../src/domain/shape/shape-problems.js';
import { CRITERIA } from './criteria.js';

const overrideSchema = z.strictObject({
  criterion: z.string(),
  study: z.string(),
  /** Of a criterion that tables are asked by. */
  table: z.string().optional(),
  verdict: z.enum(['in', 'out', 'unknown']),
  reason: z.string().min(20),
  reviewer: z.string().min(2),
});

/** What a person says of a study or table where the rule is wrong. */
export type Override = z.infer<typeof overrideSchema>;

/** The file of overrides, below the suite's folder. */
export const OVERRIDES = 'dataset/funnel/overrides.yaml';

/**
 * Reads overrides: a list of criterion, study (and table), verdict, reason and reviewer.
 * @param tables of the studies there are, by study
 * @throws UserError with everything that is wrong, each in three lines
 */
export function readOverrides(text: string, tables: Readonly<Record<string, readonly string[]>>): Override[] {
  const { value, problems } = shapedYaml(text, `tasks/artisan/${OVERRIDES}`, z.array(overrideSchema).nullable());
  if (problems.length > 0) throw new UserError('environment', problems);
  const overrides = value ?? [];
  for (const [index, override] of overrides.entries()) problems.push(...problemsOf(`[${index}]`, override, tables));
  const keys = overrides.map(({ criterion, study, table }) => [criterion, study, table ?? ''].join(' '));
  keys.forEach((key, index) => {
    if (keys.indexOf(key) !== index) problems.push(wrongOverride(`[${index}]: ${key.trim()} stands twice`, 'keep one'));
  });
  if (problems.length > 0) throw new UserError('environment', problems);
  return overrides;
}

/** What a schema cannot say: that there is such a criterion, study and table. */
function problemsOf(
  at: string,
  { criterion, study, table }: Override,
  tables: Readonly<Record<string, readonly string[]>>,
): Problem[] {
  const known = CRITERIA.find(({ id }) => id === criterion);
  if (known === undefined)
    return [
      wrongOverride(`${at}: there is no criterion ${criterion}`, `one of ${CRITERIA.map(({ id }) => id).join(', ')}`),
    ];
  if (!Object.hasOwn(tables, study))
    return [wrongOverride(`${at}: there is no study ${study}`, `one of ${Object.keys(tables).join(', ')}`)];
  if (known.level === 'study' && table !== undefined)
    return [wrongOverride(`${at}: ${criterion} is asked of studies`, 'leave table out')];
  if (known.level === 'table' && !(tables[study] ?? []).includes(table ?? ''))
    return [
      wrongOverride(
        `${at}: ${table === undefined ? 'no table is named' : `there is no table ${table}`}`,
        `one of ${tables[study]?.join(', ')}`,
      ),
    ];
  return [];
}

const wrongOverride = (what: string, fix = 'correct it'): Problem => ({
  message: `tasks/artisan/${OVERRIDES}: ${what}`,
  expected: 'a list of criterion, study (and table), verdict, reason and reviewer',
  fix,
});
