import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DETAILS, ID, SUBJECT, TRIALS } from '../../tests/fixtures/engine/report-subject.js';
import { expectDocument } from '../../tests/fixtures/cli/documents.js';
import { totalsOf } from '../../tests/fixtures/engine/trial-totals.js';
import { jsonText } from '../domain/text/json-text.js';
import type { TrialRow } from '../ports/records.js';
import { failureAnalysis } from './failures/failure-analysis.js';
import { fullReport, writeFullReport, type TrialReport } from './full-report.js';
import { markdownReport } from './markdown-report.js';
import { detailTables } from './report-details.js';
import { currentReport, lastReport, reportJson, writeReport } from './report-files.js';
import type { ReportSubject } from './report-subject.js';
import { detailTable, resultTable } from './result-table.js';
import { statusReport } from './status-report.js';

describe('statusReport', () => {
  it('is the contract, key for key', () => {
    expect(statusReport(SUBJECT)).toEqual({
      campaign: {
        id: ID,
        name: 'demo',
        status: 'completed',
        suite: 'repocraft',
        dataset: 'repocraft@1 requests (3 of 124)',
        revises: null,
        revised_by: [],
      },
      trials: { planned: 8, done: 7, passed: 2, failed: 3, errored: 1, not_run: 1 },
      spend: {
        usd: 0.0015,
        tokens: 1000,
        calls: 3,
        repeated_calls: 1,
        recovered_calls: 2,
        replayed_calls: 4,
        reused_calls: 3,
        saved_usd: 0.0009,
        implausible_usage: 1,
        unanswered_requests: 2,
      },
      judge: { abstentions: 0, errored: 0 },
      systems: [
        {
          id: 'gold',
          trials: 3,
          passed: 2,
          failed: 1,
          errored: 0,
          not_run: 0,
          pass_rate: 2 / 3,
          rates: { localized: 1, voted: 2 / 3 },
        },
        {
          id: 'prompt',
          trials: 4,
          passed: 0,
          failed: 2,
          errored: 1,
          not_run: 1,
          pass_rate: 0,
          rates: { localized: 1, voted: 0 },
        },
        {
          id: 'idle',
          trials: 1,
          passed: 0,
          failed: 0,
          errored: 0,
          not_run: 0,
          pass_rate: null,
          rates: { localized: null, voted: null },
        },
      ],
      report: { path: '/state/reports/demo/report.md' },
      temporal_ui: 'http://127.0.0.1:8233/x',
      temporal_queries: ['failed', 'errored', 'dearest'].map((name) => ({
        ...{ name, title: expect.any(String) as string, url: expect.stringContaining('/workflows?query=') as string },
      })),
    });
  });
});

describe('the reports of a fixed set of rows', () => {
  it('terminal table', () => {
    expect(`\n${resultTable(SUBJECT)}\n`).toMatchInlineSnapshot(`
      "
      system  group     trials  scored  score (95 % Wilson)  marks                      localized   voted  errored (bounds)  not run  tokens     cost   wall
      gold    requests       3       3  66.7 % [20.8, 93.9]  –                            100.0 %  66.7 %                 0        0       0    $0.00  4.0 s
      prompt  django         1       1    0.0 % [0.0, 79.3]  –                            100.0 %   0.0 %                 0        0       0    $0.00  2.0 s
      prompt  requests       3       1    0.0 % [0.0, 79.3]  forged, suspect, vendored    100.0 %   0.0 %     1 [0.0, 50.0]        1   1,000  $0.0015  3.0 s
      prompt  all            4       2    0.0 % [0.0, 65.8]  forged, suspect, vendored    100.0 %   0.0 %     1 [0.0, 33.3]        1   1,000  $0.0015  5.0 s
      idle    requests       1       0                    –  –                                  –       –                 0        0       0    $0.00      –
      "
    `);
  });

  it('a table of the suite in a terminal', () => {
    expect(`\n${detailTable(detailTables(DETAILS)[0]!)}\n`).toMatchInlineSnapshot(`
      "
      Own | table
      system     lines               passed  less others
      gold    12,345.7  50.0 % [25.0, 75.0]        −12.3
      red            –              100.0 %         +2.0
        What it means.
      "
    `);
    expect(detailTables(DETAILS)).toHaveLength(4);
  });

  it('Markdown', () => {
    expect(markdownReport(SUBJECT, DETAILS)).toMatchInlineSnapshot(`
      "# demo

      Campaign \`demo-0123456789\`, status **completed**, suite repocraft, dataset repocraft@1 requests (3 of 124).
      Created 2026-01-01T00:00:00.000Z, ended 2026-01-01T00:00:30.000Z.
      7 of 8 trials done: 2 passed, 3 failed, 1 errored, 1 not run.

      Temporal UI: <http://127.0.0.1:8233/x>

      ## Results

      | system | group | trials | scored | score (95 % Wilson) | marks | localized | voted | errored (bounds) | not run | tokens | cost | wall |
      | --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
      | gold | requests | 3 | 3 | 66.7 % \\[20.8, 93.9\\] | – | 100.0 % | 66.7 % | 0 | 0 | 0 | $0.00 | 4.0 s |
      | prompt | django | 1 | 1 | 0.0 % \\[0.0, 79.3\\] | – | 100.0 % | 0.0 % | 0 | 0 | 0 | $0.00 | 2.0 s |
      | prompt | requests | 3 | 1 | 0.0 % \\[0.0, 79.3\\] | forged, suspect, vendored | 100.0 % | 0.0 % | 1 \\[0.0, 50.0\\] | 1 | 1,000 | $0.0015 | 3.0 s |
      | prompt | all | 4 | 2 | 0.0 % \\[0.0, 65.8\\] | forged, suspect, vendored | 100.0 % | 0.0 % | 1 \\[0.0, 33.3\\] | 1 | 1,000 | $0.0015 | 5.0 s |
      | idle | requests | 1 | 0 | – | – | – | – | 0 | 0 | 0 | $0.00 | – |

      Score = passed / scored, where scored = passed + failed. Intervals: 95 % Wilson score over tasks. Not clustered by group: 2 groups with graded trials; a standard error by group needs 20 (Cameron and Miller 2015). Errored and not-run trials are outside the score; the bounds beside "errored" are the score if every errored trial had failed or passed.

      ## Own \\| table

      | system | lines | passed | less others |
      | --- | ---: | ---: | ---: |
      | gold | 12,345.7 | 50.0 % \\[25.0, 75.0\\] | −12.3 |
      | red | – | 100.0 % | +2.0 |

      What it means.

      ## Tokens and cost by stage and purpose

      | system | stage | purpose | model | calls | tokens | cost | reused | saved |
      | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |
      | prompt | vote | vote | m | 3 | 1,000 | $0.0015 | 3 | $0.0009 |

      From the ledger; a call without a usable answer is among the calls here, its requests at their estimate.

      Reused: answered with what other campaigns of this installation got to the same question; not among calls, tokens and cost. Saved: what sending them would have cost.

      1 of these calls came without usage, from m; such a call counts at its estimate.

      expected: a reply that ends with its usage, in a stream too (stream\\_options.include\\_usage)

      fix: have the endpoint report usage; what is shown here stays as it is

      1 of these requests came with a usage that cannot be, from m; such a request counts at its estimate, and its completion keeps what was claimed.

      ## Working time by stage

      | system | of | stage | attempts | sum | mean |
      | --- | --- | --- | ---: | ---: | ---: |
      | gold | trial | vote | 2 | 2.0 s | 1.0 s |
      | prompt | generation | prepare | 1 | 7.0 s | 7.0 s |
      | prompt | trial | vote | 4 | 10 s | 2.5 s |

      Attempts include failed ones. Stages run side by side, so the sums are more than the wall time of the campaign.

      ## Tokens, cost and working time by group

      | system | group | calls | tokens | cost | shared candidates | trials |
      | --- | --- | ---: | ---: | ---: | ---: | ---: |
      | prompt | django | 1 | 400 | $0.0005 | 7.0 s | 4.0 s |
      | prompt | requests | 2 | 600 | $0.0010 | – | 6.0 s |
      | prompt | all | 3 | 1,000 | $0.0015 | 7.0 s | 10 s |

      Shared candidates count in the group they were made for. Times are those of attempts, summed; by stage and purpose in report.json under usage.

      ## Integrity

      | system | candidate of | marks | forged trials | vacuous trials | negative controls | what was found |
      | --- | --- | --- | ---: | ---: | ---: | --- |
      | prompt | requests, repeat 1 | forged, suspect, vendored | 1 | 3 | 5 | 9 of 10 larger functions are those of the reference |

      6 passed trials were tried again with a test altered so that it had to fail. Marks stand beside a score and do not change it; docs/guarantees/integrity.md says what each means.

      ## Trials that did not pass

      | system | outcome | blame | reason | trials | example | message |
      | --- | --- | --- | --- | ---: | --- | --- |
      | gold | failed | model | test.assertion | 1 | demo-0123456789/t3/gold/1 | assert 1 == 2 |
      | prompt | failed | model | vote-rejected | 2 | demo-0123456789/t1/prompt/1 | \\| evil \\| &lt;script\\> |
      | prompt | errored | infrastructure | sandbox.image-missing | 1 | demo-0123456789/t2/prompt/1 | image &lt;x\\> is not there<br>expected: one that was built<br>fix: durabench images build x |
      | prompt | not\\_run | budget | budget.exhausted | 1 | demo-0123456789/t3/prompt/1 |  |

      ## What to try

      | system | what | found | of | share | above | such as |
      | --- | --- | ---: | ---: | ---: | ---: | --- |
      | prompt | class.planning | 12 | 20 | 60.0 % \\[38.7, 78.1\\] | 20.0 % | demo-0123456789/t1/prompt/1 |

      To try for class.planning: plan &lt;more\\>.

      Rules fire where the 95 % Wilson interval of the share lies above the threshold, of 10 trials or more: of those that failed, and where errors count of those that ended. Trials of one shared candidate fail alike, so intervals are too narrow for what a second candidate would do.

      Above their threshold, but not certain: prompt, stage execute 1 of 2 (50.0 %, threshold 30.0 %).

      ## Failures by class

      | system | class | failed | share of failed | such as |
      | --- | --- | ---: | ---: | --- |
      | prompt | class.planning | 2 | 100.0 % \\[34.2, 100.0\\] | demo-0123456789/t1/prompt/1 |

      In brackets 95 % Wilson intervals. \`durabench explain CLASS\` says what one means.

      ## Failures by class and group

      | system | class | requests | django |
      | --- | --- | ---: | ---: |
      | prompt | class.planning | 1 | 1 |

      ## Samples of failures

      | system | class | trial | reason | excerpt |
      | --- | --- | --- | --- | --- |
      | prompt | class.planning | demo-0123456789/t1/prompt/1 | vote-rejected | \\| evil \\| &lt;script\\> |
      | prompt | class.planning | demo-0123456789/t4/prompt/1 | vote-rejected | – |

      Ten trials of a class at most, drawn by the hash of their ids; the excerpt is a line of their evidence.

      ## Spend

      $0.0015 and 1,000 tokens in 3 model calls (budget: $2.00 and 24 h); of it $0.00 and 0 tokens for making shared candidates, which the trials above do not count. Calls sent again after a crash without an answer: 1. Lost answers fetched from their provider, not paid again: 2. Asked again by a later attempt and answered from the record, not paid again: 4. 2 requests without a usable answer count at their estimate, not among the calls. 3 answers of other campaigns reused, $0.0009 saved. Overshoot, part of these sums: 2 requests came to $0.0001 and 30 tokens more than was reserved. 1 request whose usage cannot be is booked at what was reserved.

      ## Provenance

      | what | value |
      | --- | --- |
      | lock | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa |
      | dataset | dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd |
      | suite version | 1 |
      | grader | cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc |
      | image base | bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb |
      | prices (US dollars per million tokens) | {} |
      | seed | 0 |
      "
    `);
  });

  it('says which limits of the sandbox the suite loosened', () => {
    const sandboxLimits = { parse: { cpuSeconds: 300, outputBytes: 2 ** 28 } };
    const loosened = {
      ...SUBJECT,
      campaign: { ...SUBJECT.campaign, lock: { ...SUBJECT.campaign.lock, sandboxLimits } },
    };
    expect(markdownReport(loosened, DETAILS)).toContain(
      '| sandbox limits, parse | processor time of a command: 300 s; captured output, each stream: 256 MiB |',
    );
    expect(fullReport(loosened, DETAILS).provenance).toMatchObject({ sandboxLimits });
  });

  it('JSON repeats the contract and adds rows, failures and provenance', () => {
    const report = fullReport(SUBJECT, DETAILS);
    expect(report).toMatchObject(statusReport(SUBJECT));
    expect(
      report.failures.map(({ system: id, reason, trials, examples }) => [id, reason, trials, examples.length]),
    ).toEqual([
      ['gold', 'test.assertion', 1, 1],
      ['prompt', 'vote-rejected', 2, 2],
      ['prompt', 'sandbox.image-missing', 1, 1],
      ['prompt', 'budget.exhausted', 1, 1],
    ]);
    expect(report.results.map((row) => [row.system, row.group, row.trials, row.wall_seconds])).toEqual([
      ['gold', 'requests', 3, 4],
      ['prompt', 'django', 1, 2],
      ['prompt', 'requests', 3, 3],
      ['prompt', null, 4, 5],
      ['idle', 'requests', 1, null],
    ]);
    expect(report.results[2]?.error_bounds).toEqual({ low: 0, high: 0.5 });
    expect(report.suite_metrics).toEqual({ anything: 1 });
    expect(report.suite_figures).toEqual({ together: 2 });
    const withoutSuite = fullReport(SUBJECT, { ...DETAILS, suite: null });
    expect(withoutSuite).toMatchObject({ suite_metrics: null, suite_figures: null });
    expect(report.usage.calls).toMatchObject([
      { system: 'prompt', group: 'django', purpose: 'vote', usd: 0.0005 },
      { system: 'prompt', group: 'requests', purpose: 'vote', usd: 0.001 },
    ]);
    expect(report.provenance.datasetDigest).toBe('d'.repeat(64));
  });
});

describe('report.json', () => {
  const whole = async (pages: (readonly TrialRow[])[]): Promise<string> => {
    let text = '';
    const trialPages: ReportSubject['trialPages'] = async (visit) => {
      for (const page of pages) await visit(page);
    };
    await writeFullReport({ ...SUBJECT, trialPages }, DETAILS, (piece) => (text += piece));
    return text;
  };

  it('is one document, however its trials come', async () => {
    const text = await whole([TRIALS]);
    const read = JSON.parse(text) as { trial_rows: TrialReport[] };
    const lines = read.trial_rows.map((row) => `    ${jsonText(row)}`).join(',\n');
    const around = jsonText({ ...read, trial_rows: [] }, 2).replace(
      '"trial_rows": []',
      () => `"trial_rows": [\n${lines}\n  ]`,
    );
    expect(text).toBe(`${around}\n`);
    expect(read.trial_rows.map(({ id }) => id)).toEqual(TRIALS.map(({ id }) => id));
    const analysis = await failureAnalysis(await SUBJECT.failures(), SUBJECT.trialPages);
    expect(analysis.classes).toHaveLength(2);
    expect({ ...read, trial_rows: [] }).toEqual(JSON.parse(JSON.stringify(fullReport(SUBJECT, DETAILS, analysis))));
    expectDocument(read, 'report');
    expect(await whole([TRIALS.slice(0, 1), TRIALS.slice(1, 5), TRIALS.slice(5)])).toBe(text);
  });

  it('is one without trials, too', async () => {
    expect(await whole([])).toBe(`${jsonText(fullReport(SUBJECT, DETAILS), 2)}\n`);
  });
});

describe('report files', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  const newFolder = async (): Promise<string> => {
    const state = await mkdtemp(join(tmpdir(), 'durabench-report-'));
    folders.push(state);
    return state;
  };

  it('are written once asked for, and found again', async () => {
    const state = await newFolder();
    expect(await lastReport(SUBJECT, state)).toBeNull();
    const { report } = await writeReport(SUBJECT, state);
    const { path } = report;
    expect(path).toBe(join(state, 'reports', ID, 'report.md'));
    expect(await lastReport(SUBJECT, state)).toEqual({ ...report, isCurrent: true });
    const json = JSON.parse(await readFile(join(state, 'reports', ID, 'report.json'), 'utf8')) as { report: unknown };
    expect(json.report).toEqual({ path });
    expect(await readFile(path, 'utf8')).toContain('# demo');
  });

  it('are current while the record is as they show it, however its sums come, and written again only then', async () => {
    const state = await newFolder();
    const { report } = await writeReport(SUBJECT, state);
    const { totals, campaign } = SUBJECT;
    const turned = { ...SUBJECT, totals: { ...totals, spend: [...totals.spend].reverse() } };
    expect(await lastReport(turned, state)).toMatchObject({ isCurrent: true });
    expect(await currentReport({ ...turned, report }, state)).toBe(report);
    const resumed = { ...SUBJECT, campaign: { ...campaign, epoch: campaign.epoch + 1 } };
    const old = await lastReport(resumed, state);
    expect(old).toEqual({ ...report, isCurrent: false });
    expect(statusReport({ ...resumed, report: old }).report).toEqual({ path: null });
    await currentReport({ ...resumed, report: old }, state);
    expect(await lastReport(resumed, state)).toMatchObject({ isCurrent: true });
  });

  it('are told as a full disk where there is no room for them, and leave no part of a file', async () => {
    const state = await newFolder();
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    await expect(writeReport({ ...SUBJECT, details: () => Promise.reject(full) }, state)).rejects.toMatchObject({
      problems: [{ message: `${join(state, 'reports', ID)} cannot be written: the disk is full` }],
    });
    expect(await readdir(join(state, 'reports', ID))).toEqual([]);
  });

  it('are told as a place that cannot be written where their folder cannot be made', async () => {
    const state = await newFolder();
    await writeFile(join(state, 'reports'), 'a file');
    await expect(writeReport(SUBJECT, state)).rejects.toMatchObject({
      kind: 'environment',
      problems: [
        {
          message: expect.stringMatching(/cannot be written/) as string,
          fix: expect.stringMatching(/DURABENCH_HOME/) as string,
        },
      ],
    });
  });

  it('are told by the variable of the folder for scratch files where they are piped and it is not there', async () => {
    const none = join(await newFolder(), 'none');
    vi.stubEnv('TMPDIR', none);
    await expect(
      reportJson(SUBJECT)
        .next()
        .finally(() => vi.unstubAllEnvs()),
    ).rejects.toMatchObject({
      kind: 'environment',
      problems: [
        {
          message: `${none} cannot be written: there is no such file or folder`,
          fix: 'name another place with TMPDIR',
        },
      ],
    });
  });

  it('are told by it where it is full', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const piped = reportJson({ ...SUBJECT, details: () => Promise.reject(full) });
    await expect(piped.next()).rejects.toMatchObject({
      problems: [{ message: `${tmpdir()} cannot be written: the disk is full` }],
    });
  });

  it.each(['report.md', 'report.json', 'written.json'])('are not current once %s is another', async (name) => {
    const state = await newFolder();
    const { path } = (await writeReport(SUBJECT, state)).report;
    await writeFile(join(dirname(path), name), '{"cut":');
    expect(await lastReport(SUBJECT, state)).toMatchObject({ path, isCurrent: false });
  });
});

describe('repeats', () => {
  const repeated = (repeats: number, passedOf: (task: number) => number, groupOf = (_: number) => 'requests') =>
    Array.from({ length: 30 }, (_, task) =>
      Array.from({ length: repeats }, (_each, index): TrialRow => {
        const outcome = index < passedOf(task) ? 'passed' : 'failed';
        return { ...TRIALS[0]!, taskId: `t${task}`, repeat: index + 1, outcome, group: groupOf(task) };
      }),
    ).flat();
  const subjectOf = (trials: readonly TrialRow[], repeats: number): ReportSubject => {
    const { campaign } = SUBJECT;
    const spec = { ...campaign.spec, repeats, seed: 7, systems: campaign.spec.systems.slice(0, 1) };
    return { ...SUBJECT, campaign: { ...campaign, spec }, totals: totalsOf(trials) };
  };

  it('tell pass@k and pass^k, over tasks, with method and seed', () => {
    const subject = subjectOf(
      repeated(3, (task) => task % 4),
      3,
    );
    const [row] = fullReport(subject, DETAILS).results;
    expect(row).toMatchObject({ scored: 90, method: { name: 'task-bootstrap', units: 30, resamples: 2_000, seed: 7 } });
    // Of 30 tasks 8 pass in none, 8 in one, 7 in two and 7 in three of three.
    expect(row?.repeats.map(({ k, pass_at_k: at, pass_hat_k: hat }) => [k, at?.value, hat?.value])).toEqual([
      [1, expect.closeTo(43 / 90, 12), expect.closeTo(43 / 90, 12)],
      [2, expect.closeTo((8 * (2 / 3) + 14) / 30, 12), expect.closeTo((7 / 3 + 7) / 30, 12)],
      [3, expect.closeTo(22 / 30, 12), expect.closeTo(7 / 30, 12)],
    ]);
    const words = markdownReport(subject, DETAILS);
    expect(words).toContain('score (95 % by task)');
    expect(words).toContain('## Repeats: pass@k and pass^k');
    expect(words).toContain('95 % bootstrap by task (2,000 resamples, expanded percentiles, seed 7)');
    expect(words).toContain('Not clustered by group: 1 group with graded trials; a standard error by group needs 20');
  });

  it('that all end alike get Wilson’s interval over tasks', () => {
    const [row] = fullReport(
      subjectOf(
        repeated(3, () => 3),
        3,
      ),
      DETAILS,
    ).results;
    expect(row?.interval).toEqual({ low: expect.closeTo(0.8864866068260312, 12) as number, high: 1 });
    expect(row?.repeats[2]).toMatchObject({ k: 3, pass_hat_k: { value: 1, method: { name: 'wilson', units: 30 } } });
  });

  it('in 20 groups and more have standard errors by group', () => {
    const subject = subjectOf(
      repeated(
        2,
        (task) => task % 3,
        (task) => `g${task % 25}`,
      ),
      2,
    );
    const rows = fullReport(subject, DETAILS).results;
    expect(rows.at(-1)).toMatchObject({ group: null, unclustered: null, clustered: { method: { units: 25 } } });
    expect(rows[0]).toMatchObject({ group: 'g0', unclustered: null, clustered: null });
    expect(markdownReport(subject, DETAILS)).toContain('## Scores with groups as clusters');
    expectDocument(fullReport(subject, DETAILS), 'report');
  });
});
