import { jsonText } from '../../domain/text/json-text.js';
import type { TrialRow } from '../../ports/records.js';
import type { ReportSubject } from '../report-subject.js';
import { scoreRows } from '../score-rows.js';
import { workSeconds, workTimes } from '../work-times.js';

/** Inspect has one model a log; a system is what we evaluate. */
const modelOf = (system: string): string => `durabench/${system}`;
const SCORER = 'durabench';

/**
 * One system of a campaign as a log of Inspect (`EvalLog`, version 2, the JSON form that `read_eval_log` opens): a sample a
 * trial, its score C, I, or none with an error. Prompts and answers stay in the blob store: `durabench show TRIAL`.
 */
export async function* inspectLog(subject: ReportSubject, system: string): AsyncGenerator<string> {
  const { campaign, durabench } = subject;
  const rows = scoreRows(subject).filter((row) => row.system === system);
  const whole = rows.find(({ group }) => group === null) ?? rows[0];
  const at = campaign.createdAt;
  const created = { started_at: at, completed_at: campaign.endedAt ?? at };
  const tasks = new Set<string>();
  const samples: string[] = [];
  // By page: only these texts are held, of one system.
  await subject.trialPages((page) => {
    for (const trial of page) {
      if (trial.systemId !== system) continue;
      tasks.add(trial.taskId);
      samples.push(jsonText(sampleOf(trial)));
    }
  });
  const metric = (name: string, value: number | null | undefined) => ({ name, value: value ?? 0, params: {} });
  const log = {
    version: 2,
    status: campaign.status === 'cancelled' ? 'cancelled' : 'success',
    eval: {
      ...{ eval_id: `${campaign.id}.${system}`, run_id: campaign.id, created: at },
      ...{ task: campaign.suite, task_id: `${campaign.id}.${system}`, task_version: campaign.lock.suiteVersion },
      task_args: {},
      dataset: { name: campaign.dataset, samples: tasks.size, sample_ids: [...tasks], shuffled: false },
      model: modelOf(system),
      model_args: {},
      config: { epochs: campaign.spec.repeats },
      packages: { durabench },
      metadata: { campaign: campaign.id, lock: campaign.lock.sha256, dataset: campaign.lock.datasetDigest },
    },
    plan: { name: 'plan', steps: [], config: {} },
    results: {
      total_samples: whole?.trials ?? 0,
      completed_samples: whole?.scored ?? 0,
      scores: [
        {
          ...{ name: SCORER, scorer: SCORER, params: {} },
          metrics: { accuracy: metric('accuracy', whole?.score) },
          metadata: { interval: whole?.interval ?? null, method: whole?.method ?? null },
        },
      ],
    },
    stats: { ...created, model_usage: { [modelOf(system)]: { total_tokens: whole?.tokens ?? 0 } } },
  };
  yield `${jsonText(log).slice(0, -1)},"samples":[`;
  for (const [index, sample] of samples.entries()) yield `${index === 0 ? '' : ','}\n${sample}`;
  yield '\n]}\n';
}

function sampleOf(trial: TrialRow) {
  const { taskId, systemId, repeat, outcome, reason, blame, message, metrics, tokens, costMicroUsd } = trial;
  const [{ startedAt, endedAt }, seconds] = [workTimes(trial), workSeconds(trial)];
  const isGraded = outcome === 'passed' || outcome === 'failed';
  const why = [reason, message].filter((text) => text !== null).join(': ');
  return {
    ...{ id: taskId, epoch: repeat, input: taskId, target: '' },
    messages: [],
    output: { model: modelOf(systemId), choices: [], usage: { total_tokens: tokens } },
    scores: isGraded
      ? { [SCORER]: { value: outcome === 'passed' ? 'C' : 'I', answer: '', explanation: why, metadata: { blame } } }
      : {},
    metadata: { ...metrics, group: trial.group, category: trial.category, trial: trial.id, usd: costMicroUsd / 1e6 },
    ...(!isGraded && { error: { message: `${outcome ?? 'open'}: ${why}`, traceback: '', traceback_ansi: '' } }),
    ...(startedAt !== null && { started_at: startedAt }),
    ...(endedAt !== null && { completed_at: endedAt }),
    ...(seconds !== null && { total_time: seconds }),
  };
}
