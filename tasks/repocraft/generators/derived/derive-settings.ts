import { z } from 'zod';
import type { SystemSpec } from '../../../../src/contract/campaign.js';

/** How a labelled candidate differs from the reference (docs/concepts/calibration.md). */
export type DeriveKind =
  'renamed' | 'moved' | 'reworded' | 'partial' | 'mutated' | 'stubbed' | 'decoys' | (typeof CONSTANT_KINDS)[number];

/** Baselines: every name is there, and every call gives the same object, exception or None. What they score is what a score is worth. */
export const CONSTANT_KINDS = ['constant-object', 'constant-error', 'constant-none'] as const;

/** Kinds that are as good as the reference, under other names, at other places or in other words: every test has to pass. */
const SOUND_KINDS: readonly DeriveKind[] = ['renamed', 'moved', 'reworded'];

/** True for a kind whose tests all have to pass. */
export const isSoundKind = (kind: DeriveKind): boolean => SOUND_KINDS.includes(kind);

/** True for a kind that does nothing at all. */
export const isConstantKind = (kind: DeriveKind): boolean => CONSTANT_KINDS.some((one) => one === kind);

/** Kinds whose derivation asks what tests run. */
export const WATCHED_KINDS: readonly DeriveKind[] = ['mutated', 'stubbed', 'decoys'];

/** What `derive.kind` may say. */
export const DERIVE_KINDS =
  'renamed, moved, reworded, partial-1 to partial-100, mutated, stubbed, decoys, constant-object, constant-error, constant-none';

/** Projects whose modules can lie elsewhere: the compiled modules of the others hold absolute names. */
export const MOVABLE_PROJECTS: readonly string[] = ['requests', 'sympy', 'django', 'textkit'];

const KIND =
  /^(?:renamed|moved|reworded|mutated|stubbed|decoys|constant-(?:object|error|none)|partial-(?:[1-9]|[1-9]\d|100))$/;

/** `systems[].derive` of the generator `derived`. */
export const deriveSchema = z
  .strictObject({
    kind: z
      .string()
      .regex(KIND)
      .describe(
        'one of renamed, moved, reworded (renamed, docstrings in other words, a third of them gone), partial-K (K percent of the targets deleted), mutated, stubbed, decoys, constant-object, constant-error, constant-none',
      ),
    seed: z.int().min(0).default(0).describe('a whole number, 0 or more: what is drawn'),
  })
  .describe('how the candidate differs from the reference: { kind, seed }');

/** `derive` as the Python is asked. */
export interface DeriveSettings {
  /** As written: `partial-30`. */
  word: string;
  kind: DeriveKind;
  seed: number;
  /** Share of the targets that are deleted, 0 to 1; 1 for every other kind. */
  share: number;
}

/** True for a word that {@link deriveSettings} reads. */
export const isDeriveKind = (word: string): boolean => KIND.test(word);

/** The settings of a system of that generator. */
export function deriveSettings({ options }: Pick<SystemSpec, 'options'>): DeriveSettings {
  const { kind: word, seed } = deriveSchema.parse(options.derive);
  const percent = /^partial-(\d+)$/.exec(word)?.[1];
  const kind = percent === undefined ? word : 'partial';
  const share = percent === undefined ? 1 : Number(percent) / 100;
  return { word, kind: kind as DeriveKind, seed, share };
}
