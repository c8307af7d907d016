import { UserError } from '../domain/failure/user-error.js';
import type { ScriptedPlayer } from '../ports/scripted-player.js';
import { allSuites } from '../suite/registry.js';
import type { ModelRules } from './model-rules.js';

/**
 * The player that a suite brings, for the library the rules name.
 * @throws UserError for a manner it does not have
 */
export async function openPlayer({ rules, default: last }: ModelRules, library: string): Promise<ScriptedPlayer> {
  const suite = (await allSuites()).find((each) => each.scriptedPlayer !== undefined);
  const player = await suite?.scriptedPlayer?.(library);
  if (player === undefined) throw new UserError('usage', { message: 'library: no suite here brings a player' });
  const asked = [...rules, last].flatMap((reply) => (reply?.plays === undefined ? [] : [reply.plays.as]));
  const unknown = [...new Set(asked)].filter((as) => !player.plays.includes(as));
  if (unknown.length > 0)
    throw new UserError('usage', {
      message: `plays: the player has no manner ${unknown.join(', ')}`,
      expected: `one of ${player.plays.join(', ')}`,
      fix: 'correct the rules',
    });
  return player;
}
