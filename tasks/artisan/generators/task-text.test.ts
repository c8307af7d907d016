import { expect, test } from 'vitest';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import { join } from 'node:path';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { optionsOf } from '../settings.js';
import { agentValues } from './agent/agent.js';
import { scriptOf } from './single-prompt.js';
import { fileList, maskedTable, taskValues } from './task-text.js';

const TASK: ArtisanTask = {
  ...{ version: 1, id: 'study-table', study: 'study', title: 'A study', reference: 'A journal', caption: 'A table' },
  meanings: { F: 'F statistic' },
  shape: {
    columns: [
      { key: 'df', type: 'integer' },
      { key: 'F', type: 'decimal', tolerance: { significant: 7 } },
    ],
    rows: [
      { key: 'Between', cells: { df: 'given', F: 'hidden' } },
      { key: 'Within', cells: { df: 'hidden' } },
    ],
  },
  disagreements: [],
  printed: { Between: { df: '1', F: '15.94673' }, Within: { df: '46' } },
  ...{ paper: 'Between 1 ??.?????', best: 'full', image: 'artisan-python', limits: { seconds: 120, memoryMib: 1024 } },
  files: [{ path: 'data/a.dat', bytes: 12 }],
  artifacts: { whole: { sha256: 'a' }, withheld: null, underived: null },
  ...{ twins: [], scripts: { reference: 'secret reference', copies: {} } },
};

test('a masked table shows given cells, and of hidden ones their form', () => {
  expect(maskedTable(TASK).split('\n')).toEqual([
    ...['```table', '|  | df | F |', '| --- | --- | --- |', '| Between | 1 | ??.????? |', '| Within | ?? |  |', '```'],
  ]);
});

test('a prompt has every blank filled, and neither values nor the reference', async () => {
  const values = taskValues(TASK);
  const folder = join(import.meta.dirname, '..');
  const agent = await loadPrompt(folder, 'agent.v2', agentValues(TASK, optionsOf({ options: {} })));
  const program = await loadPrompt(folder, 'command.v1', { ...values, files: fileList(TASK) });
  const single = await loadPrompt(folder, 'single-prompt.v1', { ...values, contents: 'the files' });
  for (const { messages } of [agent, single, program]) {
    const text = messages.map(({ content }) => content).join('\n');
    expect(text).toContain('decimal, to 7 significant digits; F statistic');
    expect(text).not.toMatch(/15\.9|46|secret/);
  }
});

test('the last block of bash in an answer is the script', () => {
  const text = (answer: string): string => Buffer.from(scriptOf(answer).script).toString();
  expect(text('Try:\n```bash\none\n```\nor\n```sh\ntwo\n```\n```python\nthree\n```')).toBe('two\n');
  expect(scriptOf('no block').note).toMatch(/no block/);
  expect(text('```bash\ncut off')).toBe('');
});
