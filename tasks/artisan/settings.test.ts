import { expect, test } from 'vitest';
import { campaignSpec, systemSpec } from '../../src/fakes/suite-bench.js';
import { artisan } from './artisan.js';
import { GENERATORS } from './generators/generators.js';
import { optionsOf } from './settings.js';

const TASK = { id: 'silver-fit', group: 'silver', category: 'silver-fit', sha256: 'a', candidateScope: null };

test('an agent and a program have 30 turns, a dollar, eight hours and five submissions, unless a campaign says otherwise', () => {
  const settings = (options: object): unknown => {
    const system = systemSpec({
      id: 'a',
      generator: 'agent',
      model: 'm',
      options: optionsOf({ options: { ...options } }),
    });
    return artisan.trialSettings?.(campaignSpec({ suite: 'artisan', systems: [system] }), system, TASK);
  };
  // Another default would change every result without a word.
  expect(settings({})).toMatchObject({ agent: { turns: 30, seconds: 8 * 3600 } });
  expect(settings({ turns: 4, work_seconds: 60 })).toMatchObject({ agent: { turns: 4, seconds: 60 } });
  for (const id of ['agent', 'command']) expect(GENERATORS[id]?.limits).toMatchObject({ usd: 1 });
  expect(optionsOf({ options: {} })).toMatchObject({ submissions: 5, feedback: 'cells', tools: 'all' });
});
