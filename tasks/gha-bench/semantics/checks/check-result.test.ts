import { expect, test } from 'vitest';
import { readSemantics } from '../model/read-semantics.js';
import { checkResult } from './check-result.js';
import { checkSchema } from './check.js';

const problems = (check: object, job: string): string[] => {
  const text = `on: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n${job}`;
  const semantics = readSemantics({ '.github/workflows/ci.yml': text }, { roles: { test: { runs: 'npm test' } } });
  return checkResult(semantics, checkSchema.parse({ id: 'a', ...check })).problems.map(({ message }) => message);
};

const ENDS = {
  kind: 'ends',
  job: 'test',
  scenario: { on: { event: 'push', branch: 'main' }, fails: ['test'] },
  result: 'failure',
};
const STEPS = '    steps: [{ run: npm test }]\n';

test.each([
  ['not said', '', 0],
  ['never', '    continue-on-error: false\n', 0],
  ['in a leg', '    continue-on-error: ${{ matrix.next }}\n    strategy: { matrix: { next: [false] } }\n', 0],
  ['always', '    continue-on-error: true\n', 1],
  ['on another event', "    continue-on-error: ${{ github.event_name == 'pull_request' }}\n", 1],
])('a job whose failure is forgiven %s', (_, key, count) => {
  expect(problems(ENDS, `${key}${STEPS}`)).toHaveLength(count);
});

test('a script is looked for in programs, too', () => {
  const steps = "    steps: [{ uses: actions/github-script@v7, with: { script: \"exec.exec('npm', ['test'])\" } }]\n";
  expect(problems({ kind: 'script', matches: 'npm test' }, steps)).toEqual([]);
  expect(problems({ kind: 'script', matches: 'npm run' }, steps)).toHaveLength(1);
});
