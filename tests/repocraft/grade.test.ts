import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import type { FullReport } from '../../src/report/full-report.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

let project: CliProject;

beforeAll(async () => {
  project = await createCliProject();
  await project.json(['up']);
});

afterAll(async () => project?.close());

test('a candidate that needs a package that candidates do not have is refused, and graded where that is allowed', async () => {
  const library = join(project.folder, 'needy-library');
  const init = join(library, 'textkit', '__init__.py');
  await cp(join(PACKAGE_ROOT, 'tasks', 'repocraft', 'projects', 'textkit', 'src'), library, { recursive: true });
  await writeFile(init, `import no_such_kettle\n${await readFile(init, 'utf8')}`);
  const asked = ['grade', library, '--project', 'textkit', '--limit', '4'];
  for (const more of [[], ['--dry-run'], ['--allow-missing', 'no_such_cup']]) {
    const refused = await project.durabench(...asked, ...more);
    expect(refused.code, refused.stderr).toBe(1);
    expect(refused.stderr).toMatch(
      /^error: grade: textkit\/__init__\.py:1 imports no_such_kettle, .* 5 of 5 modules cannot be imported without it$/m,
    );
    expect(refused.stderr).toMatch(/--allow-missing (no_such_cup,)?no_such_kettle$/m);
  }
  expect(await project.json(['list'])).toMatchObject({ campaigns: [] });

  const graded = await project.durabench(...asked, '--allow-missing', 'no_such_kettle');
  expect(graded.code, graded.stderr).toBe(0);
  expect(graded.stdout).toContain('imports a package that candidates for textkit do not have');
  const { campaign } = await project.json<StatusReport>(['status', 'latest']);
  const report = await readFile(join(project.stateDir, 'reports', campaign.id, 'report.json'), 'utf8');
  const { trial_rows: rows } = JSON.parse(report) as FullReport;
  expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'failed']);
  const lost = rows.filter(({ reason }) => reason === 'test.missing-package');
  const shown = await project.durabench('show', lost[0]?.id ?? '');
  expect(shown.stdout).toMatch(/^because {6}.*No module named 'no_such_kettle'/m);
  expect(shown.stdout).toContain('class.generation.missing-package');

  await writeFile(join(library, 'no_such_kettle.py'), '');
  const brought = await project.durabench(...asked, '--dry-run');
  expect(brought.code, brought.stderr).toBe(0);
});
