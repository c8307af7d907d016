import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { unwritable } from '../domain/failure/unwritable.js';

/** Makes the state folder, or one in it. @returns its path @throws UserError where it cannot be made */
export function makeStateFolder(stateDir: string, ...parts: string[]): string {
  const folder = join(stateDir, ...parts);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw unwritable(error, stateDir, 'DURABENCH_HOME');
  }
  return folder;
}
