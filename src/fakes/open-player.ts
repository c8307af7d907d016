import { UserError } from '../domain/failure/user-error.js';
import type { ScriptedPlayer } from '../ports/scripted-player.js';
import { ownSuites } from '../suite/registry.js';
import type { Suite } from '../suite/suite.js';
import type { ModelRules } from './model-rules.js';

/**
 * The player that the rules ask for: of the suite they name, else of the first that brings one; null where none is asked for.
 * @param suites those that may be named; of the tree where nothing is said
 * @throws UserError for a suite without a player, and for a manner it does not have
 */
export async function openPlayer(
  { rules, default: last, suite: wanted, library }: ModelRules,
  suites: () => Promise<readonly Suite[]> = ownSuites,
): Promise<ScriptedPlayer | null> {
  if (wanted === undefined && library === undefined) return null;
  const able = (await suites()).filter((each) => each.scriptedPlayer !== undefined);
  const suite = wanted === undefined ? able[0] : able.find(({ manifest }) => manifest.id === wanted);
  const player = await suite?.scriptedPlayer?.(library);
  if (player === undefined)
    throw new UserError('usage', {
      message: wanted === undefined ? 'library: no suite brings a player' : `suite: "${wanted}" brings no player`,
      expected: `one of ${able.map(({ manifest }) => manifest.id).join(', ')}`,
      fix: 'correct the rules',
    });
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
