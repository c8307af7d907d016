import { describe, expect, it } from 'vitest';
import { DomainFailure } from '../domain/domain-failure.js';
import { StackProblem } from '../stack/stack-problem.js';
import { CommandProblem } from './command-problem.js';
import { failureReport } from './failure-report.js';

const quiet = { stack: false };
const problem = { what: 'a thing is wrong', allowed: 'right things', remedy: 'mend it' };

describe('failureReport', () => {
  it('prints three lines for each problem', () => {
    const { text, exitCode } = failureReport(new CommandProblem([problem, problem]), quiet);
    const one = 'error: a thing is wrong\n  allowed: right things\n  to mend: mend it';
    expect(text).toBe(`${one}\n${one}`);
    expect(exitCode).toBe(1);
  });

  it('says "allowed" once where the problem already does', () => {
    const stack = new StackProblem({ what: 'gone', allowed: 'Allowed: a server.', remedy: 'Remedy: durabench up' });
    expect(failureReport(stack, quiet)).toEqual({
      text: 'error: gone\n  allowed: a server.\n  to mend: durabench up',
      exitCode: 5,
    });
  });

  it('takes the three lines out of a domain failure, and its blame for the exit code', () => {
    const words = { what: 'Docker does not answer', allowed: 'a running engine', remedy: 'start Docker' };
    expect(failureReport(new DomainFailure('sandbox.unavailable', words), quiet)).toEqual({
      text: 'error: Docker does not answer\n  allowed: a running engine\n  to mend: start Docker',
      exitCode: 5,
    });
    expect(failureReport(new DomainFailure('dataset.hash-mismatch', 'other bytes'), quiet)).toMatchObject({
      text: expect.stringMatching(
        /^error: dataset\.hash-mismatch: other bytes\n {2}allowed: .*\n {2}to mend: /,
      ) as string,
      exitCode: 1,
    });
  });

  it('names a server that does not answer, also inside other errors', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', address: '127.0.0.1', port: 5432 });
    const wrapped = new Error('query failed', { cause: new AggregateError([refused]) });
    const { text, exitCode } = failureReport(wrapped, quiet);
    expect(text).toMatch(/^error: a server at 127\.0\.0\.1:5432 does not answer \(ECONNREFUSED\)\n/);
    expect(exitCode).toBe(5);
  });

  it('says that it was interrupted, which is no failure of ours', () => {
    const { text, exitCode } = failureReport(AbortSignal.abort().reason, quiet);
    expect(text).toMatch(/^error: interrupted/);
    expect(exitCode).toBe(130);
  });

  it('calls anything else internal, and shows the stack only when asked', () => {
    const bug = new TypeError('x is not a function');
    expect(failureReport(bug, quiet)).toMatchObject({ exitCode: 1 });
    expect(failureReport(bug, quiet).text).not.toMatch(/^ +at /m);
    expect(failureReport(bug, quiet).text).toContain('run the same command with -v');
    expect(failureReport(bug, { stack: true }).text).toMatch(/^ +at /m);
  });

  it('lets no control sequence of a quoted text through', () => {
    const { text } = failureReport(
      new CommandProblem({ ...problem, what: 'said \u001b[2J\u001b]0;x\u0007boo' }),
      quiet,
    );
    expect(text).toContain('said boo\n');
  });
});
