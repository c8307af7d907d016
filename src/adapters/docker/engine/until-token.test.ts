import { expect, test } from 'vitest';
import { createUntilToken, type UntilToken } from './until-token.js';

const TOKEN = 'a1b2c3';

function reading(): { until: UntilToken; taken: () => string } {
  const chunks: Buffer[] = [];
  const until = createUntilToken(TOKEN, (chunk) => chunks.push(chunk));
  return { until, taken: () => Buffer.concat(chunks).toString('latin1') };
}

test('the line ends the output, wherever chunks end', async () => {
  const text = `some\nout ${TOKEN} put${TOKEN} 137 more\n`;
  for (let size = 1; size <= text.length; size++) {
    const { until, taken } = reading();
    for (let at = 0; at < text.length; at += size) until.push(Buffer.from(text.slice(at, at + size)));
    await until.come;
    expect([taken(), until.end()]).toEqual([`some\nout ${TOKEN} put`, { status: 137, goesOn: true }]);
  }
});

test('a server that ends with its run says so', () => {
  const { until } = reading();
  until.push(Buffer.from(`${TOKEN} 0 last\n`));
  expect(until.end()).toEqual({ status: 0, goesOn: false });
});

test('another token, or the line in the middle, ends nothing, and nothing of it is lost', () => {
  for (const text of ['ffffff 0 more\n', `${TOKEN} 0 more\nand more`, `${TOKEN} 0 more`, `${TOKEN} 1000 more\n`]) {
    const { until, taken } = reading();
    until.push(Buffer.from(text));
    expect(until.end()).toBe(null);
    until.flush();
    expect(taken()).toBe(text);
  }
});
