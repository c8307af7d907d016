import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';

/** What an operator may type wrong for a worker, as it is told where it was typed; nothing is started. */
let project: CliProject;

beforeAll(async () => {
  project = await createCliProject({ DURABENCH_LIGHT_SLOTS: 'many' });
});

afterAll(() => project?.close());

test('every wrong slot and role is named with its place, what is allowed and an example, and the command ends with 1', async () => {
  const { code, stdout, stderr } = await project.durabench(
    ...['worker', '--roles', 'modle', '--slots', 'gpu=1,model=0,sandbox=10000,light'],
  );
  expect(code, stderr).toBe(1);
  expect(stdout).toBe('');
  for (const wrong of [
    '--roles: "modle" is not a role of a worker.',
    'DURABENCH_LIGHT_SLOTS is "many".',
    ...['gpu=1', 'model=0', 'sandbox=10000', 'light='].map((pair) => `--slots: "${pair}" does not set slots.`),
  ])
    expect(stderr).toContain(wrong);
  expect(stderr).toMatch(/^error: /);
  expect(stderr).toContain('expected: light, model, sandbox, each with a whole number from 1 to 9999');
  expect(stderr).toContain('--slots model=16,sandbox=4');
  expect(stderr).not.toContain('    at ');
});
