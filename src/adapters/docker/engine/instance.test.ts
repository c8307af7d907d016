import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { currentInstance, lifeOf } from './instance.js';

const [host = '', pid = '', start = ''] = currentInstance().split('/');

test('this process lives', () => {
  expect(lifeOf(currentInstance())).toBe('alive');
});

test('a process that ended is dead, and so is one whose number another has now', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  expect(lifeOf(`${host}/${child.pid}/${start}`)).toBe('dead');
  expect(lifeOf(`${host}/${pid}/${start.replace(/\.\d+$/, '.1')}`)).toBe('dead');
});

test.each([
  ['another host', `elsewhere/${pid}/${start}`],
  ['another boot of this host', `${host}/${pid}/00000000${start.slice(8)}`],
  ['another container with this host’s name', `${host}/${pid}/${start.replace(/-\d+/, '-1')}`],
  ['nothing readable', 'gone'],
  ['nothing at all', ''],
])('of %s nothing is known', (_, instance) => {
  expect(lifeOf(instance)).toBe('unknown');
});
