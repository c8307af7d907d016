import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate, fill, NoValue } from './evaluate.js';
import { parseExpression } from './expression.js';
import { parseTemplate } from './template.js';

const CONTEXTS = {
  github: { ref: 'refs/heads/main', event: { pull_request: { labels: [{ name: 'Bug' }, { name: 'ci' }] } } },
  steps: { a: { outputs: { ok: 'false', n: '10' }, outcome: 'failure', conclusion: 'success' } },
  matrix: { node: 18, os: 'ubuntu-latest' },
  inputs: { deploy: true },
};

const valueOf = (source: string): unknown => evaluate(parseExpression(source), { contexts: CONTEXTS });

// What GitHub's documentation says and its evaluator was seen to do.
test.each<[string, unknown]>([
  [`'main' == 'MAIN'`, true],
  [`'' == 0`, true],
  [`'0x10' == 16`, true],
  [`'abc' > 1`, false],
  [`null == 0`, true],
  [`true == 1`, true],
  [`github.nothing`, null],
  [`github.nothing.below`, null],
  [`steps.never.outputs.x`, null],
  [`'a' && '' || 'f'`, 'f'],
  [`'a' && 'b' || 'f'`, 'b'],
  [`join(fromJSON('[1,2]'))`, '1,2'],
  [`fromJSON('[{"n":1},{"n":2}]').*.n`, [1, 2]],
  [`contains(fromJSON('["Push","x"]'), 'push')`, true],
  [`contains(github.event.pull_request.labels.*.name, 'bug')`, true],
  [`contains('Hello', 'ELL')`, true],
  [`startsWith(github.ref, 'REFS/heads/')`, true],
  [`endsWith('a.ts', '.TS')`, true],
  [`format('{0}-{1} {{x}}', 'a', matrix.node)`, 'a-18 {x}'],
  [`steps.a.outputs.ok && 'truthy'`, 'truthy'],
  [`steps.a.outputs.ok == 'false'`, true],
  [`steps.a.outputs.n > 9`, true],
  [`matrix.node == '18'`, true],
  [`!github.nothing`, true],
  [`'it''s' == 'IT''S' && 'a''b''c'`, `a'b'c`],
  [`case(matrix.node == 18, 'old', 'new')`, 'old'],
  [`toJSON(fromJSON('{"a":[1]}'))`, '{\n  "a": [\n    1\n  ]\n}'],
  [`fromJSON('{"a":{"b":2}}').a.b`, 2],
  [`fromJSON('3') + 0`, NoValue],
  [`fromJSON('no json')`, NoValue],
  [`unknown.context`, NoValue],
  [`"double quoted"`, NoValue],
  [`secrets.TOKEN`, null],
])('%s', (source, expected) => {
  if (expected === NoValue) expect(() => valueOf(source)).toThrow(NoValue);
  else expect(valueOf(source)).toEqual(expected);
});

test('a template keeps the type of its sole expression and makes a string of all else', () => {
  const filled = (text: string): unknown => fill(parseTemplate(text), { contexts: CONTEXTS });
  expect(filled('${{ inputs.deploy }}')).toBe(true);
  expect(filled('v${{ matrix.node }}.x')).toBe('v18.x');
  expect(filled(`\${{ 'a }} b' }}`)).toBe('a }} b');
  expect(filled('plain')).toBe('plain');
  expect(() => filled('${{ open')).toThrow(NoValue);
});

test('reads the paths, functions and strings of an expression', () => {
  const { paths, functions, literals } = parseExpression(
    `contains(steps.a.outputs['v'], 'x') && needs.*.result == github.event.inputs[matrix.key]`,
  );
  expect(paths).toEqual([
    ['steps', 'a', 'outputs', 'v'],
    ['needs', '*', 'result'],
    ['github', 'event', 'inputs', '?'],
    ['matrix', 'key'],
  ]);
  expect(functions).toEqual(['contains']);
  expect(literals).toEqual(['x']);
});

test('what would grow without end has no value', () => {
  const doubled = Array.from({ length: 40 }).reduce<string>((inner) => `format('{0}{0}', ${inner})`, `'0123456789'`);
  expect(() => valueOf(doubled)).toThrow('the value is too long');
  expect(() => valueOf(`format('${'{0}'.repeat(6000)}', '${'x'.repeat(2000)}')`)).toThrow(NoValue);
  expect(parseExpression('('.repeat(1000)).error).toBeDefined();
  expect(parseExpression(`'${'x'.repeat(30_000)}'`).error).toBeDefined();
});

test('no text makes the parser or the evaluator do anything but answer or say why not', () => {
  const piece = fc.constantFrom(
    ...['github', '.ref', '(', ')', '[', ']', '*', "'", "''", '!', '&&', '||', '==', '<', ',', '0x1', '-1', ' '],
    ...['format(', 'fromJSON(', 'toJSON(', 'case(', '__proto__', 'constructor', '${{', '}}', 'é', 'true', 'null'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const text of [pieces.join(''), `\${{${pieces.join('')}}}`]) {
        try {
          fill(parseTemplate(text), { contexts: CONTEXTS });
          evaluate(parseExpression(text), { contexts: CONTEXTS });
        } catch (error) {
          expect(error).toBeInstanceOf(NoValue);
        }
      }
    }),
  );
});
