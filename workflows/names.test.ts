import { expect, test } from 'vitest';
import { SEARCH_ATTRIBUTE_TYPES } from '../src/domain/campaign/search-attributes.js';
import { SEARCH_ATTRIBUTES } from '../src/stack/servers/namespace.js';
import { PLANS } from '../tasks/plans.js';
import { SUITES } from '../tasks/suites.js';
import * as workflows from './index.js';
import { buildProgress, wakeUp } from './messages.js';

const suites = await Promise.all(Object.values(SUITES).map((load) => load()));

test('names that stand in every history stay what they are', () => {
  expect(Object.keys(workflows).sort()).toEqual([
    ...['batch', 'campaign', 'dataset', 'generation', 'notification', 'trial'],
    ...['zerorepo', 'zerorepoModule', 'zerorepoUnit'],
  ]);
  expect(wakeUp.name).toBe('wakeUp');
  expect(buildProgress.name).toBe('buildProgress');
});

test('every search attribute that a close writes is registered, with its type', () => {
  const registered: Record<number, string> = { 2: 'KEYWORD', 4: 'DOUBLE' };
  const types = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, registered[type]]);
  expect(Object.fromEntries(types)).toEqual(SEARCH_ATTRIBUTE_TYPES);
});

test('both lists name the same suites, each by its id', () => {
  expect(suites.map(({ manifest }) => manifest)).toEqual(PLANS.map(({ manifest }) => manifest));
  expect(suites.map(({ manifest }) => manifest.id)).toEqual(Object.keys(SUITES));
});

test('a suite whose dataset is built has a plan of it and the steps that the plan calls', () => {
  const planned = PLANS.filter(({ datasetBuild }) => datasetBuild !== undefined).map(({ manifest }) => manifest.id);
  const built = suites.filter(({ dataset }) => dataset.build !== undefined).map(({ manifest }) => manifest.id);
  expect(built).toEqual(planned);
});

test('every stage a manifest routes has a function, and every function a route', () => {
  for (const { manifest, stages } of suites) {
    const routed = Object.entries(manifest.stages).filter(([, routing]) => routing !== null);
    expect(Object.keys(stages).sort(), manifest.id).toEqual(routed.map(([stage]) => stage).sort());
  }
});
