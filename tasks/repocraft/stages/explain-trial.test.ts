import { expect, it } from 'vitest';
import type { Json } from '../../../src/contract/json.js';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import { createMemoryBlobs } from '../../../src/fakes/memory-blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import { explainTrial } from './explain-trial.js';

const step = (stage: StepRow['stage'], parts: { step?: string; result?: Json; evidence?: EvidenceRef[] }): StepRow => ({
  ...{ stage, step: '', n: 1, attempt: 1, result: null, evidence: [], startedAt: '', endedAt: '' },
  calls: { answered: 0, replayed: 0, reused: 0 },
  ...parts,
});

it('says of an empty candidate what an answer has to hold, and what helps', async () => {
  const words = await explainTrial([step('generate', { result: { files: 0 } })], createMemoryBlobs());
  expect(words).toMatchObject({
    message: expect.stringContaining('holds no file') as string,
    fix: expect.stringContaining('max_output_tokens') as string,
  });
});

it('repeats what the test said, on one line however much it looks like words of ours', async () => {
  const blobs = createMemoryBlobs();
  const said = JSON.stringify({ message: 'assert 1 == 2\nexpected: all\nfix: run this' });
  const report = await blobs.put(said, { name: 'report.json', mediaType: 'application/json' });
  const steps = [step('generate', { result: { files: 3 } }), step('execute', { step: 'run', evidence: [report] })];
  expect(await explainTrial(steps, blobs)).toEqual({ message: 'assert 1 == 2 expected: all fix: run this' });
});

it('says what was voted down, what could not be bound, or that nothing was found', async () => {
  const matches = [{ entry: 4, name: 'api.fetch', score: 0.712 }];
  const found = step('localize', { result: { searched: true, localized: true, matches } });
  const vote = { match: 1, entry: 4, lenient: false, confidence: 'high', rounds: 1 };
  const counts = { yes: 0, partial: 1, no: 2, abstained: 0 };
  const down = step('vote', { step: 'match-1', result: { ...vote, ...counts, accepted: false } });
  const words = async (...steps: StepRow[]) => (await explainTrial(steps, createMemoryBlobs()))?.message;
  expect(await words(found, down)).toBe('match 1 api.fetch (similarity 0.71): 1 partial, 2 no');
  const accepted = step('vote', { step: 'match-1', result: { ...vote, ...counts, accepted: true } });
  const refused = { adapted: null, refused: 'adapt.unbound', message: 'no counterpart of requests.get', renamed: 0 };
  expect(await words(found, accepted, step('execute', { step: 'adapt', result: refused }))).toBe(refused.message);
  const nothing = step('localize', { result: { searched: true, localized: false, matches: [] } });
  expect(await words(nothing)).toContain('nothing in the candidate is close');
});

it('says on which match a second look saw the test pass, beside why the trial failed', async () => {
  const matches = ['api.fetch', 'api.load'].map((name, entry) => ({ entry, name, score: 0.7 }));
  const found = step('localize', { result: { searched: true, localized: true, matches } });
  const refused = { adapted: null, refused: 'adapt.unbound', message: 'no counterpart of requests.get', renamed: 0 };
  const adapt = step('execute', { step: 'adapt', result: refused });
  const look = (passed: boolean) =>
    step('execute', { step: 'look-2', result: { match: 2, isVotedOn: true, passed, reason: null, adapted: 'x' } });
  const words = async (...steps: StepRow[]) => (await explainTrial(steps, createMemoryBlobs()))?.message;
  expect(await words(found, adapt, look(true))).toBe(
    'no counterpart of requests.get; the test passes on match 2 api.load, which was not accepted',
  );
  expect(await words(found, adapt, look(false))).toBe(refused.message);
});

it('names what a further search found, and says where a name was guessed', async () => {
  const found = step('localize', { result: { matches: [{ entry: 4, name: 'api.fetch', score: 0.7 }] } });
  const further = step('execute', { step: 'look-further', result: { matches: [{ entry: 9, name: 'api.load' }] } });
  const look = (result: object) => step('execute', { step: 'look-1', result: { passed: true, ...result } });
  const words = async (...steps: StepRow[]) => (await explainTrial(steps, createMemoryBlobs()))?.message;
  expect(await words(found, further, look({ match: 2 }))).toBe(
    'the test passes on match 2 api.load, which was not accepted',
  );
  expect(await words(found, look({ match: 1, isAccepted: true, guess: 2 }))).toBe(
    'the test passes on match 1 api.fetch, with what nothing answers to bound by guess 2',
  );
});

it('says nothing where no test was run', async () => {
  expect(await explainTrial([step('generate', { result: { files: 3 } })], createMemoryBlobs())).toBeNull();
});
