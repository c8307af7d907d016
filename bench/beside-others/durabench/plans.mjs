export const manifest = {
  id: 'marbles',
  title: 'Marbles: answer a question',
  version: '1',
  stages: {
    harvest: null,
    generate: { queue: 'model' },
    localize: null,
    vote: null,
    execute: null,
    score: { queue: 'light' },
  },
  needsDocker: false,
};

const trial = async (_trial, stages) => stages.score({ input: await stages.generate() });

export const plans = { manifest, trial };
