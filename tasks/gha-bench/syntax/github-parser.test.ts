import { expect, test } from 'vitest';
import { githubParser } from './github-parser.js';

async function errorsIn(content: string): Promise<string[]> {
  const { workflows } = githubParser();
  const { context, value } = workflows.parseWorkflow(
    { name: 'w.yml', content },
    new workflows.NoOperationTraceWriter(),
  );
  if (value !== undefined) await workflows.convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ rawMessage }) => rawMessage);
}

test('the bundle parses and converts workflows', async () => {
  const job = (run: string): string =>
    `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${run}\n`;
  expect(await errorsIn(job('echo hi'))).toEqual([]);
  expect(await errorsIn(job('echo ${{ foo.x }}'))).toEqual([
    expect.stringContaining("Unrecognized named-value: 'foo'"),
  ]);
  // Only the conversion refuses it.
  expect(await errorsIn('on: push\njobs: {}\n')).toHaveLength(1);
});

test('it parses action files', () => {
  const { actions, workflows } = githubParser();
  const content = 'name: a\ndescription: b\nruns:\n  using: composite\n  steps:\n    - run: echo\n';
  const { context } = actions.parseAction({ name: 'action.yml', content }, new workflows.NoOperationTraceWriter());
  expect(context.errors.getErrors().map(({ rawMessage }) => rawMessage)).toEqual([
    'Required property is missing: shell',
  ]);
});

test('it evaluates expressions', () => {
  const { Evaluator, Lexer, Parser, data } = githubParser().expressions;
  const expression = new Parser(new Lexer(`github.ref == 'REFS/HEADS/MAIN'`).lex().tokens, ['github'], []).parse();
  const github = new data.Dictionary({ key: 'ref', value: new data.StringData('refs/heads/main') });
  expect(
    new Evaluator(expression, new data.Dictionary({ key: 'github', value: github })).evaluate().coerceString(),
  ).toBe('true');
});
