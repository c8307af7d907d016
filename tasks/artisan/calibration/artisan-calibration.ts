import type { CalibrationInput, SuiteCalibration } from '../../../src/suite/calibration.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { STUDIES } from '../dataset/selection.js';
import type { TrialReport } from '../judge/verdict.js';
import type { Generated, Opinion } from '../results.js';
import { optionsOf } from '../settings.js';
import { calibrationReport, textJudgement, type JudgedScript } from './calibration-report.js';
import { FAMILIES } from './families.js';

/** How Artisan-Bench's judges are measured: on scripts of which it is known how they come to their table. */
export const artisanCalibration: SuiteCalibration = {
  projects: STUDIES,
  kinds: () => Object.keys(FAMILIES),
  isKind: (word) => word in FAMILIES,
  kindRule: Object.keys(FAMILIES).join(', '),
  system: (kind) => ({ generator: 'derived', options: { family: kind } }),
  withModel: (model) => ({ opinion: { model } }),
  async report(input) {
    const judged = [];
    for (const trial of input.trials) judged.push(...(await judgedScript(input, trial)));
    return calibrationReport(judged);
  },
};

async function judgedScript(
  { spec, blobs }: CalibrationInput,
  { trial, steps }: CalibrationInput['trials'][number],
): Promise<JudgedScript[]> {
  const system = spec.systems.find(({ id }) => id === trial.systemId);
  const family = system?.generator === 'derived' ? optionsOf(system).family : undefined;
  if (family === undefined) return [];
  const made = steps.findLast(({ stage }) => stage === 'generate')?.result as Generated | undefined;
  const scored = steps.findLast(({ stage }) => stage === 'score');
  const kept = scored?.evidence.find(({ name }) => name === 'judgement.json');
  const { method = null, opinion } =
    kept === undefined ? {} : await readJsonBlob<Partial<TrialReport> & { opinion?: Opinion }>(blobs, kept.sha256);
  const script = made === undefined ? '' : (await blobs.get(made.script)).toString('utf8');
  const { taskId: task, group: study, outcome, metrics, reason } = trial;
  const isGraded = outcome === 'passed' || outcome === 'failed';
  return [
    {
      ...{ task, study, family, label: made?.label ?? null, metrics, reason, isGraded },
      byText: method === null ? null : textJudgement(script, method),
      byModel: opinion === undefined ? undefined : opinion.method,
    },
  ];
}
