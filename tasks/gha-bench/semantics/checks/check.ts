import { z } from 'zod';
import { DETECTORS } from '../detectors/detectors.js';
import { rowSchema } from '../detectors/kit/runs.js';
import { selectorSchema, patternSchema } from '../model/selector-fields.js';
import { probeSchema } from '../simulation/probe.js';
import { scenarioSchema } from '../simulation/scenario.js';

const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'is not lower-case letters, digits and "-"');

/** A feature is used and does what the facts say. */
const featureCheck = z
  .strictObject({
    kind: z.literal('feature'),
    id,
    feature: z.string(),
    facts: z.record(z.string(), z.json()).default({}),
  })
  .superRefine(({ feature, facts }, context) => {
    const detector = DETECTORS.get(feature);
    if (!detector) {
      context.addIssue({
        code: 'custom',
        path: ['feature'],
        message: `there is no feature ${feature}${nearest(feature)}`,
      });
      return;
    }
    const { error } = detector.params.safeParse(facts);
    for (const { path, message } of error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: ['facts', ...path], message: `${feature}: ${message}` });
    }
  });

/** Nobody asked for it, and it is not there. */
const absentCheck = z.strictObject({
  kind: z.literal('absent'),
  id,
  absent: z.string().refine((feature) => DETECTORS.has(feature), 'is no feature'),
});

/** Which events start a run. */
const triggerCheck = z
  .strictObject({
    kind: z.literal('triggers'),
    id,
    fires: z.array(probeSchema).default([]),
    silent: z.array(probeSchema).default([]),
  })
  .refine(({ fires, silent }) => fires.length + silent.length > 0, 'asks nothing: add fires or silent');

/** Which roles run when: a truth table over events and failures. */
const runCheck = z
  .strictObject({ kind: z.literal('runs'), id, target: selectorSchema.optional(), table: z.array(rowSchema).min(1) })
  .refine(
    ({ target, table }) => target !== undefined || table.every((row) => row.target !== undefined),
    'a row has no target',
  );

/** How jobs of a role end, and in how many legs. */
const endCheck = z.strictObject({
  kind: z.literal('ends'),
  id,
  job: selectorSchema,
  scenario: scenarioSchema,
  result: z.enum(['success', 'failure', 'cancelled', 'skipped']),
  legs: z.int().min(0).optional(),
});

/** Roles follow each other, within a job or along `needs`. */
const orderCheck = z.strictObject({ kind: z.literal('order'), id, order: z.array(selectorSchema).min(2) });

/** A role is there: so many jobs or steps, at the least and at the most. */
const roleCheck = z.strictObject({
  kind: z.literal('role'),
  id,
  role: selectorSchema,
  least: z.int().min(0).default(1),
  most: z.int().min(0).optional(),
});

/** Scripts of a role's steps, or of all, hold a text or never do. */
const scriptCheck = z
  .strictObject({
    kind: z.literal('script'),
    id,
    of: selectorSchema.optional(),
    matches: patternSchema.optional(),
    never: patternSchema.optional(),
  })
  .refine(({ matches, never }) => (matches ?? never) !== undefined, 'asks nothing: add matches or never');

/** Most checks are about a feature: the kind may be left out where one is named. */
export const checkSchema = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null && 'feature' in value ? { kind: 'feature', ...value } : value,
  z.discriminatedUnion('kind', [
    featureCheck,
    absentCheck,
    triggerCheck,
    runCheck,
    endCheck,
    orderCheck,
    roleCheck,
    scriptCheck,
  ]),
);

export type Check = z.infer<typeof checkSchema>;

/** Names of roles that a check uses. */
export function rolesOf(check: Check): string[] {
  const named = JSON.stringify(check, (key, value: unknown) => (ROLE_KEYS.has(key) ? marked(value) : value));
  return [...named.matchAll(/"@role ([^"]*)"/g)].flatMap(([, name]) => name ?? []);
}

/** Where facts and checks hold a selector, or a list of them. */
const ROLE_KEYS = new Set(
  ['target', 'job', 'step', 'gate', 'guarded', 'after', 'then', 'strict', 'from', 'to', 'install', 'deploy'].concat([
    'fails',
    'cancelledAt',
    'of',
    'order',
    'role',
  ]),
);

function marked(value: unknown): unknown {
  if (typeof value === 'string') return `@role ${value}`;
  return Array.isArray(value)
    ? value.map((item: unknown) => (typeof item === 'string' ? `@role ${item}` : item))
    : value;
}

function nearest(feature: string): string {
  const [, , name = ''] = feature.split('.');
  const similar = [...DETECTORS.keys()].filter((known) => name !== '' && known.includes(name));
  return similar.length > 0 ? `; did you mean ${similar.slice(0, 3).join(' or ')}?` : '';
}
