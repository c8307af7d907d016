import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clusteredLeaves, nearestLeaves } from './assign.js';
import { readTaxonomy } from './taxonomy.js';

const SUITE = fileURLToPath(new URL('..', import.meta.url));
const at = (degrees: number) =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

describe('assigning features', () => {
  const leaves = [at(0), at(90)];

  it('goes to the nearest leaf above the floor', () => {
    expect(nearestLeaves([at(10), at(80), at(180)], leaves, 0.3)).toEqual([0, 1, null]);
  });

  it('lets what lies outside form a cluster that draws its neighbours', () => {
    const features = [at(10), at(200), at(210), at(150)];
    expect(nearestLeaves(features, leaves, 0.3)).toEqual([0, null, null, 1]);
    // 150 degrees is 60 from the leaf at 90, and 55 from the mean of those outside.
    expect(clusteredLeaves(features, leaves, 0.3)).toEqual([0, null, null, null]);
    expect(clusteredLeaves([at(10), at(80)], leaves, 0.3)).toEqual([0, 1]);
  });
});

it('at least 200 labelled features, each label a leaf of its project’s taxonomy', async () => {
  const labelled = JSON.parse(await readFile(`${SUITE}/coverage/labelled-features.json`, 'utf8')) as {
    project: string;
    feature: string;
    leaf: string | null;
  }[];
  expect(labelled.length).toBeGreaterThanOrEqual(200);
  expect(new Set(labelled.map(({ feature }) => feature)).size).toBe(labelled.length);
  for (const project of new Set(labelled.map((one) => one.project))) {
    const own = labelled.filter((one) => one.project === project);
    const { leaves } = (await readTaxonomy(SUITE, project))!;
    expect(own.flatMap(({ leaf }) => (leaf === null || leaves.includes(leaf) ? [] : leaf))).toEqual([]);
    expect(own.filter(({ leaf }) => leaf === null)).toHaveLength(8);
  }
});
