import { readFile } from 'node:fs/promises';
import { candidatePath } from '../../config/preflight.js';
import type { CampaignDraft } from '../../config/campaign-file.js';
import type { Json } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
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
    const found = await textOf(candidatePath(path, campaignFile));
    const read = 'problem' in found ? { problems: [found.problem] } : file.read(found.text);
    const at = `${draft.source.place(place)}: systems[${index}].${key}: "${path}"`;
    if ('value' in read) files.set(id, { ...files.get(id), [key]: read.value });
    else problems.push(...read.problems.map((problem) => ({ ...file.rules, message: `${at} ${problem}` })));
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

/** The text, or why there is none. */
async function textOf(path: string): Promise<{ text: string } | { problem: string }> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > LONGEST_FILE_BYTES)
      return { problem: `has ${bytes.length} bytes; at most ${LONGEST_FILE_BYTES}` };
    return { text: bytes.toString('utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: code === 'ENOENT' ? `does not exist (looked at ${path})` : `cannot be read (${code})` };
  }
}
