import { describe, expect, it } from 'vitest';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { failureReport } from './failure-report.js';
import { UserError } from '../../domain/failure/user-error.js';

const quiet = { stack: false };
const problem = { message: 'a thing is wrong', expected: 'right things', fix: 'repair it' };

describe('failureReport', () => {
  it('prints three lines for each problem', () => {
    const { text, exitCode } = failureReport(new UserError('usage', [problem, problem]), quiet);
    const one = 'error: a thing is wrong\n  expected: right things\n  fix: repair it';
    expect(text).toBe(`${one}\n${one}`);
    expect(exitCode).toBe(1);
  });

  it('leaves out what is not known', () => {
    const gone = new UserError('environment', { message: 'gone', fix: 'durabench up' });
    expect(failureReport(gone, quiet)).toEqual({ text: 'error: gone\n  fix: durabench up', exitCode: 5 });
  });

  it('takes the three lines out of a domain failure, and its blame for the exit code', () => {
    const words = { message: 'Docker does not answer', expected: 'a running engine', fix: 'start Docker' };
    expect(failureReport(new DomainFailure('sandbox.unavailable', words), quiet)).toEqual({
      text: 'error: Docker does not answer\n  expected: a running engine\n  fix: start Docker',
      exitCode: 5,
    });
    expect(failureReport(new DomainFailure('dataset.hash-mismatch', 'other bytes'), quiet)).toMatchObject({
      text: expect.stringMatching(/^error: dataset\.hash-mismatch: other bytes\n {2}fix: /) as string,
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

  it.each([
    ['open', { code: 'EACCES', path: '/srv/a.yaml' }, '/srv/a.yaml cannot be used: permission denied (EACCES, open)'],
    [
      'connect',
      { code: 'EACCES', address: '/run/d.sock' },
      '/run/d.sock cannot be used: permission denied (EACCES, connect)',
    ],
    [
      'listen',
      { code: 'EACCES', address: '::1', port: 80 },
      '::1:80 cannot be used: permission denied (EACCES, listen)',
    ],
    ['kill', { code: 'EPERM' }, 'a process cannot be used: permission denied (EPERM, kill)'],
    ['write', { code: 'ENOSPC' }, 'a file cannot be used: the disk is full (ENOSPC, write)'],
  ])('names what this machine refuses: %s', (syscall, known, message) => {
    const { text, exitCode } = failureReport(Object.assign(new Error('refused'), { syscall, ...known }), quiet);
    expect(text.split('\n')).toEqual([
      `error: ${message}`,
      expect.stringMatching(/^ {2}fix: .*, then run the same command/),
    ]);
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

  it('shows what an error of its own was made of when asked', () => {
    const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const told = new UserError('environment', problem, { cause: new Error('in between', { cause }) });
    expect(failureReport(told, quiet).text).not.toContain('ENOSPC');
    const { text } = failureReport(told, { stack: true });
    expect(text).toMatch(
      /^caused by: Error: in between\n +at [^]*^caused by: Error: ENOSPC: no space left on device, write\n +at /m,
    );
  });

  it('lets no control sequence of a quoted text through', () => {
    const { text } = failureReport(
      new UserError('usage', { ...problem, message: 'said \u001b[2J\u001b]0;x\u0007boo' }),
      quiet,
    );
    expect(text).toContain('said boo\n');
  });
});
