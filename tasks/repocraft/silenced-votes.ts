import type { CampaignSpec } from '../../src/contract/campaign.js';
import type { TrialRow } from '../../src/ports/records.js';

/**
 * A sentence for each system whose code silenced voters: trials decided on the bare code, or not at all. Who gains by having no
 * verdict may have written what silences them; a judge that is silent by itself is so before the reference too.
 */
export function silencedVotes(spec: CampaignSpec, trials: readonly TrialRow[]): string[] {
  const gold = new Set(spec.systems.filter(({ generator }) => generator === 'gold').map(({ id }) => id));
  const ofGold = silenced(trials.filter(({ systemId }) => gold.has(systemId)));
  const beside = ofGold.all === 0 ? '' : `; of the reference ${ofGold.some} of ${ofGold.all}`;
  return spec.systems.flatMap(({ id }) => {
    const { some, bare, all } = silenced(trials.filter(({ systemId }) => systemId === id));
    if (some === 0 || gold.has(id)) return [];
    return [
      `${id}: no voter answered in ${some} of ${all} trials, of which ${bare} were decided when its code was shown without comments and texts${beside}. Where the reference has none of them its comments are worth a look: \`durabench show TRIAL\`.`,
    ];
  });
}

function silenced(trials: readonly TrialRow[]): { some: number; bare: number; all: number } {
  const bare = trials.filter(({ metrics }) => metrics.vote_bare === 1).length;
  const unjudged = trials.filter(({ outcome, reason }) => outcome === 'errored' && reason === 'judge.no-answer').length;
  return { some: bare + unjudged, bare, all: trials.length };
}
