import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { testBundle } from '../fixtures/engine/workflow-bundle.js';

interface History {
  events: {
    eventType: string;
    workflowExecutionStartedEventAttributes?: { workflowId: string };
    activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  }[];
}

const FOLDER = join(PACKAGE_ROOT, 'workflows', 'histories');
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));
let code: string;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  code = await testBundle();
});

const read = async (name: string): Promise<History> =>
  JSON.parse(await readFile(join(FOLDER, name), 'utf8')) as History;
/** Under the id it had: children's ids and queues follow from it. */
const replay = (history: History): Promise<void> =>
  Worker.runReplayHistory(
    { workflowBundle: { code } },
    history,
    history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId,
  );

describe('recorded histories (tests/engine/record-histories.ts) replay with the workflows of this tree', () => {
  test.each(names)('%s', async (name) => {
    await replay(await read(name));
  });

  test('every workflow has one', async () => {
    const types = await Promise.all(
      names.map(
        async (name) => (await readFile(join(FOLDER, name), 'utf8')).match(/"workflowType":\{"name":"(\w+)"/)?.[1],
      ),
    );
    const own = ['zerorepo', 'zerorepoModule', 'zerorepoUnit'];
    expect(new Set(types)).toEqual(
      new Set(['campaign', 'batch', 'generation', 'notification', 'trial', 'dataset', ...own]),
    );
  });

  test('one goes on in a new history, in each phase of a module', async () => {
    const ends = await Promise.all(
      names.map(async (name) => [name, (await read(name)).events.at(-1)?.eventType ?? ''] as const),
    );
    const continued = ends.flatMap(([name, end]) => (end.endsWith('_CONTINUED_AS_NEW') ? [name] : []));
    const parts = ['continued', 'further'];
    const modules = ['design', 'implement'].flatMap((phase) => parts.map((part) => `zerorepo-${phase}-${part}.json`));
    expect(continued).toEqual(expect.arrayContaining(modules));
  });

  test('none names the machine it was recorded on', async () => {
    for (const name of names)
      expect(await readFile(join(FOLDER, name), 'utf8')).not.toMatch(/"identity":"(?!recorded")|stackTrace/);
  });
});

test('a check of this check: a changed activity type is noticed', async () => {
  const history = await read('trial-passed.json');
  const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
  if (!scheduled?.activityTaskScheduledEventAttributes) expect.unreachable('no activity in the history');
  scheduled.activityTaskScheduledEventAttributes.activityType.name = 'reap';
  await expect(replay(history)).rejects.toThrow(/determinis/i);
});
