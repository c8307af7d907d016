import type { SuiteManifest } from 'durabench/workflow-kit';

/** What the suite is and where its stages run. Pure data: the workflow side reads it too. */
export const manifest: SuiteManifest = {
  id: 'regex',
  title: 'Regex: write a regular expression from a sentence',
  version: '1',
  stages: {
    harvest: null,
    generate: { queue: 'model' },
    localize: null,
    vote: null,
    execute: { queue: 'sandbox' },
    score: { queue: 'light' },
  },
  needsDocker: true,
};
