import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

// One older file is kept beside it: a stack that runs for months keeps at most twice this for each child.
const ROTATE_BYTES = 20 * 1024 * 1024;

/** Opens a log for a child to write to; the caller closes its own copy once the child has it. */
export function openLog(file: string): { fd: number; close: () => void } {
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file) && statSync(file).size > ROTATE_BYTES) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  return { fd, close: () => closeSync(fd) };
}

/** The last lines of a log, for an error message; [] when there is none. */
export function lastLines(file: string, count: number): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').slice(-16_384).split('\n');
  return lines.filter((line) => line.trim() !== '').slice(-count);
}
