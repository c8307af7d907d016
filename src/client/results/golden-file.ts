import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { CampaignLock } from '../../contract/campaign.js';
import type { Json } from '../../contract/json.js';
import { UserError } from '../../domain/failure/user-error.js';
import { systemWords } from '../../domain/failure/system-words.js';
import { jsonHash } from '../../domain/text/content-hash.js';
import type { GoldenSet } from '../../report/results/golden.js';
import { writeWhole } from './write-whole.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const goldenTask = { id: z.string().min(1), group: z.string(), sha256, trial: z.string().min(1) };
const goldenFile = z.strictObject({
  version: z.literal(1),
  suite: z.string(),
  dataset: z.string(),
  system: z.string(),
  lock: z.custom<CampaignLock>((value) => typeof value === 'object' && value !== null && 'graderDigest' in value),
  tasks: z.array(z.strictObject(goldenTask)),
  quarantined: z.array(z.strictObject({ ...goldenTask, failed: z.string().min(1) })),
  /** Of all above: a file that was edited by hand says something that no campaign showed. */
  digest: sha256,
});

const HEAD = `# Tasks that a system is known to pass: ids and hashes, written by \`durabench golden make\`.
# \`durabench golden check\` names those that it fails now. Not to be edited: the digest says whether it was.
`;

/**
 * Reads a golden set. @param name of the file as the user gave it
 * @throws UserError for a file that is none, or that was edited
 */
export async function readGolden(path: string, name: string): Promise<GoldenSet> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UserError(
      'usage',
      { message: `${name} cannot be read: ${systemWords(error)}`, fix: MAKE },
      { cause: error },
    );
  });
  const read = goldenFile.safeParse(parsed(text, name));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw isNone(name, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { digest, ...set } = read.data;
  if (digest === digestOf(set)) return set;
  throw new UserError('usage', {
    message: `${name}: \`digest\` does not fit what stands above it: the file was edited by hand`,
    expected: 'the file as `golden make` or `golden check` wrote it',
    fix: `bring the committed file back: git checkout ${name}; or make it anew: ${MAKE}`,
  });
}

const MAKE = 'durabench golden make CAMPAIGN --out golden.yaml';

function parsed(text: string, name: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw isNone(name, (error as Error).message.split('\n')[0] ?? '');
  }
}

const isNone = (name: string, why: string): UserError =>
  new UserError('usage', {
    message: `${name} is no golden set: ${why}`,
    expected: 'a file of `durabench golden make`',
    fix: MAKE,
  });

/** Writes it whole or not at all. @param option by which the user names it */
export async function writeGolden(path: string, set: GoldenSet, option = '--out'): Promise<void> {
  const text = HEAD + stringify({ ...set, digest: digestOf(set) }, { lineWidth: 0 });
  await writeWhole(path, (write) => write(text), option);
}

const digestOf = (set: GoldenSet): string => jsonHash(set as unknown as Json);
