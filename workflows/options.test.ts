import { expect, test } from 'vitest';
import type { SuiteManifest } from '../src/contract/suite.js';
import { buildOptions, stageOptions } from './options.js';

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
  expect(stageOptions(manifest, 'execute', 'run')).toMatchObject({
    taskQueue: 'sandbox',
    startToCloseTimeout: '3600 s',
  });
  expect(stageOptions(manifest, 'execute', 'adapt-2')).toMatchObject({
    taskQueue: 'model',
    startToCloseTimeout: '90 s',
  });
  expect(stageOptions(manifest, 'execute', 'probe')).toMatchObject({
    taskQueue: 'light',
    startToCloseTimeout: '3600 s',
  });
});

test('a manifest overrides how long an attempt may take, and nothing else', () => {
  const options = { startToCloseTimeout: '7 s', heartbeatTimeout: '10 s', scheduleToCloseTimeout: '30 days' };
  expect(stageOptions(manifest, 'localize', '')).toMatchObject(options);
});

test('prepare runs on light work unless the manifest says otherwise', () => {
  expect(stageOptions(manifest, 'prepare', '').taskQueue).toBe('light');
  expect(stageOptions({ ...manifest, prepare: { queue: 'sandbox' } }, 'prepare', '').taskQueue).toBe('sandbox');
});

test('a stage that the manifest leaves out cannot be called', () => {
  expect(() => stageOptions(manifest, 'generate', '')).toThrow(
    'the plan of s calls generate, which its manifest leaves out',
  );
});

test('a step of a dataset build runs in the sandbox unless the manifest routes its prefix elsewhere', () => {
  expect(buildOptions(manifest, 'harvest')).toMatchObject({
    taskQueue: 'sandbox',
    startToCloseTimeout: '14400 s',
    heartbeatTimeout: '10 s',
  });
  const datasetBuild = { queue: 'light', steps: { describe: { queue: 'model', startToCloseSeconds: 60 } } } as const;
  expect(buildOptions({ ...manifest, datasetBuild }, 'lock').taskQueue).toBe('light');
  expect(buildOptions({ ...manifest, datasetBuild }, 'describe-2')).toMatchObject({
    taskQueue: 'model',
    startToCloseTimeout: '60 s',
  });
});
