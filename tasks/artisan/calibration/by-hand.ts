import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readCommitted } from '../../../src/suite-kit/committed-json.js';

/** Below the suite's folder: `ID.sh` of a table each, and what they are in `scripts.json`. */
export const BY_HAND_FOLDER = join('calibration', 'by-hand');

const listSchema = z.record(
  z.string(),
  z.strictObject({
    label: z.enum(['full', 'last-mile']),
    /** In what it differs from the reference. */
    how: z.string().min(10),
  }),
);

/** A script that somebody wrote for a table, and what it is. */
export type HandWritten = z.infer<typeof listSchema>[string] & { script: string };

/** What each of them is: table → label, and how it differs. */
export const listByHand = (suiteFolder: string): Promise<z.infer<typeof listSchema>> =>
  readCommitted({
    path: join(suiteFolder, BY_HAND_FOLDER, 'scripts.json'),
    noun: 'list of scripts written by hand',
    schema: listSchema,
  });

/** The script of a table; null where there is none. */
export async function handWritten(id: string, suiteFolder: string): Promise<HandWritten | null> {
  const listed = (await listByHand(suiteFolder))[id];
  if (listed === undefined) return null;
  return { ...listed, script: await readFile(join(suiteFolder, BY_HAND_FOLDER, `${id}.sh`), 'utf8') };
}
