import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { YARDSTICK_VARIABLE } from './yardstick.js';

/** Vitest's global set-up: the yardstick process of the run, once for all projects. The processes of test files inherit its variable. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[YARDSTICK_VARIABLE] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'durabench-yardstick-'));
  const file = join(folder, 'slowness');
  process.env[YARDSTICK_VARIABLE] = file;
  const program = fileURLToPath(new URL('./yardstick-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error('the yardstick process ended');
  return async () => {
    const gone = once(child, 'exit');
    child.stdin.end();
    await gone;
    Reflect.deleteProperty(process.env, YARDSTICK_VARIABLE);
    rmSync(folder, { recursive: true, force: true });
  };
}
