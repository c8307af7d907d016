import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../domain/text/content-hash.js';
import type { ModelMessage } from '../ports/model.js';

/** A prompt file with its blanks filled. */
export interface FilledPrompt {
  /** Name, version and text hash: `vote.v1@1f2e3d4c`; part of the call key. */
  id: string;
  messages: ModelMessage[];
}

/**
 * Reads `<folder>/<name>.md` (sections `# system`, `# user`) and fills its `{{blanks}}`. A blank without a value, or a
 * value without a blank, is a defect of ours and thrown.
 */
export async function loadPrompt(
  suiteFolder: string,
  name: string,
  values: Readonly<Record<string, string>>,
  folder = 'prompts',
): Promise<FilledPrompt> {
  const text = await readFile(path.join(suiteFolder, folder, `${name}.md`), 'utf8');
  const sections = text.split(/^# (system|user|assistant)\n/m).slice(1);
  const messages: ModelMessage[] = [];
  for (let index = 0; index < sections.length; index += 2) {
    const role = sections[index] as ModelMessage['role'];
    messages.push({ role, content: filled((sections[index + 1] ?? '').trim(), values) });
  }
  const unused = Object.keys(values).filter((key) => !text.includes(`{{${key}}}`));
  if (unused.length > 0 || messages.length === 0) throw new Error(`prompt ${name}: no blank for ${unused.join(', ')}`);
  return { id: `${name}@${sha256Hex(text).slice(0, 8)}`, messages };
}

/** One pass, so that a value that contains `{{…}}` stays as it is. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`a prompt asks for {{${key}}}, which it was not given`);
    return value;
  });
}
