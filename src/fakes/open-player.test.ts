import { expect, test } from 'vitest';
import type { ScriptedPlayer } from '../ports/scripted-player.js';
import type { Suite } from '../suite/suite.js';
import { rulesSchema, type ModelRulesInput } from './model-rules.js';
import { openPlayer } from './open-player.js';

const player = (name: string): ScriptedPlayer => ({ plays: ['competent'], answer: () => `${name} knows` });
const suite = (id: string, brings: boolean): Suite =>
  ({ manifest: { id }, ...(brings && { scriptedPlayer: async () => player(id) }) }) as unknown as Suite;
const suites = async (): Promise<Suite[]> => [suite('silent', false), suite('first', true), suite('second', true)];
const open = (rules: ModelRulesInput): Promise<ScriptedPlayer | null> => openPlayer(rulesSchema.parse(rules), suites);

test('the suite that the rules name plays; a library without a suite is the first player’s', async () => {
  const said = async (rules: ModelRulesInput): Promise<string | undefined> =>
    (await open(rules))?.answer([], { as: 'competent' });
  expect(await said({ suite: 'second' })).toBe('second knows');
  expect(await said({ library: 'textkit' })).toBe('first knows');
  expect(await said({})).toBeUndefined();
});

test.each(['silent', 'nobody'])('the suite "%s" has no player: those that have one are named', async (id) => {
  await expect(open({ suite: id })).rejects.toThrow(`suite: "${id}" brings no player\nexpected: one of first, second`);
});

test('a manner that the player does not have is refused, with those it has', async () => {
  await expect(open({ suite: 'first', default: { plays: 'badly' } })).rejects.toThrow(
    'plays: the player has no manner badly\nexpected: one of competent',
  );
});
