import { UserError } from '../../domain/failure/user-error.js';
import { readTarEntries } from '../../suite-kit/tar-entries.js';
import { trialOrGenerationByPath } from '../campaigns/trial-named.js';
import type { Connection } from '../connection.js';
import { writeFolder } from './write-folder.js';

/** The files of a candidate in a folder. */
export interface ExportedCandidate {
  /** Whose candidate it is. */
  generation: string;
  sha256: string;
  folder: string;
  files: number;
}

/**
 * Writes the files of a shared candidate to a folder of their own, which is there whole or not at all. Links are left out:
 * they could lead anywhere on this machine.
 * @param wanted a generation, or a trial that graded it: `<campaign>/<system>/<scope>/<repeat>`,
 *   `<campaign>/<task>/<system>/<repeat>`, or a unique prefix of one
 * @param out absolute; it may be there and empty
 * @throws UserError where there is no such candidate yet, or the folder is taken or cannot be written
 */
export async function exportCandidate(
  connection: Connection,
  { wanted, out }: { wanted: string; out: string },
): Promise<ExportedCandidate> {
  const { records, blobs } = connection;
  const { kind, id } = await trialOrGenerationByPath(connection, wanted);
  const generation = kind === 'generation' ? id : await records.generationOfTrial(id);
  if (generation == null)
    throw missing(`${id} has a candidate of its own`, `\`durabench logs ${id} --step generate\` shows what it left`);
  const { candidate, state } = (await records.generation(generation)).generation;
  if (candidate === null)
    throw missing(`${generation} has no candidate (${state})`, `\`durabench show ${generation}\` says why`);
  const entries = await readTarEntries(await blobs.get(candidate.sha256));
  const files = await writeFolder(out, async (write) => {
    for (const { name, content, link } of entries) if (link === null) await write(name, content);
  });
  return { generation, sha256: candidate.sha256, folder: out, files };
}

const missing = (message: string, fix: string): UserError =>
  new UserError('usage', { message, expected: 'a shared candidate that has been made', fix });
