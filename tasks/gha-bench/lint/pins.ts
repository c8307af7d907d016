import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What is known of actions: their tags, and the commits that these were at. */
const pinsSchema = z.strictObject({
  version: z.literal(1),
  /** Where the pins were read: a module or distribution, its version, its hash (as go.sum has it). */
  sources: z.array(z.strictObject({ name: z.string(), version: z.string(), hash: z.string() })),
  /** `owner/repository` → commit → tags. Only pins that two sources agree on. */
  pins: z.record(z.string(), z.record(z.string().regex(/^[0-9a-f]{40}$/), z.array(z.string()))),
});

export type Pins = z.infer<typeof pinsSchema>;

/** How a step or call names what it uses. */
export type PinKind = 'verified' | 'unknown-commit' | 'tag-or-branch' | 'digest' | 'image-tag' | 'local';

/** Of a `uses`: a commit counts as a pin only where the table knows it; 40 invented digits pin nothing. */
export function pinKind(uses: string, { pins }: Pick<Pins, 'pins'>): PinKind {
  if (/^[.$]\//.test(uses)) return 'local';
  if (uses.startsWith('docker://')) return /@sha256:[0-9a-f]{64}$/.test(uses) ? 'digest' : 'image-tag';
  const [path = '', ref = ''] = uses.split('@');
  if (!/^[0-9a-f]{40}$/.test(ref)) return 'tag-or-branch';
  const repository = path.split('/').slice(0, 2).join('/').toLowerCase();
  return pins[repository]?.[ref] === undefined ? 'unknown-commit' : 'verified';
}

/** The table of this suite. */
export async function readPins(suiteFolder: string): Promise<Pins> {
  return pinsSchema.parse(JSON.parse(await readFile(join(suiteFolder, 'lint', 'pins.json'), 'utf8')));
}
