/** The vote prompt of RepoCraft as the judge reads it. */
const BALLOT = /Capability wanted:\n(.*?)\n\nCandidate \w+ `([\w.]+)`.*?```python\n(.*?)\n```/s;

/**
 * Votes like a person who reads: YES where the candidate is what the description names and does something. Null when the
 * conversation is no ballot.
 */
export function judged(text: string): object | null {
  const [, description, path, source] = BALLOT.exec(text) ?? [];
  if (description === undefined || path === undefined) return null;
  const wanted = /^An? \w+ for ([^,.]+)/.exec(description)?.[1] ?? '';
  const name = (path.split('.').at(-1) ?? '').replaceAll('_', ' ').toLowerCase();
  if (wanted.toLowerCase() !== name) return { answer: 'NO', reason: `It is for ${name}.` };
  if (isPlaceholder(source ?? '')) return { answer: 'NO', reason: 'It is a placeholder.' };
  return { answer: 'YES', reason: `It is for ${name}.` };
}

const isPlaceholder = (source: string): boolean => /\bNotImplementedError\b|^\s+(pass|\.\.\.)$/m.test(source);
