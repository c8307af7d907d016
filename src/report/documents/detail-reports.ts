import type { EvidenceRef } from '../../contract/evidence.js';
import type { CallRow, Records } from '../../ports/records.js';
import type { ReportTable } from '../../suite/report.js';
import { trialReport } from '../full-report.js';
import type { DocumentBody } from './documents.js';
import { snakeKeys } from './snake-keys.js';

type Detail = Awaited<ReturnType<Records['generation']>>;

/** A model call that was answered, with what was said. */
interface Answered {
  call: CallRow & { response: EvidenceRef };
  model: string | null;
  finishReason: string | null;
  answered: { role: string; text: string }[];
}

/** `show TRIAL --json` */
export function trialDocument(
  { trial, runs, steps, votes, attempts }: Awaited<ReturnType<Records['trial']>>,
  more: Pick<DocumentBody<'trial'>, 'explanation' | 'task' | 'again'> & {
    failureClass: string | null;
    answer: Answered | null;
    tables: readonly ReportTable[];
    temporalUi: string | null;
  },
): DocumentBody<'trial'> {
  return {
    trial: { ...trialReport(trial), campaign: trial.campaignId, batch: trial.batchId },
    runs: runs.map(withRun),
    ...workDetail({ steps, attempts }),
    votes,
    tables: more.tables.map(({ columns, ...table }) => ({ ...table, columns: columns.map(({ title }) => title) })),
    ...{ explanation: more.explanation, failure_class: more.failureClass },
    ...{
      task: more.task,
      answer: more.answer && answerDocument(more.answer),
      again: more.again,
      temporal_ui: more.temporalUi,
    },
  };
}

function answerDocument({ call, model, finishReason, answered }: Answered) {
  const { stage, step, purpose, response } = call;
  return {
    ...{ stage, step, purpose, model: model ?? call.model, finish_reason: finishReason },
    ...{ parts: answered, evidence: snakeKeys(response) },
  };
}

/** `show GENERATION --json` */
export function generationDocument(
  { generation, steps, attempts }: Detail,
  more: Pick<DocumentBody<'generation'>, 'forecast' | 'progress' | 'temporal_ui'>,
): DocumentBody<'generation'> {
  const { id, scope, repeat, state, failure, candidate, tokens } = generation;
  return {
    generation: {
      ...{ id, campaign: generation.campaignId, system: generation.systemId, scope, repeat, run: generation.n, state },
      ...{ failure, candidate: candidate && snakeKeys(candidate) },
      ...{ started_at: generation.startedAt, ended_at: generation.endedAt },
      ...{ usd: generation.costMicroUsd / 1_000_000, tokens },
    },
    ...workDetail({ steps, attempts }),
    ...more,
  };
}

/** The records' `n` is the number of a run. */
function withRun<Row extends { n: number }>({ n, ...row }: Row) {
  return { run: n, ...snakeKeys(row) };
}

function workDetail({ steps, attempts }: Pick<Detail, 'steps' | 'attempts'>) {
  return {
    steps: steps.map(({ evidence, ...step }) => ({ ...withRun(step), evidence: evidence.map(snakeKeys) })),
    attempts: attempts.map(({ evidence, ...attempt }) => ({
      ...withRun(attempt),
      ...(evidence && { evidence: evidence.map(snakeKeys) }),
    })),
  };
}
