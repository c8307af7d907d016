import { expect, test } from 'vitest';
import type { SuiteManifest } from '../../src/contract/suite.js';
import { temporalNames } from '../../src/domain/campaign/temporal-names.js';
import { buildOptions, detailsPauseMs, stageOptions } from './options.js';

const names = temporalNames('3f2a91bc-7d10-4c55-9d0e-0f6a1b2c3d4e');

const manifest: SuiteManifest = {
  ...{ id: 's', title: 'S', version: '1', needsDocker: false },
  stages: {
    harvest: { queue: 'light' },
    generate: null,
    localize: { queue: 'light', startToCloseSeconds: 7 },
    vote: { queue: 'model' },
    execute: {
      queue: 'sandbox',
      steps: { adapt: { queue: 'model', startToCloseSeconds: 90 }, probe: { queue: 'light' } },
    },
    score: { queue: 'light' },
  },
};

test('a step goes where its prefix is routed, everything else where its stage is', () => {
  expect(stageOptions(names, manifest, 'execute', 'run')).toMatchObject({
    taskQueue: '3f2a91bc7d10/sandbox',
    startToCloseTimeout: '3600 s',
  });
  expect(stageOptions(names, manifest, 'execute', 'adapt-2')).toMatchObject({
    taskQueue: '3f2a91bc7d10/model',
    startToCloseTimeout: '90 s',
  });
  expect(stageOptions(names, manifest, 'execute', 'probe')).toMatchObject({
    taskQueue: '3f2a91bc7d10/light',
    startToCloseTimeout: '3600 s',
  });
});

test('a manifest overrides how long an attempt may take, and nothing else', () => {
  const options = { startToCloseTimeout: '7 s', heartbeatTimeout: '10 s', scheduleToCloseTimeout: '30 days' };
  expect(stageOptions(names, manifest, 'localize', '')).toMatchObject(options);
});

test('prepare runs on light work unless the manifest says otherwise', () => {
  expect(stageOptions(names, manifest, 'prepare', '').taskQueue).toBe('3f2a91bc7d10/light');
  expect(stageOptions(names, { ...manifest, prepare: { queue: 'sandbox' } }, 'prepare', '').taskQueue).toBe(
    '3f2a91bc7d10/sandbox',
  );
});

test('a stage that the manifest leaves out cannot be called', () => {
  expect(() => stageOptions(names, manifest, 'generate', '')).toThrow(
    'the plan of s calls generate, which its manifest leaves out',
  );
});

test('a step of a dataset build runs in the sandbox unless the manifest routes its prefix elsewhere', () => {
  expect(buildOptions(names, manifest, 'harvest')).toMatchObject({
    taskQueue: '3f2a91bc7d10/sandbox',
    startToCloseTimeout: '14400 s',
    heartbeatTimeout: '10 s',
  });
  const datasetBuild = { queue: 'light', steps: { describe: { queue: 'model', startToCloseSeconds: 60 } } } as const;
  expect(buildOptions(names, { ...manifest, datasetBuild }, 'lock').taskQueue).toBe('3f2a91bc7d10/light');
  expect(buildOptions(names, { ...manifest, datasetBuild }, 'describe-2')).toMatchObject({
    taskQueue: '3f2a91bc7d10/model',
    startToCloseTimeout: '60 s',
  });
});

test('totals are told within half a minute for four hours, and no month of them makes a history too long', () => {
  const EVENTS_A_TICK = 6;
  const HOUR_MS = 3_600_000;
  let [events, ms] = [0, 0];
  for (; ms < 31 * 24 * HOUR_MS; events += EVENTS_A_TICK) {
    const pause = detailsPauseMs(events);
    if (ms < 4 * HOUR_MS) expect(pause).toBeLessThanOrEqual(28_000);
    ms += pause;
  }
  // Temporal ends a workflow at 51,200 events; batches need most of them.
  expect(events).toBeLessThan(32_000);
});
