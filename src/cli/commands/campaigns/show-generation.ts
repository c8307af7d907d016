import { plainLine } from '../../../domain/text/plain-text.js';
import { generationDocument } from '../../../report/documents/detail-reports.js';
import { counted, duration, grouped } from '../../../report/text/number-text.js';
import { attemptLines } from '../../format/attempt-lines.js';
import { evidenceLines, replayText } from '../../format/evidence-lines.js';
import { generationDetail, type GenerationDetail } from '../../../client/inspect/generation-detail.js';
import { generationLines } from '../../../client/inspect/generation-lines.js';
import { labelledMessage } from '../../format/labelled-message.js';
import type { Session } from '../../session.js';
import type { Connection } from '../../../client/connection.js';

/** A generation of a thousand units has many thousands of steps; `--json` has them all. */
const STEPS_SHOWN = 40;

/** `durabench show GENERATION`: what became of it, what it costs, its last steps with what each left. */
export async function showGeneration(session: Session, connection: Connection, id: string): Promise<void> {
  const { output } = session;
  const detail = await generationDetail(connection, id);
  const { generation, status, temporalUi } = detail;
  const { forecast = null, progress = null } = status ?? {};
  if (output.flags.json)
    return output.json('generation', generationDocument(detail, { forecast, progress, temporal_ui: temporalUi }));
  if (status !== null) for (const line of generationLines([status])) output.data(line);
  else output.data(`generation   ${generation.id}: ${generation.state}`);
  const { candidate, failure } = generation;
  for (const line of labelledMessage(
    'failed',
    failure && { ...failure, message: `${failure.type}: ${failure.message}` },
  ))
    output.data(line);
  if (candidate !== null) {
    output.data(`candidate    ${candidate.sha256}, ${counted(candidate.files, 'file')}`);
    output.data(`files        durabench export ${id} --format files --out candidate`);
  }
  if (status !== null) output.data(`graph        durabench show ${id} --graph`);
  if (temporalUi !== null) output.data(`Temporal UI  ${temporalUi}`);
  showSteps(session, detail);
}

function showSteps(session: Session, { attempts, steps }: GenerationDetail): void {
  const { output } = session;
  const left = Math.max(0, steps.length - STEPS_SHOWN);
  output.data(`\nsteps${left > 0 ? ` (the last ${STEPS_SHOWN} of ${grouped(steps.length)})` : ''}`);
  for (const { step, stage, n, result, evidence, calls, startedAt, endedAt } of steps.slice(left)) {
    const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
    const name = `${step === '' ? stage : step}${n > 1 ? ` (run ${n})` : ''}`;
    output.data(
      `  ${plainLine(name, 100)}, ${duration(seconds)}${replayText({ calls })}: ${plainLine(JSON.stringify(result), 120)}`,
    );
    for (const line of evidenceLines(session, evidence)) output.data(line);
  }
  for (const line of attemptLines(session, attempts, STEPS_SHOWN)) output.data(line);
}
