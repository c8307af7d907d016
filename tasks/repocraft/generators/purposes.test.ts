import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { systemSpec } from '../../../src/fakes/suite-bench.js';
import { BENCHMARK_PROJECTS } from '../dataset/project-settings.js';
import { readTaxonomy } from '../coverage/taxonomy.js';
import { purposeOf } from './purposes.js';
import { leavesTold } from '../coverage/leaves-told.js';

const SUITE = fileURLToPath(new URL('..', import.meta.url));
const purpose = (scope: string) => purposeOf({ scope, system: systemSpec({ id: 's', generator: 'zerorepo' }) });

describe('leavesTold', () => {
  it('finds a leaf whose words all stand in a text, in whatever form and order', () => {
    const leaves = ['Cookie Handling', 'Event Hooks', 'SVC', 'Permissions & Groups', 'Merge'];
    expect(leavesTold('It handles cookies, and hooks of events; groups get permissions.', leaves)).toEqual([
      ...['Cookie Handling', 'Event Hooks', 'Permissions & Groups'],
    ]);
    expect(leavesTold('Merges tables.', leaves)).toEqual(['Merge']);
    expect(leavesTold('A library.', leaves)).toEqual([]);
  });
});

it.each([...BENCHMARK_PROJECTS, 'textkit'])('%s: the purpose is a paraphrase of at most 60 words', async (project) => {
  const { text, title } = purpose(project);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(60);
  expect(`${title} ${text}`.toLowerCase()).not.toContain(project);
  const { leaves } = (await readTaxonomy(SUITE, project))!;
  expect(leavesTold(text, leaves).length / leaves.length).toBeLessThanOrEqual(0.1);
});
