import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scaled } from '../../../tests/vitest/yardstick.js';
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
  expect(offered('re')).toEqual(['report', 'resume', 'retry', 'regrade', 'review']);
  expect(offered('--json', 'sta')).toEqual(['status']);
  expect(offered('')).toHaveLength(Object.keys(COMMANDS).length + 9);
});

it('bash completes the options of a command and those of all, and the choices of an argument', () => {
  expect(offered('run', '--re')).toEqual(['--revises', '--reason']);
  expect(offered('run', 'campaign.yaml', '--j')).toEqual(['--json']);
  expect(offered('completion', '')).toEqual(expect.arrayContaining([...SHELLS]));
  expect(offered('run', 'campaign')).toEqual([]); // files, by the shell's default
});

/** Whether this machine has the shell. */
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** A zsh that a person sits at: types, presses Tab once, and waits for the list of what is offered. */
const AT_ZSH = `
zmodload zsh/zpty
zpty person zsh -f -i
zpty -w person "PS1=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=999; print rea''dy"
zpty -r person seen '*ready*'
zpty -w -n person "$2"$'\\t'
zpty -r person seen "*$3*"
zpty -d person`;

it.skipIf(!has('zsh')).each([
  ['durabench re', 'regrade*report*resume*retry'],
  ['durabench run --re', '--reason*--revises'],
  ['durabench completion ', 'fish'],
])('zsh completes at the first Tab: %s', async (typed, offer) => {
  await copyFile(join(folder, 'zsh'), join(folder, '_durabench'));
  // Without the offer it waits for ever.
  const { status } = spawnSync('zsh', ['-f', '-c', AT_ZSH, 'zsh', folder, typed, offer], { timeout: scaled(20_000) });
  expect(status).toBe(0);
});

it.skipIf(!has('fish'))('fish completes commands, options and choices', () => {
  const asking = `source "${join(folder, 'fish')}"; complete -C $argv[1]`;
  const offers = (typed: string): string[] =>
    execFileSync('fish', ['--no-config', '-c', asking, typed], { encoding: 'utf8', env: { HOME: folder } })
      .split('\n')
      .flatMap((line) => /^\S+/.exec(line)?.[0] ?? []);
  expect(offers('durabench re')).toEqual(['regrade', 'report', 'resume', 'retry', 'review']);
  expect(offers('durabench --json sta')).toEqual(['status']);
  expect(offers('durabench run --re')).toEqual(['--reason', '--revises']);
  expect(offers('durabench completion ')).toEqual(['bash', 'fish', 'zsh']);
});

it.each(SHELLS)('the script for %s names every command and its options', async (shell) => {
  const text = await script(shell);
  for (const name of ['quickstart', 'budget', 'mock-model']) expect(text).toContain(name);
  expect(text).toContain('wall-hours');
});
