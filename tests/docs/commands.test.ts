import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// A command on a page, in a sentence or in a block, has a name and options that the program knows.

/** They keep the commands of their day. */
const HISTORY = /^(CHANGELOG\.md|docs\/(decisions|results)\/)/;
const COMMAND = /`(?:npx )?durabench ([^`\n]+)`|^ *(?:\$ )?(?:npx |worker )?durabench ([^#\n]+)/gm;

const program = new Command();
for (const load of Object.values(COMMANDS)) (await load()).declare(program);
const GLOBAL = ['--json', '-q', '--quiet', '-v', '--verbose', '--wide', '--no-color', '--help', '--version'];
const flagsOf = (name: string): string[] =>
  program.commands
    .filter((command) => command.name() === name)
    .flatMap(({ options }) => options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat()));

const pages = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: PACKAGE_ROOT })
  .toString('utf8')
  .split('\n')
  .filter((page) => page !== '' && !HISTORY.test(page));
const told = pages.flatMap((page) =>
  [...readFileSync(join(PACKAGE_ROOT, page), 'utf8').matchAll(COMMAND)].map(([, one, other]) => ({
    page,
    words: (one ?? other ?? '').trim().split(/[\s[\]|()"=]+/),
  })),
);

test('names commands that there are', () => {
  const names = program.commands.map((command) => command.name());
  const unknown = told.filter(({ words: [name = ''] }) => /^[a-z]/.test(name) && !names.includes(name));
  expect(unknown).toEqual([]);
  expect(told.length).toBeGreaterThan(100);
});

test('gives them options that they have', () => {
  const unknown = told.flatMap(({ page, words }) => {
    const [name = ''] = words;
    const flags = words.filter((word) => /^--?[a-z]/.test(word));
    const strange = flags.filter(
      (flag) => ![...GLOBAL, ...(/^[a-z]/.test(name) ? flagsOf(name) : flags)].includes(flag),
    );
    return strange.map((flag) => `${page}: durabench ${name} ${flag}`);
  });
  expect(unknown).toEqual([]);
});
