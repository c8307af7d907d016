import type { StageContext } from '../../../../../src/suite/stage.js';
import type { UnitStatus } from '../graph/steps.js';
import { keepBlob, type FinishedUnit } from './products.js';
import type { TryReport } from './trying.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

/** Closes a unit: its patch is what passed, and nothing else is accepted. */
export async function endUnit(
  context: StageContext,
  about: { unit: [id: string, fingerprint: string]; status: UnitStatus; tried: string | null; rounds: number },
): Promise<{ status: UnitStatus; product: string }> {
  const { unit, status, tried, rounds } = about;
  const [id] = unit;
  const report = tried === null ? null : await readJsonBlob<TryReport>(context.blobs, tried);
  const outcome = report?.outcomes.find((one) => one.id === id) ?? null;
  const isDone = status === 'done' && outcome?.passed === true;
  const finished: FinishedUnit = {
    id,
    status: isDone ? 'done' : status === 'done' ? 'failed' : status,
    product: isDone ? outcome.product : null,
    tests: isDone ? (report?.tests[id] ?? null) : null,
    rounds,
    message: isDone ? null : (outcome?.message ?? 'what it needs is missing').slice(0, 500),
  };
  return { status: finished.status, product: await keepBlob(context, 'unit', finished) };
}
