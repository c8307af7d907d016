import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInspectLog, readInspectLog } from './inspect-side.js';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'durabench-inspect-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const scored = (id: string | number, value: unknown, epoch = 1, others: object = {}): object => ({
  ...{ id, epoch, input: '', target: '', scores: { match: { value, answer: '' } } },
  ...others,
});
const log = (samples: object[], others: object = {}): object => ({
  ...{ version: 2, status: 'success', eval: { task: 'echo', model: 'lab/one' } },
  results: { scores: [{ name: 'match', scorer: 'match' }] },
  samples,
  ...others,
});
const read = async (content: unknown, name = 'log.json'): ReturnType<typeof readInspectLog> => {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readInspectLog(path, `logs/${name}`);
};

describe('a log of Inspect', () => {
  it('is told by its name', () => {
    expect(['a.json', 'logs/b.EVAL', 'campaign', 'campaign/system'].map(isInspectLog)).toEqual([
      ...[true, true, false, false],
    ]);
  });

  it('gives each sample as a task, its epochs together, and what Inspect calls correct as passed', async () => {
    const { system, outcomes, scorer, partial, ungraded } = await read(
      log([scored('t', 'C'), scored('t', 'I', 2), scored(7, 1), scored('b', true), scored('p', 'P'), scored('n', 'N')]),
    );
    expect([system, scorer]).toEqual([{ campaign: 'log.json', system: 'lab/one', source: 'inspect' }, 'match']);
    expect(outcomes.map(({ taskId, graded, passed }) => [taskId, graded, passed])).toEqual([
      ['t', 2, 1],
      ['7', 1, 1],
      ['b', 1, 1],
      ['p', 1, 0],
      ['n', 1, 0],
    ]);
    expect(outcomes[0]).toMatchObject({ passedTrial: 'log.json#t/1', failedTrial: 'log.json#t/2' });
    expect([partial, ungraded]).toEqual([1, 0]);
  });

  it('leaves out samples with an error or without a score', async () => {
    const { outcomes, ungraded } = await read(
      log([
        scored('e', 'C', 1, { error: { message: 'x', traceback: '', traceback_ansi: '' } }),
        scored('none', 'C', 1, { scores: null }),
        scored('f', 0.25),
      ]),
    );
    expect(outcomes.map(({ taskId, graded }) => [taskId, graded])).toEqual([
      ['e', 0],
      ['none', 0],
      ['f', 1],
    ]);
    expect(outcomes[0]).toMatchObject({ passedTrial: null, failedTrial: null });
    expect(ungraded).toBe(2);
  });

  it('counts by its first scorer, and names the others', async () => {
    const scores = { match: { value: 'I' }, judge: { value: 'C' } };
    const results = {
      scores: [
        { name: 'judge', scorer: 'judge' },
        { name: 'match', scorer: 'match' },
      ],
    };
    const { scorer, scorers, outcomes } = await read(log([{ id: 'a', epoch: 1, scores }], { results }));
    expect([scorer, scorers, outcomes[0]?.passed]).toEqual(['judge', ['judge', 'match'], 1]);
  });

  it('has words that do nothing to a terminal', async () => {
    const { system, outcomes } = await read(
      log([scored('a\u001b[2J', 'C')], { eval: { task: 'e', model: 'm\u001b]0;x\u0007\n' } }),
    );
    expect(JSON.stringify([system, outcomes])).not.toMatch(/\\u00(1b|07)|\\n/);
  });

  it.each([
    ['what is no JSON', '{"version": 2, "sam', /log\.json is no log of Inspect: it is not JSON/],
    ['another document', { version: 2, pairs: [] }, /is no log of Inspect: eval/],
    ['a log without its samples', log([], { samples: undefined }), /holds no samples/],
    ['one that runs', log([scored('a', 'C')], { status: 'started' }), /has not ended/],
    ['one of a newer Inspect', log([scored('a', 'C')], { version: 3 }), /has version 3 of the format/],
    ['one of an older Inspect', log([scored('a', 'C')], { version: 1 }), /has version 1 of the format/],
    ['scores that are no yes or no', log([scored('a', { one: 1 })]), /score of sample a is an object/],
    ['scores in words', log([scored('a', 'fine')]), /score of sample a is "fine"/],
  ])('is refused where it is %s, with what would fix it', async (_, content, message) => {
    await expect(read(content)).rejects.toMatchObject({
      kind: 'usage',
      problems: [{ message: expect.stringMatching(message) as string, fix: expect.any(String) as string }],
    });
  });

  it('is refused where it is huge, packed, a folder, or not there', async () => {
    const huge = join(folder, 'huge.json');
    await writeFile(huge, '');
    await truncate(huge, 257 * 1024 ** 2);
    await expect(readInspectLog(huge, 'huge.json')).rejects.toThrow(/larger than 256 MiB/);
    await expect(read('PK', 'packed.eval')).rejects.toMatchObject({
      problems: [{ fix: 'inspect log convert logs/packed.eval --to json --output-dir logs-json' }],
    });
    await expect(readInspectLog(folder, 'x.json')).rejects.toThrow(/is no file/);
    await expect(readInspectLog(join(folder, 'none.json'), 'none.json')).rejects.toThrow(
      /cannot be read: there is no such file/,
    );
  });
});
