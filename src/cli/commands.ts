import { budget } from './budget.js';
import { calibrate } from './calibrate.js';
import { cancel } from './cancel.js';
import { clean } from './clean.js';
import type { CommandEntry } from './command-entry.js';
import { dataset } from './dataset.js';
import { doctor } from './doctor.js';
import { down } from './down.js';
import { grade } from './grade.js';
import { graph } from './graph.js';
import { images } from './images.js';
import { list } from './list.js';
import { mockModel } from './mock-model.js';
import { pause } from './pause.js';
import { quickstart } from './quickstart.js';
import { regrade } from './regrade.js';
import { report } from './report.js';
import { resume } from './resume.js';
import { retry } from './retry.js';
import { run } from './run.js';
import { show } from './show.js';
import { status } from './status.js';
import { suites } from './suites.js';
import { up } from './up.js';
import { validate } from './validate.js';
import { worker } from './worker.js';

/** Every command, in the order of `durabench --help`. */
export const COMMANDS: readonly CommandEntry[] = [
  ...[quickstart, up, down, worker],
  ...[run, grade, status, list, show, report],
  ...[pause, resume, cancel, retry, regrade, budget, graph],
  ...[dataset, calibrate, suites, validate, doctor, images, clean, mockModel],
];
