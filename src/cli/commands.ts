import { budget } from './commands/campaigns/budget.js';
import { calibrate } from './commands/datasets/calibrate.js';
import { cancel } from './commands/campaigns/cancel.js';
import { clean } from './commands/machine/clean.js';
import { compare } from './commands/results/compare.js';
import { completion } from './commands/machine/completion.js';
import type { CommandEntry } from './command-entry.js';
import { dataset } from './commands/datasets/dataset.js';
import { deleteCommand } from './commands/campaigns/delete.js';
import { doctor } from './commands/machine/doctor.js';
import { down } from './commands/machine/down.js';
import { exportResults } from './commands/results/export.js';
import { experiment } from './commands/results/experiment.js';
import { golden } from './commands/results/golden.js';
import { explain } from './commands/datasets/explain.js';
import { grade } from './commands/datasets/grade.js';
import { graph } from './commands/campaigns/graph.js';
import { init } from './commands/datasets/init.js';
import { images } from './commands/machine/images.js';
import { list } from './commands/campaigns/list.js';
import { logs } from './commands/campaigns/logs.js';
import { mockModel } from './commands/machine/mock-model.js';
import { pause } from './commands/campaigns/pause.js';
import { quickstart } from './commands/machine/quickstart.js';
import { regrade } from './commands/campaigns/regrade.js';
import { report } from './commands/campaigns/report.js';
import { resume } from './commands/campaigns/resume.js';
import { retry } from './commands/campaigns/retry.js';
import { review } from './commands/campaigns/review.js';
import { run } from './commands/campaigns/run.js';
import { schema } from './commands/machine/schema.js';
import { show } from './commands/campaigns/show.js';
import { status } from './commands/campaigns/status.js';
import { suites } from './commands/datasets/suites.js';
import { up } from './commands/machine/up.js';
import { validate } from './commands/datasets/validate.js';
import { view } from './commands/results/view.js';
import { worker } from './commands/machine/worker.js';

/** Every command, in the order of `durabench --help`. */
export const COMMANDS: readonly CommandEntry[] = [
  ...[quickstart, up, down, worker],
  ...[init, run, grade, status, list, show, logs, view, report, compare, experiment, golden, exportResults],
  ...[pause, resume, cancel, retry, regrade, review, budget, graph, deleteCommand],
  ...[dataset, calibrate, suites, explain, validate, schema, doctor, images, clean, mockModel, completion],
];
