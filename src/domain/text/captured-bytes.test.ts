import { expect, test } from 'vitest';
import { createCapturedBytes } from './captured-bytes.js';

function capture(cap: number, chunks: string[]): { text: string; truncated: boolean; totalBytes: number } {
  const captured = createCapturedBytes(cap);
  for (const chunk of chunks) captured.push(Buffer.from(chunk));
  const { bytes, ...rest } = captured.result();
  return { text: bytes.toString('utf8'), ...rest };
}

test('keeps everything up to the cap', () => {
  expect(capture(10, ['01234', '56789'])).toEqual({ text: '0123456789', truncated: false, totalBytes: 10 });
});

test('beyond it keeps head and tail, and marks how much is gone', () => {
  const text = '01234\n[... 2 bytes cut ...]\n789ab';
  expect(capture(10, ['0123456789ab'])).toEqual({ text, truncated: true, totalBytes: 12 });
  expect(capture(10, [...'0123456789ab'])).toEqual({ text, truncated: true, totalBytes: 12 });
});

test('an odd cap and an empty stream', () => {
  expect(capture(3, ['abcdef']).text).toBe('ab\n[... 3 bytes cut ...]\nf');
  expect(capture(3, [])).toEqual({ text: '', truncated: false, totalBytes: 0 });
});
