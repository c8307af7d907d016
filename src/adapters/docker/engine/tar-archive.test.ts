import { Readable } from 'node:stream';
import tar from 'tar-stream';
import { expect, test } from 'vitest';
import { packTar } from './tar-archive.js';

test('gives files a time that ZIP can hold', async () => {
  const times: (Date | undefined)[] = [];
  const reader = Readable.from([await packTar({ 'test_task.py': 'pass\n' })]).pipe(tar.extract());
  for await (const entry of reader) {
    times.push(entry.header.mtime);
    entry.resume();
  }
  expect(times).toEqual([new Date('2000-01-01T00:00:00Z')]);
});

test('is the same, byte for byte, whatever the order of the files', async () => {
  expect(await packTar({ b: '2', a: '1' })).toEqual(await packTar({ a: '1', b: '2' }));
});
