import { readdirSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRulesFile } from '../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { pageBlocks } from '../fixtures/cli/page-blocks.js';
import { pageReader, type PageReader } from '../fixtures/cli/page-reader.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// The README and every guide, command by command, as somebody does who has the package and no clone.

const GUIDES = readdirSync(join(PACKAGE_ROOT, 'docs', 'guides')).filter((name) => name.endsWith('.md'));
/** Their campaigns take minutes: zerorepo-guide.test.ts and agents-guide.test.ts read them meanwhile. */
const READ_ELSEWHERE = ['zerorepo.md', 'agents.md'];
const pages = [
  'README.md',
  ...GUIDES.filter((name) => !READ_ELSEWHERE.includes(name)).map((name) => `docs/guides/${name}`),
].map((page) => ({ page, blocks: pageBlocks(page) }));

let reader: PageReader;
let model: ScriptedModelServer;

beforeAll(async () => {
  const rules = readRulesFile(join(PACKAGE_ROOT, 'examples', 'quickstart', 'rules.yaml'));
  if ('problems' in rules) throw new Error(JSON.stringify(rules.problems));
  model = await startScriptedModelServer({ rules: rules.rules });
  reader = await pageReader({ variables: { OPENAI_API_KEY: 'key-of-a-reader' } });
  await layOutCampaign();
});

afterAll(async () => {
  await reader?.close();
  await model?.close();
});

/** The campaign file of the README, with the scripted model for a provider and fewer tasks; and the candidate it names. */
async function layOutCampaign(): Promise<void> {
  const [file] = pageBlocks('README.md').filter(({ text }) => text.startsWith('# campaign.yaml\n'));
  const configured = (file?.text ?? '')
    .replace('https://api.openai.com/v1', model.url)
    .replace('limit: 50', 'limit: 10');
  await writeFile(join(reader.folder, 'campaign.yaml'), configured);
  const library = join(PACKAGE_ROOT, 'tests', 'fixtures', 'repocraft', 'snapshot-library');
  await cp(library, join(reader.folder, 'made-elsewhere'), { recursive: true });
}

describe.each(pages)('$page', ({ page, blocks }) => {
  const toRun = blocks.filter(({ commands, notRun }) => commands.length > 0 && notRun === null);
  const programs = blocks.filter(({ text }) => text.startsWith('import { connect'));

  beforeAll(async () => {
    // Only the README starts where nothing is up.
    if (page !== 'README.md' && toRun.length + programs.length > 0) await reader.type('npx durabench up');
  });

  if (toRun.length > 0) test.each(toRun)('$place: $commands', (block) => reader.follow(block));

  if (programs.length > 0)
    test.each(programs)('$place: a program', async ({ text }) => {
      await writeFile(join(reader.folder, 'program.mjs'), text);
      await reader.type('node program.mjs');
    });

  test('says where a command is not run', () => {
    const notRun = blocks.flatMap(({ commands, notRun: reason }) =>
      reason === null ? [] : [{ page, commands, reason }],
    );
    expect(notRun).toEqual(NOT_RUN.filter((each) => each.page === page));
  });
});

/** Few. */
const NOT_RUN = [
  { page: 'README.md', commands: ['npm test'], reason: 'these tests themselves, in a clone' },
  { page: 'docs/guides/results.md', commands: ['durabench compare BEFORE AFTER'], reason: 'needs two campaigns' },
  {
    page: 'docs/guides/results.md',
    commands: [
      'durabench golden make CAMPAIGN/SYSTEM --out golden.yaml            # 60 tasks, in turn from each group',
      'durabench golden check campaign.yaml --set golden.yaml --junit golden.xml',
    ],
    reason: 'needs a campaign',
  },
  {
    page: 'docs/guides/results.md',
    commands: [
      'durabench grade predictions.jsonl --suite gha-bench    # --project tier-1: only those tasks; --dry-run: what would start',
    ],
    reason: 'needs predictions',
  },
];

test('every guide is read, here or beside', () => {
  expect(GUIDES).toEqual(expect.arrayContaining(READ_ELSEWHERE));
  expect(pages.flatMap(({ blocks }) => blocks.flatMap(({ commands }) => commands)).length).toBeGreaterThan(12);
});
