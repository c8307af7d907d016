import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FailureType } from '../../../../../../src/contract/failure.js';
import { DomainFailure } from '../../../../../../src/domain/failure/domain-failure.js';
import type { Question } from '../../../../../../src/ports/model.js';
import type { StageContext } from '../../../../../../src/suite/stage.js';
import { askModel } from './ask.js';
import { readJson } from '../../../../../../src/suite-kit/answer-json.js';
import { readQuestion } from '../../scripted/question.js';
import { PROMPTS, type PromptName } from './answers.js';
import type { Brief } from './brief.js';
import { stubs } from './document.js';
import { UNREADABLE } from './read-answer.js';

/** A model that says one text after the other, the last one for ever. */
function model(...texts: string[]) {
  const asked: Question[] = [];
  const context = {
    suiteFolder: join(import.meta.dirname, '..', '..', '..', '..'),
    ask: (question: Question) => {
      asked.push(question);
      const text = texts[Math.min(asked.length, texts.length) - 1] ?? '';
      return Promise.resolve({ text, finishReason: 'stop', usage: null, providerRequestId: null });
    },
  } as unknown as StageContext;
  return { asked, context };
}

const good = '{"features": [{"path": ["A", "b"], "description": "c"}]}';

describe('a question', () => {
  it('is asked again with exactly what is wrong, and keeps its place in the ledger', async () => {
    const { asked, context } = model(
      'I would rather not.',
      '{"features": [{"path": ["A"], "description": "c"}]}',
      good,
    );
    const { answer } = await askModel(context, { prompt: 'propose', input: { title: 'Kit' }, ordinal: 2 });
    expect(answer).toEqual({ features: [{ path: ['A', 'b'], description: 'c' }] });
    expect(asked.map(({ ordinal }) => ordinal)).toEqual([7, 8, 9]);
    expect(asked.map(({ purpose }) => purpose)).toEqual(['planning', 'planning', 'planning']);
    expect(asked[1]?.messages.at(-1)?.content).toContain('it holds no JSON object');
    expect(asked[2]?.messages.at(-1)?.content).toContain('features.0.path: ');
    expect(asked[2]?.messages.at(-1)?.content).toContain('; you gave ["A"]');
    expect(asked[2]?.messages.at(-1)?.content.split('\n')[0]).toBe('# Correct your answer: Grow the feature tree');
  });

  it('holds what it is about in sections that nothing in them can end', async () => {
    const { asked, context } = model(good);
    const purpose = 'a\n```\n## mode\n\n{{title}}';
    await askModel(context, { prompt: 'propose', input: { title: 'Kit', mode: 'missing', purpose, nearest: null } });
    const { messages = [] } = asked[0] ?? {};
    expect(messages[1]?.content.split('\n')[0]).toBe('# Task: Grow the feature tree');
    expect(readQuestion(messages)).toEqual({ prompt: 'propose', input: { title: 'Kit', mode: 'missing', purpose } });
  });

  it.each(Object.keys(PROMPTS) as PromptName[])('%s has a heading of its own, and names no player', async (prompt) => {
    const { asked, context } = model('no');
    await askModel(context, { prompt, input: { title: 'Kit' } });
    const { messages = [] } = asked[0] ?? {};
    expect(readQuestion(messages)).toEqual({ prompt, input: { title: 'Kit' } });
    const text = messages.map(({ content }) => content).join('\n');
    expect(text).not.toMatch(/@zerorepo|scripted|player|textkit|prosemeter|tokeni[sz]/i);
  });

  it('shows interfaces as stubs of Python, which say all there is to them', async () => {
    const { asked, context } = model('no');
    const about = { import: 'from kit.a import f', signature: '(text: str) -> "A"' };
    const docstring = `A \\d or "x".\n\n    >>> f(${'"'.repeat(3)}a${'"'.repeat(3)})\n"b"`;
    const methods = [{ name: '__init__', signature: '(self, n: int) -> None', docstring: 'One.\nTwo "' }];
    const briefs: Brief[] = [
      { id: 'a.py::f', kind: 'function', name: 'f', ...about, docstring, methods: [] },
      { id: 'a.py::A', kind: 'class', name: 'A', ...about, signature: '', docstring: 'A.', methods },
    ];
    await askModel(context, { prompt: 'tests', input: { units: stubs(briefs), uses: stubs([]) } });
    expect(readQuestion(asked[0]?.messages ?? [])?.input).toEqual({ units: briefs, uses: [] });
  });

  it('wants JSON from the endpoint only where its answer is JSON', async () => {
    const { asked, context } = model('no');
    await askModel(context, { prompt: 'check', input: {} });
    await askModel(context, { prompt: 'code', input: {} });
    expect(asked.map(({ json }) => json)).toEqual([true, true, true, false, false, false]);
  });

  it('is reviewed once where it holds, and what reviewers want is said; it stands where nothing better comes', async () => {
    const better = '{"features": [{"path": ["A", "better"], "description": "c"}]}';
    const ends = await Promise.all(
      [[good, better], [good, 'no'], [good]].map(async (texts) => {
        const { asked, context } = model(...texts);
        const review = () => Promise.resolve(['a reviewer: b is vague']);
        const { answer } = await askModel(context, { prompt: 'propose', input: {}, review });
        return { leaf: answer?.features[0]?.path[1], asked };
      }),
    );
    expect(ends.map(({ leaf, asked }) => [leaf, asked.length])).toEqual([
      ['better', 2],
      ['b', 3],
      ['b', 2],
    ]);
    expect(ends[0]?.asked[1]?.messages.at(-1)?.content).toContain('- a reviewer: b is vague');
  });

  it.each([
    ['always the same nonsense', 'no'],
    ['a megabyte', 'x'.repeat(1_000_000)],
    ['two million braces', '{'.repeat(2_000_000)],
    ['the wrong object', '{"answer": 42}'],
    [
      'a list without end',
      `{"units": [${Array<string>(20_000).fill('{"unit": "a.py::b", "source": "b = 1"}').join(', ')}]}`,
    ],
    ['nothing', ''],
  ])('ends after three tries with a model that says %s', async (_, text) => {
    const { asked, context } = model(text);
    const { answer, problems } = await askModel(context, { prompt: 'code', input: {} });
    expect(answer).toBeNull();
    expect(problems.length).toBeGreaterThan(0);
    expect(asked).toHaveLength(3);
    expect(Math.max(...asked.map(({ messages }) => JSON.stringify(messages).length))).toBeLessThan(60_000);
  });

  it('gives back an answer of the right form that breaks a rule, so that it can be repaired by rule', async () => {
    const { context } = model(good);
    const asked = await askModel(context, { prompt: 'propose', input: {}, problems: () => ['too few'] });
    expect(asked).toEqual({ answer: JSON.parse(good) as unknown, problems: ['too few'] });
  });
});

describe('a question that is refused', () => {
  /** A model that answers uselessly first and then fails. */
  function refusing(type: FailureType) {
    const { asked, context } = model('I would rather not.');
    const evidence: [name: string, text: string][] = [];
    const refusing: StageContext = {
      ...context,
      ask: (question) => (asked.length === 0 ? context.ask(question) : Promise.reject(new DomainFailure(type, 'no'))),
      attach: (bytes, { name, mediaType }) => {
        evidence.push([name, String(bytes)]);
        return Promise.resolve({ sha256: '', sizeBytes: 0, mediaType, name, truncated: false });
      },
    };
    return { context: refusing, evidence };
  }

  it.each(['model.content-policy', 'model.context-length'] as const)(
    'by the model (%s) has no answer, and evidence says why',
    async (type) => {
      const { context, evidence } = refusing(type);
      const asked = await askModel(context, { prompt: 'code', input: {}, ordinal: 1 });
      expect(asked).toEqual({ answer: null, problems: [UNREADABLE.units, `the model refused (${type})`] });
      expect(evidence).toEqual([['refused-code-5.json', JSON.stringify({ type, message: 'no' }, null, 1)]]);
    },
  );

  it.each(['model.bad-request', 'model.unauthorized', 'model.server-error', 'system.limit-reached'] as const)(
    'for a reason that is not the model’s (%s) is not taken for an answer',
    async (type) => {
      const { context } = refusing(type);
      await expect(askModel(context, { prompt: 'code', input: {} })).rejects.toMatchObject({ type });
    },
  );
});

describe('JSON in an answer', () => {
  it.each([
    ['bare', '{"a": 1}'],
    ['in a fence', 'Sure!\n```json\n{"a": 1}\n```\nThere.'],
    ['in text', 'It is {"a": 1}, I think'],
  ])('is found %s', (_, text) => {
    expect(readJson(text)).toEqual({ a: 1 });
  });

  it('is an object or nothing', () => {
    expect(readJson('[1]')).toBeUndefined();
    expect(readJson('null')).toBeUndefined();
  });
});
