import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { pathFromFile } from '../../config/preflight.js';
import type { CampaignDraft } from '../../config/campaign-file.js';
import type { Json } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { systemWords } from '../../domain/failure/system-words.js';
import { plainLine } from '../../domain/text/plain-text.js';
import { problemAt } from '../../domain/shape/shape-problems.js';
import type { Suite } from '../../suite/suite.js';

/** It becomes part of the campaign, which every stage reads. */
const LONGEST_FILE_BYTES = 256 * 1024;

/** What the files of a system's options hold: system id → option → value. */
export type OptionFiles = Map<string, Record<string, Json>>;

/** Reads the files that systems name in options which may be a path (`Suite.optionFiles`). */
export async function readOptionFiles(campaign: {
  draft: CampaignDraft;
  suite: Suite | undefined;
  path: string;
}): Promise<{ files: OptionFiles; problems: Problem[] }> {
  const { draft, suite, path: campaignFile } = campaign;
  const files: OptionFiles = new Map();
  const problems: Problem[] = [];
  for (const { index, id, key, place, path } of namedFiles(draft, suite)) {
    const file = suite?.optionFiles?.[key];
    if (file === undefined) continue;
    const read = await readOption(file, pathFromFile(path, campaignFile));
    if ('value' in read) files.set(id, { ...files.get(id), [key]: read.value });
    else
      problems.push(
        ...read.problems.map((problem) =>
          problemAt(draft.source, place, {
            ...file.rules,
            message: `systems[${index}].${key}: "${plainLine(path)}" ${problem}`,
          }),
        ),
      );
  }
  return { files, problems };
}

interface NamedFile {
  index: number;
  id: string;
  key: string;
  place: PropertyKey[];
  path: string;
}

/** Options that hold a path, at a system's top or under its `options`. */
function namedFiles({ raw }: CampaignDraft, suite: Suite | undefined): NamedFile[] {
  const systems: unknown[] = Array.isArray(raw.systems) ? raw.systems : [];
  return systems.flatMap((entry, index) =>
    Object.keys(suite?.optionFiles ?? {}).flatMap((key): NamedFile[] => {
      const system = (entry ?? {}) as Record<string, unknown>;
      const nested = (system.options ?? {}) as Record<string, unknown>;
      const isNested = system[key] === undefined;
      const path = isNested ? nested[key] : system[key];
      const place = ['systems', index, ...(isNested ? ['options'] : []), key];
      return typeof path === 'string' && path !== '' ? [{ index, id: String(system.id), key, place, path }] : [];
    }),
  );
}

type OptionFile = NonNullable<Suite['optionFiles']>[string];

/** What a file holds, or why it holds nothing. */
async function readOption(file: OptionFile, path: string): Promise<{ value: Json } | { problems: string[] }> {
  try {
    const { size } = await stat(path);
    if (size <= LONGEST_FILE_BYTES) {
      const bytes = await readFile(path);
      // A text in another encoding would be read with other letters in its names.
      if (!isUtf8(bytes)) return { problems: ['is not UTF-8; save it as UTF-8'] };
      return file.read(new TextDecoder().decode(bytes)); // which leaves out a byte order mark
    }
    if (file.readLarge !== undefined) return await file.readLarge(path);
    return { problems: [`has ${size} bytes; at most ${LONGEST_FILE_BYTES}`] };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { problems: [isMissing ? `does not exist (looked at ${path})` : `cannot be read: ${systemWords(error)}`] };
  }
}
