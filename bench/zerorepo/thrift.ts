/**
 * What thrift saves: one generation of ZeroRepo and its trials on textkit, whose model takes its time, as it is and with units in
 * batches, calls at once, routing by purpose and answers of an earlier campaign, each alone and all together.
 *
 *   npm run build && npx tsx bench/zerorepo/thrift.ts [FEATURES]        (default 12)
 *   npx prettier --write docs/results/thrift.md
 *
 * Each campaign is another one on the same stack, by `durabench run`; calls, tokens, dollars and wall are those of its report. The
 * small model answers twice as soon and costs a seventh; both play the same competent author, so that a difference in what is
 * made would be a fault of ours. Needs Docker and the image repocraft-requests.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { FullReport } from '../../src/report/full-report.js';
import { openTextkitProject, zerorepoSystem } from '../../tests/fixtures/zerorepo/textkit-project.js';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'results', 'thrift.md');
const features = Number(process.argv[2] ?? 12);
const [BIG_MS, SMALL_MS] = [3_000, 1_500];
const AT_ONCE = 8;
const IN_A_BATCH = 5;

interface Means {
  isBatched?: boolean;
  isParallel?: boolean;
  isRouted?: boolean;
  isReusing?: boolean;
}

interface Row {
  name: string;
  calls: number;
  reused: number;
  tokens: number;
  usd: number;
  seconds: number;
  tree: string;
  outcomes: string;
}

const BATCHED = { isBatched: true };
const PARALLEL = { isParallel: true };
const ROUTED = { isRouted: true };
const REUSING = { isReusing: true };
const rounded = (value: number): string => (value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(3))));

const textkit = await openTextkitProject({
  big: [{ plays: 'competent', delayMs: BIG_MS }],
  small: [{ plays: 'competent', delayMs: SMALL_MS }],
});
const loadBefore = loadavg()[0] ?? 0;
try {
  const rows = [
    await measured('nothing', {}),
    await measured('batches', BATCHED),
    await measured('calls at once', PARALLEL),
    await measured('routing', ROUTED),
    // Of the first, which asked the same of the same model.
    await measured('reuse', REUSING),
    await measured('batches, calls at once, routing', { ...BATCHED, ...PARALLEL, ...ROUTED }),
    await measured('all four', { ...BATCHED, ...PARALLEL, ...ROUTED, ...REUSING }),
  ];
  writeFileSync(PAGE, page(rows));
} finally {
  await textkit.close();
}

async function measured(name: string, { isBatched, isParallel, isRouted, isReusing }: Means): Promise<Row> {
  const [window, batch] = [isParallel ? AT_ONCE : 1, isBatched ? IN_A_BATCH : 1];
  const report = await textkit.run({
    name: name.replaceAll(/\W+/g, '-'),
    dataset: { projects: ['textkit'], limit: features },
    systems: [
      {
        ...zerorepoSystem('zerorepo', { iterations: 8, features, mutants: 2, window, batch }, 'dear'),
        ...(isRouted && { purposes: { planning: 'cheap', requirements: 'cheap', vote: 'cheap' } }),
        vote: { voter: 'model', model: isRouted ? 'cheap' : 'dear' },
      },
    ],
    // By other names than the project's own, whose price is one for all.
    models: {
      dear: { name: 'big', base_url: textkit.model.url, price: { input: 1.1, output: 4.4 } },
      cheap: { name: 'small', base_url: textkit.model.url, price: { input: 0.15, output: 0.6 } },
    },
    concurrency: { model: isParallel ? AT_ONCE : 1 },
    ...(isReusing && { reuse_answers: true }),
  });
  const row = { name, ...figuresOf(report), ...(await madeBy(report)) };
  console.log(JSON.stringify(row));
  return row;
}

function figuresOf({ used, usage }: FullReport): Pick<Row, 'calls' | 'reused' | 'tokens' | 'usd' | 'seconds'> {
  const sum = (of: 'calls' | 'reused_calls' | 'tokens' | 'usd'): number =>
    usage.calls.reduce((total, row) => total + row[of], 0);
  return {
    ...{ calls: sum('calls'), reused: sum('reused_calls'), tokens: sum('tokens'), usd: sum('usd') },
    seconds: used.wall_hours * 3600,
  };
}

async function madeBy({ campaign, trial_rows: trials }: FullReport): Promise<Pick<Row, 'tree' | 'outcomes'>> {
  const [candidate] = await textkit.record.candidates(campaign.id);
  const outcomes = trials.map(({ task, outcome, reason }) => `${task} ${outcome} ${reason ?? ''}`).sort();
  return { tree: candidate?.sha256 ?? 'none', outcomes: outcomes.join('\n') };
}

const passed = ({ outcomes }: Row): number => outcomes.split('\n').filter((line) => line.includes(' passed')).length;

function page(rows: readonly Row[]): string {
  const [plain] = rows as [Row];
  const less = (value: number, before: number): string =>
    `${rounded(value)} (${Math.round(100 * (value / before - 1))} %)`;
  const lines = rows.map(({ name, calls, reused, tokens, usd, seconds, tree, outcomes }) =>
    [
      ...[name, calls, reused, tokens.toLocaleString('en')],
      ...[`$${less(usd, plain.usd)}`, less(seconds, plain.seconds)],
      ...[tree === plain.tree ? 'same' : 'other', outcomes === plain.outcomes ? 'same' : 'other'],
    ].join(' | '),
  );
  return `# What thrift saves

\`\`\`sh
npm run build && npx tsx bench/zerorepo/thrift.ts ${features}
\`\`\`

One generation of ZeroRepo with ${features} features on textkit and its ${features} trials, as a user runs it; the scripted player answers after ${BIG_MS} ms as the big model ($1.10 and $4.40 a million tokens) and after ${SMALL_MS} ms as the small one ($0.15 and $0.60). One call at a time where nothing is said, ${AT_ONCE} with calls at once; routing asks the small model for planning, requirements and votes, the big one for code and repairs; reuse answers from the campaigns above in the table, so it shows what a second run of the same experiment costs. Each campaign passes ${passed(plain)} of its ${features} tasks. ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, load ${rounded(loadBefore)} at the beginning and ${rounded(loadavg()[0] ?? 0)} at the end.

| means | calls | answers reused | tokens | cost (against nothing) | seconds | candidate | verdicts |
| --- | --- | --- | --- | --- | --- | --- | --- |
${lines.map((line) => `| ${line} |`).join('\n')}

The aim is 30 % of the time and 40 % of the cost with equal verdicts. Both models play one author: that routing keeps verdicts is shown of this system, not of small models. An answer for a batch comes as soon as one for a unit, which favours batches. Batch APIs of providers are left out: they save what their price says ([decision 0084](../decisions/0084-provider-batches.md)), and waiting for them takes no slot.
`;
}
