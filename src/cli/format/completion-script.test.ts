import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COMMANDS } from '../commands.js';
import { runCommandLine } from '../program.js';
import { SHELLS } from './completion-script.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-completion-'));
  for (const shell of SHELLS) await writeFile(join(folder, shell), await script(shell));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function script(shell: string): Promise<string> {
  let stdout = '';
  const code = await runCommandLine({
    ...{ argv: ['completion', shell], cwd: folder, variables: { HOME: folder, PATH: '' } },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: () => undefined },
  });
  expect(code).toBe(0);
  return stdout;
}

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const asking = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _durabench; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const given = ['--norc', '-c', asking, 'bash', join(folder, 'bash'), 'durabench', ...words];
  return execFileSync('bash', given, { encoding: 'utf8' }).split('\n').filter(Boolean);
}

it('bash completes commands, also behind an option', () => {
  expect(offered('re')).toEqual(['report', 'resume', 'retry', 'regrade']);
  expect(offered('--json', 'sta')).toEqual(['status']);
  expect(offered('')).toHaveLength(COMMANDS.length + 9);
});

it('bash completes the options of a command and those of all, and the choices of an argument', () => {
  expect(offered('run', '--re')).toEqual(['--revises', '--reason']);
  expect(offered('run', 'campaign.yaml', '--j')).toEqual(['--json']);
  expect(offered('completion', '')).toEqual(expect.arrayContaining([...SHELLS]));
  expect(offered('run', 'campaign')).toEqual([]); // files, by the shell's default
});

it.each(SHELLS)('the script for %s names every command and its options', async (shell) => {
  const text = await script(shell);
  for (const name of ['quickstart', 'budget', 'mock-model']) expect(text).toContain(name);
  expect(text).toContain('wall-hours');
});
