import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inChild } from './in-child.js';

const JOB = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n';
const look = async (text: string): Promise<string[]> => {
  const files = new Map([['.github/workflows/ci.yml', Buffer.from(text)]]);
  const { syntax } = await inChild({ files, present: [], pins: null, signal: new AbortController().signal });
  return syntax.problems.map(({ rule }) => rule);
};

test('each look is at its own files, one after the other and at once', async () => {
  expect(await look(JOB)).toEqual([]);
  expect(await look('on: [')).toEqual(['yaml']);
  expect(await Promise.all([look(JOB), look('on: ['), look(JOB)])).toEqual([[], ['yaml'], []]);
});

test('a look that was given up leaves the next one as it is', async () => {
  const files = new Map([['.github/workflows/ci.yml', Buffer.from(JOB)]]);
  await expect(inChild({ files, present: [], pins: null, signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  expect(await look(JOB)).toEqual([]);
});

test('the process that waits for the next look keeps nobody alive, and ends with whom it waits for', async () => {
  const script = `
    const { inChild } = await import(${JSON.stringify(new URL('./in-child.ts', import.meta.url).href)});
    await inChild({ files: new Map(), present: [], pins: null, signal: new AbortController().signal });
    const { execFileSync } = await import('node:child_process');
    console.log(execFileSync('pgrep', ['-P', String(process.pid)], { encoding: 'utf8' }).trim().split('\\n')[0]);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    script,
  ]);
  const waiting = Number(stdout.trim());
  expect(waiting).toBeGreaterThan(1);
  await expect.poll(() => isAlive(waiting), { timeout: 60_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
